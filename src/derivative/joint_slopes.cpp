// src/derivative/joint_slopes.cpp
#include "sinew/derivative/joint_slopes.hpp"

#include "base/traced_pass.hpp"
#include "sinew/joint/user.hpp"

namespace sinew {
namespace {

// One lane of a number, and a number from its lanes.
template <class T>
double get_lane(const T& x, int lane) {
  if constexpr (ScalarTraits<T>::kLanes > 1)
    return double(x[lane]);
  else if constexpr (std::is_floating_point_v<T>)
    return double(x);
  else
    return x.value;
}
template <class T>
void set_lane(T& x, int lane, double value) {
  if constexpr (ScalarTraits<T>::kLanes > 1)
    x.set(lane, static_cast<typename ScalarTraits<T>::Value>(value));
  else
    x = lit<T>(value);
}
template <class T>
void set_lane(Motion<T>& x, int lane, const Motion<Dual>& m) {
  set_lane(x.ang.x, lane, m.ang.x.slope), set_lane(x.ang.y, lane, m.ang.y.slope);
  set_lane(x.ang.z, lane, m.ang.z.slope), set_lane(x.lin.x, lane, m.lin.x.slope);
  set_lane(x.lin.y, lane, m.lin.y.slope), set_lane(x.lin.z, lane, m.lin.z.slope);
}

// By dual numbers, direction by direction and lane by lane.
template <class T>
void differentiate_user_joint(const Joint& joint, const T* q, const T* v, double time, JointSlopes<T>& out) {
  const int nq = joint.nq(), nv = joint.nv();
  JointMotion<Dual> m;
  for (int lane = 0; lane < ScalarTraits<T>::kLanes; ++lane)
    for (int k = 0; k < nv; ++k) {
      double at[kMaxUserPositions], unit[kMaxJointDofs] = {}, rate[kMaxUserPositions];
      Dual moving[kMaxUserPositions], held[kMaxJointDofs];
      unit[k] = 1;
      for (int i = 0; i < nq; ++i) at[i] = get_lane(q[i], lane);
      calc_rate(joint, at, unit, rate);
      for (int i = 0; i < nq; ++i) moving[i] = Dual(at[i], rate[i]);
      for (int l = 0; l < nv; ++l) held[l] = Dual(get_lane(v[l], lane));
      calc_joint(joint, moving, held, time, m);
      for (int l = 0; l < nv; ++l) set_lane(out.S[k][l], lane, m.S[l]);
      set_lane(out.c[k], lane, m.c);
    }
}

}  // namespace

#if SINEW_FIRST_PASS
bool has_moving_subspace(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::universal:
    case JointKind::spherical_ypr:
    case JointKind::rack_and_pinion:
    case JointKind::user: return joint.nv() > 0;
    default: return joint.reversed && joint.nv() > 1;
  }
}
#endif

template <class T>
void calc_joint_slopes(const Joint& joint, const T* q, const T* v, double time, JointSlopes<T>& out) {
  if (joint.kind == JointKind::user) return differentiate_user_joint(joint, q, v, time, out);
  calc_primitive_slopes(joint.kind, lit<T>(joint.parameter), q, v, out);
  if (!joint.reversed) return;

  JointMotion<T> m;  // as seen from the other side, so that m.X is the inverse
  calc_joint(joint, q, v, time, m);
  const int nv = joint.nv();
  for (int k = 0; k < nv; ++k) {
    for (int l = 0; l < nv; ++l) out.S[k][l] = cross(m.S[l], m.S[k]) - apply(m.X, out.S[k][l]);
    out.c[k] = -cross(m.S[k], m.c) - apply(m.X, out.c[k]);
  }
}

#define SINEW_INSTANTIATE(T) template void calc_joint_slopes(const Joint&, const T*, const T*, double, JointSlopes<T>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
