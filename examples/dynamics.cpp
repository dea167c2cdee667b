// examples/dynamics.cpp - inverse and forward dynamics, mass matrix, Jacobian and energy of a robot from a file
//   example_dynamics [FILE]     URDF or MJCF; default models/dual_arm.xml
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/io/load.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/rnea.hpp"

using namespace sinew;

int main(int argc, char** argv) {
  // Read and check. Both calls return a Result; value() throws with the first error, diagnostics() lists them all.
  const Model model = compile(load(argc > 1 ? argv[1] : "models/dual_arm.xml").value()).value();
  const std::size_t n = at(model.nv());
  fmt::print("{}: {} bodies, {} freedoms, {:.1f} kg\n", model.name(), model.bodies().size() - 1, n, model.mass());

  // A state by chance, within the joint limits. The same seed gives the same numbers on every machine.
  Random random(1);
  const std::vector<double> q = random_configuration(model, random);
  std::vector<double> v(n), a(n), tau(n), h(n), again(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = random.uniform(-1, 1), a[i] = random.uniform(-1, 1);

  // Inverse dynamics: tau = M a + h. Each algorithm has a workspace, made once; the calls allocate nothing.
  RneaWorkspace<double> inverse(model);
  rnea(model, inverse, q, v, a, tau);
  calc_bias(model, inverse, q, v, h);

  // Forward dynamics gives the acceleration back.
  AbaWorkspace<double> forward(model);
  aba(model, forward, q, v, tau, again);
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(again[i] - a[i]));
  fmt::print("aba gives back what rnea was given, to {:.0e}\n", error);

  // The mass matrix, dense; M a + h is the torque again.
  std::vector<double> M(n * n);
  CrbaWorkspace<double> inertia(model);
  crba(model, inertia, q, MatrixView(M.data(), n, n));
  double residual = 0, energy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = h[i] - tau[i];
    for (std::size_t j = 0; j < n; ++j) sum += M[i * n + j] * a[j], energy += 0.5 * v[i] * M[i * n + j] * v[j];
    residual = std::max(residual, std::abs(sum));
  }
  fmt::print("M a + h - tau is {:.0e} N m at most\n", residual);

  // Energy, by bodies and by the matrix.
  EnergyWorkspace<double> energies(model);
  const double kinetic = calc_kinetic_energy(model, energies, q, v);
  fmt::print("kinetic energy {:.6f} J, and 1/2 v^T M v = {:.6f} J\n", kinetic, energy);

  // The Jacobian of the last body, along the axes of the world: its velocity is J v.
  const Place tip = model.bodies().back();
  std::vector<double> J(6 * n);
  JacobianWorkspace<double> motions(model);
  calc_jacobian(model, motions, q);
  get_jacobian(model, motions, tip, ReferenceFrame::mixed, MatrixView(J.data(), 6, n));
  const Vec3<double> speed = get_velocity(energies.motion, tip, ReferenceFrame::mixed).lin;
  double up = 0;
  for (std::size_t j = 0; j < n; ++j) up += J[5 * n + j] * v[j];
  fmt::print("{} rises at {:.6f} m/s, and row z of J v = {:.6f} m/s\n", model.bodies().back().name, speed.z, up);

  const bool right = error < 5e-12 && residual < 3e-13 && std::abs(kinetic - energy) < 5e-14 * kinetic;
  return right && std::abs(up - speed.z) < 1e-14 ? 0 : 1;
}
