// sinew/model/joint_spec.hpp - joints, loops and couplings as a user writes them
#pragma once
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/diagnostic.hpp"
#include "sinew/joint/kind.hpp"
#include "sinew/joint/prescribed.hpp"
#include "sinew/spatial/transform.hpp"

namespace sinew {

class UserJoint;  // joint/user.hpp

// Where a frame stands in another: r its origin, E the coordinate transform into it.
using Pose = Transform<double>;

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// One velocity coordinate of a joint. Units are N or N m per coordinate.
struct DofSpec {
  double lower = -kUnlimited, upper = kUnlimited;  // [rad or m]; spherical: upper of the first = largest turn
  double max_velocity = kUnlimited;                // [rad/s or m/s]
  double max_effort = kUnlimited;                  // [N m or N]
  double damping = 0;                              // viscous
  double friction = 0;                             // dry
  double armature = 0;                             // rotor inertia seen at the joint [kg m^2 or kg]
  double stiffness = 0, rest = 0;                  // spring towards q = rest
  // With x = q - rest: the spring's force is -(stiffness x + s[0] x^2 + s[1] x^3), the damper's
  // -(damping v + d[0] v |v| + d[1] v^3). Only of joints with one coordinate.
  std::array<double, 2> stiffness_terms{}, damping_terms{};
};

// A joint as the user writes it.
struct JointSpec {
  std::string name;
  std::string parent, child;  // predecessor and successor body; parts of a composite leave them empty
  JointKind kind = JointKind::revolute;
  Pose placement;              // F_p in the parent body's frame
  Pose child_placement;        // F_s in the child body's frame
  Vec3<double> axis{0, 0, 1};  // in F_p: revolute, prismatic, helical, cylindrical; planar: its normal;
                               // universal: its first axis; rack-and-pinion: the pinion's axis
  Vec3<double> axis2{0, 1,
                     0};    // universal: second axis; rack-and-pinion: the direction of the rack; both in F_p at q = 0
  double pitch = 0;         // helical [m/rad]
  double radius = 0;        // rack-and-pinion [m]
  bool reversed = false;    // the motion is that of the parent seen from the child [F08 Table 4.2]
  bool continuous = false;  // revolute without limits by intent (URDF "continuous")
  std::vector<DofSpec> dofs;     // empty: all defaults; else one per velocity coordinate
  std::vector<double> neutral;   // empty: the neutral of its kind; else nq numbers
  std::vector<JointSpec> parts;  // composite: from parent to child, each placed in its predecessor's frame
  MotionLaw law;                 // prescribed: the coordinate of `prescribed_kind` as a function of time
  JointKind prescribed_kind = JointKind::revolute;  // revolute, prismatic or helical
  std::shared_ptr<const UserJoint> user;
  SourceLocation where;
};

// A loop joint: the frame on body b moves relative to the frame on body a as the joint allows. [F08 4.1.4]
struct LoopSpec {
  std::string name;
  JointKind kind = JointKind::fixed;
  std::string body_a, body_b;
  Pose pose_a, pose_b;                         // F_p in body a, F_s in body b
  Vec3<double> axis{0, 0, 1}, axis2{0, 1, 0};  // in F_p, as in JointSpec
  double pitch = 0;
  double radius = 0;
  bool active = true;
  SourceLocation where;
};

// q_dependent = offset + sum over terms of sum_k coefficients[k-1] (q_joint - reference)^k.
// A mimic joint is one term with one coefficient; a differential has two terms.
struct CouplingTerm {
  std::string joint;
  std::vector<double> coefficients;
  double reference = 0;
};
struct CouplingSpec {
  std::string name;
  std::string dependent;            // joint with one coordinate
  std::vector<CouplingTerm> terms;  // none: the dependent coordinate is held at the offset
  double offset = 0;
  bool active = true;
  SourceLocation where;
};

}  // namespace sinew
