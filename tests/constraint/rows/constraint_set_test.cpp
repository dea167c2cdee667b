// tests/constraint/rows/constraint_set_test.cpp - what is in a set: names, errors, and constraints read from files
#include "sinew/constraint/rows/constraint_set.hpp"

#include <gtest/gtest.h>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/urdf.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

Model four_bar() { return compile(mechanisms::four_bar()).value(); }

TEST(ConstraintSet, NamesItsRows) {
  const Model m = four_bar();
  const ConstraintSet set(m, {MaskConstraint{.name = "hold", .body_a = "", .body_b = "crank"}});
  ASSERT_EQ(set.constraints(), 2);
  ASSERT_EQ(set.rows(), 11);
  EXPECT_EQ(set.constraint_name(0), "loop 'coupler_pin'");
  EXPECT_EQ(set.constraint_of(4), 0);
  EXPECT_EQ(set.constraint_of(5), 1);
  EXPECT_EQ(set.row_name(0), "loop 'coupler_pin': moment about x of its frame on body 'rocker'");
  EXPECT_EQ(set.row_name(4), "loop 'coupler_pin': force along z of its frame on body 'rocker'");
  EXPECT_EQ(set.row_name(7), "mask 'hold': moment about z of its frame on body 'crank'");
  EXPECT_EQ(set.problem().entries().size(), 5u * 2 + 6u) << "the world carries no entry";
  EXPECT_EQ(ConstraintSet(m, {}, false).rows(), 0);
  ModelSpec spec = mechanisms::four_bar();
  spec.loops[0].active = false;
  const Model open = compile(spec).value();
  EXPECT_EQ(ConstraintSet(open).rows(), 0);
}

template <class Spec>
std::string complaint(const Spec& spec) {
  const Model m = four_bar();
  try {
    const ConstraintSet set(m, {spec});
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing";
}
void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* w : words) EXPECT_NE(text.find(w), std::string::npos) << text << "\n  lacks: " << w;
}

TEST(ConstraintSet, SaysWhatIsWrongAndHowToMendIt) {
  expect_words(complaint(LoopSpec{.name = "a", .body_a = "nobody", .body_b = "crank"}), {"loop 'a'", "nobody"});
  expect_words(complaint(LoopSpec{.name = "a", .kind = JointKind::composite, .body_a = "rocker", .body_b = "crank"}),
               {"loop 'a'", "composite", "primitive"});
  expect_words(complaint(LoopSpec{.name = "a", .body_a = "crank", .body_b = "crank"}), {"itself", "two bodies"});
  expect_words(complaint(CouplingSpec{.name = "g", .dependent = "nothing"}), {"coupling 'g'", "nothing"});
  expect_words(complaint(MaskConstraint{.name = "m", .body_b = "nobody"}), {"mask 'm'", "'nobody'", "world"});
  expect_words(complaint(MaskConstraint{.name = "m", .body_a = "crank", .body_b = "crank"}), {"both sides", "two"});
  expect_words(complaint(MaskConstraint{.name = "m", .body_b = "crank", .blocked = {}}), {"no axis is blocked"});
  expect_words(complaint(MaskConstraint{.name = "m", .body_b = "crank", .laws = {MotionLaw{}}}), {"1 laws for 6"});
  const MotionLaw still = [](double) { return MotionSample{}; };
  expect_words(complaint(MaskConstraint{.name = "m", .body_b = "crank", .laws = {still, still, {}, {}, {}, {}}}),
               {"2 of its laws turn it", "prescribed"});
  expect_words(complaint(RollingConstraint{.name = "r", .body_b = "crank"}),
               {"rolling 'r'", "radius is 0", "positive"});
  expect_words(complaint(RollingConstraint{.name = "r", .body_b = "crank", .normal = {}, .radius = 1}), {"normal"});
  expect_words(complaint(std::shared_ptr<const CustomConstraint>{}), {"empty", "make_shared"});

  // A coupling on a joint of three coordinates.
  const Model m = compile(random_tree(1, {.bodies = 2, .kinds = {JointKind::spherical}, .branching = 0})).value();
  EXPECT_THROW(ConstraintSet(m, {CouplingSpec{.name = "g", .dependent = "joint0"}}), std::invalid_argument);
}

TEST(ConstraintSet, ChecksSizes) {
  const Model m = four_bar();
  const ConstraintSet set(m), none(m, {}, false);
  ConstraintRows rows(m, none);
  EXPECT_THROW(calc_constraint_rows(m, set, rows, m.neutral(), std::vector<double>(3)), std::invalid_argument);
  ConstraintRows right(m, set);
  EXPECT_THROW(calc_constraint_rows(m, set, right, std::vector<double>(2), std::vector<double>(3)),
               std::invalid_argument);
  std::vector<double> k(4);
  EXPECT_THROW(stabilize(right, {}, k), std::invalid_argument);
}

TEST(Baumgarte, IsCriticallyDamped) {
  const Model m = four_bar();
  const ConstraintSet set(m);
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, std::vector<double>{0.3, 0.5, 1}, std::vector<double>{1, -1, 2});
  std::vector<double> k(5), plain(5);
  stabilize(rows, {.period = 0.1}, k);
  stabilize(rows, {}, plain);
  EXPECT_EQ(plain, rows.k);
  for (std::size_t r = 0; r < 5; ++r)
    EXPECT_TRUE(near(k[r], rows.k[r] - 20 * rows.velocity[r] - 100 * rows.position[r], 8));
}

TEST(ConstraintSet, TakesMimicJointsOfAUrdf) {
  const char* text = R"(<robot name="hand"><link name="palm"/>
    <link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="ja" type="continuous"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/></joint>
    <joint name="jb" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
      <mimic joint="ja" multiplier="-1.5" offset="0.2"/></joint></robot>)";
  const Model m = compile(parse_urdf(text).value()).value();
  const ConstraintSet set(m);
  ASSERT_EQ(set.rows(), 1);
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, std::vector<double>{0.4, 1.0}, std::vector<double>{2, 3});
  Grid<double> K(1, 2);
  get_constraint_jacobian(m, set, rows, K);
  EXPECT_TRUE(near(K.numbers, std::vector<double>{1.5, 1}, 20));
  EXPECT_TRUE(near(rows.position[0], 1.0 - (0.2 - 1.5 * 0.4), 20));
  EXPECT_TRUE(near(rows.velocity[0], 3 + 1.5 * 2, 20));
}

TEST(ConstraintSet, TakesEqualitiesOfAnMjcf) {
  const char* text = R"(<mujoco model="m"><worldbody>
    <body name="a" pos="0 0 1"><joint name="ja" type="hinge" axis="0 1 0"/><geom type="sphere" size="0.1"/>
      <body name="b" pos="1 0 0"><joint name="jb" type="hinge" axis="0 1 0"/><geom type="sphere" size="0.1"/></body></body>
    <body name="c" pos="2 0 1"><freejoint name="jc"/><geom type="sphere" size="0.1"/></body>
    </worldbody><equality>
    <connect name="pin" body1="b" body2="c" anchor="1 0 0"/>
    <weld name="glue" body1="c" body2="b"/>
    <joint name="gear" joint1="jb" joint2="ja" polycoef="0.1 2 0.5 0 0"/>
    </equality></mujoco>)";
  const auto read = parse_mjcf(text);
  ASSERT_TRUE(read.ok()) << to_string(read.diagnostics().list()[0]);
  const Model m = compile(*read).value();
  const ConstraintSet set(m);
  ASSERT_EQ(set.rows(), 3 + 6 + 1);
  EXPECT_EQ(set.constraint_name(0), "loop 'pin'");
  EXPECT_EQ(set.constraint_name(1), "loop 'glue'");
  ConstraintRows rows(m, set);
  const std::vector<double> v{0.3, -0.2, 1, 2, 3, 4, 5, 6};
  calc_constraint_rows(m, set, rows, m.neutral(), v);
  for (std::size_t r = 0; r < 9; ++r) EXPECT_TRUE(near(rows.position[r], 0.0, 20)) << set.row_name(static_cast<int>(r));
  EXPECT_TRUE(near(rows.position[9], -0.1, 20));
  EXPECT_TRUE(near(rows.velocity[9], -0.2 - 2 * 0.3, 20));
  EXPECT_TRUE(near(rows.k[9], 2 * 0.5 * 0.3 * 0.3, 20));
  TreeState s;
  s.q.assign(m.neutral().begin(), m.neutral().end());
  s.v = v;
  expect_rates_match(m, set, s, 100);
}

}  // namespace
}  // namespace sinew::test
