// tests/sim/flexible_mechanism_test.cpp - steps with contact for bodies that bend
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/contact/formulation.hpp"
#include "sinew/io/record.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/sensors.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

void add_floor(ModelBuilder& b, double height) {
  ShapeSpec s;
  s.name = "floor", s.body = "world", s.kind = ShapeKind::plane, s.friction = 0.5;
  s.pose.r = {0, 0, height};
  b.spec().shapes.push_back(s);
}
// A beam of 1 m and 1 kg along x on the given joint, with a ball of 0.1 m and `load` kg welded to its tip.
Model beam_with_ball(JointKind kind, double load, double floor, double friction = 0.5,
                     FrictionLaw law = FrictionLaw::sliding) {
  ModelBuilder b("beam");
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  JointSpec j;
  j.name = "root", j.parent = "world", j.child = "beam", j.kind = kind, j.axis = {0, 1, 0};
  b.spec().joints.push_back(j);
  b.body("ball").mass(load, {}, Sym3<double>::diagonal(1e-3, 1e-3, 1e-3)).sphere(0.1);
  b.fixed("weld", "beam", "ball").at({1, 0, 0});
  add_floor(b, floor);
  b.spec().timestep = 1e-3;
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction, s.friction_law = law, s.rolling_friction = 0.02;
  return b.build().value();
}
sko::FlexibleBody bending_beam(int modes, double stiffness, double damping = 0.05) {
  return sko::make_beam({.body = "beam",
                         .length = 1,
                         .mass = 1,
                         .bending_z = stiffness,
                         .modes_z = modes,
                         .damping_ratio = damping,
                         .stations = {{"tip", 1}}});
}

// A clamped beam whose tip is held up by a floor at its own height: the reaction is 3/8 of its weight, and all of the
// ball's. The tip does not sink.
TEST(FlexibleMechanism, ProppedCantileverRestsOnTheFloor) {
  const Model m = beam_with_ball(JointKind::fixed, 0.2, -0.1, 0);
  const sko::FlexibleModel flexible(m, {bending_beam(8, 50, 0.3)});
  Simulation s(make_flexible_mechanism(flexible), {.dt = 2e-3});
  for (int i = 0; i < 1500; ++i) s.step();
  ASSERT_EQ(s.contacts().size(), 1U);
  const double force = s.contact_force(0).z, want = (3. / 8 + 0.2) * 9.81;
  EXPECT_NEAR(force / want, 1, 2e-3);
  EXPECT_EQ(s.totals().unsolved, 0);
  EXPECT_TRUE(is_small(s.totals().worst_residual, 2e-10));
  EXPECT_TRUE(is_small(s.totals().deepest, slack(1e-9, "rounding, of any solver")));
  EXPECT_EQ(m.bodies()[at(s.contact_body(s.contacts()[0].node_a))].name, "ball");
  std::vector<BodyMotion> motions;
  s.calc_body_motions(motions);
  EXPECT_TRUE(is_small(std::abs(motions[at(*m.find_body("ball"))].pose.r.z), slack(1e-9, "rounding, of any solver")));
  EXPECT_TRUE(is_small(std::abs(s.unaccounted_energy()), 5e-3));  // [J] stiff modes at steps of 2 ms
}

// Without bodies that bend it is the Simulation of the rigid model.
TEST(FlexibleMechanism, RigidModelsAreThoseOfTheSimulation) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -0.7);
  const sko::FlexibleModel rigid(m, {});
  Simulation s(make_flexible_mechanism(rigid), {.dt = 1e-3});
  Simulation want(m, {.dt = 1e-3});
  double touched = 0;
  for (int i = 0; i < 900; ++i) s.step(), want.step(), touched += static_cast<double>(!s.contacts().empty());
  EXPECT_GT(touched, 100);
  EXPECT_NEAR(s.state.q[0], want.state.q[0], 2e-14);
  EXPECT_NEAR(s.totals().work.contact_normal, want.totals().work.contact_normal, 8e-14);
  EXPECT_NEAR(s.unaccounted_energy(), want.unaccounted_energy(), 1.5e-13);
  EXPECT_TRUE(near(s.totals().impulse.weight.lin, want.totals().impulse.weight.lin, 1, 0, 2e-14));
  EXPECT_GT(std::abs(s.state.q[0]), 0.5);
}

// A stiff beam hits the floor as a rigid one does, and comes to rest there.
TEST(FlexibleMechanism, StiffBeamIsTheRigidOne) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -0.7);
  Simulation rigid(m, {.dt = 1e-3});
  const sko::FlexibleModel flexible(m, {bending_beam(3, 1e7)});
  Simulation s(make_flexible_mechanism(flexible), {.dt = 1e-3});
  for (int i = 0; i < 900; ++i) s.step(), rigid.step();
  EXPECT_NEAR(s.state.q[0], rigid.state.q[0], slack(1e-4, "the beam bends by 1e-6, steps differ"));
  EXPECT_TRUE(is_small(s.totals().deepest, slack(1e-6, "the overlap that is not solved again for")));
}

// Couples of contacts act on the pieces of a body that bends: they brake its tip on the floor as that of a rigid one.
TEST(FlexibleMechanism, RollingFrictionBrakesTheTip) {
  double with[2], without[2];  // of the rigid one, of the stiff one
  for (const FrictionLaw law : {FrictionLaw::sliding, FrictionLaw::rolling}) {
    const Model m = beam_with_ball(JointKind::free, 0.5, -0.1, 0.5, law);
    const sko::FlexibleModel stiff(m, {bending_beam(3, 1e7)});
    Simulation rigid(m, {.dt = 1e-3}), s(make_flexible_mechanism(stiff), {.dt = 1e-3});
    double* end = law == FrictionLaw::rolling ? with : without;
    for (Simulation* x : {&rigid, &s}) {
      x->state.v[1] = 3;  // about y
      for (int i = 0; i < 200; ++i) x->step();
      EXPECT_EQ(x->totals().unsolved, 0);
      *end++ = x->state.v[1];
    }
    EXPECT_EQ(s.joint_rows().size(), law == FrictionLaw::rolling ? 3 * s.contacts().size() : 0);
  }
  EXPECT_GT(std::abs(with[0] - without[0]), 0.01);
  EXPECT_NEAR((with[1] - without[1]) / (with[0] - without[0]), 1, 0.01);
}

// Steps converge to the integrator's motion, by the first power of the step.
TEST(FlexibleMechanism, ConvergesToTheSmoothMotion) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -5);
  const sko::FlexibleModel flexible(m, {bending_beam(2, 30)});
  Integrator run(m, make_flexible_dynamics(flexible), {.relative = 1e-9, .extra = 2 * flexible.modes()});
  run.set_state(make_state(m), std::vector<double>(4, 0.0));
  run.advance(0.5);
  const auto error = [&](double dt) {
    Simulation s(make_flexible_mechanism(flexible), {.dt = dt});
    while (s.state.time < 0.5 - 0.5 * dt) s.step();
    return std::abs(s.state.q[0] - run.state().q[0]) + std::abs(s.state.q[1] - run.extra()[0]);
  };
  const double coarse = error(2e-3), fine = error(5e-4);
  EXPECT_LT(coarse, 0.05);
  EXPECT_GT(coarse / fine, 3);
  EXPECT_LT(coarse / fine, 6);
}

// A stop of the joint holds the beam's root, and the beam swings on beyond it and back.
TEST(FlexibleMechanism, StopsHold) {
  ModelBuilder b("beam");
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  b.revolute("root", "world", "beam").axis({0, 1, 0}).limits(-1, 0.4).damping(0.01);
  const Model m = b.build().value();
  const sko::FlexibleModel flexible(m, {bending_beam(3, 20)});
  Simulation s(make_flexible_mechanism(flexible), {.dt = 1e-3});
  double farthest = 0, bent = 0;
  for (int i = 0; i < 2000; ++i) {
    s.step();
    farthest = std::max(farthest, s.state.q[0]), bent = std::min(bent, s.state.q[1]);
  }
  EXPECT_NEAR(farthest, 0.4, 2e-14);
  EXPECT_LT(bent, -0.05);
}

// A ball at the tip of a stiff beam leaves the floor as that of the rigid model does.
TEST(FlexibleMechanism, BallBouncesWithRestitution) {
  ModelSpec spec = beam_with_ball(JointKind::revolute, 0.5, -0.4, 0).spec();
  for (ShapeSpec& s : spec.shapes) s.restitution = 0.6;
  const Model m = compile(spec).value();
  const sko::FlexibleModel rigid(m, {}), stiff(m, {bending_beam(2, 1e9)});
  const double dt = 1e-4;
  Simulation a(make_flexible_mechanism(rigid), {.dt = dt}), b(m, {.dt = dt}),
      c(make_flexible_mechanism(stiff), {.dt = dt});
  double before = 0;
  while (a.totals().collisions == 0) before = a.state.v[0], a.step(), b.step(), c.step();
  EXPECT_GT(std::abs(before), 0.5);
  EXPECT_NEAR(a.state.v[0] / before, -0.6, slack(5e-3, "weight in a step of 0.1 ms"));
  EXPECT_NEAR(a.state.v[0], b.state.v[0], 2e-14);
  EXPECT_EQ(b.totals().collisions, a.totals().collisions);
  EXPECT_NEAR(a.totals().work.collisions, b.totals().work.collisions, 4e-14);
  // A body that bends bounces by its own elasticity too: what the collision gives back is the share of the ball alone.
  EXPECT_GT(c.totals().collisions, 0);
  EXPECT_LT(c.totals().largest_gain, 0);
}

// A capsule on the beam itself, and a ball near its middle: each moves with the node nearest to it.
Model beam_with_skin() {
  ModelSpec spec = beam_with_ball(JointKind::revolute, 0.5, -0.6).spec();
  ShapeSpec s;
  s.name = "skin", s.body = "beam", s.kind = ShapeKind::capsule, s.size = {0.02, 0.2, 0};
  s.pose.r = {0.7, 0, -0.1};
  spec.shapes.push_back(s);
  s.name = "bump", s.kind = ShapeKind::sphere, s.size = {0.05, 0, 0}, s.pose.r = {0.45, 0.1, 0};
  spec.shapes.push_back(s);
  return compile(spec).value();
}
sko::FlexibleBody beam_with_stations() {
  return sko::make_beam({.body = "beam",
                         .length = 1,
                         .mass = 1,
                         .bending_y = 40,
                         .bending_z = 20,
                         .modes_y = 2,
                         .modes_z = 3,
                         .damping_ratio = 0.05,
                         .stations = {{"middle", 0.5}, {"tip", 1}}});
}

// Virtual work: the row of a contact times v is the rate of its gap, with the mode shapes at its place.
TEST(FlexibleMechanism, RowsOfShapesOnABendingBodyAreRatesOfGaps) {
  const Model m = beam_with_skin();
  const sko::FlexibleModel flexible(m, {beam_with_stations()});
  const auto mechanism = make_flexible_mechanism(flexible);
  mechanism->set_step(1e-3, m);
  const Model& view = mechanism->view();
  ContactShapes shapes(view);
  VelocityWorkspace<double> motion(view);
  std::vector<ContactPoint> contacts;
  const auto find = [&](const std::vector<double>& q, const std::vector<double>& v) {
    mechanism->calc_motion(q, v, 0, motion);
    shapes.find(motion.kinematics, 10, contacts);
  };
  Random rng(3);
  std::vector<double> q(at(flexible.nq())), v(q.size());
  for (double& x : q) x = 0.05 * rng.uniform(-1, 1);
  for (double& x : v) x = rng.uniform(-1, 1);
  find(q, v);
  const std::vector<ContactPoint> here = contacts;
  std::vector<double> u(3 * here.size()), zeros(v.size());
  calc_contact_velocities(here, motion, u);
  std::vector<delassus::Entry> entries;
  add_contact_entries(here, 0, entries);
  std::vector<Force<double>> K(entries.size());
  calc_contact_forces(here, motion.kinematics, K.data());
  std::vector<double> J(3 * here.size() * v.size());
  mechanism->factor({.q = q, .v = v, .dt = 0});
  for (std::size_t e = 0; e < entries.size(); ++e)
    mechanism->add_node_force(entries[e].node, K[e], {J.data() + at(entries[e].row) * v.size(), v.size()});
  const double h = 1e-6;
  std::vector<double> ahead(q), behind(q);
  for (std::size_t i = 0; i < q.size(); ++i) ahead[i] += h * v[i], behind[i] -= h * v[i];
  std::vector<std::string> seen;
  for (std::size_t c = 0; c < here.size(); ++c) {
    const auto gap = [&](const std::vector<double>& there) {
      find(there, v);
      for (const ContactPoint& x : contacts)
        if (x.id == here[c].id) return x.gap;
      return std::nan("");
    };
    const double rate = (gap(ahead) - gap(behind)) / (2 * h);
    for (std::size_t k = 0; k < 3; ++k) {
      double Jv = 0;
      for (std::size_t i = 0; i < v.size(); ++i) Jv += J[(3 * c + k) * v.size() + i] * v[i];
      EXPECT_NEAR(Jv, u[3 * c + k], 8e-14);
    }
    EXPECT_NEAR(u[3 * c], rate, 8e-10) << shapes.pair_name(here[c]);
    seen.push_back(shapes.pair_name(here[c]));
    const int body = mechanism->bodies_of_nodes()[at(here[c].node_a)];
    if (seen.back().find("ball") == std::string::npos) {
      EXPECT_EQ(m.bodies()[at(body)].name, "beam");
    }
  }
  // The floor against the ball, both ends of the capsule, and the bump; nothing of the beam against itself or its ball.
  EXPECT_EQ(seen.size(), 4U);
}

// A clamped beam that lies on a bump under its middle carries its weight there: 5/4 of q L for a beam of two spans with
// free ends is not this one, so the force is compared with the same beam whose ball is welded to the same station.
TEST(FlexibleMechanism, ShapeOnABendingBodyPushesAsABodyWeldedToItsNode) {
  const auto rest = [](bool on_beam) {
    ModelBuilder b("beam");
    b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
    b.fixed("root", "world", "beam");
    b.body("bead").mass(1e-9, {}, Sym3<double>::diagonal(1e-12, 1e-12, 1e-12));
    b.fixed("weld", "beam", "bead").at({0.5, 0, 0});
    ShapeSpec s;
    s.name = "bump", s.kind = ShapeKind::sphere, s.size = {0.05, 0, 0}, s.body = on_beam ? "beam" : "bead",
    s.friction = 0;
    s.pose.r = {on_beam ? 0.5 : 0, 0, 0};
    b.spec().shapes.push_back(s);
    add_floor(b, -0.05);
    b.spec().shapes.back().friction = 0;
    const Model m = b.build().value();
    sko::FlexibleBody beam = beam_with_stations();
    const sko::FlexibleModel flexible(m, {beam});
    Simulation sim(make_flexible_mechanism(flexible), {.dt = 1e-3});
    for (int i = 0; i < 1500; ++i) sim.step();
    EXPECT_EQ(sim.contacts().size(), 1U);
    return sim.contacts().empty() ? 0 : sim.contact_force(0).z;
  };
  const double on_beam = rest(true), welded = rest(false);
  EXPECT_GT(on_beam, 3);
  EXPECT_NEAR(on_beam, welded, 1.7e-13);
}

TEST(FlexibleMechanism, StepsAllocateNothing) {
  const Model m = beam_with_skin();
  const sko::FlexibleModel flexible(m, {beam_with_stations()});
  Simulation s(make_flexible_mechanism(flexible), {.dt = 1e-3});
  for (int i = 0; i < 5; ++i) s.step();
  const AllocationCount allocations;
  for (int i = 0; i < 700; ++i) s.step();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_GT(s.totals().contact_steps, 100);
}

TEST(FlexibleMechanism, RecordsHaveTheModesByName) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -0.7);
  const sko::FlexibleModel flexible(m, {bending_beam(2, 30)});
  Simulation s(make_flexible_mechanism(flexible), {.dt = 1e-3});
  EXPECT_EQ(s.extra_coordinates(), (std::vector<std::string>{"beam mode 1", "beam mode 2"}));
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_flexible_record.h5";
  {
    Recorder record(file, m, s, {.overwrite = true});
    for (int i = 0; i < 50; ++i) record.add(s.step());
    record.finish();
  }
  const RecordReader read(file);
  EXPECT_EQ(read.row_shape("frames/modes"), (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(read.row_shape("frames/q"), (std::vector<std::uint64_t>{1}));
  const std::vector<double> modes = read.read("frames/modes", 50, 1), rates = read.read("frames/mode_rates", 50, 1);
  EXPECT_EQ(modes, (std::vector<double>{s.state.q[1], s.state.q[2]}));
  EXPECT_EQ(rates, (std::vector<double>{s.state.v[1], s.state.v[2]}));
  std::vector<BodyMotion> motions;
  s.calc_body_motions(motions);
  const auto ball = at(*m.find_body("ball"));
  EXPECT_EQ(read.read("bodies/poses", 50, 1)[7 * ball + 2], motions[ball].pose.r.z);
  EXPECT_EQ(read.read("energy/potential", 50, 1)[0], s.potential_energy());
  std::filesystem::remove(file);
  Sensors sensors(m);
  sensors.update(s);
  EXPECT_EQ(sensors.joint_position(0), s.state.q[0]);
  EXPECT_THROW(sensors.pose(m.bodies()[ball]), std::invalid_argument);
}

TEST(FlexibleMechanism, WhatIsNotSupportedIsNamed) {
  const auto refused = [](const Model& m, const std::vector<sko::FlexibleBody>& bodies, const std::string& word) {
    try {
      const sko::FlexibleModel flexible(m, bodies);
      Simulation s(make_flexible_mechanism(flexible), {.dt = 1e-3});
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  ModelSpec spec = beam_with_ball(JointKind::revolute, 0.5, -1).spec();
  LoopSpec loop;
  loop.name = "tie", loop.body_a = "world", loop.body_b = "ball", loop.kind = JointKind::spherical;
  spec.loops.push_back(loop);
  refused(compile(spec).value(), {bending_beam(2, 1)}, "loop 'tie'");
  spec.loops.clear();
  FrameSpec site;
  site.name = "thruster", site.body = "ball";
  spec.frames.push_back(site);
  ActuatorSpec a;
  a.name = "jet", a.target = "thruster", a.transmission = Transmission::site;
  spec.actuators.push_back(a);
  refused(compile(spec).value(), {bending_beam(2, 1)}, "actuator 'jet' acts on 'thruster', which is no joint");
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -1);
  const sko::FlexibleModel flexible(m, {bending_beam(2, 1)});
  Simulation good(make_flexible_mechanism(flexible));  // the model's timestep
  EXPECT_EQ(good.step_length(), 1e-3);
  EXPECT_THROW(good.restore(good.make_snapshot()), std::invalid_argument);
  good.applied.clear();
  EXPECT_THROW(good.step(), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
