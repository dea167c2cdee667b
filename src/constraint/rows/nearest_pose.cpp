// src/constraint/rows/nearest_pose.cpp
#include "constraint/rows/nearest_pose.hpp"

#include <cmath>
#include <numbers>

#include "sinew/base/dual.hpp"
#include "sinew/joint/quaternion_part.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

double value_of(double x) { return x; }
double value_of(const Dual& x) { return x.value; }

// Adds whole turns to `turn` so that the advance, `lead` per radian, comes closest to `travel`.
template <class T>
T unwind(const T& turn, const T& travel, double lead) {
  if (lead == 0) return turn;
  const double full = 2 * std::numbers::pi;
  return turn + lit<T>(full * std::round((value_of(travel) / lead - value_of(turn)) / full));
}

}  // namespace

template <class T>
T nearest_turn(const Rotation<T>& E, int k) {
  using std::atan2;
  const Mat3<T>& e = E.m;
  switch (k) {
    case 0: return atan2(e.yz - e.zy, e.yy + e.zz);
    case 1: return atan2(e.zx - e.xz, e.zz + e.xx);
    default: return atan2(e.xy - e.yx, e.xx + e.yy);
  }
}

template <class T>
void find_nearest_pose(const Joint& joint, const Transform<T>& X, T* q) {
  using std::atan2;
  const Mat3<T>& e = X.E.m;
  const Vec3<T>& r = X.r;
  switch (joint.kind) {
    case JointKind::revolute: q[0] = nearest_turn(X.E, 2); break;
    case JointKind::prismatic: q[0] = r.z; break;
    case JointKind::helical: q[0] = unwind(nearest_turn(X.E, 2), r.z, joint.parameter); break;
    case JointKind::cylindrical: q[0] = nearest_turn(X.E, 2), q[1] = r.z; break;
    case JointKind::planar: q[0] = nearest_turn(X.E, 2), q[1] = r.x, q[2] = r.y; break;
    case JointKind::spherical: detail::set_quaternion(q, to_quaternion(X.E)); break;
    case JointKind::spherical_ypr: {
      const Vec3<T> rpy = rpy_from_rotation(X.E);
      q[0] = rpy.z, q[1] = rpy.y, q[2] = rpy.x;
      break;
    }
    case JointKind::universal:  // the cross-piece: y of F_s, as far as it is square to x of F_p
      q[0] = atan2(e.yz, e.yy), q[1] = atan2(e.zx, e.xx);
      break;
    case JointKind::free:
      detail::set_quaternion(q, to_quaternion(X.E));
      q[4] = r.x, q[5] = r.y, q[6] = r.z;
      break;
    case JointKind::rack_and_pinion: q[0] = unwind(nearest_turn(X.E, 2), r.x, joint.parameter); break;
    default: break;
  }
}

template double nearest_turn(const Rotation<double>&, int);
template Dual nearest_turn(const Rotation<Dual>&, int);
template void find_nearest_pose(const Joint&, const Transform<double>&, double*);
template void find_nearest_pose(const Joint&, const Transform<Dual>&, Dual*);

}  // namespace sinew
