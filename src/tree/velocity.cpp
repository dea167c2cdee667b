// src/tree/velocity.cpp
#include "sinew/tree/velocity.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

// m about a point that lies d further.
template <class T>
Motion<T> shifted(const Motion<T>& m, const Vec3<T>& d) {
  return {m.ang, m.lin - cross(d, m.ang)};
}

// One sweep from base to tips.
template <bool accelerations, class T>
void sweep(const Model& m, VelocityWorkspace<T>& ws, const T* q, const T* v, const T* a, double time) {
  const auto& X = ws.kinematics.X;
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Node& n = m.nodes()[i];
    const auto p = static_cast<std::size_t>(n.parent);
    const Vec3<T> d = X[i].r - X[p].r;
    const Motion<T> carried = shifted(ws.v[p], d);
    if (n.joint.kind == JointKind::revolute && !n.joint.reversed) {
      const Vec3<T> z{X[i].E.m.zx, X[i].E.m.zy, X[i].E.m.zz}, w = v[n.v] * z;
      ws.v[i] = {carried.ang + w, carried.lin};  // [F08 5.7]
      if constexpr (accelerations)
        ws.a[i] =
            shifted(ws.a[p], d) + Motion<T>{a[n.v] * z + cross(carried.ang, w), cross(carried.lin, w)};  // [F08 5.8]
      continue;
    }
    const Transform<T> Y{X[i].E, {}};
    Motion<T> s[kMaxJointDofs];
    calc_columns(n, Y, q + n.q, time, s);
    const JointRates<T> joint = calc_joint_rates(n, Y, q + n.q, v + n.v, time, s);
    ws.v[i] = carried + joint.v;
    if constexpr (accelerations) {
      Motion<T> rate = shifted(ws.a[p], d) + joint.c + cross(ws.v[i], joint.v);
      for (int k = 0; k < n.nv; ++k) rate += a[n.v + k] * s[k];
      ws.a[i] = rate;
    }
  }
}

}  // namespace

template <class T>
VelocityWorkspace<T>::VelocityWorkspace(const Model& m) : kinematics(m), v(m.nodes().size()), a(m.nodes().size()) {}

template <class T>
void calc_velocities(const Model& m, VelocityWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  check_state("calc_velocities", m, ws.v.size(), q.size(), v.size());
  calc_kinematics(m, ws.kinematics, q, time);
  sweep<false, T>(m, ws, q.data(), v.data(), nullptr, time);
}
template <class T>
void calc_accelerations(const Model& m, VelocityWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, double time) {
  check_state("calc_accelerations", m, ws.v.size(), q.size(), v.size());
  check_size("calc_accelerations", "a", a.size(), v.size());
  calc_kinematics(m, ws.kinematics, q, time);
  sweep<true, T>(m, ws, q.data(), v.data(), a.data(), time);
}

#define SINEW_INSTANTIATE(T)                                                                \
  template struct VelocityWorkspace<T>;                                                     \
  template void calc_velocities(const Model&, VelocityWorkspace<T>&, In<T>, In<T>, double); \
  template void calc_accelerations(const Model&, VelocityWorkspace<T>&, In<T>, In<T>, In<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
