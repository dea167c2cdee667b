// apps/reproduce/j14_study.cpp
#include "reproduce/j14_study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/constraint/rows/maximal.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::app {
namespace {

constexpr int kTicksPerRun = 20;
constexpr int kRepeats = 7;  // of the runs in OS
constexpr std::array kFigureSteps{4e-4, 2e-4, 1e-4, 5e-5};
constexpr double kCompared = 1;  // [s] heights are compared until then; later the motion is chaotic
constexpr int kFigureSamples = 500;
constexpr int kFigureLinks = 12;
constexpr int kSnapshots = 12;
constexpr double kSnapshotSeconds = 3.3;  // [s] until then they are taken: down, against the wall, onto the floor

SimulationOptions paper_options(Formulation f, double dt) {
  SimulationOptions o;
  o.dt = dt;
  o.formulation = f;
  o.solver.directions = kDirections;
  o.solver.warm = true;
  return o;
}

Scene make_pendulum(int links) {
  Model m = compile(mechanisms::pendulum(links)).value();
  State start = make_state(m);
  start.q = m.spec().keyframes.front().q;
  start.v = m.spec().keyframes.front().v;
  return {std::move(m), std::move(start)};
}

// Four contacts with the world at places of the given nodes, pushing up.
std::vector<ContactPoint> four_contacts(const Model& m, const State& s, const std::array<int, 4>& nodes) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, s.q, s.time);
  std::vector<ContactPoint> out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3<double> place = ws.X[nodes[i]].r;
    out.push_back({nodes[i], 0, place + Vec3<double>{0.01 * static_cast<double>(i), 0, 0}, {0, 0, 1}, 0, 0.5, 0, i});
  }
  return out;
}

ProblemSizes find_sizes(const Scene& scene, const std::array<int, 4>& nodes) {
  const ConstraintSet set(scene.model);
  const std::vector<ContactPoint> contacts = four_contacts(scene.model, scene.start, nodes);
  const std::vector<double> tau(static_cast<std::size_t>(scene.model.nv()));
  const auto size = [&](Formulation f) {
    ContactSolver solver(scene.model, set, f, paper_options(f, kPaperStep).solver);
    return solver.solve({.q = scene.start.q, .v = scene.start.v, .tau = tau, .dt = kPaperStep, .contacts = contacts})
        .costs.size;
  };
  return {size(Formulation::nmc), size(Formulation::mc), size(Formulation::rmc), size(Formulation::os),
          size(Formulation::nmc_os)};
}

// Calls `tick` kTicksPerRun times, and `sample` after every `stride`-th step.
PendulumRun run_pendulum(Simulation& s, double seconds, long stride, const std::function<void()>& sample,
                         const std::function<void()>& tick) {
  PendulumRun run;
  const long steps = std::max<long>(kTicksPerRun, std::lround(seconds / s.options().dt));
  for (long i = 0; i < steps; ++i) {
    if (i % stride == 0 && sample) sample();
    const auto start = std::chrono::steady_clock::now();
    s.step();
    run.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if ((i + 1) * kTicksPerRun / steps != i * kTicksPerRun / steps) tick();
  }
  run.totals = s.totals();
  return run;
}

// The last link of the tree and of its twin in maximal coordinates.
FigureRun run_figure(const Scene& tree, const Scene& twin, double dt, double seconds,
                     const std::function<void()>& tick) {
  FigureRun out;
  out.dt = dt;
  const long steps = std::lround(seconds / dt), stride = std::max(1L, steps / kFigureSamples);
  const auto run = [&](const Scene& scene, Track& track) {
    const ConstraintSet set(scene.model);
    ConstraintRows rows(scene.model, set);
    Simulation s(scene.model, set, paper_options(Formulation::os, dt));
    s.state = scene.start;
    const int body = *scene.model.find_body("link" + std::to_string(kFigureLinks));
    run_pendulum(
        s, seconds, stride,
        [&] {
          track.add(s, body);
          calc_constraint_rows(scene.model, set, rows, s.state.q, s.state.v, s.state.time);
          for (const double e : rows.position) out.hinge_error = std::max(out.hinge_error, std::abs(e));
        },
        tick);
  };
  run(tree, out.os);
  run(twin, out.nmc_os);
  for (std::size_t i = 0; i < out.os.time.size() && out.os.time[i] <= kCompared; ++i)
    out.difference = std::max(out.difference, std::abs(out.os.height[i] - out.nmc_os.height[i]));
  return out;
}

Snapshot take_snapshot(const Model& m, const State& s) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, s.q, s.time);
  Snapshot out;
  out.time = s.time;
  for (const ShapeSpec& shape : m.spec().shapes) {
    if (shape.kind != ShapeKind::sphere) continue;
    const BodyEntry& body = m.bodies()[static_cast<std::size_t>(*m.find_body(shape.body))];
    const Vec3<double> at = (shape.pose * body.in_node * ws.X[static_cast<std::size_t>(body.node)]).r;
    out.x.push_back(at.x), out.z.push_back(at.z), out.radius = shape.size[0];
  }
  return out;
}
// Of the pendulum in OS, in equal distances of time.
std::vector<Snapshot> run_snapshots(const Scene& scene, double seconds) {
  const ConstraintSet set(scene.model);
  Simulation s(scene.model, set, paper_options(Formulation::os, kPaperStep));
  s.state = scene.start;
  std::vector<Snapshot> out{take_snapshot(scene.model, s.state)};
  for (int i = 1; i < kSnapshots; ++i) {
    while (s.state.time < seconds * i / (kSnapshots - 1) - kPaperStep / 2) s.step();
    out.push_back(take_snapshot(scene.model, s.state));
  }
  return out;
}

}  // namespace

void Track::add(const Stepper& s, int body) {
  const Model& m = s.model();
  VelocityWorkspace<double> motion(m);
  calc_velocities(m, motion, s.state.q, s.state.v, s.state.time);
  const Vec3<double> centre = centre_of_mass(m.bodies()[body].inertia);
  time.push_back(s.state.time);
  height.push_back(apply_inverse_to_point(get_body_pose(m, motion.kinematics, body), centre).z);
  velocity.push_back(get_point_velocity(motion, m.bodies()[body], centre).z);
}

int count_j14_ticks() { return kTicksPerRun * static_cast<int>(2 * kPendulums.size() + 2 * kFigureSteps.size()); }

J14Study run_j14(double seconds, const std::function<void()>& tick) {
  J14Study study;
  study.seconds = seconds;
  study.until = std::min(seconds, kCompared);
  {
    // The tips of two fingers on each hand.
    Model arm = compile(mechanisms::dual_arm()).value();
    State rest = make_state(arm);
    const auto node = [&](const char* frame) { return arm.find_frame(frame)->node; };
    const std::array tips{node("left_finger1_tip"), node("left_finger2_tip"), node("right_finger1_tip"),
                          node("right_finger2_tip")};
    study.dual_arm = find_sizes({std::move(arm), std::move(rest)}, tips);
  }
  for (const int n : kPendulums) {
    const Scene scene = make_pendulum(n);
    const ConstraintSet set(scene.model);
    PendulumRow row;
    row.links = n;
    row.sizes = find_sizes(scene, {n, n - 1, n - 2, n});
    const auto run = [&](Formulation f, const std::function<void()>& ticked) {
      Simulation s(scene.model, set, paper_options(f, kPaperStep));
      s.state = scene.start;
      return run_pendulum(s, seconds, 1, {}, ticked);
    };
    // Runs in OS are so short that timing noise shows: take the median of several, before and after the long run.
    std::vector<PendulumRun> runs;
    for (int i = 0; i < kRepeats; ++i) {
      runs.push_back(run(Formulation::os, i == 0 ? tick : std::function<void()>([] {})));
      if (i == kRepeats / 2) row.nmc_os = run(Formulation::nmc_os, tick);
    }
    std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.wall < b.wall; });
    row.os = runs[kRepeats / 2];
    study.table.push_back(row);
  }
  const Scene tree = make_pendulum(kFigureLinks);
  Model maximal = compile(make_maximal(tree.model)).value();
  State start = to_maximal_state(tree.model, maximal, tree.start);
  const Scene twin{std::move(maximal), std::move(start)};
  study.snapshots = run_snapshots(tree, std::min(seconds, kSnapshotSeconds));
  for (const double dt : kFigureSteps) study.figure.push_back(run_figure(tree, twin, dt, seconds, tick));
  return study;
}

}  // namespace sinew::app
