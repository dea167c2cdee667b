// sinew/model/tendon_spec.hpp - tendons as a user writes them
// A tendon has a length L(q). It is either spatial, a string through places on bodies and around spheres and
// cylinders, or fixed, a sum of joint coordinates. tree/tendon.hpp calculates L and dL/dq.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/model/joint_spec.hpp"

namespace sinew {

// What a tendon passes.
enum class TendonPartKind {
  site,  // spatial: the string passes through the frame of that name
  wrap,  // spatial: the string stays outside a sphere or cylinder (endless), the shape of that name; between two sites
  pulley,  // spatial: a new branch begins, whose length counts divided by `factor`
  joint,   // fixed: `factor` times the coordinate of the joint of that name
};

// One piece of its way.
struct TendonPart {
  TendonPartKind kind = TendonPartKind::site;
  std::string target;  // frame, shape or joint
  // wrap: a frame on the side of the shape where the string goes; inside the shape: the string passes through the
  // inside. Empty: the shorter way.
  std::string side;
  double factor = 1;  // joint: coefficient; pulley: divisor
};

// A tendon as the user writes it.
struct TendonSpec {
  std::string name;
  std::vector<TendonPart> parts;                   // all joints: fixed; none of them joints: spatial
  double lower = -kUnlimited, upper = kUnlimited;  // [m] of the length: hard stops
  // Spring outside of the range rest[0] .. rest[1] of the length, with x = how far outside (x < 0 below rest[0]): its
  // force along the tendon is -(stiffness x + s[0] x^2 + s[1] x^3). Without a rest: the length where every joint is
  // at the rest of its own spring (DofSpec::rest).
  double stiffness = 0;
  std::optional<std::array<double, 2>> rest;
  std::array<double, 2> stiffness_terms{};
  double damping = 0;  // viscous: -(damping u + d[0] u |u| + d[1] u^3) with u = dL/dt
  std::array<double, 2> damping_terms{};
  double friction = 0;                                           // [N] dry
  double armature = 0;                                           // [kg] inertia of dL/dt
  double effort_lower = -kUnlimited, effort_upper = kUnlimited;  // [N] of all actuators on it together
  SourceLocation where;
};

// length_dependent - its length at neutral = offset + sum_k coefficients[k-1] (length_driver - its own at neutral)^k.
struct TendonCouplingSpec {
  std::string name;
  std::string dependent, driver;  // no driver: the dependent tendon is held
  std::vector<double> coefficients;
  double offset = 0;  // [m]
  bool active = true;
  SourceLocation where;
};

}  // namespace sinew
