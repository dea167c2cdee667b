// bench/cuda/make_step_case.cpp - writes the case that step_driver.cu runs
//   make_step_case MODEL OUT [dt contacts rows spread paths]
// States: the model falls from random positions and goes on for up to a second, so that many have contacts. spread: how
// far positions are from the model's own; velocities are random in proportion. paths: how many there are, 16 states of
// each; the first 32 begin where worlds begin that are timed. Takes all processors; the case is the same for any
// number.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

#include "sinew/io/load.hpp"
#include "sinew/sim/simulation.hpp"
#include "step_case.hpp"

using namespace sinew;

namespace {
constexpr int kStatesPerPath = 16, kStarts = 32;

void append(std::vector<double>& to, In<double> from) { to.insert(to.end(), from.begin(), from.end()); }
State make_start(const Model& m, Random& random, double spread) {
  State s;
  s.q.resize(at(m.nq())), s.v.resize(at(m.nv()));
  std::vector<double> by(at(m.nv()));
  for (double& x : by) x = spread * random.normal();
  integrate<double>(m, m.neutral(), by, 1.0, s.q);
  for (double& x : s.v) x = spread / 0.6 * random.normal();
  return s;
}
SimulationOptions make_options(double dt, lcp::Method method) {
  SimulationOptions out{.dt = dt, .middle_forces = false, .refinements = 0, .sleep = false};
  out.solver.method = method, out.solver.tolerance = 1e-13, out.solver.acceptable = 1e-12;
  return out;
}

// The states of one path.
struct Path {
  State start;
  std::vector<double> q, v, control, v_after, v_other;

  void run(const Model& m, double dt, double spread, int number) {
    Simulation path(m, make_options(dt, lcp::Method::automatic)), one(m, path.options());
    Simulation other(m, make_options(dt, lcp::Method::alart_curnier));
    Random random(static_cast<unsigned>(number) + 3);
    start = make_start(m, random, spread);
    State from = path.state;
    from.q = start.q, from.v = start.v;
    path.restart(from);
    const int length = static_cast<int>(1 / dt), every = length / kStatesPerPath;
    for (int k = 0; k < every * kStatesPerPath; ++k) {
      for (double& x : path.control) x = 0.2 * random.normal();
      if (k % every == 0) {
        append(q, path.state.q), append(v, path.state.v), append(control, path.control);
        step_from(one, path, v_after), step_from(other, path, v_other);
      }
      if (!step(path)) return;  // its states so far are all there are
    }
  }
  // Whether the state after it is finite.
  static bool step(Simulation& s) {
    try {
      return s.step(), true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  // NaN where the step is not solved.
  static void step_from(Simulation& one, const Simulation& path, std::vector<double>& to) {
    const State s = path.state;
    one.restart(s);
    std::copy(path.control.begin(), path.control.end(), one.control.begin());
    std::vector<double> v(s.v.size(), std::numeric_limits<double>::quiet_NaN());
    if (step(one) && one.report().unsolved + one.report().close + one.report().stuck == 0)
      std::copy(one.state.v.begin(), one.state.v.end(), v.begin());
    append(to, v);
  }
};
}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: make_step_case MODEL OUT [dt contacts rows spread paths]"), 2;
  const Model m = compile(load(argv[1]).value()).value();
  DeviceSimulationOptions o;
  if (argc > 3) o.dt = std::atof(argv[3]);
  if (argc > 4) o.contacts = std::atoi(argv[4]);
  if (argc > 5) o.rows = std::atoi(argv[5]);
  const double spread = argc > 6 ? std::atof(argv[6]) : 0.3;
  const int paths = argc > 7 ? std::atoi(argv[7]) : kStarts;
  DeviceSimulationOptions in_float = o;
  bench::StepCase c;
  c.in_double = device::make_scene_tables<double>(m, o), c.in_float = device::make_scene_tables<float>(m, in_float);
  std::vector<Path> all(at(paths));
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int i = next++; i < paths; i = next++) all[at(i)].run(m, o.dt, spread, i);
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  threads.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Path& p = all[i];
    append(c.q, p.q), append(c.v, p.v), append(c.control, p.control);
    append(c.v_after, p.v_after), append(c.v_other, p.v_other);
    if (i < kStarts) append(c.start_q, p.start.q), append(c.start_v, p.start.v);
  }
  c.write(argv[2]);
  std::printf("%s: %d freedoms, %d nodes, %d shapes, %d pairs, %d stops, %zu states, room for %d contacts, %d rows\n",
              argv[2], m.nv(), c.in_float.scene.nodes, c.in_float.scene.shapes, c.in_float.scene.pairs,
              c.in_float.scene.stops, c.q.size() / at(m.nq()), o.contacts, o.rows);
}
