// src/constraint/rows/nearest_pose.cpp
#include "constraint/rows/nearest_pose.hpp"

#include <cmath>
#include <numbers>

#include "sinew/joint/quaternion_part.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

// Adds whole turns to `turn` so that the advance, `lead` per radian, comes closest to `travel`.
double unwind(double turn, double travel, double lead) {
  if (lead == 0) return turn;
  const double full = 2 * std::numbers::pi;
  return turn + full * std::round((travel / lead - turn) / full);
}

}  // namespace

double nearest_turn(const Rotation<double>& E, int k) {
  const Mat3<double>& e = E.m;
  switch (k) {
    case 0: return std::atan2(e.yz - e.zy, e.yy + e.zz);
    case 1: return std::atan2(e.zx - e.xz, e.zz + e.xx);
    default: return std::atan2(e.xy - e.yx, e.xx + e.yy);
  }
}

void find_nearest_pose(const Joint& joint, const Transform<double>& X, double* q) {
  const Mat3<double>& e = X.E.m;
  const Vec3<double>& r = X.r;
  switch (joint.kind) {
    case JointKind::revolute: q[0] = nearest_turn(X.E, 2); break;
    case JointKind::prismatic: q[0] = r.z; break;
    case JointKind::helical: q[0] = unwind(nearest_turn(X.E, 2), r.z, joint.parameter); break;
    case JointKind::cylindrical: q[0] = nearest_turn(X.E, 2), q[1] = r.z; break;
    case JointKind::planar: q[0] = nearest_turn(X.E, 2), q[1] = r.x, q[2] = r.y; break;
    case JointKind::spherical: detail::set_quaternion(q, to_quaternion(X.E)); break;
    case JointKind::spherical_ypr: {
      const Vec3<double> rpy = rpy_from_rotation(X.E);
      q[0] = rpy.z, q[1] = rpy.y, q[2] = rpy.x;
      break;
    }
    case JointKind::universal:  // the cross-piece: y of F_s, as far as it is square to x of F_p
      q[0] = std::atan2(e.yz, e.yy), q[1] = std::atan2(e.zx, e.xx);
      break;
    case JointKind::free:
      detail::set_quaternion(q, to_quaternion(X.E));
      q[4] = r.x, q[5] = r.y, q[6] = r.z;
      break;
    case JointKind::rack_and_pinion: q[0] = unwind(nearest_turn(X.E, 2), r.x, joint.parameter); break;
    default: break;
  }
}

}  // namespace sinew
