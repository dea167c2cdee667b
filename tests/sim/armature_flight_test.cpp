// tests/sim/armature_flight_test.cpp - what spins and has armature or dampers flies straight
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/tree/energy.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

enum class Flight { free, planar };

Model make_ball(Flight kind, double armature, double damping, const Vec3<double>& com = {}) {
  ModelBuilder b("ball");
  b.gravity({0, 0, 0});
  b.body("ball").mass(1, com, Sym3<double>::diagonal(0.004, 0.004, 0.004));
  JointBuilder j = kind == Flight::free ? b.free("joint", "world", "ball") : b.planar("joint", "world", "ball");
  j.armature(armature).damping(damping);
  return b.build().value();
}
// At the origin, 1 m/s along x, spinning about z.
void throw_it(State& s, Flight kind, double spin) {
  if (kind == Flight::free)
    s.v = {0, 0, spin, 1, 0, 0};
  else
    s.v = {spin, 1, 0};
}
Vec3<double> place_of(const State& s, Flight kind) {
  if (kind == Flight::free) return {s.q[4], s.q[5], s.q[6]};
  return {s.q[1], s.q[2], 0};
}

}  // namespace

TEST(ArmatureFlight, IsStraightInEveryFormulation) {
  for (const Flight kind : {Flight::free, Flight::planar}) {
    const Model m = make_ball(kind, 1, 0);
    const ConstraintSet set(m);
    for (const Formulation f : kFormulations) {
      SCOPED_TRACE(to_string(f));
      Simulation s(m, set, {.dt = 1e-3, .formulation = f});
      throw_it(s.state, kind, 3);
      for (int i = 0; i < 2000; ++i) s.step();
      EXPECT_TRUE(near(place_of(s.state, kind), Vec3<double>{2, 0, 0}, 2e4));
      EXPECT_TRUE(near(s.state.v[kind == Flight::free ? 2 : 0], 3.0, 30));
    }
  }
}

// A damper along the axes of the body slows the flight and does not bend it: v = exp(-c t / m) there too.
TEST(ArmatureFlight, IsStraightAgainstADamper) {
  for (const Flight kind : {Flight::free, Flight::planar}) {
    const double c = 0.5, dt = 1e-3, carried = 0.25;
    const Model m = make_ball(kind, carried, c);
    const ConstraintSet set(m);
    Simulation s(m, set, {.dt = dt});
    throw_it(s.state, kind, 3);
    double want = 0, v = 1;  // by hand: (m + a) (v+ - v) = -dt c v+
    for (int i = 0; i < 1000; ++i) {
      s.step();
      v /= 1 + dt * c / (1 + carried), want += dt * v;
    }
    EXPECT_TRUE(near(place_of(s.state, kind), Vec3<double>{want, 0, 0}, 3000));
  }
}

// Off the centre of mass: the energy with the armature's share stays, and so does the momentum of the whole, body and
// armature, along the axes of the world.
TEST(ArmatureFlight, KeepsEnergyAndMomentum) {
  const double a = 0.5;
  const Model m = make_ball(Flight::free, a, 0, {0.05, -0.02, 0.03});
  const ConstraintSet set(m);
  SmoothSimulation s(m, set, {.dt = 1e-3});
  throw_it(s.state, Flight::free, 3);
  s.state.v[0] = 1, s.state.v[4] = -0.5;
  EnergyWorkspace<double> energy(m);
  VelocityWorkspace<double> motion(m);
  const auto momentum = [&] {
    calc_velocities(m, motion, s.state.q, s.state.v);
    const Motion<double> v = get_velocity(motion, m.bodies()[1], ReferenceFrame::body);
    const Vec3<double> p = (m.bodies()[1].inertia * v).lin + a * v.lin;
    return apply_inverse(get_body_pose(m, motion.kinematics, 1).E, p);
  };
  const double before = calc_kinetic_energy<double>(m, energy, s.state.q, s.state.v);
  const Vec3<double> p = momentum();
  for (int i = 0; i < 1000; ++i) s.step();
  EXPECT_NEAR(calc_kinetic_energy<double>(m, energy, s.state.q, s.state.v), before, 1e-13);
  const Vec3<double> now = momentum();
  EXPECT_NEAR(now.x, p.x, 5e-14);
  EXPECT_NEAR(now.y, p.y, 1e-13);
  EXPECT_NEAR(now.z, p.z, 2e-13);
}

}  // namespace sinew::test
