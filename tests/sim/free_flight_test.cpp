// tests/sim/free_flight_test.cpp - time steps of bodies that spin, against conservation laws and fine integration
#include "sinew/sim/free_flight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/integrate.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

Model model_of(const std::string& bodies, const char* gravity = "0 0 0") {
  return compile(parse_mjcf("<mujoco><option gravity='" + std::string(gravity) + "'/><worldbody>" + bodies +
                                "</worldbody></mujoco>",
                            "")
                     .value())
      .value();
}
// A box with three different moments, its centre where `pos` says.
std::string box(const char* joint, const char* pos) {
  return "<body>" + std::string(joint) + "<geom type='box' size='.1 .06 .03' mass='1' pos='" + pos + "'/></body>";
}
const char* const kFree = "<freejoint/>";
const char* const kBall = "<joint type='ball'/>";

struct Drift {
  double energy = 0, momentum = 0;  // the worst seen, relative
};
Drift run(const Model& m, std::vector<double> v, double dt, int steps, bool with_momentum = true) {
  Simulation s(m, {.dt = dt});
  s.state.v = std::move(v);
  const double energy = s.kinetic_energy() + s.potential_energy();
  const Force<double> momentum = s.momentum();
  Drift out;
  for (int i = 0; i < steps; ++i) {
    s.step();
    out.energy = std::max(out.energy, std::abs((s.kinetic_energy() + s.potential_energy()) / energy - 1));
    if (!with_momentum) continue;
    out.momentum = std::max(out.momentum, norm(s.momentum().ang - momentum.ang) / norm(momentum.ang));
    out.momentum = std::max(out.momentum, norm(s.momentum().lin - momentum.lin) / (1e-3 + norm(momentum.lin)));
  }
  return out;
}

// About the axis of the middle moment, which is unstable: the body tumbles. At 1000 rad/s a step turns it by 57
// degrees.
TEST(FreeFlight, KeepsEnergyAndMomentumAtAnySpin) {
  const Model m = model_of(box(kFree, "0 0 0"));
  for (const double speed : {1.0, 30.0, 100.0, 1000.0}) {
    const Drift d = run(m, {0.01 * speed, speed, 0.01 * speed, 0, 0, 0}, 1e-3, 20000);
    EXPECT_TRUE(is_small(d.energy, 3e-12)) << speed;
    EXPECT_TRUE(is_small(d.momentum, 2e-12)) << speed;
  }
}

// Momentum about the world's origin, far from which the body flies, loses digits to its distance.
TEST(FreeFlight, TheCentreOfMassFliesStraight) {
  const Model m = model_of(box(kFree, ".05 -.02 .08"));
  const Drift d = run(m, {1, 30, -2, 0.3, 0.1, 0.2}, 1e-3, 5000);
  EXPECT_TRUE(is_small(d.energy, 2e-12));
  EXPECT_TRUE(is_small(d.momentum, 1e-10));
}

TEST(FreeFlight, BallJointsKeepEnergy) {
  const Model m = model_of(box(kBall, ".05 -.02 .08"));
  EXPECT_TRUE(is_small(run(m, {3, 90, -6}, 1e-3, 20000, false).energy, 1e-12));
}

TEST(FreeFlight, PlanarBodiesKeepEnergyAndMomentum) {
  ModelSpec spec;
  spec.name = "plate";
  spec.gravity = {};
  BodySpec plate;
  plate.name = "plate";
  plate.mass = 2, plate.com = {0.1, -0.3, 0}, plate.inertia = Sym3<double>::diagonal(0.02, 0.03, 0.05);
  spec.bodies.push_back(plate);
  JointSpec joint;
  joint.name = "plane", joint.kind = JointKind::planar, joint.parent = "world", joint.child = "plate";
  spec.joints.push_back(joint);
  const Model m = compile(spec).value();
  const Drift d = run(m, {20, 0.3, 0.1}, 1e-3, 5000);
  EXPECT_TRUE(is_small(d.energy, 4e-13));
  EXPECT_TRUE(is_small(d.momentum, 5e-11));
}

// Of second order: half the step, a quarter of the error. The oracle is a Runge-Kutta method of high order.
TEST(FreeFlight, ConvergesToTheMotionOfFineIntegration) {
  const Model m = model_of(box(kFree, ".05 -.02 .08"));
  const std::vector<double> v = {2, 12, -3, 0.3, 0.1, 0.2};
  Integrator exact(m, make_forward_dynamics(m), {.method = IntegrationMethod::rkmk4, .dt = 1e-4});
  State start = make_state(m);
  start.v = v;
  exact.set_state(start);
  exact.advance(0.5);
  const auto error = [&](double dt) {
    Simulation s(m, {.dt = dt});
    s.state.v = v;
    while (s.state.time < 0.5 - dt / 2) s.step();
    std::vector<double> change(6);
    difference(m, exact.state().q, s.state.q, change);
    double sum = 0;
    for (const double x : change) sum += x * x;
    return std::sqrt(sum);
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 2e-3);
}

// A fast top on its tip: it precesses by m g l / (I w).
TEST(FreeFlight, ATopPrecesses) {
  const Model m = model_of(
      "<body>" + std::string(kBall) + "<geom type='cylinder' size='.1 .01' mass='1' pos='0 0 .2'/></body>", "0 0 -10");
  Simulation s(m, {.dt = 2e-4});
  const double tilt = 0.3, spin = 1000, inertia = 0.5 * 0.01;
  s.state.q = {std::cos(tilt / 2), std::sin(tilt / 2), 0, 0};
  s.state.v = {0, 0, spin};
  const auto heading = [&] {
    const Vec3<double> up = apply_inverse(
        to_rotation(Quaternion<double>{s.state.q[0], s.state.q[1], s.state.q[2], s.state.q[3]}), Vec3<double>{0, 0, 1});
    return std::atan2(up.y, up.x);
  };
  const double before = heading();
  const double expected = 0.2 * 10 / (inertia * spin);  // [rad/s]
  while (s.state.time < 1) s.step();
  EXPECT_NEAR(std::remainder(heading() - before - expected, 2 * std::numbers::pi), 0, 0.02);
}

}  // namespace
}  // namespace sinew::test
