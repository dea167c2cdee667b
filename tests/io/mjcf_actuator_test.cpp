// tests/io/mjcf_actuator_test.cpp - actuators as gain and bias, and how their defaults mix
#include "io/mjcf_models.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

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

TEST(MjcfActuator, ActivationsAndMuscles) {
  const ActuatorSpec speed = one("<intvelocity joint='j' kp='5' kv='1' actrange='-2 2'/>");
  EXPECT_EQ(speed.activation, Activation::integrator);
  EXPECT_EQ(speed.bias, (Triple{0, -5, -1}));
  EXPECT_EQ(speed.activation_upper, 2);
  EXPECT_EQ(one("<intvelocity joint='j' inheritrange='1'/>").activation_upper, 3);
  EXPECT_EQ(one("<position joint='j' kp='4' dampratio='0.7'/>").damping_ratio, 0.7);
  const ActuatorSpec filtered = one("<position joint='j' kp='4' timeconst='0.2'/>");
  EXPECT_EQ(filtered.activation, Activation::filter_exact);
  EXPECT_EQ(filtered.time_constants[0], 0.2);
  EXPECT_EQ(one("<cylinder joint='j' area='2' timeconst='.5' bias='1 2 3'/>").activation, Activation::filter);
  EXPECT_TRUE(one("<general joint='j' dyntype='filter' dynprm='.1' actearly='true'/>").early);
  const ActuatorSpec muscle =
      one("<muscle joint='j' lengthrange='0 1' force='10' tausmooth='.2'/>", "<muscle lmax='2'/>");
  ASSERT_TRUE(muscle.muscle.has_value());
  EXPECT_EQ(muscle.activation, Activation::muscle);
  EXPECT_EQ(muscle.time_constants, (Triple{0.01, 0.04, 0.2}));
  EXPECT_EQ(muscle.muscle->force, 10);
  EXPECT_EQ(muscle.muscle->longest, 2);
  EXPECT_EQ(muscle.muscle->passive, 1.3);
  EXPECT_EQ(*muscle.length_range, (std::array<double, 2>{0, 1}));
  const auto geared = with("<motor joint='j' gear='3' armature='0.1' damping='0.2'/>");
  ASSERT_TRUE(accepted(geared));
  EXPECT_DOUBLE_EQ(geared->joints[0].dofs[0].armature, 0.9);
  EXPECT_DOUBLE_EQ(geared->joints[0].dofs[0].damping, 1.8);
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
  EXPECT_TRUE(warned(with("<dcmotor joint='j'/>"), Code::unsupported_element, 0, "<dcmotor>"));
  EXPECT_TRUE(warned(with("<general joint='j' dyntype='user'/>"), Code::unsupported_element, 0, "dyntype"));
  EXPECT_TRUE(warned(with("<general joint='j' gaintype='user'/>"), Code::unsupported_element, 0, "gaintype"));
  EXPECT_TRUE(warned(with("<motor joint='j' delay='0.1'/>"), Code::unsupported_element, 0, "delay"));
  EXPECT_TRUE(refused(with("<motor tendon='t'/>"), Code::unknown_name));
  EXPECT_TRUE(warned(with("<rocket joint='j'/>"), Code::unknown_element, 0, "rocket"));
  EXPECT_TRUE(refused(with("<motor/>"), Code::missing_attribute));
  EXPECT_TRUE(refused(with("<motor joint='j' site='s'/>"), Code::bad_value));
  EXPECT_TRUE(refused(with("<motor joint='j' ctrlrange='1 -1'/>"), Code::empty_limit_range));
}

}  // namespace
}  // namespace sinew
