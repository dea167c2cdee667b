// tests/io/mjcf_scale_test.cpp - <frame scale massscale scaling>
// Numbers by dimensions: lengths times 2, masses times 3. tests/apps/test_frame_scale.py compares with MuJoCo.
#include <cmath>

#include "io/mjcf_models.hpp"

namespace sinew {
namespace {

using test::accepted;
using test::mjcf_text;
using test::refused;
using test::spec_of;

constexpr double kL = 2, kM = 3;

// A slide in a hinge in the frame, and a slide outside.
std::string arm(const std::string& attributes, const std::string& after) {
  return mjcf_text(
      "<body name='o' pos='0 0 5'><joint name='out' type='slide'/><geom name='go' size='.1'/></body>"
      "<frame pos='1 2 3' " +
          attributes +
          "><body name='a' pos='.1 .2 .3'><joint name='h' axis='0 1 0'/><geom name='ga' size='.1'/>"
          "<site name='sa' pos='.1 0 0'/><body name='b' pos='0 0 .5'>"
          "<joint name='s' type='slide' axis='0 0 1' ref='.25'/><geom name='gb' size='.1'/>"
          "<site name='sb' pos='.1 .2 0' size='.02'/></body></body></frame>",
      "", after);
}
ModelSpec scaled(const std::string& after) { return spec_of(arm("scale='2' massscale='3'", after)); }

TEST(MjcfScale, EqualitiesAreInTheUnitsOfWhatTheyName) {
  const ModelSpec s = scaled(
      "<equality><connect body1='a' body2='b' anchor='.1 .2 .3'/><connect body1='o' body2='b' anchor='.1 .2 .3'/>"
      "<weld body1='a' body2='o' anchor='.1 .2 .3' relpose='.4 .5 .6 1 0 0 0'/>"
      "<weld body1='o' body2='a' anchor='.1 .2 .3' relpose='.4 .5 .6 1 0 0 0'/>"
      "<joint joint1='s' joint2='out' polycoef='.1 .2 .3 .4 .5'/><joint joint1='out' joint2='s' polycoef='.1 .2 .3 .4 "
      ".5'/>"
      "<joint joint1='h' joint2='s' polycoef='.1 .2'/></equality>");
  ASSERT_EQ(s.loops.size(), 4u);
  const Vec3<double> anchor{.1, .2, .3}, place{.4, .5, .6};
  EXPECT_LT(norm(s.loops[0].pose_a.r - kL * anchor), 1e-15);
  EXPECT_LT(norm(s.loops[0].pose_b.r - (kL * anchor - Vec3<double>{0, 0, 1})), 1e-15);
  EXPECT_LT(norm(s.loops[1].pose_a.r - anchor), 1e-15);
  EXPECT_LT(norm(s.loops[2].pose_a.r - kL * place), 1e-15);
  EXPECT_LT(norm(s.loops[2].pose_b.r - anchor), 1e-15);
  EXPECT_LT(norm(s.loops[3].pose_a.r - place), 1e-15);
  EXPECT_LT(norm(s.loops[3].pose_b.r - kL * anchor), 1e-15);
  ASSERT_EQ(s.couplings.size(), 3u);
  EXPECT_DOUBLE_EQ(s.couplings[0].offset, kL * (.25 + .1));
  const std::vector<double> polynomial{.2, .3, .4, .5};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_DOUBLE_EQ(s.couplings[0].terms[0].coefficients[k], kL * polynomial[k]);
    EXPECT_DOUBLE_EQ(s.couplings[1].terms[0].coefficients[k], polynomial[k] / std::pow(kL, static_cast<double>(k + 1)));
  }
  EXPECT_DOUBLE_EQ(s.couplings[1].terms[0].reference, kL * .25);
  EXPECT_DOUBLE_EQ(s.couplings[2].offset, .1);
  EXPECT_DOUBLE_EQ(s.couplings[2].terms[0].coefficients[0], .2 / kL);
}

TEST(MjcfScale, TendonsAndTheirCouplings) {
  const std::string law = "frictionloss='.3' armature='.1' range='-1 2' actuatorfrcrange='-2 3'";
  const ModelSpec s =
      scaled("<tendon><fixed name='turn' " + law + "><joint joint='h' coef='2'/></fixed><fixed name='both' " + law +
             "><joint joint='h' coef='2'/><joint joint='s' coef='3'/></fixed><fixed name='across' " + law +
             "><joint joint='out' coef='2'/><joint joint='s' coef='3'/></fixed></tendon>"
             "<equality><tendon tendon1='both' tendon2='across' polycoef='.1 .2 .3'/>"
             "<tendon tendon1='across' tendon2='both' polycoef='.1 .2 .3'/></equality>");
  const auto see = [&](int i, double length, double force, double inertia) {
    const TendonSpec& t = s.tendons[static_cast<std::size_t>(i)];
    EXPECT_DOUBLE_EQ(t.lower, -length) << t.name;
    EXPECT_DOUBLE_EQ(t.upper, 2 * length) << t.name;
    EXPECT_DOUBLE_EQ(t.friction, .3 * force) << t.name;
    EXPECT_DOUBLE_EQ(t.effort_upper, 3 * force) << t.name;
    EXPECT_DOUBLE_EQ(t.armature, .1 * inertia) << t.name;
  };
  see(0, 1, kM * kL * kL, kM * kL * kL);
  see(1, kL, kM * kL, kM);
  see(2, 1, 1, 1);
  EXPECT_DOUBLE_EQ(s.tendons[1].parts[0].factor, 2 * kL);
  EXPECT_DOUBLE_EQ(s.tendons[1].parts[1].factor, 3);
  EXPECT_DOUBLE_EQ(s.tendons[2].parts[0].factor, 2);
  EXPECT_DOUBLE_EQ(s.tendons[2].parts[1].factor, 3 / kL);
  EXPECT_DOUBLE_EQ(s.tendon_couplings[0].offset, .1 * kL);
  EXPECT_DOUBLE_EQ(s.tendon_couplings[0].coefficients[1], .3 * kL);
  EXPECT_DOUBLE_EQ(s.tendon_couplings[1].offset, .1);
  EXPECT_DOUBLE_EQ(s.tendon_couplings[1].coefficients[1], .3 / (kL * kL));
}

TEST(MjcfScale, ContactsAndZones) {
  const ModelSpec s = scaled(
      "<contact><pair geom1='ga' geom2='gb' margin='.1' friction='1 1 .02 .003 .003'/>"
      "<pair geom1='ga' geom2='go' margin='.1' friction='1 1 .02 .003 .003'/></contact>");
  EXPECT_DOUBLE_EQ(s.shapes[1].torsional_friction, .005 * kL);
  EXPECT_DOUBLE_EQ(s.shapes[1].rolling_friction, .0001 * kL);
  EXPECT_DOUBLE_EQ(s.shapes[0].torsional_friction, .005);
  EXPECT_DOUBLE_EQ(s.frames[1].zone_size[0], .02 * kL);
  for (const auto& [i, length] : {std::pair{0u, kL}, {1u, std::sqrt(kL)}}) {
    EXPECT_EQ(s.pairs[i].friction, 1);
    EXPECT_DOUBLE_EQ(s.pairs[i].margin, .1 * length);
    EXPECT_DOUBLE_EQ(s.pairs[i].torsional_friction, .02 * length);
    EXPECT_DOUBLE_EQ(s.pairs[i].rolling_friction, .003 * length);
  }
}

TEST(MjcfScale, AssetsAreCopiedOncePerScale) {
  const std::string geoms = "<geom type='mesh' mesh='m'/><geom type='hfield' hfield='h'/>";
  const ModelSpec s = spec_of(mjcf_text(
      geoms + "<frame scale='2'>" + geoms + "</frame><frame scale='2'>" + geoms + "</frame><frame scale='3'>" + geoms +
          "</frame>",
      "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><mesh name='m@1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
      "<hfield name='h' size='1 2 3 4' nrow='2' ncol='2' elevation='0 1 2 3'/></asset>"));
  ASSERT_EQ(s.meshes.size(), 4u);
  EXPECT_EQ(s.meshes[2].name, "m@2");
  EXPECT_EQ(s.meshes[2].scale.x, 2);
  EXPECT_EQ(s.meshes[3].vertices[1].x, 3 * s.meshes[0].vertices[1].x);
  EXPECT_EQ(s.shapes[0].asset, "m");
  EXPECT_EQ(s.shapes[2].asset, "m@2");
  EXPECT_EQ(s.shapes[4].asset, "m@2");
  EXPECT_EQ(s.shapes[6].asset, "m@3");
  ASSERT_EQ(s.heightfields.size(), 3u);
  EXPECT_EQ(s.heightfields[1].name, "h@1");
  EXPECT_EQ(s.heightfields[1].size, (std::array<double, 4>{2, 4, 6, 8}));
  EXPECT_EQ(s.shapes[7].asset, "h@2");
}

TEST(MjcfScale, WhatCannotBeIsRefused) {
  const auto frame = [](const char* attributes) { return parse_mjcf(arm(attributes, "")); };
  EXPECT_TRUE(accepted(frame("scale='2 2 2' massscale='0' scaling='similar'")));
  EXPECT_TRUE(accepted(frame("scaling='geometry'")));
  for (const char* bad : {"scale='0'", "scale='-2'", "scale='1 2'", "scale='1 2 3'", "scale='1 1 1 1'",
                          "massscale='-1'", "scale='1e31'", "massscale='1e91'"})
    EXPECT_TRUE(refused(frame(bad), Code::bad_value)) << bad;
  EXPECT_TRUE(refused(frame("scale='1 2 3' scaling='geometry'"), Code::unsupported_element));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<frame scale='1e20'><frame scale='1e20'><site/></frame></frame>")),
                      Code::bad_value));
  const std::string user = "<actuator><general joint='s' gaintype='user'/></actuator>";
  EXPECT_TRUE(refused(parse_mjcf(arm("scale='2'", user)), Code::bad_actuator));
  EXPECT_TRUE(accepted(parse_mjcf(arm("scale='2' scaling='geometry'", user))));
}

}  // namespace
}  // namespace sinew
