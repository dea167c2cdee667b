// tests/tree/velocity_test.cpp - velocities and accelerations of bodies and frames
#include "sinew/tree/velocity.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

constexpr ReferenceFrame kReferences[] = {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::mixed};

// A disc that turns about its axis: the rim moves at w r and is accelerated by w^2 r inwards and dw r along.
TEST(Velocity, OfATurningDisc) {
  ModelBuilder b("disc");
  b.body("disc").mass(solid_cylinder(1, 0.5, 0.1)).frame("rim", make_placement({0.5, 0, 0}));
  b.revolute("axle", "world", "disc").at({1, 2, 3});
  const Model m = b.build().value();
  VelocityWorkspace<double> ws(m);
  calc_accelerations(m, ws, std::vector{std::numbers::pi / 2}, std::vector{3.0}, std::vector{2.0});
  const Place rim = *m.find_frame("rim");
  EXPECT_TRUE(near(get_point_velocity(ws, rim), Vec3<double>{-1.5, 0, 0}, 10));
  EXPECT_TRUE(near(get_point_acceleration(ws, rim), Vec3<double>{-1, -4.5, 0}, 10));
  EXPECT_TRUE(near(get_velocity(ws, rim, ReferenceFrame::body), Motion<double>{{0, 0, 3}, {0, 1.5, 0}}, 10));
  EXPECT_TRUE(near(get_velocity(ws, rim, ReferenceFrame::mixed), Motion<double>{{0, 0, 3}, {-1.5, 0, 0}}, 10));
  EXPECT_TRUE(near(get_velocity(ws, rim, ReferenceFrame::world), Motion<double>{{0, 0, 3}, {6, -3, 0}}, 10));
  // Spatial: a body that turns steadily about a fixed line has no acceleration, only dw counts.
  EXPECT_TRUE(near(get_acceleration(ws, rim, ReferenceFrame::world), Motion<double>{{0, 0, 2}, {4, -2, 0}}, 10));
}

TEST(Velocity, EqualsTheNaiveOneOnRandomTrees) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    VelocityWorkspace<double> ws(m);
    calc_accelerations(m, ws, s.q, s.v, s.a, 0.3);
    const NaiveMotions naive = naive_motions(m, s.q, s.v, s.a, 0.3);
    for (const BodyEntry& b : m.bodies()) {
      const auto i = static_cast<std::size_t>(b.node);
      const Matrix6d X = to_eigen(to_dense(b.in_node));
      EXPECT_TRUE(near(get_velocity(ws, b, ReferenceFrame::body), to_motion(X * naive.v[i]), 200));
      EXPECT_TRUE(near(get_acceleration(ws, b, ReferenceFrame::body), to_motion(X * naive.a[i]), 200));
    }
  });
}

// Positions differentiated are velocities, velocities differentiated are accelerations, in each kind of coordinates.
TEST(Velocity, IsTheRateOfThePose) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = compile(frozen(with_frames(random_tree(seed), seed))).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    VelocityWorkspace<double> ws(m);
    VelocityWorkspace<Dual> dual(m);
    calc_accelerations(m, ws, s.q, s.v, s.a);
    calc_velocities(m, dual, moving_q(m, s), moving(s.v, s.a));
    const Vec3<double> p = random_vec(rng);
    for (const Place& place : places_of(m)) {
      const Transform<Dual> X = cast<Dual>(place.in_node) * dual.kinematics.X[place.node];
      const Motion<double> v = get_velocity(ws, place, ReferenceFrame::mixed);
      EXPECT_TRUE(near(slope_of(X.r), v.lin, 500));
      // The axes turn: each row of E is an axis in world coordinates.
      EXPECT_TRUE(near(slope_of(Vec3<Dual>{X.E.m.xx, X.E.m.xy, X.E.m.xz}),
                       cross(v.ang, Vec3<double>{X.E.m.xx.value, X.E.m.xy.value, X.E.m.xz.value}), 500));
      EXPECT_TRUE(near(slope_of(apply_inverse_to_point(X, cast<Dual>(p))), get_point_velocity(ws, place, p), 500));
      EXPECT_TRUE(
          near(slope_of(get_point_velocity(dual, place, cast<Dual>(p))), get_point_acceleration(ws, place, p), 500));
      for (const ReferenceFrame r : {ReferenceFrame::world, ReferenceFrame::body})
        EXPECT_TRUE(near(slope_of(get_velocity(dual, place, r)), get_acceleration(ws, place, r), 500));
      EXPECT_TRUE(near(slope_of(get_velocity(dual, place, ReferenceFrame::mixed)),
                       get_classical_acceleration(ws, place, ReferenceFrame::mixed), 500));
    }
  }
}

// A prescribed joint is a joint whose coordinate, velocity and acceleration are given.
TEST(Velocity, PrescribedMotionIsGivenMotion) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double time = 0.7;
    const ModelSpec spec = random_tree(seed, {8, {JointKind::prescribed, JointKind::universal}, 0.5});
    ModelSpec driven = spec;
    for (JointSpec& j : driven.joints)
      if (j.kind == JointKind::prescribed) j.kind = j.prescribed_kind;
    const Model m = compile(spec).value(), twin = compile(driven).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    TreeState t = random_state(twin, rng);
    for (std::size_t k = 0; k < spec.joints.size(); ++k) {
      const JointEntry &from = m.joints()[k], &to = twin.joints()[k];
      for (int i = 0; i < to.nv; ++i) {
        const auto x = static_cast<std::size_t>(to.v + i), y = static_cast<std::size_t>(from.v + i);
        const bool given = spec.joints[k].kind == JointKind::prescribed;
        const MotionSample law = given ? spec.joints[k].law(time) : MotionSample{s.q[y], s.v[y], s.a[y]};
        t.q[x] = law.position, t.v[x] = law.velocity, t.a[x] = law.acceleration;
      }
    }
    VelocityWorkspace<double> one(m), other(twin);
    calc_accelerations(m, one, s.q, s.v, s.a, time);
    calc_accelerations(twin, other, t.q, t.v, t.a, time);
    for (std::size_t b = 0; b < m.bodies().size(); ++b)
      for (const ReferenceFrame r : kReferences) {
        EXPECT_TRUE(near(get_velocity(one, m.bodies()[b], r), get_velocity(other, twin.bodies()[b], r), 300));
        EXPECT_TRUE(near(get_acceleration(one, m.bodies()[b], r), get_acceleration(other, twin.bodies()[b], r), 300));
      }
  }
}

// Splitting a body by a weld, or hanging a frame on it, changes no motion.
TEST(Velocity, WeldsAndFramesMoveWithTheirBody) {
  Random rng(3);
  const Pose cut = random_pose(rng);
  ModelSpec spec = random_tree(5, {4, {}, 0.0});
  spec.frames.push_back({"place", "body3", cut, {}});
  spec.bodies.push_back(random_body(rng, "welded"));
  JointSpec weld;
  weld.name = "weld", weld.kind = JointKind::fixed, weld.parent = "body3", weld.child = "welded", weld.placement = cut;
  spec.joints.push_back(weld);
  const Model m = compile(spec).value();
  const TreeState s = random_state(m, rng);
  VelocityWorkspace<double> ws(m);
  calc_accelerations(m, ws, s.q, s.v, s.a);
  const Place frame = *m.find_frame("place"), body = *m.find_frame("welded");
  for (const ReferenceFrame r : kReferences) {
    EXPECT_TRUE(near(get_velocity(ws, frame, r), get_velocity(ws, body, r), 100));
    EXPECT_TRUE(near(get_classical_acceleration(ws, frame, r), get_classical_acceleration(ws, body, r), 100));
  }
}

TEST(Velocity, OfAModelWithoutFreedomIsZero) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone").at({1, 2, 3});
  const Model m = b.build().value();
  VelocityWorkspace<double> ws(m);
  calc_accelerations(m, ws, std::vector<double>{}, std::vector<double>{}, std::vector<double>{});
  for (const ReferenceFrame r : kReferences) {
    EXPECT_TRUE(near(get_velocity(ws, m.bodies()[1], r), Motion<double>{}, 0));
    EXPECT_TRUE(near(get_acceleration(ws, m.bodies()[1], r), Motion<double>{}, 0));
  }
}

TEST(Velocity, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
                  VelocityWorkspace<T> ws(m);
                  calc_accelerations(m, ws, q, v, a, 0.3);
                  std::vector<T> out;
                  for (const BodyEntry& b : m.bodies())
                    for (const Motion<T>& x :
                         {get_velocity(ws, b, ReferenceFrame::world), get_acceleration(ws, b, ReferenceFrame::mixed)})
                      for (const T& number : to_array(x)) out.push_back(number);
                  return out;
                });
}

// 9m + 12a per revolute joint, 30m + 33a with accelerations, beside the kinematics.
TEST(Velocity, CostsWhatItsHeaderSays) {
  const auto count = [](int n, bool accelerations) {
    const Model m = compile(random_tree(1, {n, {JointKind::revolute}, 0.0})).value();
    const std::vector<Counted> x(static_cast<std::size_t>(n), Counted(0.7));
    VelocityWorkspace<Counted> ws(m);
    const Tally positions;
    calc_kinematics(m, ws.kinematics, x);
    const OperationCount before = positions.count();
    const Tally all;
    accelerations ? calc_accelerations(m, ws, x, x, x) : calc_velocities(m, ws, x, x);
    return all.count() - before;
  };
  EXPECT_EQ(count(20, false) - count(10, false), (OperationCount{90, 120, 0, 0, 0}));
  EXPECT_EQ(count(20, true) - count(10, true), (OperationCount{300, 330, 0, 0, 0}));
}

TEST(Velocity, AllocatesNothingAndRepeatsItsBits) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  VelocityWorkspace<double> ws(m), again(m);
  const Place place = m.bodies()[20];
  const AllocationCount allocations;
  calc_velocities(m, ws, s.q, s.v);
  calc_accelerations(m, ws, s.q, s.v, s.a);
  const Motion<double> a = get_acceleration(ws, place, ReferenceFrame::mixed);
  EXPECT_EQ(allocations.count(), 0);
  calc_accelerations(m, again, s.q, s.v, s.a);
  EXPECT_TRUE(near(a, get_acceleration(again, place, ReferenceFrame::mixed), 0));
}

TEST(Velocity, RefusesWrongSizesByName) {
  const Model m = compile(random_tree(3, {3, {JointKind::revolute}, 0.0})).value();
  const Model other = compile(random_tree(3, {4, {JointKind::revolute}, 0.0})).value();
  VelocityWorkspace<double> ws(m), wrong(other);
  const std::vector<double> three(3), two(2);
  try {
    calc_velocities(m, ws, three, two);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "calc_velocities: v has 2 entries, the model needs 3");
  }
  EXPECT_THROW(calc_accelerations(m, ws, two, three, three), std::invalid_argument);
  EXPECT_THROW(calc_accelerations(m, ws, three, three, two), std::invalid_argument);
  EXPECT_THROW(calc_velocities(m, wrong, three, three), std::invalid_argument);
}

TEST(NoAlloc, CountsWhatIsAllocated) {
  if (!AllocationCount::works()) GTEST_SKIP() << "the thread sanitizer has new and delete of its own";
  const AllocationCount allocations;
  EXPECT_EQ(allocations.count(), 0);
  std::vector<double> numbers(10);
  EXPECT_GT(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
