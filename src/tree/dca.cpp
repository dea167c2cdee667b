// src/tree/dca.cpp
#include "sinew/tree/dca.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace dca_sweeps {

// a b^T; b is transposed first, so that the inner loops run along rows
template <class T>
__attribute__((noinline)) void times_transpose(const Mat6<T>& a, const Mat6<T>& b, Mat6<T>& out) {
  T t[6][6];
  for (int k = 0; k < 36; ++k) t[k / 6][k % 6] = b(k % 6, k / 6);
  for (int i = 0; i < 6; ++i) {
    T sum[6];
    for (int j = 0; j < 6; ++j) sum[j] = a(i, 0) * t[0][j];
    for (int k = 1; k < 6; ++k)
      for (int j = 0; j < 6; ++j) sum[j] += a(i, k) * t[k][j];
    for (int j = 0; j < 6; ++j) out(i, j) = sum[j];
  }
}
template <class T>
void subtract(const Mat6<T>& b, Mat6<T>& a) {
  for (int k = 0; k < 36; ++k) a(k / 6, k % 6) -= b(k / 6, k % 6);
}
template <class T>
Motion<T> operator*(const Mat6<T>& a, const Force<T>& f) {
  const std::array<T, 6> x = to_array(f);
  std::array<T, 6> out;
  for (int i = 0; i < 6; ++i) {
    out[i] = a(i, 0) * x[0];
    for (int k = 1; k < 6; ++k) out[i] += a(i, k) * x[k];
  }
  return to_motion(out);
}

// The workspace and arguments of one call.
template <class T>
struct Dca {
  const Model& m;
  DcaWorkspace<T>& ws;
  using Assembly = DcaPlan::Assembly;

  Mat6<T>& phi(const Assembly& a, int i, int j) const { return ws.Phi[a.phi + at(i) * a.handles.size() + at(j)]; }
  const Assembly& part(int i) const { return ws.plan.assemblies[i]; }

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
  void make_body(const Assembly& a) const {
    const std::size_t node = at(ws.plan.bodies[a.body].node);
    const RigidInertia<T> I = cast<T>(m.nodes()[node].inertia);
    const InverseInertia<T> Phi = inverse(I);
    const Motion<T>& v = ws.motions.v[node];
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
    // [F08 7.63]
    const Mat6<T> W = to_dense(ws.W[a.body]);
    const Force<T> f0 = ws.W[a.body] * ws.beta[a.body] + ws.active[a.body];
    for (std::size_t i = 0; i < a.handles.size(); ++i) {
      const DcaPlan::Handle& hi = a.handles[i];
      const Assembly& Pi = hi.part == 0 ? A : B;
      set_g(a, hi, X, ws.G[i]);
      times_transpose(ws.G[i], W, ws.GW[i]);
      ws.b[a.first + i] = ws.b[Pi.first + at(hi.place)] - ws.G[i] * f0;
      for (std::size_t j = 0; j <= i; ++j) {
        const DcaPlan::Handle& hj = a.handles[j];
        Mat6<T>& ij = phi(a, int(i), int(j));
        ij = hi.part == hj.part ? phi(Pi, hi.place, hj.place) : Mat6<T>{};
        times_transpose(ws.GW[i], ws.G[j], half);
        subtract(half, ij);
        for (int k = 0; k < 36; ++k) phi(a, int(j), int(i))(k % 6, k / 6) = ij(k / 6, k % 6);
      }
    }
  }
  // beta with the forces on the handles in it gives the joint's accelerations and force.
  Force<T> solve_joint(int b, const Motion<T>& beta, Out<T> a) const {
    Motion<T> rest = beta;
    for (const int v : ws.plan.bodies[b].coords) a[v] = accelerate(ws.steps[v], ws.S[v], rest);
    return ws.W[b] * beta + ws.active[b];
  }
  void take_apart(const Assembly& a, Out<T> out) const {
    const Assembly &A = part(a.upper), &B = part(a.lower);
    for (std::size_t i = 0; i < A.handles.size(); ++i) ws.f[A.first + i] = {};
    for (std::size_t i = 0; i < B.handles.size(); ++i) ws.f[B.first + i] = {};
    for (std::size_t i = 0; i < a.handles.size(); ++i)
      ws.f[(a.handles[i].part == 0 ? A : B).first + at(a.handles[i].place)] = ws.f[a.first + i];
    Motion<T> a2{}, a3{};
    for (std::size_t i = 0; i < A.handles.size(); ++i) a2 += phi(A, a.upper_place, int(i)) * ws.f[A.first + i];
    for (std::size_t i = 0; i < B.handles.size(); ++i) a3 += phi(B, a.lower_place, int(i)) * ws.f[B.first + i];
    const Transform<T>& X = ws.X[a.body];
    const Force<T> f = solve_joint(a.body, ws.beta[a.body] + apply(X, a2) - a3, out);  // [F08 7.62]
    ws.f[A.first + at(a.upper_place)] -= apply_inverse(X, f);
    ws.f[B.first + at(a.lower_place)] += f;
  }
};

}  // namespace dca_sweeps

template <class T>
DcaWorkspace<T>::DcaWorkspace(const Model& m)
    : plan(m),
      motions(m),
      X(plan.bodies.size()),
      c(plan.bodies.size()),
      beta(plan.bodies.size()),
      S(static_cast<std::size_t>(m.nv())),
      tau(static_cast<std::size_t>(m.nv())),
      steps(static_cast<std::size_t>(m.nv())),
      W(plan.bodies.size()),
      active(plan.bodies.size()),
      external(plan.bodies.size()),
      Phi(plan.phi_size),
      G(plan.most_handles),
      GW(plan.most_handles),
      b(plan.handle_count),
      f(plan.handle_count) {}

template <class T>
void dca(const Model& m, DcaWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& around) {
  ws.motions.made_for.check("dca", m);
  check_size("dca", "tau", tau.size(), static_cast<std::size_t>(m.nv()));
  check_size("dca", "a", a.size(), static_cast<std::size_t>(m.nv()));
  calc_node_motions("dca", m, ws.motions, q, v, around);
  const dca_sweeps::Dca<T> now{m, ws};
  const int bodies = static_cast<int>(ws.plan.bodies.size());
  for (std::size_t i = 0; i < tau.size(); ++i) ws.tau[i] = tau[i];
  for (int b = 0; b < bodies; ++b) ws.external[b] = ws.motions.external[ws.plan.bodies[b].node];
  for (int b = 0; b < bodies; ++b) now.calc_joint_of(b);
  // up
  for (const DcaPlan::Assembly& s : ws.plan.assemblies) s.upper < 0 ? now.make_body(s) : now.assemble(s);
  // the world: no inverse inertia, and the acceleration -g
  for (const int r : ws.plan.roots) {
    const DcaPlan::Assembly& root = now.part(r);
    const int top = root.handles[0].body;
    now.make_joint(top, now.phi(root, 0, 0), Motion<T>{{}, -cast<T>(m.gravity())}, ws.b[root.first]);
    ws.f[root.first] = now.solve_joint(top, ws.beta[top], a);
  }
  // down
  for (std::size_t i = ws.plan.assemblies.size(); i-- > 0;)
    if (ws.plan.assemblies[i].upper >= 0) now.take_apart(ws.plan.assemblies[i], a);
}

#define SINEW_INSTANTIATE(T)                                                     \
  template struct DcaWorkspace<T>;                                               \
  template void dca(const Model&, DcaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                    const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
