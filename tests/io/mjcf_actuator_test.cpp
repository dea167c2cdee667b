// tests/io/mjcf_actuator_test.cpp - actuators as gain and bias, and how their defaults mix
#include "io/mjcf_models.hpp"

namespace sinew {
namespace {

using namespace sinew::testing;

Result<ModelSpec> with(const std::string& actuators, const std::string& defaults = "") {
  return parse_mjcf(mjcf_text("<body name='b'><joint name='j' range='-1 3'/><geom size='.1'/><site name='s'/></body>",
                              "<compiler angle='radian'/><default>" + defaults + "</default>",
                              "<actuator>" + actuators + "</actuator>"));
}
ActuatorSpec one(const std::string& actuator, const std::string& defaults = "") {
  const auto r = with(actuator, defaults);
  EXPECT_TRUE(accepted(r));
  return r->actuators.at(0);
}
using Triple = std::array<double, 3>;

TEST(MjcfActuator, EachKindHasItsLaw) {
  EXPECT_EQ(one("<motor joint='j' gear='5'/>").gear[0], 5);
  const ActuatorSpec servo = one("<position joint='j' kp='7' kv='2' ctrlrange='-1 1' forcerange='-3 4'/>");
  EXPECT_EQ(servo.gain, (Triple{7, 0, 0}));
  EXPECT_EQ(servo.bias, (Triple{0, -7, -2}));
  EXPECT_EQ(servo.control_upper, 1);
  EXPECT_EQ(servo.force_lower, -3);
  EXPECT_EQ(one("<velocity joint='j' kv='3'/>").bias, (Triple{0, 0, -3}));
  EXPECT_EQ(one("<damper joint='j' kv='3' ctrlrange='0 1'/>").gain, (Triple{0, 0, -3}));
  EXPECT_EQ(one("<general site='s' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6'/>").bias,
            (Triple{4, 5, 6}));
  EXPECT_EQ(one("<general joint='j' biasprm='4 5 6'/>").bias, (Triple{0, 0, 0}));  // biastype is none
  EXPECT_EQ(one("<adhesion body='b' gain='9' ctrlrange='0 1'/>").transmission, Transmission::body);
  EXPECT_EQ(one("<position joint='j' inheritrange='.5'/>").control_lower, 0);
  EXPECT_EQ(one("<motor joint='j' ctrlrange='-1 1' ctrllimited='false'/>").control_upper, kUnlimited);
}

TEST(MjcfActuator, DefaultsOfOneKindDoNotReachAnother) {
  EXPECT_EQ(one("<position joint='j'/>", "<position kp='30' kv='2'/>").bias, (Triple{0, -30, -2}));
  EXPECT_EQ(one("<velocity joint='j'/>", "<position kp='30' kv='2'/>").bias, (Triple{0, 0, -1}));
  EXPECT_EQ(one("<velocity joint='j'/>", "<general gainprm='7'/><position kp='30'/>").gain, (Triple{7, 0, 0}));
  EXPECT_EQ(one("<motor joint='j'/>", "<general gainprm='7' gear='2 3'/>").gain, (Triple{1, 0, 0}));
  EXPECT_EQ(one("<motor joint='j'/>", "<general gainprm='7' gear='2 3'/>").gear[1], 3);
  EXPECT_EQ(one("<general joint='j'/>", "<position kp='30' kv='2'/>").bias, (Triple{0, -30, -2}));
}

TEST(MjcfActuator, WhatIsLeftOutIsSaid) {
  EXPECT_TRUE(warned(with("<intvelocity joint='j'/>"), Code::unsupported_element, 0, "activation dynamics"));
  EXPECT_TRUE(warned(with("<muscle joint='j'/>"), Code::unsupported_element, 0, "muscle"));
  EXPECT_TRUE(warned(with("<position joint='j' dampratio='1'/>"), Code::unsupported_element, 0, "dampratio"));
  EXPECT_TRUE(warned(with("<dcmotor joint='j'/>"), Code::unsupported_element, 0, "<dcmotor>"));
  EXPECT_TRUE(warned(with("<motor tendon='t'/>"), Code::unsupported_element, 0, "tendon"));
  EXPECT_TRUE(warned(with("<rocket joint='j'/>"), Code::unknown_element, 0, "rocket"));
  EXPECT_TRUE(refused(with("<motor/>"), Code::missing_attribute));
  EXPECT_TRUE(refused(with("<motor joint='j' site='s'/>"), Code::bad_value));
  EXPECT_TRUE(refused(with("<motor joint='j' ctrlrange='1 -1'/>"), Code::empty_limit_range));
}

}  // namespace
}  // namespace sinew
