// tests/io/mjcf_inertia_test.cpp - masses, centres and inertias that MJCF leaves to the geoms
// Numbers marked MuJoCo come from MuJoCo 4.0.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/mjcf/inertia.hpp"
#include "io/mjcf_models.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

std::array<double, 3> moments_of(const BodySpec& b) { return mjcf::principal({b.mass, b.com, b.inertia, {}}).moments; }

void expect_moments(const BodySpec& b, std::array<double, 3> expected, double tolerance = 1e-14) {
  std::sort(expected.rbegin(), expected.rend());
  const auto found = moments_of(b);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], tolerance * expected[0]) << i;
}

BodySpec body_with(const std::string& contents, const std::string& before = "") {
  return spec_of(mjcf_text("<body><freejoint/>" + contents + "</body>", before)).bodies[0];
}

TEST(MjcfInertia, SolidPrimitives) {
  const double pi = std::numbers::pi;
  const auto geom = [](const char* type, const char* size) {
    return body_with("<geom type='" + std::string(type) + "' size='" + size + "' density='10'/>");
  };
  EXPECT_DOUBLE_EQ(geom("sphere", ".3").mass, 10 * 4 * pi / 3 * .027);
  expect_moments(geom("sphere", ".3"), {.4 * 10 * 4 * pi / 3 * .027 * .09, .4 * 10 * 4 * pi / 3 * .027 * .09,
                                        .4 * 10 * 4 * pi / 3 * .027 * .09});
  EXPECT_NEAR(geom("box", ".1 .25 .4").mass, .8, 1e-15);
  expect_moments(geom("box", ".1 .25 .4"), {.8 * (.0625 + .16) / 3, .8 * (.01 + .16) / 3, .8 * (.01 + .0625) / 3});
  expect_moments(geom("ellipsoid", ".1 .2 .4"),
                 {10 * 4 * pi / 3 * .008 * (.04 + .16) / 5, 10 * 4 * pi / 3 * .008 * (.01 + .16) / 5,
                  10 * 4 * pi / 3 * .008 * (.01 + .04) / 5});
  const double m = 10 * pi * .04 * .8;
  expect_moments(geom("cylinder", ".2 .4"), {m * (3 * .04 + .64) / 12, m * (3 * .04 + .64) / 12, m * .04 / 2});
  // A capsule is a cylinder and two half balls, each with its centre 3/8 of the radius beyond the end.
  const double ball = 10 * 4 * pi / 3 * .008, out = .4 + 3.0 / 8 * .2;
  const double half = ball * (.4 * .04 - 9.0 / 64 * .04) + ball * out * out;
  expect_moments(geom("capsule", ".2 .4"),
                 {m * (3 * .04 + .64) / 12 + half, m * (3 * .04 + .64) / 12 + half, m * .04 / 2 + .4 * ball * .04});
}

TEST(MjcfInertia, ShellsAsInMuJoCo) {
  struct Case {
    const char *type, *size;
    double mass;
    std::array<double, 3> moments;
  };
  for (const Case& c :
       {Case{"ellipsoid",
             ".1 .2 .4",
             6.356634521946628,
             {0.34144331789866555, 0.28877387881038885, 0.10715538637805366}},
        Case{"capsule", ".2 .4", 15.079644737231009, {2.0776399415740503, 2.0776399415740503, 0.5361651462126582}},
        Case{"cylinder", ".2 .4", 12.566370614359172, {1.1644836769306168, 1.1644836769306168, 0.4523893421169303}},
        Case{"box", ".1 .25 .4", 13.2, {1.325666666666667, 1.014666666666667, 0.5056666666666668}},
        Case{"sphere", ".3", 11.309733552923255, {0.6785840131753953, 0.6785840131753953, 0.6785840131753953}}}) {
    const BodySpec b =
        body_with("<geom type='" + std::string(c.type) + "' size='" + c.size + "' shellinertia='true' density='10'/>");
    EXPECT_NEAR(b.mass, c.mass, 5e-15 * c.mass) << c.type;
    expect_moments(b, c.moments, 5e-11);  // as far as numbers of MuJoCo go
  }
}

TEST(MjcfInertia, MeshRulesAsInMuJoCo) {
  struct Case {
    const char* rule;
    double mass;
    Vec3<double> com;
    std::array<double, 3> moments;
  };
  const Case legacy{"legacy",
                    12.48386490145931,
                    {1.2419324507296527, 0.7756694749511057, 0.75},
                    {12.702191280346595, 12.372044934447922, 4.939015948727017}};
  for (const Case& c :
       {legacy, Case{"exact", 12, {1.25, .75, .75}, {12.5, 12.25, 4.75}},
        Case{"convex", 15, {4.0 / 3, 2.6 / 3, .75}, {14.566666666666663, 13.654430122955768, 6.537236543710893}},
        Case{"shell",
             46,
             {1.2826086956521738, 0.782608695652174, .75},
             {64.81884057971016, 63.73983877058336, 30.329001809126833}}}) {
    const BodySpec b =
        body_with("<geom type='mesh' mesh='m' density='2'/>",
                  "<asset><mesh name='m' inertia='" + std::string(c.rule) + "' " + kPrism + "/></asset>");
    EXPECT_NEAR(b.mass, c.mass, 1e-14 * c.mass) << c.rule;
    EXPECT_TRUE(test::is_small(distance(b.com, c.com), 2e-14)) << c.rule;
    expect_moments(b, c.moments);
  }
  EXPECT_NEAR(body_with("<geom type='mesh' mesh='m' density='2'/>",
                        "<asset><mesh name='m' " + std::string(kPrism) + "/></asset>")
                  .mass,
              legacy.mass, 1e-13);  // the default rule
  // A mirrored mesh has the same volume; a given mass sets the density.
  const BodySpec mirrored =
      body_with("<geom type='mesh' mesh='m' mass='3'/>",
                "<asset><mesh name='m' inertia='exact' scale='-1 1 1' " + std::string(kPrism) + "/></asset>");
  EXPECT_DOUBLE_EQ(mirrored.mass, 3);
  EXPECT_NEAR(mirrored.com.x, -1.25, 1e-14);
  expect_moments(mirrored, {12.5 / 4, 12.25 / 4, 4.75 / 4});
}

TEST(MjcfInertia, MeshesThatAreNone) {
  const auto mesh = [](const std::string& attributes) {
    return parse_mjcf(mjcf_text("<body><freejoint/><geom type='mesh' mesh='m'/></body>",
                                "<asset><mesh name='m' " + attributes + "/></asset>"));
  };
  EXPECT_TRUE(refused(mesh("vertex='' face='0 0 0'"), Code::bad_value, 2));
  EXPECT_TRUE(refused(mesh("vertex='0 0 0 1 0 0 0 1 0' face='0 1 3'"), Code::bad_value, 2));
  EXPECT_TRUE(refused(mesh("vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'"), Code::mesh_volume, 2));
  EXPECT_TRUE(refused(mesh("vertex='0 0 0 1 0 0 0 1 0 1 1 0'"), Code::mesh_volume, 2));
  EXPECT_TRUE(refused(mesh("vertex='0 0 0 1 0 0 0 1'"), Code::bad_value, 2));
  EXPECT_TRUE(refused(mesh("vertex='0 0 1e300 1 0 0 0 1 0 0 0 0'"), Code::not_finite, 2));
  EXPECT_TRUE(refused(mesh("builtin='sphere' params='1'"), Code::mesh_unreadable));
}

TEST(MjcfInertia, AMeshSeenFromItsReference) {
  const BodySpec b =
      body_with("<geom type='mesh' mesh='m'/>",
                "<asset><mesh name='m' inertia='exact' refpos='1.25 .75 .75' refquat='1 0 0 1' scale='2 1 1' " +
                    std::string(kPrism) + "/></asset>");
  EXPECT_TRUE(test::is_small(norm(b.com), 1e-14));
  EXPECT_NEAR(b.mass, 12000, 2e-10);
}

TEST(MjcfInertia, PrimitivesFittedAsInMuJoCo) {
  struct Case {
    const char *type, *box;
    std::array<double, 3> size;
  };
  for (const Case& c :
       {Case{"sphere", "false", {1.0416666666666667, 0, 0}}, Case{"sphere", "true", {1.5, 0, 0}},
        Case{"capsule", "false", {0.8125, 1.09375, 0}},
        Case{"capsule", "true", {1.2480754415067659, 0.2519245584932346, 0}},
        Case{"cylinder", "false", {0.8125, 1.5, 0}}, Case{"cylinder", "true", {1.2480754415067659, 1.5, 0}},
        Case{"box", "false", {0.625, 1, 1.5}}, Case{"box", "true", {0.9013878188659974, 1.2480754415067659, 1.5}}}) {
    const ModelSpec s =
        spec_of(mjcf_text("<geom type='" + std::string(c.type) + "' mesh='m'/>",
                          "<compiler fitaabb='" + std::string(c.box) +
                              "'/><asset><mesh name='m' inertia='exact' scale='.5 1 2' " + kPrism + "/></asset>"));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(s.shapes[0].size[i], c.size[i], 1e-14) << c.type << c.box;
    const bool box = std::string(c.box) == "true";
    const Vec3<double> middle =
        box ? Vec3<double>{0.5192307692307692, 0.8461538461538463, 1.5} : Vec3<double>{.625, .75, 1.5};
    EXPECT_TRUE(test::is_small(distance(s.shapes[0].pose.r, middle), 1e-14)) << c.type << c.box;
  }
}

TEST(MjcfInertia, GeomsAddUp) {
  const BodySpec b = body_with("<geom size='.1' mass='1' pos='1 0 0'/><geom size='.1' mass='3' pos='0 1 0'/>");
  EXPECT_EQ(b.mass, 4);
  EXPECT_TRUE(test::is_small(distance(b.com, {.25, .75, 0}), 1e-15));
  const double own = 4 * .4 * .01;
  EXPECT_NEAR(b.inertia.xx, own + 1 * .75 * .75 + 3 * .25 * .25, 1e-14);
  EXPECT_NEAR(b.inertia.xy, 1 * .75 * .75 + 3 * .25 * .25, 1e-14);
  const BodySpec some = body_with("<geom size='.1' mass='1'/><geom size='.1' mass='3' group='2'/>",
                                  "<compiler inertiagrouprange='2 3'/>");
  EXPECT_EQ(some.mass, 3);
}

TEST(MjcfInertia, InertialOrGeoms) {
  const std::string both =
      "<geom size='.1' mass='1'/><inertial pos='1 0 0' mass='2' diaginertia='1 2 3' euler='0 0 90'/>";
  const BodySpec given = body_with(both);
  EXPECT_EQ(given.mass, 2);
  EXPECT_NEAR(given.inertia.xx, 2, 1e-15);
  EXPECT_NEAR(given.inertia.yy, 1, 1e-15);
  EXPECT_EQ(body_with(both, "<compiler inertiafromgeom='true'/>").mass, 1);
  EXPECT_TRUE(
      refused(parse_mjcf(mjcf_text("<body><joint/><geom size='.1'/></body>", "<compiler inertiafromgeom='false'/>")),
              Code::massless_tip));
  const BodySpec full = body_with("<inertial pos='0 0 0' mass='1' fullinertia='1 2 2.5 .1 .2 .3'/>");
  EXPECT_EQ(full.inertia.xy, .1);
  EXPECT_EQ(full.inertia.yz, .3);
}

TEST(MjcfInertia, BoundsBalanceAndTotal) {
  const BodySpec small = body_with("<geom size='.001'/>", "<compiler boundmass='.1' boundinertia='.01'/>");
  EXPECT_EQ(small.mass, .1);
  expect_moments(small, {.01, .01, .01});
  const std::string skewed = "<inertial pos='0 0 0' mass='1' diaginertia='1 2 6'/>";
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<body><joint/>" + skewed + "</body>")), Code::inertia_triangle));
  expect_moments(body_with(skewed, "<compiler balanceinertia='true'/>"), {3, 3, 3});
  const ModelSpec s =
      spec_of(mjcf_text("<body><joint/><geom size='.1' mass='1'/><body><geom size='.1' mass='3'/></body></body>",
                        "<compiler settotalmass='2'/>"));
  EXPECT_DOUBLE_EQ(s.bodies[0].mass, .5);
  EXPECT_DOUBLE_EQ(s.bodies[1].mass, 1.5);
}

TEST(MjcfInertia, AnAlignedFreeBodyStandsInItsPrincipalAxes) {
  const ModelSpec s = spec_of(mjcf_text(
      "<body pos='1 2 3' euler='10 20 30'><freejoint align='true'/>"
      "<geom type='box' size='.1 .2 .3' pos='1 0 0' euler='10 20 30'/><geom type='box' size='.1 .1 .3'/></body>"));
  const std::array<double, 7> mujoco{0.198718012659467, 0.48934626934345227, 0.5956924974679378, 0.6051461216803189,
                                     1.542531787566249, 2.3625587616548835,  2.8634172475314252};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(s.joints[0].neutral[i], mujoco[i], 2e-14) << i;
  EXPECT_EQ(s.bodies[0].com, Vec3<double>{});
  EXPECT_NEAR(s.bodies[0].inertia.xx, 18.527510645811233, 2e-13);
  EXPECT_NEAR(s.bodies[0].inertia.zz, 2.612433283320743, 1e-13);
}

}  // namespace
}  // namespace sinew
