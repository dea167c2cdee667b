// tests/io/mjcf_tendon_test.cpp - tendons from MJCF and back. Their numbers beside MuJoCo: tests/apps/test_tendons.py
#include "io/mjcf_models.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

const char* const kWorld =
    "<site name='w'/><body name='b'><joint name='j' range='-1 1'/><joint name='s' type='slide'/><geom name='g' "
    "size='.1'/><geom name='box' type='box' size='.1 .1 .1'/><site name='a' pos='0 0 1'/><site name='c'/></body>";

Result<ModelSpec> with_tendons(const std::string& tendons, const std::string& rest = "",
                               const std::string& defaults = "") {
  return parse_mjcf(mjcf_text(kWorld, "<compiler angle='radian'/><default>" + defaults + "</default>",
                              "<tendon>" + tendons + "</tendon>" + rest));
}
const char* const kAll =
    "<fixed name='sum' range='-1 2' springlength='0.1'><joint joint='j' coef='2'/><joint joint='s'/></fixed>"
    "<spatial stiffness='3 1 2' damping='1' frictionloss='0.5' springlength='0.2 0.4' armature='0.1' "
    "actuatorfrcrange='-5 6'><site site='w'/><geom geom='g' sidesite='c'/><site site='a'/><pulley divisor='2'/><site "
    "site='a'/><site site='w'/></spatial>";

TEST(MjcfTendon, BecomeTendonsOfTheSpec) {
  const auto r = with_tendons(kAll);
  ASSERT_TRUE(accepted(r));
  ASSERT_EQ(r->tendons.size(), 2u);
  const TendonSpec &sum = r->tendons[0], &string = r->tendons[1];
  EXPECT_EQ(sum.parts.size(), 2u);
  EXPECT_EQ(sum.parts[0].factor, 2);
  EXPECT_EQ(sum.parts[1].target, "s");
  EXPECT_EQ(sum.upper, 2);
  EXPECT_EQ(*sum.rest, (std::array<double, 2>{0.1, 0.1}));
  EXPECT_EQ(string.name, "tendon_1");
  EXPECT_EQ(string.parts[1].kind, TendonPartKind::wrap);
  EXPECT_EQ(string.parts[1].side, "c");
  EXPECT_EQ(string.parts[3].factor, 2);
  EXPECT_EQ(string.stiffness_terms, (std::array<double, 2>{1, 2}));
  EXPECT_EQ(*string.rest, (std::array<double, 2>{0.2, 0.4}));
  EXPECT_EQ(string.friction, 0.5);
  EXPECT_EQ(string.armature, 0.1);
  EXPECT_EQ(string.effort_upper, 6);
  EXPECT_FALSE(with_tendons("<fixed><joint joint='j' coef='1'/></fixed>")->tendons[0].rest.has_value());
  EXPECT_EQ(with_tendons("<fixed><joint joint='j' coef='1'/></fixed>", "", "<tendon damping='7'/>")->tendons[0].damping,
            7);
}

TEST(MjcfTendon, WhatIsWrongIsRefused) {
  EXPECT_TRUE(refused(with_tendons("<fixed name='t'><joint joint='nope' coef='1'/></fixed>"), Code::unknown_name));
  EXPECT_TRUE(refused(with_tendons("<spatial><site site='nope'/><site site='a'/></spatial>"), Code::unknown_name));
  EXPECT_TRUE(refused(with_tendons("<spatial/>"), Code::missing_element));
  EXPECT_TRUE(
      refused(with_tendons("<spatial><site site='a'/><pulley/><site site='w'/></spatial>"), Code::missing_attribute));
  EXPECT_TRUE(
      refused(with_tendons(std::string(kAll), "<equality><tendon tendon1='x'/></equality>"), Code::unknown_name));
  EXPECT_TRUE(warned(with_tendons("<fixed springyield='1'><joint joint='j' coef='1'/></fixed>"),
                     Code::unsupported_element, 0, "springyield"));
  // What a tendon may wrap around, and between what, is a law of the model.
  const auto box = with_tendons("<spatial><site site='w'/><geom geom='box'/><site site='a'/></spatial>");
  ASSERT_TRUE(accepted(box));
  EXPECT_FALSE(compile(*box).ok());
}

TEST(MjcfTendon, ComeBackAsTheyWere) {
  const auto r = with_tendons(
      kAll,
      "<equality><tendon name='e' tendon1='sum' tendon2='tendon_1' polycoef='0.1 2 0.5'/></equality><actuator>"
      "<position name='p' tendon='sum' kp='10' dampratio='1' timeconst='0.1'/><muscle name='m' tendon='tendon_1' "
      "lengthrange='0 1'/><motor name='r' site='a' refsite='c' gear='1 2 3 4 5 6'/><motor name='k' cranksite='a' "
      "slidersite='w' cranklength='2'/></actuator><keyframe><key name='k' act='0.3 0.4'/></keyframe>");
  ASSERT_TRUE(accepted(r));
  EXPECT_EQ(r->tendon_couplings[0].coefficients, (std::vector<double>{2, 0.5}));
  EXPECT_EQ(r->actuators[2].reference, "c");
  EXPECT_EQ(r->actuators[3].crank_length, 2);
  EXPECT_EQ(r->keyframes[0].activation, (std::vector<double>{0.3, 0.4}));
  const auto text = to_mjcf(*r);
  ASSERT_TRUE(text.ok());
  const auto again = parse_mjcf(*text);
  ASSERT_TRUE(accepted(again));
  const auto same = [](ModelSpec spec) {
    for (ActuatorSpec& a : spec.actuators) a.kind.clear();  // written as <general>
    return calc_model_hash(compile(std::move(spec)).value());
  };
  EXPECT_EQ(same(*r), same(*again));
  EXPECT_EQ(again->keyframes[0].activation, r->keyframes[0].activation);
}

}  // namespace
}  // namespace sinew
