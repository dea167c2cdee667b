// examples/compare_formulations.cpp - one fall, six ways to state its contact problem [J14]: same motion, other costs
//   example_compare_formulations
// `sinew compare pendulum:6` prints more of this for any model.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/simulation.hpp"

using namespace sinew;

int main() {
  // Six spheres on pins swing into a floor and a wall, with friction and restitution.
  const Model model = compile(mechanisms::pendulum(6)).value();
  const KeyframeSpec& start = model.spec().keyframes.at(0);

  std::vector<double> reference;
  double worst = 0;
  fmt::print("{:12}  {:>8}  {:>10}  {:>9}  {:>10}  {}\n", "formulation", "unknowns", "us per step", "overlap [m]",
             "energy [J]", "differs from os [rad]");
  for (const Formulation formulation : {Formulation::os, Formulation::rmc, Formulation::mc, Formulation::nmc_os,
                                        Formulation::nmc, Formulation::hinge_pairs}) {
    // The formulation is one word of the options; the scene, the solver and the step are the same.
    Simulation sim(model, {.dt = 1e-3, .formulation = formulation});
    sim.state.q = start.q, sim.state.v = start.v;
    const auto begin = std::chrono::steady_clock::now();
    while (sim.state.time < 1) sim.step();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    // They state the same physics, so the positions agree as well as the solvers do.
    if (reference.empty()) reference = sim.state.q;
    double difference = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      difference = std::max(difference, std::abs(sim.state.q[i] - reference[i]));
    worst = std::max(worst, difference);
    const SimulationTotals& t = sim.totals();
    fmt::print("{:12}  {:8}  {:11.1f}  {:11.1e}  {:10.4f}  {:.0e}\n", to_string(formulation), t.largest_size,
               1e6 * wall / static_cast<double>(t.steps), t.deepest, sim.kinetic_energy() + sim.potential_energy(),
               difference);
    if (t.unsolved > 0) return 1;
  }
  return worst < 2e-11 ? 0 : 1;
}
