// bench/cuda/make_step_case.cpp - writes the case that step_driver.cu runs
//   make_step_case MODEL OUT [dt contacts rows spread paths]
// States: the model falls from random positions and goes on for up to a second, so that many have contacts. spread: how
// far positions are from the model's own; velocities are random in proportion. paths: how many there are.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "sinew/io/load.hpp"
#include "sinew/sim/simulation.hpp"
#include "step_case.hpp"

using namespace sinew;

namespace {
constexpr int kStatesPerPath = 16;

void append(std::vector<double>& to, const std::vector<double>& from) { to.insert(to.end(), from.begin(), from.end()); }
State make_start(const Model& m, Random& random, double spread) {
  State s;
  s.q.resize(at(m.nq())), s.v.resize(at(m.nv()));
  std::vector<double> by(at(m.nv()));
  for (double& x : by) x = spread * random.normal();
  integrate<double>(m, m.neutral(), by, 1.0, s.q);
  for (double& x : s.v) x = spread / 0.6 * random.normal();
  return s;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: make_step_case MODEL OUT [dt contacts rows spread paths]"), 2;
  const Model m = compile(load(argv[1]).value()).value();
  DeviceSimulationOptions o;
  if (argc > 3) o.dt = std::atof(argv[3]);
  if (argc > 4) o.contacts = std::atoi(argv[4]);
  if (argc > 5) o.rows = std::atoi(argv[5]);
  const double spread = argc > 6 ? std::atof(argv[6]) : 0.3;
  const int paths = argc > 7 ? std::atoi(argv[7]) : 32;
  DeviceSimulationOptions in_float = o;
  bench::StepCase c;
  c.in_double = device::make_scene_tables<double>(m, o), c.in_float = device::make_scene_tables<float>(m, in_float);
  SimulationOptions options{.dt = o.dt, .middle_forces = false, .refinements = 0, .sleep = false};
  options.solver.tolerance = 1e-13, options.solver.acceptable = 1e-12;
  Simulation path(m, options), one(m, options);
  Random random(3);
  const int length = static_cast<int>(1 / o.dt), every = length / kStatesPerPath;
  for (int p = 0; p < paths; ++p) {
    const State start = make_start(m, random, spread);
    append(c.start_q, start.q), append(c.start_v, start.v);
    State from = path.state;
    from.q = start.q, from.v = start.v;
    path.restart(from);
    for (int k = 0; k < length; ++k) {
      for (double& x : path.control) x = 0.2 * random.normal();
      if (k % every == 0) {
        const State s = path.state;
        one.restart(s);
        std::copy(path.control.begin(), path.control.end(), one.control.begin());
        append(c.q, s.q), append(c.v, s.v), append(c.control, one.control);
        one.step();
        append(c.q_after, one.state.q), append(c.v_after, one.state.v);
      }
      path.step();
    }
  }
  c.write(argv[2]);
  std::printf("%s: %d freedoms, %d nodes, %d shapes, %d pairs, %d stops, %zu states, room for %d contacts, %d rows\n",
              argv[2], m.nv(), c.in_float.scene.nodes, c.in_float.scene.shapes, c.in_float.scene.pairs,
              c.in_float.scene.stops, c.q.size() / at(m.nq()), o.contacts, o.rows);
}
