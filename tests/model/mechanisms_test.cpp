// tests/model/mechanisms_test.cpp - dof, masses, trees, closed loops and mirror symmetry of the generated mechanisms
#include "sinew/model/mechanisms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "sinew/base/random.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/kinematics.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

namespace m = mechanisms;

// Compiles without a word, notes included.
Model make(ModelSpec spec) {
  Result<Model> r = compile(std::move(spec), {.strict = true});
  for (const Diagnostic& d : r.diagnostics()) ADD_FAILURE() << to_string(d);
  return std::move(r).value();
}

std::vector<int> parents(const Model& model) {
  std::vector<int> lambda;
  for (const BodyEntry& b : model.bodies().subspan(1)) lambda.push_back(b.parent);
  return lambda;
}

std::set<std::string> branch_points(const Model& model) {
  std::set<std::string> names;
  for (const int node : model.topology().branch_points())
    for (const BodyEntry& b : model.bodies())
      if (b.node == node) {
        names.insert(b.name);
        break;
      }
  return names;
}

KinematicsWorkspace<double> kinematics(const Model& model, const std::vector<double>& q) {
  KinematicsWorkspace<double> ws(model);
  calc_kinematics(model, ws, q);
  return ws;
}
std::vector<double> neutral(const Model& model) { return {model.neutral().begin(), model.neutral().end()}; }

Vec3<double> place(const Model& model, const KinematicsWorkspace<double>& ws, std::string_view frame) {
  return get_frame_pose(ws, model.find_frame(frame).value()).r;
}

// How far the two frames of a revolute loop are from sharing their origin and z axis.
double loop_error(const Model& model, const std::vector<double>& q) {
  const KinematicsWorkspace<double> ws = kinematics(model, q);
  double error = 0;
  for (const LoopEntry& l : model.loops()) {
    EXPECT_EQ(l.joint.kind, JointKind::revolute);
    const auto a = l.in_a * ws.X[l.node_a], b = l.in_b * ws.X[l.node_b];
    const Vec3<double> za{a.E.m.zx, a.E.m.zy, a.E.m.zz}, zb{b.E.m.zx, b.E.m.zy, b.E.m.zz};
    error = std::max({error, norm(a.r - b.r), norm(za - zb)});
  }
  return error;
}

double mass_of(const ModelSpec& spec, const std::string& prefix) {
  double mass = 0;
  for (const BodySpec& b : spec.bodies)
    if (b.name.starts_with(prefix)) mass += b.mass;
  return mass;
}

TEST(Mechanisms, EveryOneCompilesAndIsTheSameTwice) {
  const std::map<std::string, int> dof = {{"pendulum3", 3},
                                          {"pendulum12", 12},
                                          {"gu6", 6},
                                          {"chain12", 12},
                                          {"binary_tree3", 7},
                                          {"stem6_branches2", 6 + 5 + 4 * 7},
                                          {"humanoid", 36},
                                          {"hand", 24},
                                          {"humanoid_with_hands1", 60},
                                          {"humanoid_with_hands2", 84},
                                          {"dual_arm", 26},
                                          {"geared_arm", 4},
                                          {"crank_slider", 3},
                                          {"four_bar", 3},
                                          {"crank_piston", 4}};
  const std::vector<ModelSpec> all = m::gallery(), again = m::gallery();
  EXPECT_EQ(all.size(), dof.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Model model = make(all[i]), twin = make(again[i]);
    ASSERT_TRUE(dof.contains(model.name())) << model.name();
    EXPECT_EQ(model.nv(), dof.at(model.name())) << model.name();
    EXPECT_EQ(model.mass(), twin.mass());
    EXPECT_EQ(neutral(model), neutral(twin));
    for (std::size_t b = 0; b < all[i].bodies.size(); ++b) EXPECT_EQ(all[i].bodies[b].com, again[i].bodies[b].com);
    for (const BodySpec& b : all[i].bodies) EXPECT_GT(b.mass, 0) << model.name() << " " << b.name;
    for (std::size_t v = 0; v < model.dofs().size(); ++v) {  // the neutral position is within the limits
      const bool one_to_one = model.nq() == model.nv();
      if (!one_to_one) continue;
      EXPECT_LE(model.dofs()[v].lower, model.neutral()[v]) << model.name() << " " << v;
      EXPECT_GE(model.dofs()[v].upper, model.neutral()[v]) << model.name() << " " << v;
    }
    EXPECT_TRUE(test::is_small(loop_error(model, neutral(model)), 1e-14)) << model.name();
  }
}

TEST(Mechanisms, PendulumIsThePapersScene) {
  for (const int n : {1, 3, 12, 30}) {
    const ModelSpec spec = m::pendulum(n);
    const Model model = make(spec);
    EXPECT_EQ(model.nv(), n);
    EXPECT_EQ(model.topology().max_depth(), n);
    EXPECT_NEAR(model.mass(), n, 5e-15 * n);
    EXPECT_EQ(spec.gravity, (Vec3<double>{0, 0, -9.8}));
    EXPECT_EQ(spec.timestep, 1e-4);
    EXPECT_EQ(spec.exclusions.size(), static_cast<std::size_t>(n - 1));
    const double r = 6.0 / n;
    EXPECT_NEAR(spec.bodies[0].inertia.xx, 0.4 * r * r, 1e-13);
    const auto down = kinematics(model, neutral(model));
    EXPECT_NEAR(norm(place(model, down, "tip") - Vec3<double>{0, 0, 10.0 - 12}), 0, 1e-13);

    ASSERT_EQ(spec.keyframes.size(), 1u);
    const KeyframeSpec& start = spec.keyframes[0];
    const Vec3<double> tip = place(model, kinematics(model, start.q), "tip");
    const double reach = 12 * std::sqrt(0.5);
    EXPECT_NEAR(norm(tip - Vec3<double>{-reach, 0, 10 - reach}), 0, 2e-13);
    std::vector<double> later = start.q;
    for (std::size_t i = 0; i < later.size(); ++i) later[i] += 1e-3 * start.v[i];
    EXPECT_NEAR(place(model, kinematics(model, later), "tip").x - tip.x, 1e-3 * reach, 1e-5);  // to the right, 1 rad/s
  }
  const ModelSpec spec = m::pendulum(3);
  ASSERT_EQ(spec.shapes.size(), 5u);
  for (const ShapeSpec& s : spec.shapes) {
    EXPECT_EQ(s.friction, 0.5);
    EXPECT_EQ(s.restitution, 0.7);
  }
  const Pose& wall = spec.shapes[1].pose;
  EXPECT_EQ(wall.r.x, 4);
  EXPECT_EQ(apply_inverse(wall.E, Vec3<double>{0, 0, 1}), (Vec3<double>{-1, 0, 0}));
}

TEST(Mechanisms, GeneralRobotHasNoSpecialNumber) {
  const ModelSpec spec = m::gu(9);
  EXPECT_EQ(make(spec).topology().max_depth(), 9);
  for (const JointSpec& j : spec.joints) {
    EXPECT_EQ(j.kind, JointKind::revolute);
    for (const double x : {j.placement.r.x, j.placement.r.y, j.placement.r.z}) EXPECT_GT(std::abs(x), 1e-3) << j.name;
    const Mat3<double>& e = j.placement.E.m;
    for (const double x : {e.xx, e.xy, e.yx, e.yy, e.yz, e.zy, e.zz}) EXPECT_GT(std::abs(x), 1e-3) << j.name;
  }
  for (const BodySpec& b : spec.bodies)
    for (const double x : {b.com.x, b.com.y, b.com.z, b.inertia.xy, b.inertia.xz, b.inertia.yz})
      EXPECT_GT(std::abs(x), 1e-7) << b.name;
  EXPECT_NE(m::gu(9, 2).bodies[0].mass, spec.bodies[0].mass);
}

TEST(Mechanisms, TreesHaveTheirParents) {
  EXPECT_EQ(parents(make(m::binary_tree(3))), (std::vector<int>{0, 1, 1, 2, 2, 3, 3}));  // [F08 Fig 6.4]
  const Model tree = make(m::binary_tree(6));
  EXPECT_EQ(tree.nv(), 63);
  EXPECT_EQ(tree.topology().max_depth(), 6);
  EXPECT_EQ(tree.topology().branch_points().size(), 31u);

  EXPECT_EQ(parents(make(m::geared_arm())), (std::vector<int>{0, 0, 1, 1}));    // [F08 Fig 9.2]
  EXPECT_EQ(parents(make(m::crank_piston())), (std::vector<int>{0, 0, 2, 1}));  // [F08 Fig 8.3]
  EXPECT_EQ(make(m::chain(1000)).topology().max_depth(), 1000);
}

TEST(Mechanisms, StemCarriesBranchesAtBothEnds) {
  for (const int k : {1, 2, 4, 7, 10}) {
    const ModelSpec spec = m::stem_with_branches(12, k);
    const Model model = make(spec);
    EXPECT_EQ(model.nv(), 6 + 11 + 2 * k * 7);
    EXPECT_EQ(model.topology().max_depth(), 12 + 7);
    ASSERT_EQ(spec.frames.size(), static_cast<std::size_t>(2 * k));
    for (int i = 1; i <= 2 * k; ++i) EXPECT_TRUE(model.find_frame("tip" + std::to_string(i)).has_value());
    const std::set<std::string> both = {"stem1", "stem12"}, first = {"stem1"};
    EXPECT_EQ(branch_points(model),
              k > 1 ? both : first);  // with one branch each, a chain that floats by a middle link
    const auto ws = kinematics(model, neutral(model));
    for (int i = 1; i <= k; ++i) {
      EXPECT_LT(place(model, ws, "tip" + std::to_string(i)).x, 1.5);
      EXPECT_GT(place(model, ws, "tip" + std::to_string(k + i)).x, 1.5);
    }
  }
}

TEST(Mechanisms, HumanoidStandsAndIsSymmetric) {
  const ModelSpec spec = m::humanoid();
  const Model model = make(spec);
  EXPECT_EQ(model.nq(), 37);
  EXPECT_EQ(model.topology().max_depth(), 11);  // pelvis, back 3, arm 7
  EXPECT_EQ(branch_points(model), (std::set<std::string>{"pelvis", "chest"}));
  int revolute = 0;
  for (const JointSpec& j : spec.joints) revolute += j.kind == JointKind::revolute;
  EXPECT_EQ(revolute, 30);
  EXPECT_EQ(mass_of(spec, "left_"), mass_of(spec, "right_"));
  EXPECT_NEAR(model.mass(), 90.4, 5e-13);
  const auto ws = kinematics(model, neutral(model));
  for (const FrameSpec& f : spec.frames) {
    const bool sole = f.name.find("sole") != std::string::npos;
    EXPECT_NEAR(place(model, ws, f.name).z, sole ? 0 : 0.86, sole ? 1e-14 : 0.01) << f.name;
  }
  EXPECT_EQ(spec.frames.size(), 12u);
}

// Equal coordinates on both sides put the left of every pair where the mirror image of the right one is.
void expect_mirrored(const ModelSpec& spec, const std::set<std::string>& middle) {
  const Model model = make(spec);
  Random random(7);
  std::vector<double> q = neutral(model);
  std::map<std::string, double> of;
  for (const JointEntry& j : model.joints()) {
    if (j.kind != JointKind::revolute) continue;
    const bool right = j.name.starts_with("right_");
    if (right || j.name.starts_with("left_")) {
      const std::string name = j.name.substr(right ? 6 : 5);
      const auto [known, fresh] = of.try_emplace(name, random.uniform(-1, 1));
      q[j.q] = known->second;
    } else if (middle.contains(j.name)) {
      q[j.q] = random.uniform(-0.5, 0.5);  // turns within the plane of symmetry
    }
  }
  const auto ws = kinematics(model, q);
  int pairs = 0;
  for (std::size_t i = 0; i < model.bodies().size(); ++i) {
    const std::string& name = model.bodies()[i].name;
    if (!name.starts_with("left_")) continue;
    const auto twin = static_cast<std::size_t>(model.find_body("right_" + name.substr(5)).value());
    const auto com = [&](std::size_t b) {
      return apply_inverse_to_point(get_body_pose(model, ws, static_cast<int>(b)), spec.bodies[b - 1].com);
    };
    const Vec3<double> left = com(i), right = com(twin);
    EXPECT_NEAR(norm(left - Vec3<double>{right.x, -right.y, right.z}), 0, 2e-14) << name;
    EXPECT_EQ(spec.bodies[i - 1].mass, spec.bodies[twin - 1].mass);
    ++pairs;
  }
  EXPECT_GT(pairs, 10);
}

TEST(Mechanisms, SidesMirrorEachOther) {
  const std::set<std::string> middle = {"back_pitch", "neck_pitch", "neck_tilt", "head_tilt"};
  expect_mirrored(m::humanoid(), middle);
  expect_mirrored(m::humanoid_with_hands(2), middle);
  expect_mirrored(m::dual_arm(), middle);
}

TEST(Mechanisms, HandsHaveFiveFingers) {
  const Model hand = make(m::hand());
  EXPECT_EQ(branch_points(hand), (std::set<std::string>{"palm"}));
  EXPECT_EQ(hand.topology().max_depth(), 2 + 5);
  EXPECT_EQ(hand.frames().size(), 5u);
  EXPECT_NEAR(make(m::hand(m::Side::left)).mass(), hand.mass(), 0);
  const auto ws = kinematics(hand, neutral(hand));
  for (const char* finger : {"first_tip", "middle_tip", "ring_tip", "little_tip"}) {
    EXPECT_GT(place(hand, ws, finger).z, 0.35);
    EXPECT_GT(place(hand, ws, "thumb_tip").x, place(hand, ws, finger).x);
  }
  // Closing every joint carries the tips to the side of the palm.
  std::vector<double> closed = neutral(hand);
  for (const JointEntry& j : hand.joints())
    if (j.name.ends_with("_base") || j.name.ends_with("_middle") || j.name.ends_with("_end")) closed[j.q] = 1.2;
  EXPECT_LT(place(hand, kinematics(hand, closed), "middle_tip").y, -0.02);

  const Model one = make(m::humanoid_with_hands(1)), two = make(m::humanoid_with_hands(2)), none = make(m::humanoid());
  EXPECT_NEAR(one.mass(), none.mass() + hand.mass(), 1e-12);
  EXPECT_NEAR(two.mass(), none.mass() + 2 * hand.mass(), 1e-12);
  EXPECT_EQ(branch_points(two), (std::set<std::string>{"pelvis", "chest", "left_hand_palm", "right_hand_palm"}));
  EXPECT_EQ(two.topology().max_depth(), none.topology().max_depth() + 7);
}

TEST(Mechanisms, DualArmIsTheRobotOfTable1) {
  const ModelSpec spec = m::dual_arm();
  const Model model = make(spec);
  EXPECT_EQ(model.nodes().size(), 1 + 26u);
  EXPECT_EQ(branch_points(model), (std::set<std::string>{"world", "left_palm", "right_palm"}));
  std::map<std::string, int> dof;
  for (const JointSpec& j : spec.joints) {
    if (j.kind != JointKind::revolute) continue;
    const bool head = j.name.starts_with("neck") || j.name.starts_with("head");
    const bool hand = j.name.find("finger") != std::string::npos || j.name.find("thumb") != std::string::npos;
    ++dof[head ? "head" : hand ? "hand" : "arm"];
  }
  EXPECT_EQ(dof, (std::map<std::string, int>{{"head", 4}, {"arm", 14}, {"hand", 8}}));
}

TEST(Mechanisms, CrankPistonClosesByTheBooksFormula) {
  const m::CrankPistonOptions o;
  const Model model = make(m::crank_piston(o));
  for (double y = 0.1; y < 3.1; y += 0.25) {  // [F08 Fig 8.3]
    const double theta2 = std::atan2(o.l2 * std::sin(y), o.l2 * std::cos(y) - o.l1);
    const double d = std::sqrt(o.l1 * o.l1 + o.l2 * o.l2 - 2 * o.l1 * o.l2 * std::cos(y));
    EXPECT_TRUE(test::is_small(loop_error(model, {y, theta2, d, 0.3}), 1e-14)) << y;
    EXPECT_GT(loop_error(model, {y, theta2, d + 1e-3, 0.3}), 0.9e-3) << y;
  }
}

TEST(Mechanisms, LinkagesCloseForOtherSizes) {
  for (double angle = 0; angle < 6.3; angle += 0.35) {
    const Model slider = make(m::crank_slider({0.1, 0.3, angle})), bar = make(m::four_bar({0.6, 0.2, 0.5, 0.4, angle}));
    EXPECT_TRUE(test::is_small(loop_error(slider, neutral(slider)), 1e-14)) << angle;
    EXPECT_TRUE(test::is_small(loop_error(bar, neutral(bar)), 1e-14)) << angle;
  }
}

TEST(Mechanisms, GearsTieRotorsToJoints) {
  const Model model = make(m::geared_arm({.ratio1 = 50, .ratio2 = -30}));
  ASSERT_EQ(model.couplings().size(), 2u);
  EXPECT_EQ(model.couplings()[0].q, 1);
  EXPECT_EQ(model.couplings()[0].terms[0].q, 0);
  EXPECT_EQ(model.couplings()[0].terms[0].coefficients, std::vector<double>{50});
  EXPECT_EQ(model.couplings()[1].q, 3);
  EXPECT_EQ(model.couplings()[1].terms[0].q, 2);
  EXPECT_EQ(model.couplings()[1].terms[0].coefficients, std::vector<double>{-30});
}

TEST(Mechanisms, RefusesNumbersOutOfRange) {
  EXPECT_THROW(m::pendulum(0), std::invalid_argument);
  EXPECT_THROW(m::gu(-1), std::invalid_argument);
  EXPECT_THROW(m::binary_tree(17), std::invalid_argument);
  EXPECT_THROW(m::stem_with_branches(3, 0), std::invalid_argument);
  EXPECT_THROW(m::humanoid_with_hands(3), std::invalid_argument);
  EXPECT_THROW(m::crank_slider({.crank = 0.5, .rod = 0.4}), std::invalid_argument);
  EXPECT_THROW(m::four_bar({.ground = 2}), std::invalid_argument);
  try {
    (void)m::chain(0);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "mechanisms::chain: n is 0, must be in 1 .. 100000");
  }
}

}  // namespace
}  // namespace sinew
