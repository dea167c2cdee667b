// tests/io/mjcf_test.cpp - bodies, joints, frames, defaults, includes and remarks of the MJCF loader
// Agreement with MuJoCo itself over the public models: tests/io/test_public_robots.py.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <unistd.h>

#include "io/mjcf_models.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
namespace fs = std::filesystem;

constexpr double kEps = 1e-14, kDegree = std::numbers::pi / 180;
const std::string kBall = "<geom size='.1'/>";

Pose at(const Vec3<double>& p) { return {{}, p}; }
Pose turned(const Vec3<double>& axis, double angle) {
  return {rotation_from_axis_angle((1 / norm(axis)) * axis, angle), {}};
}

TEST(Mjcf, BodiesAndJointsKeepTheirOrderAndNames) {
  const ModelSpec s =
      spec_of(mjcf_text("<body name='a'><joint name='j'/><geom size='.1'/><body><geom size='.1'/></body></body>"
                        "<body><joint/><joint type='slide'/><geom size='.1'/></body><body name='body_2'/>"));
  ASSERT_EQ(s.bodies.size(), 4u);
  EXPECT_EQ(s.bodies[0].name, "a");
  EXPECT_EQ(s.bodies[1].name, "body_2_");  // its wish is taken
  EXPECT_EQ(s.bodies[2].name, "body_3");
  EXPECT_EQ(s.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(s.joints[1].kind, JointKind::fixed);
  EXPECT_EQ(s.joints[1].name, "body_2__fixed");
  ASSERT_EQ(s.joints[2].kind, JointKind::composite);
  EXPECT_EQ(s.joints[2].parts[0].name, "hinge_1");
  EXPECT_EQ(s.joints[2].parts[1].name, "slide_2");
  EXPECT_EQ(s.gravity, (Vec3<double>{0, 0, -9.81}));
  EXPECT_EQ(s.timestep, 0.002);
}

TEST(Mjcf, AHingeTurnsAboutItsAnchor) {
  const ModelSpec s = spec_of(
      mjcf_text("<body name='a' pos='1 2 3' euler='0 0 90'><joint axis='1 2 2' pos='.1 .2 .3'/>" + kBall + "</body>"));
  const Vec3<double> p{.1, .2, .3};
  const Pose place = turned({0, 0, 1}, 90 * kDegree) * at({1, 2, 3});
  const Pose expected = at(-p) * turned({1, 2, 2}, 0.7) * at(p) * place;
  EXPECT_TRUE(test::is_small(distance(pose_at(s, "a", {0.7}), expected), kEps));
}

TEST(Mjcf, SeveralJointsActOneAfterTheOther) {
  const ModelSpec s =
      spec_of(mjcf_text("<body name='a' pos='1 0 0' axisangle='1 1 0 40'>"
                        "<joint type='slide' axis='0 1 1' ref='.2' pos='9 9 9'/>"
                        "<joint type='hinge' axis='1 0 0' pos='.1 0 .2' ref='30'/>"
                        "<joint type='hinge' axis='0 0 1' pos='0 .3 0'/>" +
                        kBall + "</body>"));
  const Vec3<double> p{.1, 0, .2}, r{0, .3, 0}, slide{0, std::sqrt(.5), std::sqrt(.5)};
  const Pose expected = at(-r) * turned({0, 0, 1}, -0.6) * at(r) * at(-p) * turned({1, 0, 0}, 0.5 - 30 * kDegree) *
                        at(p) * at((0.9 - 0.2) * slide) * turned({1, 1, 0}, 40 * kDegree) * at({1, 0, 0});
  EXPECT_TRUE(test::is_small(distance(pose_at(s, "a", {0.9, 0.5, -0.6}), expected), kEps));
  // At its reference the body stands where the file puts it.
  const auto model = compile(s);
  ASSERT_TRUE(accepted(model));
  const std::vector<double> neutral(model->neutral().begin(), model->neutral().end());
  EXPECT_EQ(neutral, (std::vector<double>{.2, 30 * kDegree, 0}));
  EXPECT_TRUE(
      test::is_small(distance(pose_at(s, "a", neutral), turned({1, 1, 0}, 40 * kDegree) * at({1, 0, 0})), kEps));
}

TEST(Mjcf, ABallTurnsAboutItsAnchor) {
  const ModelSpec s = spec_of(
      mjcf_text("<body name='a' pos='1 2 3'><joint type='ball' pos='.1 .2 .3' range='0 60'/>" + kBall + "</body>"));
  const double h = std::sqrt(.5);
  const Vec3<double> p{.1, .2, .3};
  EXPECT_TRUE(test::is_small(
      distance(pose_at(s, "a", {h, h, 0, 0}), at(-p) * turned({1, 0, 0}, 90 * kDegree) * at(p) * at({1, 2, 3})), kEps));
  EXPECT_DOUBLE_EQ(s.joints[0].dofs[0].upper, 60 * kDegree);
  EXPECT_EQ(s.joints[0].dofs[1].upper, kUnlimited);
}

TEST(Mjcf, AFreeBodyStartsWhereItStands) {
  const ModelSpec s =
      spec_of(mjcf_text("<body name='a' pos='1 2 3' euler='0 0 90'><freejoint/>" + kBall + "</body>", "",
                        "<keyframe><key qpos='4 5 6 0 0 2 0' qvel='1 2 3 4 5 6' ctrl=''/></keyframe>"));
  const double h = std::sqrt(.5);
  ASSERT_EQ(s.joints[0].neutral.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(s.joints[0].neutral[i], (std::array<double, 7>{h, 0, 0, h, 1, 2, 3}[i]), kEps);
  ASSERT_EQ(s.keyframes.size(), 1u);  // quaternion first and of unit length, velocity in the body
  EXPECT_EQ(s.keyframes[0].q, (std::vector<double>{0, 0, 1, 0, 4, 5, 6}));
  EXPECT_EQ(s.keyframes[0].v, (std::vector<double>{4, 5, 6, -1, 2, -3}));
}

TEST(Mjcf, FiveWaysToSayATurn) {
  const double h = std::sqrt(.5);
  const Pose expected = turned({0, 1, 0}, 90 * kDegree);
  for (const char* way :
       {"quat='1 0 1 0'", "axisangle='0 2 0 90'", "euler='0 90 0'", "xyaxes='0 0 -2 .0 1 5'", "zaxis='3 0 0'"}) {
    const ModelSpec s = spec_of(mjcf_text("<site " + std::string(way) + "/>"));
    EXPECT_TRUE(test::is_small(distance(s.frames[0].pose, expected), kEps)) << way;
  }
  const auto euler = [&](const char* seq) {
    return spec_of(mjcf_text("<site euler='10 20 30'/>", "<compiler eulerseq='" + std::string(seq) + "'/>"))
        .frames[0]
        .pose;
  };
  const Pose x = turned({1, 0, 0}, 10 * kDegree), y = turned({0, 1, 0}, 20 * kDegree),
             z = turned({0, 0, 1}, 30 * kDegree);
  EXPECT_TRUE(test::is_small(distance(euler("xyz"), z * y * x), kEps));
  EXPECT_TRUE(test::is_small(distance(euler("XYZ"), x * y * z), kEps));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<site quat='1 0 0 0' zaxis='0 0 1'/>")), Code::bad_value, 2,
                      "several orientations"));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<site quat='0 0 0 0'/>")), Code::bad_value, 2));
  EXPECT_GT(h, 0);
}

TEST(Mjcf, EndPointsPutZTowardsTheFirst) {
  const ModelSpec s = spec_of(mjcf_text("<geom type='capsule' size='.1' fromto='0 0 1 2 0 1'/>"));
  EXPECT_EQ(s.shapes[0].size, (std::array<double, 3>{.1, 1, 0}));
  EXPECT_TRUE(test::is_small(distance(s.shapes[0].pose.r, {1, 0, 1}), kEps));
  EXPECT_TRUE(test::is_small(distance(apply_inverse(s.shapes[0].pose.E, {0, 0, 1}), {-1, 0, 0}), kEps));
}

TEST(Mjcf, DefaultsNestAndListsOverlay) {
  const ModelSpec s = spec_of(mjcf_text(
      "<geom name='a' size='.4'/><geom name='b' class='sub'/><body childclass='sub'><geom name='c' friction='.9'/>"
      "<geom name='d' class='main'/><body><joint class='j' damping='5'/><geom name='e'/></body></body>",
      "<default><geom type='box' size='.1 .2 .3' friction='.5 .6 .7'/><default class='sub'><geom "
      "type='sphere'/></default>"
      "<default class='j'><joint range='0 90' armature='2'/></default></default>"));
  EXPECT_EQ(s.shapes[0].size, (std::array<double, 3>{.4, .2, .3}));
  EXPECT_EQ(s.shapes[1].kind, ShapeKind::sphere);
  EXPECT_EQ(s.shapes[2].friction, .9);
  EXPECT_EQ(s.shapes[2].torsional_friction, .6);
  EXPECT_EQ(s.shapes[3].kind, ShapeKind::box);
  EXPECT_EQ(s.shapes[4].kind, ShapeKind::sphere);
  EXPECT_DOUBLE_EQ(s.joints[1].dofs[0].upper, 90 * kDegree);
  EXPECT_EQ(s.joints[1].dofs[0].armature, 2);
  EXPECT_EQ(s.joints[1].dofs[0].damping, 5);
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<geom class='none' size='1'/>")), Code::unknown_name, 2, "none"));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("", "<default><default/></default>")), Code::missing_attribute, 2));
}

TEST(Mjcf, FramesAndReplicasAreOpenedUp) {
  const ModelSpec s = spec_of(
      mjcf_text("<frame pos='1 0 0' euler='0 0 90'><body name='a' pos='1 0 0'><frame pos='0 0 1'>"
                "<joint axis='0 1 0'/><geom size='.1'/></frame></body></frame>"
                "<replicate count='2' offset='0 1 0' euler='90 0 0'><replicate count='2' sep='-' offset='1 0 0'>"
                "<site name='s'/></replicate></replicate>"));
  EXPECT_TRUE(test::is_small(distance(pose_at(s, "a", {0}).r, {1, 1, 0}), kEps));
  EXPECT_TRUE(
      test::is_small(distance(pose_at(s, "a", {std::numbers::pi}).r, {1, 1, 2}), kEps));  // about the frame's anchor
  ASSERT_EQ(s.frames.size(), 4u);
  EXPECT_EQ(s.frames[0].name, "s-00");
  EXPECT_EQ(s.frames[3].name, "s-11");
  EXPECT_TRUE(test::is_small(distance(s.frames[3].pose, turned({1, 0, 0}, 90 * kDegree) * at({1, 1, 0})), kEps));
  EXPECT_TRUE(
      refused(parse_mjcf(mjcf_text("<replicate count='2000000000'><site/></replicate>")), Code::too_many_elements));
}

TEST(Mjcf, ReferencesFollowTheirReplicas) {
  const ModelSpec s = spec_of(mjcf_text(
      "<body name='o'/><replicate count='3' offset='1 0 0'><body name='b'><joint name='j'/><geom "
      "size='.1'/></body></replicate>",
      "", "<contact><exclude body1='b' body2='o'/></contact><actuator><motor name='m' joint='j'/></actuator>"));
  ASSERT_EQ(s.exclusions.size(), 3u);
  EXPECT_EQ(s.exclusions[2].body_a, "b2");
  EXPECT_EQ(s.exclusions[2].body_b, "o");
  ASSERT_EQ(s.actuators.size(), 3u);
  EXPECT_EQ(s.actuators[1].name, "m1");
  EXPECT_EQ(s.actuators[1].target, "j1");
}

TEST(Mjcf, LimitsFollowAutolimits) {
  const auto joint = [](const std::string& attributes, const std::string& compiler) {
    return parse_mjcf(
        mjcf_text("<body><joint " + attributes + "/><geom size='.1'/></body>", "<compiler " + compiler + "/>"));
  };
  EXPECT_EQ(joint("range='-1 2'", "angle='radian'")->joints[0].dofs[0].upper, 2);
  EXPECT_EQ(joint("range='-1 2' limited='false'", "")->joints[0].dofs[0].upper, kUnlimited);
  EXPECT_TRUE(refused(joint("range='-1 2'", "autolimits='false'"), Code::missing_limit, 2));
  EXPECT_TRUE(refused(joint("range='2 1'", ""), Code::empty_limit_range, 2));
  EXPECT_EQ(joint("actuatorfrcrange='-3 3'", "")->joints[0].dofs[0].max_effort, 3);
}

TEST(Mjcf, EqualitiesBecomeLoopsAndCouplings) {
  const ModelSpec s = spec_of(
      mjcf_text("<body name='a' pos='1 0 0' euler='0 0 90'><joint name='x' ref='.5'/><geom size='.1'/></body>"
                "<body name='b' pos='0 2 0'><joint name='y' type='slide' ref='.25'/><geom size='.1'/></body>",
                "<compiler angle='radian'/>",
                "<equality><connect body1='b' body2='a' anchor='0 0 1'/><weld body1='b' anchor='1 0 0' active='false'/>"
                "<weld body1='a' body2='b' relpose='1 2 3 2 0 0 0' anchor='4 5 6'/>"
                "<joint joint1='x' joint2='y' polycoef='.1 2 3'/><joint joint1='x' polycoef='.1'/></equality>"));
  ASSERT_EQ(s.loops.size(), 3u);
  EXPECT_EQ(s.loops[0].kind, JointKind::spherical);
  EXPECT_TRUE(test::is_small(distance(s.loops[0].pose_b.r, apply(rotation_z(90.0), Vec3<double>{-1, 2, 1})),
                             kEps));  // where a's point is
  EXPECT_EQ(s.loops[1].body_b, "world");
  EXPECT_FALSE(s.loops[1].active);
  EXPECT_TRUE(test::is_small(distance(s.loops[1].pose_a, at({1, -2, 0})), kEps));
  EXPECT_TRUE(test::is_small(distance(s.loops[2].pose_a, at({1, 2, 3})), kEps));
  EXPECT_TRUE(test::is_small(distance(s.loops[2].pose_b, at({4, 5, 6})), kEps));
  ASSERT_EQ(s.couplings.size(), 2u);
  EXPECT_DOUBLE_EQ(s.couplings[0].offset, .6);
  EXPECT_EQ(s.couplings[0].terms[0].coefficients, (std::vector<double>{2, 3}));
  EXPECT_EQ(s.couplings[0].terms[0].reference, .25);
  EXPECT_TRUE(s.couplings[1].terms.empty());
}

TEST(Mjcf, HeightsRunUpwardsInY) {
  const ModelSpec s =
      spec_of(mjcf_text("<geom type='hfield' hfield='h'/>",
                        "<asset><hfield name='h' nrow='2' ncol='3' size='1 1 1 1' elevation='1 2 3 4 5 7'/></asset>"));
  EXPECT_EQ(s.heightfields[0].elevation, (std::vector<double>{.5, 4.0 / 6, 1, 0, 1.0 / 6, 2.0 / 6}));
}

TEST(Mjcf, WhatIsNotKeptIsSaid) {
  const auto r = parse_mjcf(
      "<mujoco>\n<visual/>\n<worldbody>\n<geom size='1' solref='1 1' colour='red'/>\n<geom size='1' solref='1 1'/>\n"
      "<blob/>\n<body gravcomp='1'><geom "
      "size='1'/></body>\n</worldbody>\n<sensor>\n<user/><user/></sensor>\n<extra/></mujoco>");
  const Diagnostics& d = r.diagnostics();
  ASSERT_TRUE(accepted(r));
  EXPECT_TRUE(says(d, Severity::note, Code::ignored_element, 2, "<visual>"));
  EXPECT_TRUE(says(d, Severity::note, Code::ignored_element, 4, "geom solref: is not kept, 2 times"));
  EXPECT_TRUE(warned(r, Code::unknown_attribute, 4, "colour"));
  EXPECT_TRUE(warned(r, Code::unknown_element, 6, "blob"));
  EXPECT_EQ(r->bodies[0].gravity_compensation, 1);
  EXPECT_TRUE(says(d, Severity::note, Code::ignored_element, 10, "sensor <user>: is not kept"));
  EXPECT_TRUE(warned(r, Code::unknown_element, 11, "extra"));
  EXPECT_FALSE(parse_mjcf("<mujoco><extra/></mujoco>", {}, {.strict = true}).ok());
}

TEST(Mjcf, WhatIsWrongIsRefused) {
  const auto refuses = [](const std::string& world, Code code) {
    return refused(parse_mjcf(mjcf_text(world)), code, 2);
  };
  EXPECT_TRUE(refuses("<body name='a'/><body name='a'/>", Code::duplicate_name));
  EXPECT_TRUE(refuses("<body><joint/></body>", Code::massless_tip));
  EXPECT_TRUE(refuses("<joint/>", Code::self_joint));
  EXPECT_TRUE(refuses("<body><joint axis='0 0 0'/><geom size='1'/></body>", Code::bad_joint_parameter));
  EXPECT_TRUE(refuses("<body><body><freejoint/><geom size='1'/></body></body>", Code::bad_joint_parameter));
  EXPECT_TRUE(refuses("<body><joint type='ball'/><joint/><geom size='1'/></body>", Code::bad_joint_parameter));
  EXPECT_TRUE(refuses("<body><joint damping='-1'/><geom size='1'/></body>", Code::negative_coefficient));
  EXPECT_TRUE(refuses("<geom/>", Code::bad_shape_size));
  EXPECT_TRUE(refuses("<geom type='cube' size='1'/>", Code::bad_value));
  EXPECT_TRUE(refuses("<geom type='mesh' mesh='m'/>", Code::unknown_name));
  EXPECT_TRUE(refuses("<geom size='1' pos='1 x 2'/>", Code::bad_number));
  EXPECT_TRUE(refuses("<body><inertial pos='0 0 0' mass='1'/></body>", Code::missing_attribute));
  EXPECT_TRUE(refuses("<body name='" + std::string(2000, 'n') + "'/>", Code::bad_value));
  EXPECT_TRUE(refused(parse_mjcf("<mujocoinclude/>"), Code::wrong_root, 1, "load the file that includes"));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("", "<compiler coordinate='global'/>")), Code::bad_value, 2));
  EXPECT_TRUE(
      refused(parse_mjcf(mjcf_text("", "", "<keyframe><key qpos='1'/></keyframe>")), Code::wrong_coordinate_count));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("", "", "<actuator><motor joint='none'/></actuator>")), Code::unknown_name));
}

class MjcfFiles : public ::testing::Test {
 protected:
  MjcfFiles() : dir_(fs::path(::testing::TempDir()) / ("mjcf_" + std::to_string(::getpid()))) {
    fs::create_directories(dir_);
  }
  ~MjcfFiles() override { fs::remove_all(dir_); }
  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }
  fs::path dir_;
};

TEST_F(MjcfFiles, IncludesComeFromTheMainFilesFolder) {
  write("parts/arm.xml",
        "<mujocoinclude>\n<include file='parts/hand.xml'/><geom name='arm' size='1'/></mujocoinclude>");
  write("parts/hand.xml", "<x>\n\n<geom name='hand' size='1' q='1'/></x>");
  const auto r = load_mjcf(write("main.xml", mjcf_text("<include file='parts/arm.xml'/>")));
  ASSERT_TRUE(accepted(r));
  ASSERT_EQ(r->shapes.size(), 2u);
  EXPECT_EQ(r->shapes[0].name, "hand");
  EXPECT_TRUE(warned(r, Code::unknown_attribute, 3, "hand.xml:3"));
}

TEST_F(MjcfFiles, IncludesThatFailAreErrors) {
  EXPECT_TRUE(refused(load_mjcf(write("a.xml", mjcf_text("<include file='none.xml'/>"))), Code::file_unreadable, 2,
                      "none.xml"));
  EXPECT_TRUE(
      refused(load_mjcf(write("self.xml", "<mujoco><include file='./self.xml'/></mujoco>")), Code::include_failed, 1));
  write("geom.xml", "<x><geom size='1'/></x>");
  const std::string twice = "<include file='geom.xml'/><include file='geom.xml'/>";
  EXPECT_TRUE(refused(load_mjcf(write("twice.xml", mjcf_text(twice))), Code::include_failed, 2, "second time"));
  write("empty.xml", "<x/>");
  EXPECT_TRUE(refused(load_mjcf(write("e.xml", mjcf_text("<include file='empty.xml'/>"))), Code::include_failed, 2));
  EXPECT_TRUE(refused(load_mjcf(dir_ / "nowhere.xml"), Code::file_unreadable));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<include file='geom.xml'/>")), Code::include_failed, 2, "without a path"));
}

TEST_F(MjcfFiles, MeshesAreReadWhenTheyAreNeeded) {
  const std::string asset = "<compiler meshdir='meshes'/><asset><mesh file='m.obj' scale='2 2 2'/></asset>";
  write("meshes/m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string geom = "<geom type='mesh' mesh='m'/>";
  const auto file = write("moving.xml", mjcf_text("<body><freejoint/>" + geom + "</body>", asset));
  const auto needed = load_mjcf(file);
  ASSERT_TRUE(accepted(needed));
  EXPECT_NEAR(needed->bodies[0].mass, 8000.0 / 6, 1e-11);
  EXPECT_EQ(needed->meshes[0].vertices.size(), 4u);
  const auto fixed = write("fixed.xml", mjcf_text(geom, asset));
  EXPECT_TRUE(load_mjcf(fixed)->meshes[0].vertices.empty());
  EXPECT_EQ(load_mjcf(fixed, {.load_meshes = true})->meshes[0].triangles.size(), 4u);
  fs::remove(dir_ / "meshes/m.obj");
  EXPECT_TRUE(warned(load_mjcf(fixed), Code::mesh_unreadable, 2, "does not exist"));
  EXPECT_TRUE(refused(load_mjcf(file), Code::mesh_unreadable, 2));
  EXPECT_TRUE(refused(parse_mjcf(mjcf_text("<body><freejoint/>" + geom + "</body>", asset)), Code::mesh_unreadable, 2));
}

}  // namespace
TEST(Mjcf, WhatContactAsks) {
  const char* world =
      "<geom name='floor' type='plane' size='1 1 1' condim='1'/><body name='b'><freejoint/>"
      "<geom name='ball' size='.1' condim='1'/><geom name='rock' size='.1'/></body>";
  const std::string pairs = "<contact><pair geom1='floor' geom2='rock' condim='1' friction='0.7'/></contact>";
  const ModelSpec spec = spec_of(mjcf_text(world, "", pairs));
  ASSERT_EQ(spec.shapes.size(), 3u);
  EXPECT_EQ(spec.shapes[0].friction_law, FrictionLaw::none);
  EXPECT_EQ(spec.shapes[1].friction_law, FrictionLaw::none);
  EXPECT_EQ(spec.shapes[2].friction_law, FrictionLaw::sliding);
  ASSERT_EQ(spec.pairs.size(), 1u);
  EXPECT_EQ(spec.pairs[0].friction_law, FrictionLaw::none);
  const ModelSpec off = spec_of(mjcf_text(world, "<option><flag contact='disable'/></option>", pairs));
  EXPECT_TRUE(off.pairs.empty());
  for (const ShapeSpec& s : off.shapes) EXPECT_FALSE(s.collides);
}

}  // namespace sinew
