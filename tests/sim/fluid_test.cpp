// tests/sim/fluid_test.cpp - forces of the medium: closed forms, terminal speed, every stepper, wrong sizes
// tests/apps/test_eval_passive.py compares with MuJoCo at random states.
#include "sinew/sim/fluid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

constexpr double kPi = std::numbers::pi;

Model ball_in(const std::string& medium, const std::string& geom = "type='sphere' size='.1' mass='2'") {
  const auto spec =
      parse_mjcf("<mujoco><option timestep='.001' " + medium + "/><worldbody><body name='b'><freejoint/><geom " + geom +
                 "/></body></worldbody></mujoco>");
  return compile(*spec).value();
}
Force<double> force_at(const Model& m, const std::vector<double>& v) {
  VelocityWorkspace<double> motion(m);
  calc_velocities<double>(m, motion, m.neutral(), v);
  std::vector<Force<double>> external;
  FluidForces(m).add_forces(motion, external);
  return external.at(1);
}

TEST(Fluid, StokesLawOfABall) {
  const Model m = ball_in("viscosity='.3'", "type='sphere' size='.1' mass='2' fluidshape='ellipsoid'");
  const Force<double> f = force_at(m, {1, 2, 3, 4, 5, 6});
  EXPECT_NEAR(norm(f.lin + 6 * kPi * .3 * .1 * Vec3<double>{4, 5, 6}), 0, 1e-14);
  EXPECT_NEAR(norm(f.ang + 8 * kPi * .3 * .001 * Vec3<double>{1, 2, 3}), 0, 1e-16);
}

TEST(Fluid, ABallHasHalfItsVolumeAsAddedMassAndNoLift) {
  // f = rho V / 2 (v x w) (added mass) + rho V (w x v) (Magnus) - rho pi r^2 |v| v / 2
  const Model m = ball_in("density='1000'", "type='sphere' size='.1' mass='2' fluidshape='ellipsoid'");
  const Vec3<double> w{1, 2, 3}, v{4, 5, 6};
  const double V = 4.0 / 3 * kPi * .001;
  const Vec3<double> expected = 1000 * V * 0.5 * cross(w, v) - 1000 * kPi * .01 * .5 * norm(v) * v;
  EXPECT_NEAR(norm(force_at(m, {1, 2, 3, 4, 5, 6}).lin - expected) / norm(expected), 0, 1e-14);
}

TEST(Fluid, WindIsARelativeVelocity) {
  const Model still = ball_in("density='2' viscosity='.1'"), windy = ball_in("density='2' viscosity='.1' wind='1 2 3'");
  const Force<double> a = force_at(still, {0, 0, 0, -1, -2, -3}), b = force_at(windy, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(norm(a.lin - b.lin), 0);
}

TEST(Fluid, NoMediumMeansNoForce) {
  const Model m = ball_in("wind='1 2 3'");
  EXPECT_FALSE(FluidForces(m).any());
}

// Falling with quadratic drag: v(t) = v_end tanh(g t / v_end), in every stepper, to the order of its step.
TEST(Fluid, TerminalSpeedInEveryStepper) {
  const Model m = ball_in("density='50'");
  const double side = .1 * std::sqrt(3.0 / 5) * std::sqrt(2.0);  // half sides of the box with a ball's inertia
  const double half = std::sqrt(1.5 * (0.4 * .01));              // r_x = sqrt(3 (I_y + I_z - I_x) / 2 M)
  EXPECT_NEAR(half, side / std::sqrt(2.0), 1e-16);
  const double drag = 2 * 50 * half * half, last = std::sqrt(2 * 9.81 / drag);
  const auto expected = [&](double t) { return -last * std::tanh(9.81 * t / last); };
  const auto fall = [&](Stepper& s) {
    while (s.state.time < 0.5 - 1e-9) s.step();
    return s.state.v[5];
  };
  Simulation steps(m, {.dt = 1e-4});
  EXPECT_NEAR(fall(steps), expected(.5), 2e-3);
  SmoothSimulation smooth(m, {.dt = 1e-2});
  EXPECT_NEAR(fall(smooth), expected(.5), 5e-11);
  EventSimulation events(m, {.dt = 1e-2});
  EXPECT_NEAR(fall(events), expected(.5), 5e-11);
  EXPECT_LT(steps.totals().work.external, 0);  // drag takes energy
}

TEST(Fluid, BadMediaAndSizesAreRefused) {
  ModelSpec spec = ball_in("density='1'").spec();
  for (const double bad : {-1.0, double(NAN), double(INFINITY)}) {
    spec.medium.density = bad;
    const Model m = compile(spec).value();
    EXPECT_THROW(FluidForces{m}, std::invalid_argument);
  }
  EXPECT_FALSE(parse_mjcf("<mujoco><option density='-1'/><worldbody/></mujoco>").ok());
  const Model m = ball_in("density='1'");
  VelocityWorkspace<double> motion(m);
  std::vector<Force<double>> external(1);
  EXPECT_THROW(FluidForces(m).add_forces(motion, external), std::invalid_argument);
}

}  // namespace
}  // namespace sinew
