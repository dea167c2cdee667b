// tests/support/falling_boxes.hpp - boxes that fall on each other and turn
#pragma once
#include <string>

#include "sinew/io/mjcf.hpp"
#include "sinew/model/model.hpp"

namespace sinew::test {

inline Model make_falling_boxes(int boxes) {
  std::string bodies;
  for (int i = 0; i < boxes; ++i)
    bodies += "<body pos=\"" + std::to_string(0.03 * (i % 3)) + " " + std::to_string(0.02 * (i % 5)) + " " +
              std::to_string(0.06 + 0.11 * i) + "\" euler=\"" + std::to_string(20 * i) + " " + std::to_string(7 * i) +
              " 0\"><freejoint/><geom type=\"box\" size=\".05 .04 .03\" mass=\"1\"/></body>";
  return compile(parse_mjcf("<mujoco><option timestep=\"0.002\"/><worldbody><geom type=\"plane\" size=\"5 5 1\"/>" +
                            bodies + "</worldbody></mujoco>")
                     .value())
      .value();
}

}  // namespace sinew::test
