// tests/support/ball_world.hpp - what tests of contact agree on: gravity, the size of their balls, the floor
#pragma once
#include <string>

namespace sinew::test {

inline constexpr double kGravity = 9.81;
inline constexpr double kRadius = 0.1;  // [m] of a ball
inline const std::string kFloor = R"(<geom name="floor" type="plane" size="9 9 0.1"/>)";

}  // namespace sinew::test
