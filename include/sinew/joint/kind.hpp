// sinew/joint/kind.hpp - the closed set of joint types
#pragma once
#include <string_view>

namespace sinew {

// nq position and nv velocity coordinates. Frames: F_p on the parent's side, F_s on the child's [F08 section 4.4].
// Velocities of planar, spherical and free joints are those of F_s, in F_s coordinates.
enum class JointKind {
  fixed,            // 0, 0
  revolute,         // 1, 1  angle about z
  prismatic,        // 1, 1  travel along z
  helical,          // 1, 1  angle about z, travel pitch * angle along z
  cylindrical,      // 2, 2  angle about z, travel along z
  planar,           // 3, 3  angle about z; x, y of F_s in F_p | w_z, v_x, v_y in F_s
  spherical,        // 4, 3  unit quaternion w x y z | angular velocity in F_s
  spherical_ypr,    // 3, 3  yaw about z, pitch about y, roll about x; singular at pitch +-90 deg
  universal,        // 2, 2  angle about x, then about the new y
  free,             // 7, 6  unit quaternion, position of F_s in F_p | angular, linear velocity in F_s
  rack_and_pinion,  // 1, 1  pinion of the given radius rolling along the rack's x, turning about z
  prescribed,       // 0, 0  moves as a given function of time (rheonomic)
  composite,        // sum of its parts, one after the other
  user,             // as the user's class says
};

std::string_view to_string(JointKind);

}  // namespace sinew
