// tests/tree/centre_of_mass_test.cpp - centre of mass: position, velocity, acceleration, Jacobian
#include "sinew/tree/centre_of_mass.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/naive_kinematics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

TEST(CentreOfMass, OfTwoSpheresOnASlide) {
  ModelBuilder b("slide");
  b.body("heavy").mass(solid_sphere(3, 0.1));
  b.body("light").mass(solid_sphere(1, 0.1), make_placement({0, 0, 2}));
  b.body("ground").mass(solid_sphere(100, 1));
  b.prismatic("one", "world", "heavy").axis({1, 0, 0});
  b.prismatic("two", "heavy", "light").axis({0, 1, 0});
  b.fixed("weld", "world", "ground");
  const Model m = b.build().value();
  CentreOfMassWorkspace<double> ws(m);
  const std::vector<double> q{0.5, 4}, v{1, 8}, a{2, 4};
  EXPECT_TRUE(near(calc_centre_of_mass(m, ws, q), Vec3<double>{0.5, 1, 0.5}, 4));
  EXPECT_TRUE(near(calc_centre_of_mass_velocity(m, ws, q, v), Vec3<double>{1, 2, 0}, 4));
  EXPECT_TRUE(near(calc_centre_of_mass_acceleration(m, ws, q, v, a), Vec3<double>{2, 1, 0}, 4));
  Grid<double> J(3, 2);
  calc_centre_of_mass_jacobian(m, ws, q, J);
  EXPECT_TRUE(near(J.numbers, std::vector<double>{1, 0, 0, 0.25, 0, 0}, 4));
}

// Against the bodies as the user wrote them, placed by 4x4 matrices.
TEST(CentreOfMass, IsThatOfTheBodiesOfTheSpec) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<JointKind> moving = all_kinds();
    moving.erase(moving.begin());  // a body welded to the world would not count
    const ModelSpec spec = random_tree(seed, {7, moving, 0.5});
    const Model m = compile(spec).value();
    Random rng(seed);
    const std::vector<double> q = random_configuration(m, rng);
    const auto poses = naive_poses(spec, q, 0.3);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double mass = 0;
    for (const BodySpec& b : spec.bodies) {
      sum += b.mass * (poses.at(b.name) * Eigen::Vector3d(b.com.x, b.com.y, b.com.z));
      mass += b.mass;
    }
    CentreOfMassWorkspace<double> ws(m);
    EXPECT_TRUE(
        near(calc_centre_of_mass(m, ws, q, 0.3), Vec3<double>{sum.x() / mass, sum.y() / mass, sum.z() / mass}, 200));
  }
}

// Position, velocity and acceleration are each other's rates; J v is the velocity.
TEST(CentreOfMass, RatesAreRates) {
  for_random_trees(
      50,
      [](const Model& m, Random& rng) {
        if (m.nodes().size() == 1) return;
        const TreeState s = random_state(m, rng);
        CentreOfMassWorkspace<double> ws(m);
        CentreOfMassWorkspace<Dual> dual(m);
        const std::vector<Dual> q = moving_q(m, s), v = moving(s.v, s.a);
        const Vec3<double> velocity = calc_centre_of_mass_velocity(m, ws, s.q, s.v);
        EXPECT_TRUE(near(slope_of(calc_centre_of_mass(m, dual, q)), velocity, 500));
        EXPECT_TRUE(near(slope_of(calc_centre_of_mass_velocity(m, dual, q, v)),
                         calc_centre_of_mass_acceleration(m, ws, s.q, s.v, s.a), 500));
        Grid<double> J(3, m.nv());
        calc_centre_of_mass_jacobian(m, ws, s.q, J);
        EXPECT_TRUE(near(J * s.v, velocity, 100));
      },
      true);
}

// The columns where joints are prescribed too: J a is what a adds to the acceleration.
TEST(CentreOfMass, JacobianIsThePartThatIsLinear) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    if (m.nodes().size() == 1) return;
    const TreeState s = random_state(m, rng);
    CentreOfMassWorkspace<double> ws(m);
    const std::vector<double> zero(s.a.size());
    Grid<double> J(3, m.nv());
    calc_centre_of_mass_jacobian(m, ws, s.q, J, 0.4);
    const Vec3<double> all = calc_centre_of_mass_acceleration(m, ws, s.q, s.v, s.a, 0.4);
    const Vec3<double> bias = calc_centre_of_mass_acceleration(m, ws, s.q, s.v, zero, 0.4);
    EXPECT_TRUE(near(J * s.a, all - bias, 100));
  });
}

TEST(CentreOfMass, DoesNotExistWhereNothingMoves) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone");
  const Model m = b.build().value();
  CentreOfMassWorkspace<double> ws(m);
  EXPECT_TRUE(std::isnan(calc_centre_of_mass(m, ws, std::vector<double>{}).x));
}

TEST(CentreOfMass, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
                  std::vector<T> out;
                  if (m.nodes().size() == 1) return out;
                  CentreOfMassWorkspace<T> ws(m);
                  Grid<T> J(3, m.nv());
                  calc_centre_of_mass_jacobian(m, ws, q, J, 0.3);
                  calc_centre_of_mass_velocity(m, ws, q, v, 0.3);
                  calc_centre_of_mass_acceleration(m, ws, q, v, a, 0.3);
                  out = J.numbers;
                  for (const Vec3<T>& x : {ws.position, ws.velocity, ws.acceleration})
                    out.insert(out.end(), {x.x, x.y, x.z});
                  return out;
                });
}

TEST(CentreOfMass, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(2, {30, {}, 0.5})).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  CentreOfMassWorkspace<double> ws(m);
  Grid<double> J(3, m.nv()), tall(6, m.nv());
  const AllocationCount allocations;
  calc_centre_of_mass(m, ws, s.q);
  calc_centre_of_mass_velocity(m, ws, s.q, s.v);
  calc_centre_of_mass_acceleration(m, ws, s.q, s.v, s.a);
  calc_centre_of_mass_jacobian(m, ws, s.q, J);
  EXPECT_EQ(allocations.count(), 0);
  const std::vector<double> one(1);
  EXPECT_THROW(calc_centre_of_mass(m, ws, one), std::invalid_argument);
  EXPECT_THROW(calc_centre_of_mass_velocity(m, ws, s.q, one), std::invalid_argument);
  EXPECT_THROW(calc_centre_of_mass_acceleration(m, ws, s.q, s.v, one), std::invalid_argument);
  EXPECT_THROW(calc_centre_of_mass_jacobian(m, ws, s.q, tall), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
