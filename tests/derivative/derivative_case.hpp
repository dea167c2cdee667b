// tests/derivative/derivative_case.hpp - derivatives by dual numbers, and the joints that ask most of them
#pragma once
#include "sinew/joint/user.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

using Matrix = Grid<double>;

// A turn w, and a slide u along an axis of F_s that turns back by half the angle: S changes, and the velocities are not
// the rates of the positions.
struct HalfTurnJoint {
  static constexpr int kNq = 3, kNv = 2;
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    T s, c;
    const T half = lit<T>(0.5), o = lit<T>(0);
    sincos(half * q[0], s, c);
    out.X = {rotation_z(q[0]), {q[1], q[2], o}};
    out.S[0] = {{o, o, lit<T>(1)}, {o, o, o}};
    out.S[1] = {{o, o, o}, {c, -s, o}};
    out.v = {{o, o, v[0]}, {c * v[1], -(s * v[1]), o}};
    const T k = half * v[0] * v[1];
    out.c = {{o, o, o}, {-(s * k), -(c * k), o}};
  }
  template <class T>
  void rate(const T* q, const T* v, T* qdot) const {
    T s, c;
    sincos(lit<T>(0.5) * q[0], s, c);
    qdot[0] = v[0], qdot[1] = c * v[1], qdot[2] = s * v[1];
  }
  template <class T>
  void integrate(const T* q, const T* dv, T* out) const {  // to first order: no test asks for more
    T dq[3];
    rate(q, dv, dq);
    for (int k = 0; k < 3; ++k) out[k] = q[k] + dq[k];
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* dv) const {
    T s, c;
    sincos(lit<T>(0.5) * q0[0], s, c);
    dv[0] = q1[0] - q0[0], dv[1] = c * (q1[1] - q0[1]) + s * (q1[2] - q0[2]);
  }
  template <class T>
  void normalize(T*) const {}
  void neutral(double* q) const { q[0] = q[1] = q[2] = 0; }
  void random(Random& rng, const double*, const double*, double* q) const {
    for (int k = 0; k < 3; ++k) q[k] = rng.uniform(-1, 1);
  }
};

inline std::vector<Force<double>> some_forces(const Model& m, Random& rng) {
  std::vector<Force<double>> out(m.bodies().size());
  for (Force<double>& f : out) f = random_force(rng);
  return out;
}
inline std::vector<Force<Dual>> constant(const std::vector<Force<double>>& forces) {
  std::vector<Force<Dual>> out;
  for (const Force<double>& f : forces) out.push_back(cast<Dual>(f));
  return out;
}
inline std::vector<double> unit_vector(std::size_t n, int k) {
  std::vector<double> out(n);
  out[static_cast<std::size_t>(k)] = 1;
  return out;
}

// The three derivatives of out = f(q, v, x), column by column: f(q, v, x, out) with dual numbers.
struct Jacobians {
  explicit Jacobians(int n) : dq(n, n), dv(n, n), dx(n, n) {}
  Matrix dq, dv, dx;
};
template <class F>
Jacobians differentiate(const Model& m, const TreeState& s, F f) {
  const int n = m.nv();
  const std::size_t size = s.v.size();
  Jacobians out(n);
  std::vector<Dual> y(size);
  std::vector<double> rate(s.q.size());
  const std::vector<double> held(size), still(s.q.size());
  const auto keep = [&](Matrix& to, int k) {
    for (int i = 0; i < n; ++i) to(i, k) = y[static_cast<std::size_t>(i)].slope;
  };
  for (int k = 0; k < n; ++k) {
    const std::vector<double> unit = unit_vector(size, k);
    calc_rate<double>(m, s.q, unit, rate);
    f(moving(s.q, rate), moving(s.v, held), moving(s.a, held), y), keep(out.dq, k);
    f(moving(s.q, still), moving(s.v, unit), moving(s.a, held), y), keep(out.dv, k);
    f(moving(s.q, still), moving(s.v, held), moving(s.a, unit), y), keep(out.dx, k);
  }
  return out;
}
inline Jacobians dual_rnea_derivatives(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces,
                                       double time = 0) {
  RneaWorkspace<Dual> ws(m);
  const auto external = constant(forces);
  return differentiate(m, s, [&](const auto& q, const auto& v, const auto& a, auto& tau) {
    rnea(m, ws, q, v, a, tau, {external, time});
  });
}
inline Jacobians dual_aba_derivatives(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces,
                                      double time = 0) {
  AbaWorkspace<Dual> ws(m);
  const auto external = constant(forces);
  return differentiate(m, s, [&](const auto& q, const auto& v, const auto& tau, auto& a) {
    aba(m, ws, q, v, tau, a, {external, time});
  });
}

// A random tree with armature on every coordinate that can have it, and, unless told otherwise, joints of users.
inline Model hard_tree(std::uint64_t seed, int bodies = 12, bool with_user_joints = true) {
  std::vector<JointKind> kinds = all_kinds();
  if (!with_user_joints) std::erase(kinds, JointKind::user);
  ModelSpec spec = random_tree(seed, {bodies, kinds, 0.5});
  Random rng(seed + 77);
  for (std::size_t k = 0; k < spec.joints.size(); ++k) {
    JointSpec& j = spec.joints[k];
    if (with_user_joints && k % 5 == 2) {
      j.kind = JointKind::user;
      j.user = make_user_joint(HalfTurnJoint{});
      j.parts.clear(), j.law = {};
      continue;
    }
    if (j.kind == JointKind::composite || j.kind == JointKind::prescribed || j.kind == JointKind::fixed) continue;
    Joint joint;
    joint.kind = j.kind, joint.user = j.user;
    j.dofs.assign(at(joint.nv()), DofSpec{});
    for (DofSpec& d : j.dofs) d.armature = rng.uniform(0.1, 0.5);
  }
  return compile(spec).value();
}

// A random tree of all joints whose S is constant, with armature.
inline Model constant_subspace_tree(std::uint64_t seed, int bodies) {
  const std::vector<JointKind> kinds{JointKind::revolute,    JointKind::prismatic, JointKind::helical,
                                     JointKind::cylindrical, JointKind::planar,    JointKind::spherical,
                                     JointKind::free,        JointKind::fixed,     JointKind::prescribed};
  ModelSpec spec = random_tree(seed, {bodies, kinds, 0.5});
  Random rng(seed + 33);
  for (JointSpec& j : spec.joints) {
    j.reversed = false;
    if (j.kind == JointKind::fixed || j.kind == JointKind::prescribed) continue;
    Joint joint;
    joint.kind = j.kind;
    j.dofs.assign(at(joint.nv()), DofSpec{});
    for (DofSpec& d : j.dofs) d.armature = rng.uniform(0.1, 0.5);
  }
  return compile(spec).value();
}

// Second derivatives of y = lambda^T f(q, v, x).
struct Hessian {
  explicit Hessian(int n) : qq(n, n), qv(n, n), vv(n, n), qx(n, n) {}
  Matrix qq, qv, vv, qx;
};
// derivatives(q, v, x, dq, dv) in dual numbers: the slopes of lambda^T dq and lambda^T dv along every coordinate.
template <class F>
Hessian differentiate_twice(const Model& m, const TreeState& s, const std::vector<double>& lambda, F derivatives) {
  const int n = m.nv();
  const std::vector<double> held(s.v.size()), still(s.q.size());
  std::vector<double> rate(s.q.size());
  Grid<Dual> dq(n, n), dv(n, n);
  Hessian out(n);
  const auto keep = [&](Grid<Dual>& from, Matrix& to, int j) {
    for (int k = 0; k < n; ++k) {
      to(k, j) = 0;
      for (int i = 0; i < n; ++i) to(k, j) += lambda[at(i)] * from(i, k).slope;
    }
  };
  for (int j = 0; j < n; ++j) {
    const std::vector<double> unit = unit_vector(s.v.size(), j);
    calc_rate<double>(m, s.q, unit, rate);
    derivatives(moving(s.q, rate), moving(s.v, held), moving(s.a, held), dq, dv), keep(dq, out.qq, j);
    derivatives(moving(s.q, still), moving(s.v, unit), moving(s.a, held), dq, dv);
    keep(dq, out.qv, j), keep(dv, out.vv, j);
    derivatives(moving(s.q, still), moving(s.v, held), moving(s.a, unit), dq, dv), keep(dq, out.qx, j);
  }
  return out;
}

}  // namespace sinew::test
