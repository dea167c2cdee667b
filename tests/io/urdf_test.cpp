// tests/io/urdf_test.cpp - what each element means, and what the loader says about files that break a rule
#include "sinew/io/urdf.hpp"

#include <cmath>

#include "io/remarks.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

Result<ModelSpec> robot(const std::string& body, const UrdfOptions& options = {}) {
  return parse_urdf("<robot name='r'>\n" + body + "\n</robot>", "r.urdf", options);
}
// Two links, base and tip, and a joint with the given attributes and children.
Result<ModelSpec> with_joint(const std::string& type, const std::string& children) {
  return robot("<link name='base'/><link name='tip'/>\n<joint name='j' type='" + type +
               "'><parent link='base'/><child link='tip'/>\n" + children + "\n</joint>");
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='continuous'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         more + "</joint>\n";
}
std::string links(std::initializer_list<const char*> names) {
  std::string s;
  for (const char* n : names) s += "<link name='" + std::string(n) + "'/>\n";
  return s;
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_TRUE(test::is_small(norm(a - b), 1e-15)) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(Urdf, ReadsLinksAndJointsInTheirOrder) {
  const auto r = robot(links({"b", "a", "c"}) + joint("j2", "a", "c") + joint("j1", "b", "a"));
  ASSERT_TRUE(accepted(r));
  EXPECT_TRUE(r.diagnostics().empty());
  EXPECT_EQ(r->name, "r");
  EXPECT_EQ(r->world, "world");
  ASSERT_EQ(r->bodies.size(), 3u);
  EXPECT_EQ(r->bodies[0].name, "b");
  EXPECT_EQ(r->bodies[1].where.line, 3);
  EXPECT_EQ(r->bodies[1].where.file, "r.urdf");
  EXPECT_EQ(r->bodies[2].mass, 0);
  ASSERT_EQ(r->joints.size(), 3u);
  EXPECT_EQ(r->joints[0].name, "root_joint");
  EXPECT_EQ(r->joints[0].kind, JointKind::fixed);
  EXPECT_EQ(r->joints[0].parent, "world");
  EXPECT_EQ(r->joints[0].child, "b");
  EXPECT_EQ(r->joints[1].name, "j2");
  EXPECT_EQ(r->joints[2].where.line, 6);
}

TEST(Urdf, PutsTheRootOnAFreeJointWhenAsked) {
  const auto r = robot(links({"b"}), {.floating_base = true});
  ASSERT_TRUE(accepted(r));
  EXPECT_EQ(r->joints.at(0).kind, JointKind::free);
}

TEST(Urdf, KeepsNamesUniqueWhenTheFileTakesOurs) {
  const auto r =
      robot(links({"world", "universe", "a"}) + joint("root_joint", "world", "universe") + joint("j", "world", "a"));
  ASSERT_TRUE(accepted(r));
  EXPECT_EQ(r->world, "universe_");
  EXPECT_EQ(r->joints[0].name, "root_joint_");
  EXPECT_EQ(r->joints[0].parent, "universe_");
  EXPECT_EQ(r->joints[0].child, "world");
}

TEST(Urdf, TurnsByRollThenPitchThenYawAboutTheFixedAxes) {
  const auto pose = [](const std::string& rpy) {
    return with_joint("fixed", "<origin xyz='1 2 3' rpy='" + rpy + "'/>")->joints[1].placement;
  };
  expect_near(pose("0 0 0").r, {1, 2, 3});
  expect_near(apply_inverse(pose("0 0 1.5707963267948966").E, {1, 0, 0}), {0, 1, 0});
  expect_near(apply_inverse(pose("1.5707963267948966 0 0").E, {0, 1, 0}), {0, 0, 1});
  expect_near(apply_inverse(pose("0 1.5707963267948966 0").E, {0, 0, 1}), {1, 0, 0});
  // x stays under the roll, goes to -z by the pitch, and the yaw about z leaves it there.
  expect_near(apply_inverse(pose("0.3 1.5707963267948966 1.1").E, {1, 0, 0}), {0, 0, -1});
  // The textbook matrix, written out.
  const double r = .4, p = -.7, y = 2.1, cr = std::cos(r), sr = std::sin(r), cp = std::cos(p), sp = std::sin(p),
               cy = std::cos(y), sy = std::sin(y);
  const Rotation<double> E = pose("0.4 -0.7 2.1").E;
  expect_near(apply_inverse(E, {1, 0, 0}), {cy * cp, sy * cp, -sp});
  expect_near(apply_inverse(E, {0, 1, 0}), {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr});
  expect_near(apply_inverse(E, {0, 0, 1}), {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr});
}

TEST(Urdf, RotatesTheInertiaIntoTheAxesOfTheLink) {
  const auto r = robot(
      "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='4'/>"
      "<inertia ixx='1' ixy='.1' ixz='.2' iyy='2' iyz='.3' izz='3'/></inertial></link>");
  ASSERT_TRUE(accepted(r));
  const BodySpec& b = r->bodies[0];
  EXPECT_EQ(b.mass, 4);
  expect_near(b.com, {1, 2, 3});
  // The inertial frame's x is the link's y, its y is the link's -x.
  EXPECT_NEAR(b.inertia.xx, 2, 1e-15);
  EXPECT_NEAR(b.inertia.xy, -.1, 1e-15);
  EXPECT_NEAR(b.inertia.xz, -.3, 1e-15);
  EXPECT_NEAR(b.inertia.yy, 1, 1e-15);
  EXPECT_NEAR(b.inertia.yz, .2, 1e-15);
  EXPECT_NEAR(b.inertia.zz, 3, 1e-15);
}

TEST(Urdf, KnowsEveryJointType) {
  const std::string limit =
      "<limit effort='9' velocity='2' lower='-1' upper='3'/><dynamics damping='.5' friction='.1'/>";
  for (const auto& [type, kind] : {std::pair{"revolute", JointKind::revolute}, {"prismatic", JointKind::prismatic}}) {
    const auto r = with_joint(type, "<axis xyz='0 0 1'/>" + limit);
    ASSERT_TRUE(accepted(r));
    EXPECT_EQ(r->joints[1].kind, kind);
    const DofSpec& d = r->joints[1].dofs.at(0);
    EXPECT_EQ(d.lower, -1);
    EXPECT_EQ(d.upper, 3);
    EXPECT_EQ(d.max_effort, 9);
    EXPECT_EQ(d.max_velocity, 2);
    EXPECT_EQ(d.damping, .5);
    EXPECT_EQ(d.friction, .1);
  }
  const auto turning = with_joint("continuous", limit);
  EXPECT_EQ(turning->joints[1].kind, JointKind::revolute);
  EXPECT_TRUE(turning->joints[1].continuous);
  EXPECT_EQ(turning->joints[1].dofs.at(0).lower, -kUnlimited);
  EXPECT_EQ(turning->joints[1].dofs.at(0).max_effort, 9);
  EXPECT_TRUE(says(turning.diagnostics(), Severity::note, Code::ignored_element, 4));
  EXPECT_EQ(with_joint("fixed", "")->joints[1].kind, JointKind::fixed);
  EXPECT_EQ(with_joint("floating", "")->joints[1].kind, JointKind::free);
  const auto planar = with_joint("planar", "<axis xyz='0 1 0'/>");
  EXPECT_EQ(planar->joints[1].kind, JointKind::planar);
  expect_near(planar->joints[1].axis, {0, 1, 0});
  EXPECT_TRUE(warned(with_joint("planar", limit), Code::unsupported_element, 4, "limit"));
  EXPECT_TRUE(warned(with_joint("floating", limit), Code::unsupported_element, 4, "dynamics"));
  EXPECT_TRUE(refused(with_joint("ball", ""), Code::unsupported_joint, 3, "'ball'"));
}

TEST(Urdf, NormalisesAxes) {
  const auto axis = [](const std::string& xyz) { return with_joint("continuous", "<axis xyz='" + xyz + "'/>"); };
  expect_near(with_joint("continuous", "")->joints[1].axis, {1, 0, 0});
  const auto rounded = axis("0.7071 0.7071 0");
  EXPECT_TRUE(rounded.diagnostics().empty());
  EXPECT_NEAR(norm(rounded->joints[1].axis), 1, 1e-15);
  EXPECT_TRUE(warned(axis("0 3 4"), Code::axis_not_unit, 4, "'0 3 4' has length 5"));
  expect_near(axis("0 3 4")->joints[1].axis, {0, .6, .8});
  EXPECT_TRUE(warned(axis("1e200 1e200 0"), Code::axis_not_unit));
  EXPECT_TRUE(refused(axis("0 0 0"), Code::bad_joint_parameter, 4, "no direction"));
  EXPECT_TRUE(refused(axis("1 0"), Code::bad_value, 4));
  EXPECT_TRUE(refused(with_joint("continuous", "<axis/>"), Code::missing_attribute, 4));
  EXPECT_TRUE(accepted(with_joint("fixed", "<axis xyz='0 0 0'/>")));
}

TEST(Urdf, WantsTheLimitsThatTheStandardWants) {
  EXPECT_TRUE(refused(with_joint("revolute", ""), Code::missing_limit, 3));
  EXPECT_TRUE(refused(with_joint("prismatic", ""), Code::missing_limit, 3));
  EXPECT_TRUE(refused(with_joint("revolute", "<limit lower='0' upper='1' effort='1'/>"), Code::missing_attribute, 4,
                      "velocity"));
  EXPECT_TRUE(warned(with_joint("revolute", "<limit effort='1' velocity='1'/>"), Code::missing_limit, 4, "holds"));
}

TEST(Urdf, MakesMimicACoupling) {
  const std::string tree = links({"a", "b", "c"}) + joint("lead", "a", "b");
  const auto r = robot(tree + joint("follow", "a", "c", "<mimic joint='lead' multiplier='-2' offset='.5'/>"));
  ASSERT_TRUE(accepted(r));
  EXPECT_EQ(r->joints.size(), 3u);
  const CouplingSpec& c = r->couplings.at(0);
  EXPECT_EQ(c.dependent, "follow");
  EXPECT_EQ(c.terms.at(0).joint, "lead");
  EXPECT_EQ(c.terms.at(0).coefficients, std::vector<double>{-2});
  EXPECT_EQ(c.offset, .5);
  EXPECT_EQ(c.where.line, 6);
  EXPECT_EQ(robot(tree + joint("f", "a", "c", "<mimic joint='lead'/>"))->couplings.at(0).terms[0].coefficients[0], 1);

  const auto lost = robot(tree + joint("f", "a", "c", "<mimic joint='led'/>"));
  EXPECT_TRUE(warned(lost, Code::unknown_name, 6, "'led'"));
  EXPECT_TRUE(lost->couplings.empty());
  EXPECT_TRUE(refused(robot(tree + joint("f", "a", "c", "<mimic joint='f'/>")), Code::cycle, 6, "joint 'f'"));
  EXPECT_TRUE(refused(robot(links({"a", "b", "c"}) + joint("f", "a", "b", "<mimic joint='g'/>") +
                            joint("g", "a", "c", "<mimic joint='f'/>")),
                      Code::cycle));
  EXPECT_TRUE(refused(
      robot(links({"a", "b", "c"}) + "<joint name='w' type='fixed'><parent link='a'/><child link='b'/></joint>" +
            joint("f", "a", "c", "<mimic joint='w'/>")),
      Code::bad_joint_parameter, 0, "'w'"));
  EXPECT_TRUE(refused(robot(tree + joint("f", "a", "c", "<mimic/>")), Code::missing_attribute, 6));
}

TEST(Urdf, NamesWhatIsWrongWithTheGraph) {
  EXPECT_TRUE(refused(robot(""), Code::no_bodies));
  EXPECT_TRUE(refused(robot(links({"a", "b", "a"})), Code::duplicate_name, 4, "line 2"));
  EXPECT_TRUE(refused(robot(links({""})), Code::empty_name, 2));
  EXPECT_TRUE(refused(robot("<link/>"), Code::missing_attribute, 2));
  EXPECT_TRUE(refused(robot(links({"a", "b"})), Code::several_roots, 3, "'a' (line 2), 'b' (line 3)"));
  EXPECT_TRUE(
      refused(robot(links({"a", "b", "c"}) + joint("j", "a", "b") + joint("j", "a", "c")), Code::duplicate_name, 6));
  EXPECT_TRUE(refused(robot(links({"a", "b", "c"}) + joint("j", "a", "b") + joint("k", "c", "b")),
                      Code::several_parents, 6, "joint 'j' (line 5) and of joint 'k'"));
  EXPECT_TRUE(refused(robot(links({"a"}) + joint("j", "a", "a")), Code::self_joint, 3));

  const auto round = robot(links({"a", "b"}) + joint("j", "a", "b") + joint("k", "b", "a"));
  EXPECT_TRUE(refused(round, Code::cycle, 0, "'a' under 'b' under 'a'"));
  EXPECT_TRUE(refused(round, Code::no_root));
  EXPECT_TRUE(refused(robot(links({"r", "a", "b"}) + joint("j", "a", "b") + joint("k", "b", "a")), Code::cycle));

  // One broken reference is one error, not also a second root.
  const auto lost = robot(links({"a", "b"}) + joint("j", "a", "bb"));
  EXPECT_TRUE(refused(lost, Code::unknown_name, 4, "child link 'bb'"));
  EXPECT_EQ(lost.diagnostics().count(Severity::error), 1);
  EXPECT_TRUE(refused(robot(links({"a"}) + "<joint name='j' type='fixed'><child link='a'/></joint>"),
                      Code::missing_element, 3, "parent"));
}

TEST(Urdf, ReportsAllErrorsInOneGo) {
  const auto r = robot(
      "<link name='a'><inertial/></link>\n<link name='b'><collision/></link>\n"
      "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='1 x 2'/></joint>\n"
      "<joint name='k' type='hinge'><parent link='a'/><child link='d'/></joint>");
  EXPECT_TRUE(refused(r, Code::missing_element, 2, "mass"));
  EXPECT_TRUE(refused(r, Code::missing_element, 2, "inertia"));
  EXPECT_TRUE(refused(r, Code::missing_element, 3, "geometry"));
  EXPECT_TRUE(refused(r, Code::bad_number, 4, "'x'"));
  EXPECT_TRUE(refused(r, Code::missing_limit, 4));
  EXPECT_TRUE(refused(r, Code::unsupported_joint, 5));
  EXPECT_TRUE(refused(r, Code::unknown_name, 5));
  EXPECT_EQ(r.diagnostics().count(Severity::error), 7) << all_remarks(r.diagnostics());
}

TEST(Urdf, NamesWhatItDoesNotUnderstand) {
  const auto r = robot(
      "<link name='a' colour='red'>\n<interial/>\nhello</link>\n"
      "<gazebo/>\n<transmission/><gazebo reference='a'/>\n<lnik/>\n<link name='b'><contact/></link>\n" +
      joint("j", "a", "b", "<safety_controller/><parent link='b'/>"));
  EXPECT_TRUE(warned(r, Code::unknown_attribute, 2, "'colour'"));
  EXPECT_TRUE(warned(r, Code::unknown_element, 3, "interial"));
  EXPECT_TRUE(warned(r, Code::unknown_element, 2, "hello'"));
  EXPECT_TRUE(warned(r, Code::unknown_element, 7, "lnik"));
  EXPECT_TRUE(warned(r, Code::unsupported_element, 8, "contact"));
  EXPECT_TRUE(warned(r, Code::value_adjusted, 9, "given twice"));
  EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 5, "gazebo: 2 times"));
  EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 6, "transmission: is not kept"));
  EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 9, "safety_controller"));
  EXPECT_EQ(r.diagnostics().list().size(), 9u) << all_remarks(r.diagnostics());
}

TEST(Urdf, StrictMakesWarningsErrors) {
  EXPECT_TRUE(refused(robot("<link name='a' colour='red'/>", {.strict = true}), Code::unknown_attribute, 2));
  EXPECT_TRUE(accepted(robot("<link name='a'/><gazebo/>", {.strict = true})));  // notes stay notes
}

TEST(Urdf, LoadsARobotWithoutAName) {
  EXPECT_TRUE(warned(parse_urdf("<robot><link name='a'/></robot>"), Code::missing_attribute, 1));
  EXPECT_TRUE(refused(parse_urdf("<mujoco/>"), Code::wrong_root, 1, "'mujoco'"));
  EXPECT_TRUE(refused(robot("<xacro:property name='x'/><link name='a'/>"), Code::unsupported_element, 2,
                      "xacro r.urdf > robot.urdf"));
}

}  // namespace
}  // namespace sinew
