// tests/sim/wedge_test.cpp - a step says by name what contradicts
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::test {
namespace {

// A plate that is moved down onto what stands on a floor or on a stop; and a ball beside it that nothing presses.
Model make_press(const std::string& pressed, const std::string& tendons = "") {
  return compile(parse_mjcf(R"(<mujoco><option timestep="0.002"/><worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="press" mocap="true" pos="0 0 0.25"><geom name="plate" type="box" size=".5 .5 .05"/></body>
    <body pos="2 0 .1"><freejoint/><geom name="other" type="sphere" size=".1"/></body>)" +
                            pressed + "</worldbody>" + tendons + "</mujoco>")
                     .value())
      .value();
}

std::vector<std::string> press(const Model& m) {
  Simulation s(m);
  s.step();
  EXPECT_EQ(s.report().unsolved, 0);
  EXPECT_TRUE(s.wedged().empty());
  s.mocap.move(s.mocap.bodies().front(), {{}, {0, 0, 0.249}});
  s.step();
  EXPECT_GT(s.report().wedged, 0);
  EXPECT_EQ(s.report().wedged, s.report().unsolved);
  std::vector<std::string> names;
  for (const WedgedPart& p : s.wedged()) {
    names.push_back(p.name);
    EXPECT_GT(p.share, 0.1);
    EXPECT_LE(p.share, 1);
  }
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_GE(s.wedged()[i - 1].share, s.wedged()[i].share);
  std::sort(names.begin(), names.end());
  s.mocap.move(s.mocap.bodies().front(), {{}, {0, 0, 0.26}});
  s.step();
  EXPECT_EQ(s.report().wedged, 0);
  EXPECT_TRUE(s.wedged().empty());
  return names;
}

TEST(Wedge, ContactsAreNamed) {
  const Model m = make_press(R"(<body pos="0 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1"/></body>)");
  EXPECT_EQ(press(m), (std::vector<std::string>{"sphere 'ball' on box 'plate'", "sphere 'ball' on plane 'floor'"}));
}

TEST(Wedge, StopsOfJointsAreNamed) {
  const Model m = make_press(R"(<body pos="0 0 .15"><joint name="spring" type="slide" axis="0 0 1" limited="true"
    range="0 1"/><geom name="ball" type="sphere" size=".05"/></body>)");
  EXPECT_EQ(press(m), (std::vector<std::string>{"joint 'spring'", "sphere 'ball' on box 'plate'"}));
}

TEST(Wedge, StopsOfTendonsAreNamed) {
  const Model m = make_press(R"(<body pos="0 0 .15"><joint name="slide" type="slide" axis="0 0 1"/>
    <geom name="ball" type="sphere" size=".05"/></body>)",
                             R"(<tendon><fixed name="cable" limited="true" range="0 1"><joint joint="slide" coef="1"/>
    </fixed></tendon>)");
  EXPECT_EQ(press(m), (std::vector<std::string>{"sphere 'ball' on box 'plate'", "tendon 'cable'"}));
}

}  // namespace
}  // namespace sinew::test
