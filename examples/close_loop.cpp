// examples/close_loop.cpp - a four-bar linkage: write it, close it, count its freedoms, let it swing without drift
//   example_close_loop
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/rank/mobility.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/tree/energy.hpp"

using namespace sinew;

int main() {
  // Three rods in the x-y plane: crank and coupler in a row, the rocker on its own pivot.
  ModelBuilder b("four_bar");
  b.gravity({0, -9.81, 0});
  for (const auto& [name, length] : {std::pair{"crank", 0.2}, {"coupler", 0.45}, {"rocker", 0.4}})
    b.body(name).mass(thin_rod(length, length / 2), make_placement({length / 2, 0, 0}, {0, std::numbers::pi / 2, 0}));
  b.revolute("drive", "world", "crank").axis({0, 0, 1});
  b.revolute("knuckle", "crank", "coupler").axis({0, 0, 1}).at({0.2, 0, 0});
  b.revolute("swing", "world", "rocker").axis({0, 0, 1}).at({0.5, 0, 0});

  // The pin that closes the loop: the far end of the coupler on the far end of the rocker.
  LoopSpec pin;
  pin.name = "pin", pin.kind = JointKind::revolute, pin.body_a = "coupler", pin.body_b = "rocker";
  pin.pose_a = make_placement({0.45, 0, 0}), pin.pose_b = make_placement({0.4, 0, 0});
  b.loop(pin);
  const Model model = b.build().value();
  const ConstraintSet set(model);  // the model's own loops and couplings

  // Angles read off a sketch; the nearest position that closes the loop follows from them.
  State state{{1.0, -0.4, 1.5}, {0, 0, 0}, 0};
  StepWorkspace ws(model, set);
  const ManifoldReport closed = project_position(model, set, ws.manifold, state.q);
  fmt::print("closed from {:.3f} m to {:.0e} m in {} iterations\n", closed.distance, closed.residual,
             closed.iterations);

  // Five rows in space, two of them independent in the plane: the words name the redundant ones.
  const Mobility mobility = find_mobility(model, set, state.q);
  for (const std::string& sentence : describe(mobility, set)) fmt::print("  {}\n", sentence);

  // How it starts to move, with a certificate: residuals, rank, and whose rows are redundant.
  std::vector<double> tau(3), a(3), lambda(at(set.rows()));
  const SolveCertificate& c = constrained_forward_dynamics(model, set, ws.dynamics, state.q, state.v, tau, a, lambda);
  fmt::print("{} by {}, rank {} of {} rows, crank starts with {:.4f} rad/s^2\n", to_string(c.status), c.algorithm,
             c.rank, c.rows, a[0]);

  // Ten seconds on the manifold, in steps of 1 ms: no drift, and the energy stays.
  EnergyWorkspace<double> energy(model);
  const double before = calc_potential_energy(model, energy, state.q);
  double loop = 0, fastest = 0;
  for (int i = 0; i < 10000; ++i) {
    const ProjectedStepReport r = step_rk4_projected(model, set, ws, state, tau, 1e-3);
    loop = std::max(loop, r.position.residual);
    fastest = std::max(fastest, calc_kinetic_energy(model, energy, state.q, state.v));
  }
  const double lost =
      before - calc_kinetic_energy(model, energy, state.q, state.v) - calc_potential_energy(model, energy, state.q);
  fmt::print("after 10 s: loop open by {:.0e} m at most, energy changed by {:.0e} of the largest kinetic energy\n",
             loop, std::abs(lost) / fastest);

  const bool right = closed.reached && mobility.lowest == 1 && c.status == SolveStatus::solved;
  return right && loop < 1e-11 && std::abs(lost) < 3e-8 * fastest ? 0 : 1;
}
