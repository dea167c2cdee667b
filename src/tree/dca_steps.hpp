// src/tree/dca_steps.hpp - what divide and conquer does at one assembly, on the way up and on the way down
#pragma once
#include "dca_closings.hpp"

namespace sinew::dca_steps {

template <class T>
struct Steps : Closings<T> {
  using Plan = DcaPlan;
  using Assembly = DcaPlan::Assembly;
  using Closings<T>::m;
  using Closings<T>::ws;
  using Closings<T>::phi;
  using Closings<T>::part;
  using Closings<T>::mirror;

  void up(int i) const {
    const Assembly& a = part(i);
    switch (a.kind) {
      case Plan::Kind::body: return make_body(a);
      case Plan::Kind::joint: return assemble(a);
      case Plan::Kind::ground: return stand(a);
      case Plan::Kind::pair: return put_side_by_side(a);
      case Plan::Kind::tie:
      case Plan::Kind::lent: return this->close(a);
    }
  }
  void down(int i, Out<T> out) const {
    const Assembly& a = part(i);
    if (a.kind == Plan::Kind::body) return;
    hand_down(a);
    if (a.kind == Plan::Kind::joint) take_apart(a, out);
    if (a.kind == Plan::Kind::ground) take_off(a, out);
    if (a.kind == Plan::Kind::tie || a.kind == Plan::Kind::lent) this->open(a);
  }

  // The joint above body b, and what acts on massless nodes in it.
  void calc_joint_of(int b) const {
    const DcaPlan::Body& body = ws.plan.bodies[b];
    const NodeMotions<T>& k = ws.motions;
    Transform<T>& X = ws.X[b] = {};
    ws.c[b] = {};
    std::size_t count = 0;  // of the coordinates so far
    for (const int p : body.path) {
      const Node& n = m.nodes()[p];
      X = k.X[p] * X;
      ws.c[b] = apply(k.X[p], ws.c[b]) + k.c[p];
      for (std::size_t i = 0; i < count; ++i) {
        Motion<T>& s = ws.S[body.coords[i]];
        s = apply(k.X[p], s);
      }
      for (int v = n.v; v < n.v + n.nv; ++v, ++count) ws.S[v] = k.S[v];
      if (p == body.node) break;
      for (std::size_t i = 0; i < count; ++i) ws.tau[body.coords[i]] += dot(ws.S[body.coords[i]], k.external[p]);
      if (body.parent >= 0) ws.external[body.parent] += apply_inverse(X, k.external[p]);
    }
  }

 private:
  void make_body(const Assembly& a) const {
    const DcaPlan::Body& body = ws.plan.bodies[a.body];
    const RigidInertia<T> I = cast<T>(m.nodes()[body.node].inertia);
    RigidInertia<double> with = m.nodes()[body.node].inertia;
    if (body.borrows())
      with =
          with + RigidInertia<double>{body.mass, {}, Sym3<double>::diagonal(body.turning, body.turning, body.turning)};
    const InverseInertia<T> Phi = inverse(cast<T>(with));
    const Motion<T>& v = ws.motions.v[body.node];
    phi(a, 0, 0) = to_dense(Phi);
    ws.b[a.first] = Phi * (ws.external[a.body] - cross(v, I * v));
  }
  // The joint above body b between handles with inverse inertias whose sum is P and accelerations b2, b3: f = W beta +
  // f0.
  void make_joint(int b, const Mat6<T>& P, const Motion<T>& b2, const Motion<T>& b3) const {
    const std::vector<int>& coords = ws.plan.bodies[b].coords;
    ArticulatedInertia<T>& W = ws.W[b] = articulated_from_dense(linear::inverse_of(P));
    Force<T>& active = ws.active[b] = {};
    for (std::size_t i = coords.size(); i-- > 0;) {
      const std::size_t v = at(coords[i]);
      ws.steps[v] = let_move(W, active, ws.S[v], ws.tau[v], lit<T>(m.dofs()[v].armature));
    }
    ws.beta[b] = ws.c[b] - b3 + apply(ws.X[b], b2);
  }
  // Phi_ix in the coordinates of the joint, with the opposite sign for the lower part: a_i = ... - G_i f.
  void set_g(const Assembly& whole, const DcaPlan::Handle& h, const Mat6<T>& X, Mat6<T>& G) const {
    const Assembly& p = part(h.part == 0 ? whole.upper : whole.lower);
    G = Mat6<T>{};
    if (h.part == 1) return subtract(phi(p, h.place, whole.lower_place), G);
    times_transpose(phi(p, h.place, whole.upper_place), X, G);
  }
  void assemble(const Assembly& a) const {
    const Assembly &A = part(a.upper), &B = part(a.lower);
    const Mat6<T> X = to_dense(ws.X[a.body]);
    Mat6<T> half, P;  // X Phi_2 X^T + Phi_3
    times_transpose(X, phi(A, a.upper_place, a.upper_place), half);
    times_transpose(half, X, P);
    for (int k = 0; k < 36; ++k) P(k / 6, k % 6) += phi(B, a.lower_place, a.lower_place)(k / 6, k % 6);
    make_joint(a.body, P, ws.b[A.first + at(a.upper_place)], ws.b[B.first + at(a.lower_place)]);
    set_whole(a, X);
  }
  // The world has no inverse inertia, and the acceleration -g.
  void stand(const Assembly& a) const {
    const Assembly& B = part(a.lower);
    const int place = a.lower_place;
    make_joint(a.body, phi(B, place, place), Motion<T>{{}, -cast<T>(m.gravity())}, ws.b[B.first + at(place)]);
    set_whole(a, {});
  }
  void set_whole(const Assembly& a, const Mat6<T>& X) const {  // [F08 7.63]
    const Mat6<T> W = to_dense(ws.W[a.body]);
    const Force<T> f0 = ws.W[a.body] * ws.beta[a.body] + ws.active[a.body];
    Mat6<T> half;
    for (std::size_t i = 0; i < a.handles.size(); ++i) {
      const DcaPlan::Handle& hi = a.handles[i];
      const Assembly& Pi = part(hi.part == 0 ? a.upper : a.lower);
      Mat6<T>&G = ws.G[a.g + i], &GW = ws.GW[a.g + i];
      set_g(a, hi, X, G);
      times_transpose(G, W, GW);
      ws.b[a.first + i] = ws.b[Pi.first + at(hi.place)] - G * f0;
      for (std::size_t j = 0; j <= i; ++j) {
        const DcaPlan::Handle& hj = a.handles[j];
        Mat6<T>& ij = phi(a, int(i), int(j));
        ij = hi.part == hj.part ? phi(Pi, hi.place, hj.place) : Mat6<T>{};
        times_transpose(GW, ws.G[a.g + j], half);
        subtract(half, ij);
        mirror(a, int(i), int(j));
      }
    }
  }
  void put_side_by_side(const Assembly& a) const {
    for (std::size_t i = 0; i < a.handles.size(); ++i) {
      const DcaPlan::Handle& hi = a.handles[i];
      const Assembly& P = part(hi.part == 0 ? a.upper : a.lower);
      ws.b[a.first + i] = ws.b[P.first + at(hi.place)];
      for (std::size_t j = 0; j < a.handles.size(); ++j)
        phi(a, int(i), int(j)) = hi.part == a.handles[j].part ? phi(P, hi.place, a.handles[j].place) : Mat6<T>{};
    }
  }

  // Forces on the handles of the whole are forces on handles of its parts.
  void hand_down(const Assembly& a) const {
    for (const int p : {a.upper, a.lower})
      if (p >= 0)
        for (std::size_t i = 0; i < part(p).handles.size(); ++i) ws.f[part(p).first + i] = {};
    for (std::size_t i = 0; i < a.handles.size(); ++i)
      ws.f[part(a.handles[i].part == 0 ? a.upper : a.lower).first + at(a.handles[i].place)] = ws.f[a.first + i];
  }
  // beta with the forces on the handles in it gives the joint's accelerations and force.
  Force<T> solve_joint(int b, const Motion<T>& beta, Out<T> a) const {
    Motion<T> rest = beta;
    for (const int v : ws.plan.bodies[b].coords) a[v] = accelerate(ws.steps[v], ws.S[v], rest);
    return ws.W[b] * beta + ws.active[b];
  }
  Motion<T> response(const Assembly& p, int place) const {
    Motion<T> sum{};
    for (std::size_t i = 0; i < p.handles.size(); ++i) sum += phi(p, place, int(i)) * ws.f[p.first + i];
    return sum;
  }
  void take_apart(const Assembly& a, Out<T> out) const {
    const Assembly &A = part(a.upper), &B = part(a.lower);
    const Motion<T> a2 = response(A, a.upper_place), a3 = response(B, a.lower_place);
    const Transform<T>& X = ws.X[a.body];
    const Force<T> f = solve_joint(a.body, ws.beta[a.body] + apply(X, a2) - a3, out);  // [F08 7.62]
    ws.f[A.first + at(a.upper_place)] -= apply_inverse(X, f);
    ws.f[B.first + at(a.lower_place)] += f;
  }
  void take_off(const Assembly& a, Out<T> out) const {
    const Assembly& B = part(a.lower);
    const Motion<T> beta = a.handles.empty() ? ws.beta[a.body] : ws.beta[a.body] - response(B, a.lower_place);
    ws.f[B.first + at(a.lower_place)] += solve_joint(a.body, beta, out);
  }
};

}  // namespace sinew::dca_steps
