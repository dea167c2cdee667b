// tests/sim/public_calls_test.cpp - every public call of sim/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/record.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/control_track.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/fluid.hpp"
#include "sinew/sim/free_flight.hpp"
#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/middle_velocity.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "sinew/sim/scene.hpp"
#include "sinew/sim/sensor_readings.hpp"
#include "sinew/sim/sensors.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/sim/spin_friction.hpp"
#include "sinew/sim/step_derivatives.hpp"
#include "sinew/sim/step_trajectory.hpp"

namespace sinew::test {
namespace {

// A ball on the floor and a driven arm.
ModelSpec ball_and_arm(int joints) {
  ModelBuilder b("ball_and_arm");
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1);
  b.free("flies", "world", "ball").neutral({1, 0, 0, 0, 0, 0, 0.1});
  std::string last = "world";
  for (int i = 0; i < joints; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), make_placement({0, 0, 0.3}));
    b.revolute("joint" + std::to_string(i), last, name).at({3, 0, 1}).axis({0, 1, 0}).limits(-2, 2);
    ActuatorSpec a;
    a.name = "motor" + std::to_string(i), a.kind = "motor", a.target = "joint" + std::to_string(i);
    b.spec().actuators.push_back(a);
    last = name;
  }
  b.spec().actuators[0].activation = Activation::integrator;
  b.tendon("cord").joint("joint0", 1).limits(-1, 1);
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  b.spec().sensors.push_back({.kind = "clock"});
  return b.spec();
}

class SimCalls : public ::testing::Test {
 protected:
  const ThreeModels models{ball_and_arm(2), ball_and_arm(3)};
  const Model& m = models.right;
  const int nq = m.nq(), nv = m.nv();
  const std::size_t bodies = m.bodies().size();
  const ConstraintSet set{m};
  CallTable table;

  std::vector<double>& q(Arguments& x, const char* name = "q") const { return x.numbers(name, m.neutral()); }
  std::vector<double>& v(Arguments& x, const char* name = "v") const { return x.numbers(name, nv); }

  // All that may be set between steps, and the step.
  template <class T, class Options>
  void add_stepper(const std::string& name, const Options& options) {
    table.add(name + "::step", [this, options](Arguments& x) {
      T s(m, set, options);
      s.state.q = q(x, "state.q"), s.state.v = v(x, "state.v"), s.state.activation = x.numbers("state.activation", 1);
      s.control = x.numbers("control", 2), s.applied = v(x, "applied"), s.external = x.forces("external", bodies);
      s.step(v(x, "tau"));
    });
    auto stepped = std::make_shared<T>(m, options);
    stepped->step();
    table.add(name + "::contact_force", [stepped](Arguments& x) {
      (void)stepped->contact_force(x.place("contact", 0, stepped->contacts().size()));
    });
    table.add(name + "::contact_body",
              [stepped, this](Arguments& x) { (void)stepped->contact_body(x.index("node", 1, m.nodes().size())); });
    auto shared = std::make_shared<Three<ConstraintSet>>(models);
    table.add(name, [this, options, shared](Arguments& x) { T(m, shared->take(x, "the set"), options); });
  }
};

TEST_F(SimCalls, Steppers) {
  Three<ConstraintSet> sets(models);
  table.add("make_embedded_mechanism",
            [&](Arguments& x) { (void)make_embedded_mechanism(m, sets.take(x, "the set")); });
  add_stepper<Simulation>("Simulation", SimulationOptions{.dt = 1e-3});
  add_stepper<SmoothSimulation>(
      "SmoothSimulation", SmoothOptions{.method = IntegrationMethod::rkmk4, .dt = 1e-3, .soft = make_soft_surface(m)});
  add_stepper<EventSimulation>("EventSimulation", EventSimulationOptions{.dt = 1e-3});
  EXPECT_EQ(table.run("sim, steppers"), "");
}

TEST_F(SimCalls, StepDerivatives) {
  ModelBuilder b("slider");
  b.body("block").mass(solid_sphere(1, 0.1));
  b.cylindrical("slide", "world", "block").axis({1, 0, 0});
  b.body("tip").mass(solid_sphere(1, 0.1));
  b.prismatic("tip", "block", "tip").axis({1, 0, 0});
  b.motor("motor", "tip");
  b.world().sphere(0.01);
  const Model slider = b.build().value();
  Simulation s(slider, {.dt = 1e-3, .middle_forces = false, .refinements = 0});
  sinew::StepDerivatives derivatives(s);
  table.add("StepDerivatives::step", [&](Arguments& x) { derivatives.step(x.numbers("tau", 3)); });
  derivatives.step();
  table.add("StepDerivatives::calc_by_inertia", [&](Arguments& x) {
    derivatives.calc_by_inertia(x.index("body", 2, slider.bodies().size()), x.matrix("the result", 6, 10));
  });
  // A ball that rests, and one that bounces.
  ModelBuilder ball("ball");
  ball.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1).restitution(1);
  ball.prismatic("up", "world", "ball").axis({0, 0, 1});
  ball.world().plane().restitution(1);
  const Model on_floor = ball.build().value();
  Simulation rests(on_floor, {.dt = 1e-3, .middle_forces = false, .refinements = 0}),
      bounces(on_floor, rests.options());
  rests.state.q = {0.1}, bounces.state.q = {0.1005}, bounces.state.v = {-1};
  sinew::StepDerivatives of_rest(rests), of_bounce(bounces);
  of_rest.step(), of_bounce.step();
  table.add("StepDerivatives::calc_by_friction",
            [&](Arguments& x) { of_rest.calc_by_friction(x.matrix("the result", 2, 1)); });
  table.add("StepDerivatives::calc_by_restitution",
            [&](Arguments& x) { of_bounce.calc_by_restitution(x.matrix("the result", 2, 1)); });
  table.add("StepDerivatives::calc_by_placement", [&](Arguments& x) {
    derivatives.calc_by_placement(x.index("shape", 0, slider.spec().shapes.size()), x.matrix("the result", 6, 6));
  });
  table.add("StepDerivatives::calc_by", [&](Arguments& x) {
    of_rest.calc_by({.other = x.index("shape", 0, on_floor.spec().shapes.size())}, x.matrix("the result", 2, 1));
  });
  StepTrajectory trajectory(s, {.parameters = {{StepParameter::Kind::inertia, 2}}});
  trajectory.step(), trajectory.step();
  const auto constant = [](MatrixView<double> a) { return MatrixView<const double>(a.data(), a.rows(), a.cols()); };
  table.add("StepTrajectory::push_forward", [&](Arguments& x) {
    trajectory.push_forward(x.numbers("the start", 6), constant(x.matrix("the control", 2, 1)),
                            constant(x.matrix("the applied forces", 2, 3)), x.numbers("the end", 6),
                            x.numbers("the change of parameters", 10));
  });
  table.add("StepTrajectory::pull_back", [&](Arguments& x) {
    trajectory.pull_back(x.numbers("the end", 6), x.numbers("the start", 6), x.matrix("the control", 2, 1),
                         x.matrix("the applied forces", 2, 3), constant(x.matrix("the gradients at steps", 2, 6)),
                         x.numbers("the gradient by parameters", 10));
  });
  const Drives drives(slider, 1e-3);
  DriveSlopes slopes;
  table.add("Drives::calc_slopes", [&](Arguments& x) {
    drives.calc_slopes(x.numbers("q", 3), x.numbers("v", 3), x.numbers("v_after", 3), x.numbers("control", 1), slopes);
  });
  EXPECT_EQ(table.run("sim, step derivatives"), "");
}

// A controller may change sizes too.
TEST_F(SimCalls, Controllers) {
  Simulation s(m, {.dt = 1e-3});
  s.controller = [](Simulation& x) { x.applied.resize(1000); };
  EXPECT_THROW(s.step(), std::invalid_argument);
}

TEST_F(SimCalls, Parts) {
  Drives drives(m, 1e-3);
  Three<VelocityWorkspace<double>> motions(models);
  calc_velocities(m, motions.right, m.neutral(), std::vector<double>(at(nv)));
  table.add("Drives::add_forces", [&](Arguments& x) {
    std::vector<double>& state_q = q(x);
    drives.add_forces(state_q, v(x), x.numbers("control", 2), motions.take(x, "motion"), v(x, "tau"),
                      x.forces("external", bodies), x.numbers("activation", 1));
  });
  const FluidForces fluid(m);
  table.add("FluidForces::add_forces",
            [&](Arguments& x) { fluid.add_forces(motions.take(x, "motion"), x.forces("external", bodies)); });
  std::vector<JointRow> found;
  table.add("Drives::add_stops", [&](Arguments& x) {
    std::vector<double>& state_q = q(x);
    drives.add_stops(state_q, v(x), motions.take(x, "motion"), 0.2, found);
  });
  table.add("Drives::add_passed", [&](Arguments& x) { (void)drives.add_passed(v(x), 0.2, found); });
  Three<KinematicsWorkspace<double>> places(models);
  calc_kinematics<double>(m, places.right, m.neutral());
  table.add("Drives::calc_violation",
            [&](Arguments& x) { (void)drives.calc_violation(places.take(x, "kinematics"), q(x)); });
  table.add("Drives::calc_moment", [&](Arguments& x) {
    const int actuator = x.index("actuator", 0, 2);
    drives.calc_moment(actuator, places.take(x, "kinematics"), q(x), v(x, "J"));
  });
  table.add("Drives::calc_activation_rates", [&](Arguments& x) {
    drives.calc_activation_rates(x.numbers("control", 2), x.numbers("activation", 1), x.numbers("rates", 1));
  });
  table.add("Drives::step_activations",
            [&](Arguments& x) { drives.step_activations(x.numbers("control", 2), x.numbers("activation", 1)); });
  table.add("Drives::add_forces_of_twin",
            [&](Arguments& x) { drives.add_forces_of_twin(v(x), v(x, "turning"), v(x, "tau")); });
  table.add("Drives::update_limits",
            [&](Arguments& x) { (void)drives.update_limits(v(x), v(x, "v_after"), v(x, "tau")); });
  table.add("Drives::calc_work", [&](Arguments& x) { (void)drives.calc_work(v(x), v(x, "v_after")); });
  table.add("Drives::calc_power", [&](Arguments& x) { (void)drives.calc_power(v(x)); });
  FreeFlight flight(m);
  table.add("FreeFlight::begin", [&](Arguments& x) { flight.begin(v(x), v(x, "middle"), 1e-3); });
  table.add("FreeFlight::touch", [&](Arguments& x) { flight.touch(x.index("the node", 1, m.nodes().size())); });
  table.add("FreeFlight::add_forces", [&](Arguments& x) { flight.add_forces(v(x, "tau")); });
  table.add("FreeFlight::move",
            [&](Arguments& x) { flight.move(q(x), v(x), x.numbers("q_after", nq), v(x, "v_after")); });
  table.add("FreeFlight::turn_acceleration",
            [&](Arguments& x) { flight.turn_acceleration(q(x), v(x), q(x, "q_after"), v(x, "v_after"), v(x, "a")); });
  table.add("FreeFlight::add_turning", [&](Arguments& x) { flight.add_turning(v(x), v(x, "a")); });
  table.add("FreeFlight::fell", [&](Arguments& x) { (void)flight.fell(x.index("the node", 1, m.nodes().size())); });
  table.add("FreeFlight::is_single",
            [&](Arguments& x) { (void)flight.is_single(x.index("the node", 1, m.nodes().size())); });
  table.add("FreeFlight::find_lag", [&](Arguments& x) { flight.find_lag(q(x), v(x), v(x, "v_end"), v(x, "lag")); });
  table.add("FreeFlight::shift",
            [&](Arguments& x) { flight.shift(q(x), v(x, "the displacement"), x.numbers("q_after", nq)); });
  table.add("FreeFlight::calc_way", [&](Arguments& x) {
    (void)flight.calc_way(x.index("the node", 1, m.nodes().size()), q(x), v(x, "the displacement"));
  });
  table.add("FreeFlight::turn", [&](Arguments& x) { flight.turn(q(x), q(x, "q_after"), v(x)); });
  SpinFriction spin;
  const auto rolling = [](int node) {
    return std::vector{ContactPoint{.node_a = node, .normal = {0, 0, 1}, .rolling_friction = 1}};
  };
  table.add("SpinFriction::add_rows", [&](Arguments& x) {
    std::vector<JointRow> couples;
    spin.begin_step();
    spin.add_rows(rolling(x.index("the node", 1, m.nodes().size())), motions.right, couples);
  });
  table.add("SpinFriction::update", [&](Arguments& x) {
    std::vector<JointRow> couples;
    spin.begin_step();
    spin.add_rows(rolling(1), motions.right, couples);
    ContactAnswer answer;
    answer.contact = x.numbers("contact impulses", 3);
    answer.joints = x.numbers("joint impulses", 2);
    answer.joint_velocity = x.numbers("joint velocities", 2);
    (void)spin.update(rolling(1), answer, motions.right, couples);
  });
  table.add("SpinFriction::learn", [&](Arguments& x) { spin.learn(rolling(1), x.numbers("impulses", 3)); });
  MiddleVelocity middle(m);
  const State start = make_state(m);
  table.add("MiddleVelocity::learn", [&](Arguments& x) { middle.learn(start, v(x, "the acceleration")); });
  table.add("MiddleVelocity::find_change", [&](Arguments& x) { middle.find_change(start, 1e-3, v(x, "the change")); });
  table.add("MiddleVelocity::set_memory",
            [&](Arguments& x) { middle.set_memory(start, x.numbers("the accelerations", 2 * m.nv())); });
  const TangentMap tangent(m);
  table.add("TangentMap::calc_rate",
            [&](Arguments& x) { tangent.calc_rate(q(x, "q0"), v(x, "u"), v(x), v(x, "udot")); });
  Simulation simulation(m, {.dt = 1e-3});
  simulation.step();
  Three<std::unique_ptr<Simulation>> simulations(
      models, [](const Model& of) { return std::make_unique<Simulation>(of, SimulationOptions{.dt = 1e-3}); });
  Sensors sensors(m);
  sensors.update(simulation);
  const std::size_t joints = m.joints().size();
  const auto place = [&](Arguments& x) {
    Place out = m.bodies()[1];
    out.node = x.index("node", out.node, m.nodes().size());
    return out;
  };
  table.add("Sensors::update", [&](Arguments& x) { sensors.update(*simulations.take(x, "the stepper")); });
  table.add("Sensors::joint_position",
            [&](Arguments& x) { (void)sensors.joint_position(x.index("joint", 1, joints)); });
  table.add("Sensors::joint_velocity",
            [&](Arguments& x) { (void)sensors.joint_velocity(x.index("joint", 1, joints)); });
  table.add("Sensors::pose", [&](Arguments& x) { (void)sensors.pose(place(x)); });
  table.add("Sensors::velocity", [&](Arguments& x) { (void)sensors.velocity(place(x), ReferenceFrame::body); });
  table.add("Sensors::imu", [&](Arguments& x) { (void)sensors.imu(place(x)); });
  table.add("Sensors::contact_force", [&](Arguments& x) { (void)sensors.contact_force(x.index("body", 1, bodies)); });
  table.add("Sensors::actuator_force", [&](Arguments& x) { (void)sensors.actuator_force(x.index("actuator", 0, 2)); });
  SensorReadings readings(m);
  table.add("SensorReadings::update", [&](Arguments& x) { readings.update(*simulations.take(x, "the stepper")); });
  table.add("SensorReadings::calc", [&](Arguments& x) {
    std::vector<double>& state_q = q(x);
    readings.calc(state_q, v(x), v(x, "a"), 0, x.numbers("actuator_forces", 2));
  });
  table.add("SensorReadings::name",
            [&](Arguments& x) { (void)readings.name(x.index("sensor", 0, at(readings.sensors()))); });
  table.add("SensorReadings::values",
            [&](Arguments& x) { (void)readings.values(x.index("sensor", 0, at(readings.sensors()))); });
  table.add("find_lowest_point", [&](Arguments& x) { (void)find_lowest_point(m, q(x)); });
  table.add("find_self_overlaps", [&](Arguments& x) { (void)find_self_overlaps(m, q(x)); });
  table.add("find_hold", [&](Arguments& x) { (void)find_hold(m, q(x)); });
  const ControlTrack track(m, {{0}, {"motor0"}, {1}});
  table.add("ControlTrack::set", [&](Arguments& x) { track.set(0, x.numbers("control", 2), v(x, "applied")); });
  MocapBodies mocap(m);
  const Model hand =
      compile(parse_mjcf("<mujoco><worldbody><body mocap='true'><geom size='1'/></body></worldbody></mujoco>").value())
          .value();
  MocapBodies hands(hand);
  table.add("MocapBodies::move", [&](Arguments& x) { hands.move(x.index("body", 1, 2), {}); });
  table.add("MocapBodies::place", [&](Arguments& x) {
    State s{x.numbers("q of the state", hand.nq()), {}, 0};
    hands.place(s, x.index("body", 1, 2), {});
  });
  table.add("MocapBodies::begin_step", [&](Arguments& x) { mocap.begin_step(q(x), 1e-3); });
  table.add("MocapBodies::end_step", [&](Arguments& x) {
    std::vector<double>& from = q(x);
    mocap.end_step(from, 1e-3, x.numbers("next_q", m.nq()));
  });
  RandomPushes pushes(m, 1, 1e-3);
  std::vector<Force<double>> external;
  table.add("RandomPushes::calc", [&](Arguments& x) { pushes.calc(0, State{q(x), {}, 0}, external); });
  EXPECT_EQ(table.run("sim, parts"), "");
  EXPECT_THROW(Recorder("/nonexistent/never.csv", models.twin, simulation), std::invalid_argument);
}

TEST_F(SimCalls, Integrators) {
  const ModelSpec chain = mechanisms::chain(3);
  const Model free = compile(chain).value();
  const int n = free.nv();
  const auto numbers = [&](Arguments& x, const char* name) -> std::vector<double>& { return x.numbers(name, n); };
  Integrator run(free, make_forward_dynamics(free), {.method = IntegrationMethod::rkmk4, .dt = 1e-3, .extra = 2});
  run.step();
  table.add("Integrator::set_state", [&](Arguments& x) {
    run.set_state(State{numbers(x, "q"), numbers(x, "v"), 0}, x.numbers("extra", 2));
  });
  table.add("Integrator::jump",
            [&](Arguments& x) { run.jump(numbers(x, "q"), numbers(x, "v"), x.numbers("extra", 2)); });
  table.add("Integrator::evaluate", [&](Arguments& x) {
    run.evaluate({numbers(x, "q"), numbers(x, "v"), x.numbers("extra", 2), 0}, numbers(x, "dv"),
                 x.numbers("dextra", 2));
  });
  table.add("InterpolatedStep::calc",
            [&](Arguments& x) { run.last_step().calc(0.5, numbers(x, "q"), numbers(x, "v"), x.numbers("extra", 2)); });
  EventDriven events(m, set, {.friction = EventFriction::coulomb});
  table.add("EventDriven::set_state", [&](Arguments& x) { events.set_state(State{q(x), v(x), 0}); });
  SoftContact soft(m, {.surface = make_soft_surface(m)});
  const int size = soft.state_size();
  table.add("SoftContact::calc_motion", [&](Arguments& x) { soft.calc_motion(q(x), v(x)); });
  const auto contacts = [&](Arguments& x) {
    ContactPoint c;
    c.normal = {0, 0, 1}, c.node_a = x.index("node", 1, m.nodes().size());
    return std::vector<ContactPoint>{c};
  };
  table.add("SoftContact::calc_forces", [&](Arguments& x) {
    soft.calc_forces(contacts(x), x.numbers("z", size), 0, v(x, "tau"), x.numbers("zdot", size));
  });
  table.add("SoftContact::calc_stored_energy",
            [&](Arguments& x) { (void)soft.calc_stored_energy(x.numbers("z", size)); });
  table.add("SoftContact::end_step",
            [&](Arguments& x) { (void)soft.end_step(contacts(x), x.numbers("z", size), 1e-3); });
  Three<ConstraintSet> sets(models);
  table.add("make_constrained_dynamics",
            [&](Arguments& x) { (void)make_constrained_dynamics(m, sets.take(x, "the set")); });
  table.add("make_embedded_dynamics", [&](Arguments& x) { (void)make_embedded_dynamics(m, sets.take(x, "the set")); });
  table.add("make_projection", [&](Arguments& x) { (void)make_projection(m, sets.take(x, "the set")); });
  table.add("EventDriven", [&](Arguments& x) { EventDriven(m, sets.take(x, "the set")); });
  EXPECT_EQ(table.run("sim, integrators"), "");
}

}  // namespace
}  // namespace sinew::test
