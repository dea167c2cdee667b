// tests/batch/simulation_batch_test.cpp - many worlds: each has the bits of one alone
#include "sinew/batch/simulation_batch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/batch/perturb.hpp"
#include "sinew/joint/mocap.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Balls that bounce and roll on a floor, and an arm of two links with servos that reaches it.
ModelSpec balls_and_arm() {
  ModelBuilder b("balls and arm");
  for (const std::string name : {"ball", "other"}) {
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
    b.free(name + " flies", "world", name);
  }
  std::string last = "world";
  for (const std::string name : {"upper", "lower"}) {
    b.body(name).mass(solid_sphere(1, 0.1), make_placement({0, 0, -0.3})).sphere(0.1, make_placement({0, 0, -0.3}));
    b.revolute(name + " turns", last, name)
        .at({last == "world" ? 2. : 0., 0, last == "world" ? 0.6 : -0.3})
        .axis({0, 1, 0});
    ActuatorSpec a;
    a.name = name + " servo", a.kind = "position", a.target = name + " turns";
    a.gain = {40, 0, 0}, a.bias = {0, -40, -2};
    b.spec().actuators.push_back(a);
    last = name;
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.5, s.restitution = 0.3, s.name = s.body + " shape";
  SensorSpec& turn = b.spec().sensors.emplace_back();
  turn.name = "turn", turn.kind = "jointpos", turn.object_kind = "joint", turn.object = "upper turns";
  b.spec().timestep = 2e-3;
  return b.spec();
}

// Worlds differ in state and control.
State start_of(const Model& m, std::size_t world) {
  State s = make_state(m);
  const double x = 0.01 * static_cast<double>(world);
  s.q[6] = 0.2 + x, s.q[7 + 4] = 0.05, s.q[7 + 6] = 0.45 + x, s.v[1] = 3, s.v[3] = 0.5 + x;
  s.q[14] = 0.3 + x;
  return s;
}
std::vector<double> control_of(std::size_t world) { return {0.2 + 0.01 * static_cast<double>(world), -0.4}; }

void begin_all(SimulationBatch& worlds, std::size_t first = 0) {
  for (std::size_t i = 0; i < worlds.size(); ++i)
    worlds.set_start(i, start_of(worlds.model(i), first + i), control_of(first + i));
  worlds.reset();
}

Numbers state_of(SimulationBatch& worlds, std::size_t i) {
  Numbers out(&worlds.q()(i, 0), &worlds.q()(i, 0) + worlds.q().cols());
  out.insert(out.end(), &worlds.v()(i, 0), &worlds.v()(i, 0) + worlds.v().cols());
  out.push_back(worlds.time()[i]);
  return out;
}
Numbers state_of(const Stepper& s) {
  Numbers out = s.state.q;
  out.insert(out.end(), s.state.v.begin(), s.state.v.end());
  out.push_back(s.state.time);
  return out;
}

// A world alone.
Numbers run_alone(const Model& m, std::size_t world, int steps) {
  Simulation s(m);
  s.state = start_of(m, world), s.control = control_of(world);
  for (int k = 0; k < steps; ++k) s.step();
  return state_of(s);
}

constexpr int kSteps = 300;

TEST(SimulationBatch, HasTheBitsOfOneAloneForAnySizeThreadsAndOrder) {
  const Model m = compile(balls_and_arm()).value();
  std::vector<Numbers> alone;
  for (std::size_t i = 0; i < 13; ++i) alone.push_back(run_alone(m, i, kSteps));
  EXPECT_NE(alone[0], alone[1]);
  for (const int threads : {1, 2, 5})
    for (const std::size_t size : {1u, 2u, 13u}) {
      SimulationBatch worlds(m, size, {.threads = threads});
      begin_all(worlds, 13 - size);
      for (const int part : {1, 99, 200}) worlds.step(part);
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_EQ(state_of(worlds, i), alone[13 - size + i]) << size << " worlds, " << threads << " threads, " << i;
    }
  // In another order.
  SimulationBatch worlds(m, 13, {.threads = 2});
  for (std::size_t i = 0; i < 13; ++i) worlds.set_start(i, start_of(m, 12 - i), control_of(12 - i));
  worlds.reset();
  worlds.step(kSteps);
  for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(state_of(worlds, i), alone[12 - i]);
}

TEST(SimulationBatch, BeginsAgainAsNewlyMade) {
  const Model m = compile(balls_and_arm()).value();
  SimulationBatch worlds(m, 4, {.threads = 2});
  begin_all(worlds);
  worlds.step(kSteps);
  const Numbers kept = state_of(worlds, 2);
  worlds.applied()(0, 12) = 3, worlds.control()(0, 0) = 9;
  const std::vector<unsigned char> mask = {1, 1, 0, 1};
  worlds.reset(mask);
  EXPECT_EQ(state_of(worlds, 2), kept);
  EXPECT_EQ(worlds.simulation(0).totals().steps, 0);
  EXPECT_EQ(worlds.simulation(2).totals().steps, kSteps);
  worlds.step(kSteps);
  for (const std::size_t i : {0u, 1u, 3u}) EXPECT_EQ(state_of(worlds, i), run_alone(m, i, kSteps)) << i;
  EXPECT_EQ(state_of(worlds, 2), run_alone(m, 2, 2 * kSteps));
  // At states of the caller's.
  Numbers q, v;
  for (std::size_t i = 0; i < 4; ++i) {
    const State s = start_of(m, 7);
    q.insert(q.end(), s.q.begin(), s.q.end()), v.insert(v.end(), s.v.begin(), s.v.end());
  }
  worlds.reset({}, {q.data(), 4, at(m.nq())}, {v.data(), 4, at(m.nv())});
  for (std::size_t i = 0; i < 4; ++i) worlds.control()(i, 0) = control_of(7)[0];
  worlds.step(kSteps);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(state_of(worlds, i), run_alone(m, 7, kSteps)) << i;
}

TEST(SimulationBatch, ForcesOnBodiesAndMocapBodiesActInTheirWorldAlone) {
  ModelSpec spec = balls_and_arm();
  BodySpec& hand = spec.bodies.emplace_back();
  hand.name = "hand", hand.mass = 1, hand.inertia = {1, 0, 0, 1, 0, 1};
  JointSpec& goes = spec.joints.emplace_back();
  goes.name = "hand goes", goes.parent = "world", goes.child = "hand", goes.kind = JointKind::user;
  goes.user = get_mocap_joint();
  const Model m = compile(spec).value();
  const std::size_t ball = at(*m.find_body("ball"));
  SimulationBatch worlds(m, 3, {.threads = 2});
  begin_all(worlds);
  Simulation alone(m);
  alone.state = start_of(m, 1), alone.control = control_of(1);
  alone.external.resize(m.bodies().size());
  alone.external[ball] = {{0.1, 0, 0}, {0, 2, 0}};
  worlds.external()(1, 6 * ball) = 0.1, worlds.external()(1, 6 * ball + 4) = 2;
  const Numbers untouched = run_alone(m, 0, 20);
  for (int k = 0; k < 20; ++k) {
    const Transform<double> pose = make_placement({0, 0.01 * k, 1});
    for (MocapBodies* x : {&alone.mocap, &worlds.mocap(1)}) x->move(*m.find_body("hand"), pose);
    alone.step(), worlds.step();
  }
  EXPECT_EQ(state_of(worlds, 1), state_of(alone));
  EXPECT_EQ(state_of(worlds, 0), untouched);
  worlds.mocap(1).move(*m.find_body("hand"), make_placement({9, 9, 9}));
  worlds.reset();
  worlds.step(20);
  EXPECT_EQ(state_of(worlds, 1), run_alone(m, 1, 20));
}

// Their choice of coordinates changes on the way, so they are made anew.
TEST(SimulationBatch, EmbeddedLoopsBeginAgain) {
  ModelSpec spec = mechanisms::four_bar();
  spec.timestep = 1e-3;
  const Model m = compile(spec).value();
  const SimulationOptions options{.loops = LoopMethod::embed};
  SimulationBatch worlds(m, 2, {.simulation = options});
  Simulation alone(m, options);
  for (int k = 0; k < kSteps; ++k) alone.step();
  for (int round = 0; round < 2; ++round) {
    worlds.step(kSteps);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(state_of(worlds, i), state_of(alone)) << i;
    worlds.reset();
  }
}

TEST(SimulationBatch, SetsAWorldThatFailsAside) {
  const Model m = compile(balls_and_arm()).value();
  SimulationBatch worlds(m, 3, {.threads = 2});
  begin_all(worlds);
  worlds.step(10);
  const Numbers before = state_of(worlds, 1);
  worlds.control()(1, 1) = std::numeric_limits<double>::quiet_NaN();
  worlds.step(kSteps - 10);
  EXPECT_EQ(std::vector<int>(worlds.failed().begin(), worlds.failed().end()), (std::vector<int>{0, 1, 0}));
  ASSERT_EQ(worlds.failures().size(), 1u);
  const WorldFailure failure = worlds.failures()[0];
  EXPECT_EQ(failure.world, 1u);
  EXPECT_NE(failure.cause.find("lower servo"), std::string::npos) << failure.cause;
  EXPECT_EQ(failure.state.q, Numbers(before.begin(), before.begin() + m.nq()));
  EXPECT_EQ(failure.state.time, before.back());
  EXPECT_EQ(state_of(worlds, 1), before);
  EXPECT_EQ(before, run_alone(m, 1, 10));
  for (const std::size_t i : {0u, 2u}) EXPECT_EQ(state_of(worlds, i), run_alone(m, i, kSteps));
  worlds.reset(worlds.failed());
  EXPECT_TRUE(worlds.failures().empty());
  worlds.step(kSteps);
  EXPECT_EQ(state_of(worlds, 1), run_alone(m, 1, kSteps));
}

TEST(SimulationBatch, SetsUnsolvedWorldsAsideWhereAsked) {
  const Model m = compile(balls_and_arm()).value();
  SimulationBatchOptions o;
  o.simulation.solver.method = lcp::Method::gauss_seidel, o.simulation.solver.iterations = 1;
  o.simulation.solver.acceptable = 0, o.simulation.solver.warm = false;
  for (const bool refuse : {false, true}) {
    o.refuse_unsolved = refuse;
    SimulationBatch worlds(m, 2, o);
    begin_all(worlds);
    worlds.step(kSteps);
    EXPECT_EQ(worlds.failures().size(), refuse ? 2u : 0u);
    if (refuse) {
      EXPECT_NE(worlds.failures()[0].cause.find("not solved"), std::string::npos);
    } else {
      EXPECT_GT(worlds.simulation(0).totals().unsolved, 0);
    }
  }
}

TEST(SimulationBatch, RollsOutAsStepsDo) {
  const Model m = compile(balls_and_arm()).value();
  const std::size_t n = 3, length = 20, nu = 2, width = at(m.nq() + m.nv());
  std::vector<double> controls(n * length * nu), states(n * (length + 1) * width);
  for (std::size_t k = 0; k < controls.size(); ++k) controls[k] = std::sin(static_cast<double>(k));
  controls[(1 * length + 5) * nu] = std::numeric_limits<double>::infinity();  // world 1 fails
  SimulationBatch worlds(m, n, {.threads = 2});
  begin_all(worlds);
  worlds.rollout(length, {controls.data(), n, length * nu}, {states.data(), n, (length + 1) * width}, 3);
  for (std::size_t i = 0; i < n; ++i) {
    Simulation s(m);
    s.state = start_of(m, i);
    for (std::size_t t = 0; t <= length; ++t) {
      const double* row = states.data() + (i * (length + 1) + t) * width;
      if (i == 1 && t > 5) {
        EXPECT_TRUE(std::isnan(row[0]) && std::isnan(row[width - 1]));
        continue;
      }
      if (t > 0) {
        s.control.assign(controls.data() + (i * length + t - 1) * nu, controls.data() + (i * length + t) * nu);
        for (int k = 0; k < 3; ++k) s.step();
      }
      Numbers want = state_of(s);
      want.pop_back();
      EXPECT_EQ(Numbers(row, row + width), want) << "world " << i << ", " << t;
    }
  }
  EXPECT_EQ(worlds.failures().size(), 1u);
}

TEST(SimulationBatch, PerturbedWorldsAreThoseOfModelsBuiltAlone) {
  const Model m = compile(balls_and_arm()).value();
  const std::vector<Perturbation> list = {{Property::mass, "lower", {1, 1.5, 2}},
                                          {Property::friction, "world shape", {0.5, 0.2, 0.9}},
                                          {Property::restitution, "ball shape", {0.3, 0.6, 0}},
                                          {Property::damping, "upper turns", {0, 0.3, 0.1}},
                                          {Property::armature, "upper turns", {0, 0.01, 0.02}},
                                          {Property::gain, "lower servo", {1, 2, 0.5}}};
  std::vector<Model> models, alone;
  for (std::size_t i = 0; i < 3; ++i) {
    models.push_back(compile(perturb(m, list, i)).value());
    ModelSpec spec = balls_and_arm();
    BodySpec& lower = spec.bodies[3];
    const double mass = list[0].values[i];
    lower.mass = mass;
    for (double* x : {&lower.inertia.xx, &lower.inertia.yy, &lower.inertia.zz}) *x *= mass;
    spec.shapes.back().friction = list[1].values[i], spec.shapes.front().restitution = list[2].values[i];
    spec.joints[2].dofs.assign(1, {});
    spec.joints[2].dofs[0].damping = list[3].values[i], spec.joints[2].dofs[0].armature = list[4].values[i];
    const double gain = list[5].values[i];
    spec.actuators[1].gain = {40 * gain, 0, 0}, spec.actuators[1].bias = {0, -40 * gain, -2 * gain};
    alone.push_back(compile(spec).value());
  }
  SimulationBatch worlds({&models[0], &models[1], &models[2]}, {.threads = 2});
  begin_all(worlds);
  worlds.step(kSteps);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(state_of(worlds, i), run_alone(alone[i], i, kSteps)) << i;
  EXPECT_EQ(state_of(worlds, 0), run_alone(m, 0, kSteps));  // values as they were
  EXPECT_NE(state_of(worlds, 1), run_alone(m, 1, kSteps));

  const auto refused = [&](Property p, const std::string& name, double value) {
    const Perturbation x{p, name, {value}};
    try {
      perturb(m, {&x, 1}, 0);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(Property::mass, "lowr", 1).find("did you mean 'lower'"), std::string::npos);
  EXPECT_NE(refused(Property::mass, "lower", 0).find("must be positive"), std::string::npos);
  EXPECT_NE(refused(Property::gain, "lower servo", std::nan("")).find("zero or more"), std::string::npos);
  EXPECT_THROW(perturb(m, list, 3), std::invalid_argument);
  const Model other = compile([] {
                        ModelSpec s = balls_and_arm();
                        s.actuators.pop_back();
                        return s;
                      }())
                          .value();
  EXPECT_THROW(SimulationBatch({&m, &other}), std::invalid_argument);
}

TEST(SimulationBatch, ObservesByNames) {
  const Model m = compile(balls_and_arm()).value();
  for (const bool perturbed : {false, true}) {
    const Model twin = compile(balls_and_arm()).value();
    SimulationBatch worlds({&m, perturbed ? &twin : &m, &m}, {.threads = 2});
    begin_all(worlds);
    worlds.step(kSteps);
    const Observation all = worlds.make_observation(worlds.observation_names());
    std::vector<double> out(3 * all.width());
    worlds.observe(all, {out.data(), 3, all.width()});
    for (std::size_t i = 0; i < 3; ++i) {
      Simulation s(m);
      s.state = start_of(m, i), s.control = control_of(i);
      for (int k = 0; k < kSteps; ++k) s.step();
      std::vector<BodyMotion> motions;
      s.calc_body_motions(motions);
      const BodyMotion& ball = motions[at(*m.find_body("ball"))];
      const auto get = [&](const std::string& name) {
        for (const Observation::Part& p : all.parts())
          if (p.name == name) return Numbers(&out[i * all.width() + p.first], &out[i * all.width() + p.first] + p.size);
        ADD_FAILURE() << "no " << name;
        return Numbers();
      };
      EXPECT_EQ(get("q"), s.state.q);
      EXPECT_EQ(get("v.ball flies"), Numbers(s.state.v.begin(), s.state.v.begin() + 6));
      EXPECT_EQ(get("q.upper turns"), Numbers{s.state.q[14]});
      EXPECT_EQ(get("sensor.turn"), Numbers{s.state.q[14]});
      EXPECT_EQ(get("sensors"), Numbers{s.state.q[14]});
      EXPECT_EQ(get("control.lower servo"), Numbers{-0.4});
      EXPECT_EQ(get("force.lower servo"), Numbers{s.actuator_forces()[1]});
      EXPECT_EQ(get("position.ball"), (Numbers{ball.pose.r.x, ball.pose.r.y, ball.pose.r.z}));
      EXPECT_EQ(get("z.ball"), Numbers{ball.pose.r.z});
      EXPECT_EQ(get("velocity.ball"), (Numbers{ball.velocity.lin.x, ball.velocity.lin.y, ball.velocity.lin.z}));
      // The quaternion of a free joint is its body's orientation in the world, up to its sign.
      const Numbers turn = get("orientation.ball");
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(turn[k] * (turn[0] * s.state.q[0] < 0 ? -1 : 1), s.state.q[k], 1e-14) << k;
      Vec3<double> force{};
      for (std::size_t c = 0; c < s.contacts().size(); ++c) {
        if (s.contact_body(s.contacts()[c].node_a) == 1) force += s.contact_force(c);
        if (s.contact_body(s.contacts()[c].node_b) == 1) force -= s.contact_force(c);
      }
      EXPECT_EQ(get("contact_force.ball"), (Numbers{force.x, force.y, force.z}));
      EXPECT_EQ(get("contacts"), Numbers{static_cast<double>(s.contacts().size())});
    }
    EXPECT_THROW(worlds.make_observation({"q.upper turn"}), std::invalid_argument);
    SimulationBatch other(m, 3);
    EXPECT_THROW(other.observe(all, {out.data(), 3, all.width()}), std::invalid_argument);
  }
}

TEST(SimulationBatch, StepsAllocateNothing) {
  const Model m = compile(balls_and_arm()).value();
  SimulationBatch worlds(m, 5);
  begin_all(worlds);
  const std::size_t length = 50, width = at(m.nq() + m.nv());
  std::vector<double> controls(5 * length * 2), states(5 * (length + 1) * width);
  const Observation all = worlds.make_observation(worlds.observation_names());
  std::vector<double> out(5 * all.width());
  worlds.step(kSteps);
  worlds.observe(all, {out.data(), 5, all.width()});  // sensors make room for contacts that they meet
  worlds.reset();
  const AllocationCount allocations;
  worlds.step(kSteps);
  worlds.rollout(length, {controls.data(), 5, length * 2}, {states.data(), 5, (length + 1) * width});
  worlds.observe(all, {out.data(), 5, all.width()});
  worlds.reset();
  worlds.step(kSteps);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(SimulationBatch, EndsWhereItIsInterrupted) {
  const Model m = compile(balls_and_arm()).value();
  SimulationBatch worlds(m, 4, {.threads = 2});
  begin_all(worlds);
  std::atomic<bool> stop = true;
  worlds.interrupt = Interrupt(stop);
  EXPECT_THROW(worlds.step(), Interrupted);
  EXPECT_TRUE(worlds.failures().empty());
  stop = false;
  worlds.step(kSteps);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(state_of(worlds, i), run_alone(m, i, kSteps)) << i;
}

}  // namespace
}  // namespace sinew::test
