// src/tree/planar_dynamics.cpp
#include "sinew/tree/planar_dynamics.hpp"

#include "base/scalar_pass.hpp"

namespace sinew {
namespace {

template <class T>
PlanarRigidInertia<T> inertia_of(const PlanarLink& l) {
  return {lit<T>(l.inertia.m), {lit<T>(l.inertia.h.x), lit<T>(l.inertia.h.y)}, lit<T>(l.inertia.I)};
}
// S^T f and S x, S being (1, 0, 0) or (0, 1, 0).
template <class T>
T along(const PlanarLink& l, const PlanarForce<T>& f) {
  return l.kind == PlanarJointKind::revolute ? f.ang : f.lin.x;
}
template <class T>
PlanarMotion<T> moving(const PlanarLink& l, const T& x) {
  if (l.kind == PlanarJointKind::revolute) return {x, {}};
  return {lit<T>(0), {x, lit<T>(0)}};
}
template <class T>
PlanarMotion<T> base_acceleration(const PlanarModel& m) {
  return {lit<T>(0), {lit<T>(-m.gravity.x), lit<T>(-m.gravity.y)}};
}
// I - w U U^T
template <class T>
PlanarArticulatedInertia<T> without(const PlanarArticulatedInertia<T>& I, const T& w, const PlanarForce<T>& U) {
  const T x = w * U.lin.x, y = w * U.lin.y;
  return {I.mxx - x * U.lin.x,
          I.mxy - x * U.lin.y,
          I.myy - y * U.lin.y,
          {I.H.x - x * U.ang, I.H.y - y * U.ang},
          I.I - w * U.ang * U.ang};
}

template <class T>
void check(const char* call, const PlanarModel& m, const PlanarWorkspace<T>& ws) {
  check_size(call, "the workspace", ws.X.size(), m.size());
}
template <class T>
void check(const char* call, const char* name, const PlanarModel& m, const VectorView<T>& x) {
  check_size(call, name, x.size(), m.size());
}

template <class T>
void place_links(const PlanarModel& m, PlanarWorkspace<T>& ws, const T* q) {
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarLink& l = m.links[i];
    const PlanarTransform<T> place{
        lit<T>(l.placement.c), lit<T>(l.placement.s), {lit<T>(l.placement.r.x), lit<T>(l.placement.r.y)}};
    const bool turns = l.kind == PlanarJointKind::revolute;
    const T o = lit<T>(0);
    ws.X[i] = (turns ? planar_transform({o, o}, q[i]) : PlanarTransform<T>{lit<T>(1), o, {q[i], o}}) * place;
  }
}
// v and c of all links.
template <class T>
void move_links(const PlanarModel& m, PlanarWorkspace<T>& ws, const T* q, const T* v) {
  place_links(m, ws, q);
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarLink& l = m.links[i];
    const PlanarMotion<T> vj = moving(l, v[i]);
    ws.v[i] = l.parent < 0 ? vj : apply(ws.X[i], ws.v[l.parent]) + vj;
    ws.c[i] = cross(ws.v[i], vj);
  }
}

}  // namespace

#if SINEW_FIRST_PASS
PlanarModel::PlanarModel(std::vector<PlanarLink> all_links, const Vec2<double>& g)
    : links(std::move(all_links)), gravity(g) {
  for (std::size_t i = 0; i < links.size(); ++i)
    if (links[i].parent < -1 || links[i].parent >= static_cast<int>(i))
      throw std::invalid_argument("PlanarModel: link " + std::to_string(i) + " has the parent " +
                                  std::to_string(links[i].parent) + ", which does not come before it");
}

PlanarModel planar_rods(int n, double length, double mass, const Vec2<double>& gravity) {
  std::vector<PlanarLink> links;
  links.reserve(at(n));
  for (int i = 0; i < n; ++i)
    links.push_back({.parent = i - 1,
                     .placement = {1, 0, {i == 0 ? 0 : length, 0}},
                     .inertia = make_planar_inertia(mass, {length / 2, 0}, mass * length * length / 12)});
  return PlanarModel(std::move(links), gravity);
}
#endif

template <class T>
PlanarWorkspace<T>::PlanarWorkspace(const PlanarModel& m)
    : X(m.size()),
      v(m.size()),
      c(m.size()),
      a(m.size()),
      f(m.size()),
      Ic(m.size()),
      IA(m.size()),
      U(m.size()),
      w(m.size()),
      u(m.size()) {}

template <class T>
void planar_rnea(const PlanarModel& m, PlanarWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau) {
  check("planar_rnea", m, ws);
  check("planar_rnea", "q", m, q), check("planar_rnea", "v", m, v);
  check("planar_rnea", "a", m, a), check("planar_rnea", "tau", m, tau);
  move_links(m, ws, q.data(), v.data());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarLink& l = m.links[i];
    const PlanarRigidInertia<T> I = inertia_of<T>(l);
    ws.a[i] = apply(ws.X[i], l.parent < 0 ? base_acceleration<T>(m) : ws.a[l.parent]) + ws.c[i] + moving(l, a[i]);
    ws.f[i] = I * ws.a[i] + cross(ws.v[i], I * ws.v[i]);
  }
  for (std::size_t i = m.size(); i-- > 0;) {
    const PlanarLink& l = m.links[i];
    tau[i] = along(l, ws.f[i]);
    if (l.parent >= 0) ws.f[l.parent] = ws.f[l.parent] + apply_inverse(ws.X[i], ws.f[i]);
  }
}

template <class T>
void planar_crba(const PlanarModel& m, PlanarWorkspace<T>& ws, In<T> q, OutMatrix<T> M) {
  check("planar_crba", m, ws);
  check("planar_crba", "q", m, q);
  check_size("planar_crba", "a column of M", M.rows(), m.size());
  check_size("planar_crba", "a row of M", M.cols(), m.size());
  place_links(m, ws, q.data());
  for (std::size_t i = 0; i < m.size(); ++i) ws.Ic[i] = inertia_of<T>(m.links[i]);
  for (std::size_t i = m.size(); i-- > 0;) {
    const PlanarLink& l = m.links[i];
    if (l.parent >= 0) ws.Ic[l.parent] = ws.Ic[l.parent] + apply_inverse(ws.X[i], ws.Ic[i]);
    for (std::size_t j = 0; j < i; ++j) M(i, j) = M(j, i) = lit<T>(0);
    PlanarForce<T> F = ws.Ic[i] * moving(l, lit<T>(1));
    M(i, i) = along(l, F);
    for (std::size_t j = i; m.links[j].parent >= 0;) {
      F = apply_inverse(ws.X[j], F);
      j = at(m.links[j].parent);
      M(i, j) = M(j, i) = along(m.links[j], F);
    }
  }
}

template <class T>
void planar_aba(const PlanarModel& m, PlanarWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a) {
  check("planar_aba", m, ws);
  check("planar_aba", "q", m, q), check("planar_aba", "v", m, v);
  check("planar_aba", "tau", m, tau), check("planar_aba", "a", m, a);
  move_links(m, ws, q.data(), v.data());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarRigidInertia<T> I = inertia_of<T>(m.links[i]);
    ws.IA[i] = to_articulated(I);
    ws.f[i] = cross(ws.v[i], I * ws.v[i]);  // pA
  }
  for (std::size_t i = m.size(); i-- > 0;) {
    const PlanarLink& l = m.links[i];
    ws.U[i] = ws.IA[i] * moving(l, lit<T>(1));
    ws.w[i] = lit<T>(1) / along(l, ws.U[i]);
    ws.u[i] = tau[i] - along(l, ws.f[i]);
    if (l.parent < 0) continue;
    const PlanarArticulatedInertia<T> Ia = without(ws.IA[i], ws.w[i], ws.U[i]);
    const PlanarForce<T> pa = ws.f[i] + Ia * ws.c[i] + (ws.w[i] * ws.u[i]) * ws.U[i];
    ws.IA[l.parent] = ws.IA[l.parent] + apply_inverse(ws.X[i], Ia);
    ws.f[l.parent] = ws.f[l.parent] + apply_inverse(ws.X[i], pa);
  }
  for (std::size_t i = 0; i < m.size(); ++i) {
    const PlanarLink& l = m.links[i];
    const PlanarMotion<T> up = l.parent < 0 ? base_acceleration<T>(m) : ws.a[l.parent];
    const PlanarMotion<T> rest = apply(ws.X[i], up) + ws.c[i];
    a[i] = ws.w[i] * (ws.u[i] - dot(rest, ws.U[i]));
    ws.a[i] = rest + moving(l, a[i]);
  }
}

#define SINEW_INSTANTIATE(T)                                                                       \
  template struct PlanarWorkspace<T>;                                                              \
  template void planar_rnea(const PlanarModel&, PlanarWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>); \
  template void planar_crba(const PlanarModel&, PlanarWorkspace<T>&, In<T>, OutMatrix<T>);         \
  template void planar_aba(const PlanarModel&, PlanarWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
