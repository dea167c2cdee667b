// tests/support/naive_kinematics.cpp
#include "support/naive_kinematics.hpp"

#include <stdexcept>

#include "sinew/joint/user.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::test {
namespace {

using Eigen::AngleAxisd;
using Eigen::Isometry3d;
using Eigen::Quaterniond;
using Eigen::Translation3d;
using Eigen::Vector3d;

Vector3d vec(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

// F_s seen from F_p.
Isometry3d joint_pose(const JointSpec& j, const double*& q, double t);

Isometry3d one_axis(JointKind kind, const JointSpec& j, double q) {
  const Vector3d a = vec(j.axis);
  switch (kind) {
    case JointKind::revolute: return Isometry3d(AngleAxisd(q, a));
    case JointKind::prismatic: return Isometry3d(Translation3d(q * a));
    case JointKind::helical: return Translation3d(j.pitch * q * a) * AngleAxisd(q, a);
    default: throw std::logic_error("not a one-axis joint");
  }
}

Isometry3d joint_pose(const JointSpec& j, const double*& q, double t) {
  const Vector3d a = vec(j.axis), b = vec(j.axis2);
  Isometry3d X = Isometry3d::Identity();
  switch (j.kind) {
    case JointKind::fixed: break;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical: X = one_axis(j.kind, j, *q++); break;
    case JointKind::cylindrical:
      X = Translation3d(q[1] * a) * AngleAxisd(q[0], a);
      q += 2;
      break;
    case JointKind::planar: {
      // x and y span the plane in the way the library chooses: by the rotation that takes z to the axis.
      const Eigen::Matrix3d R = to_isometry({rotation_to_z(j.axis), {}}).linear();
      X = Translation3d(R * Vector3d(q[1], q[2], 0)) * AngleAxisd(q[0], a);
      q += 3;
      break;
    }
    case JointKind::spherical:
      X = Isometry3d(Quaterniond(q[0], q[1], q[2], q[3]));
      q += 4;
      break;
    case JointKind::spherical_ypr:
      X = Isometry3d(AngleAxisd(q[0], Vector3d::UnitZ()) * AngleAxisd(q[1], Vector3d::UnitY()) *
                     AngleAxisd(q[2], Vector3d::UnitX()));
      q += 3;
      break;
    case JointKind::universal:
      X = Isometry3d(AngleAxisd(q[0], a) * AngleAxisd(q[1], b));
      q += 2;
      break;
    case JointKind::free:
      X = Translation3d(q[4], q[5], q[6]) * Quaterniond(q[0], q[1], q[2], q[3]);
      q += 7;
      break;
    case JointKind::rack_and_pinion: {
      const double angle = *q++;
      X = Translation3d(j.radius * angle * b) * AngleAxisd(angle, a);
      break;
    }
    case JointKind::prescribed: X = one_axis(j.prescribed_kind, j, j.law(t).position); break;
    case JointKind::composite:
      for (const JointSpec& p : j.parts)
        X = X * to_isometry(p.placement) * joint_pose(p, q, t) * to_isometry(p.child_placement).inverse();
      break;
    case JointKind::user: {
      const double still[6] = {};
      JointMotion<double> m;
      j.user->calc(q, still, m);
      X = to_isometry(m.X);
      q += j.user->nq();
      break;
    }
  }
  return j.reversed ? X.inverse() : X;
}

}  // namespace

Isometry3d to_isometry(const Pose& p) {
  const Mat3<double>& e = p.E.m;
  Isometry3d X = Isometry3d::Identity();
  X.linear() << e.xx, e.yx, e.zx, e.xy, e.yy, e.zy, e.xz, e.yz, e.zz;  // transposed: axes seen from outside
  X.translation() = vec(p.r);
  return X;
}

std::map<std::string, Isometry3d> naive_poses(const ModelSpec& spec, const std::vector<double>& q, double t) {
  std::map<std::string, Isometry3d> relative, pose{{spec.world, Isometry3d::Identity()}};
  const double* at = q.data();
  for (const JointSpec& j : spec.joints)
    relative[j.name] = to_isometry(j.placement) * joint_pose(j, at, t) * to_isometry(j.child_placement).inverse();
  for (std::size_t found = 0; found != pose.size();) {
    found = pose.size();
    for (const JointSpec& j : spec.joints)
      if (pose.contains(j.parent) && !pose.contains(j.child)) pose[j.child] = pose[j.parent] * relative[j.name];
  }
  return pose;
}

}  // namespace sinew::test
