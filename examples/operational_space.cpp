// examples/operational_space.cpp - a hand draws a circle: operational-space control of a redundant arm
//   J M^-1 J^T F = a - dJ/dt v + J M^-1 (h - tau_0),   tau = J^T F + tau_0
// a is the wanted acceleration of the hand. tau_0 holds weight and posture: it moves only what the hand leaves free.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sinew/io/load.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/rnea.hpp"

using namespace sinew;

int main() {
  ModelSpec spec = load("models/dual_arm.xml").value();  // two arms on a torso
  spec.shapes.clear();                                   // nothing touches here
  const Model model = compile(spec).value();
  const std::size_t n = at(model.nv());
  const FrameEntry hand = *model.find_frame("left_grasp");

  Simulation sim(model, {.dt = 1e-3});
  sim.state.q[model.find_joint("left_shoulder_pitch")->q] = 0.5;
  sim.state.q[model.find_joint("left_elbow")->q] = 1.0;

  JacobianWorkspace<double> jacobian(model);
  VelocityWorkspace<double> motion(model);
  AbaWorkspace<double> forward(model);
  RneaWorkspace<double> bias(model);
  const std::vector<double> start = sim.state.q;
  std::vector<double> h(n), tau0(n), rest(n), pull(n);
  std::array<std::vector<double>, 3> JT{h, h, h}, MJT{h, h, h};
  calc_kinematics(model, motion.kinematics, sim.state.q);
  const Vec3<double> centre = get_frame_pose(motion.kinematics, hand).r - Vec3<double>{0, 0.1, 0};

  double worst = 0;
  sim.controller = [&](Simulation& s) {
    const auto &q = s.state.q, &v = s.state.v;
    calc_jacobian_rates(model, jacobian, q, v);
    calc_velocities(model, motion, q, v);
    // A circle of 0.1 m, a turn in two seconds; and the acceleration that brings the hand to it.
    const double w = std::numbers::pi, cosine = 0.1 * std::cos(w * s.state.time),
                 sine = 0.1 * std::sin(w * s.state.time);
    const Vec3<double> arm{0, cosine, sine}, speed{0, -w * sine, w * cosine};
    const Vec3<double> away = centre + arm - get_frame_pose(motion.kinematics, hand).r;
    const Vec3<double> a = -w * w * arm + 40.0 * (speed - get_point_velocity(motion, hand)) + 400.0 * away;
    if (s.state.time > 4) worst = std::max(worst, norm(away));
    // Bias with the damping of the joints; the weight, and a spring and a damper towards the start pose.
    calc_bias(model, bias, q, v, h);
    calc_gravity(model, bias, q, tau0);
    for (std::size_t i = 0; i < n; ++i) rest[i] = 10 * v[i] + 25 * (q[i] - start[i]);
    multiply_by_mass(model, bias, q, rest, pull);
    for (std::size_t i = 0; i < n; ++i)
      h[i] += model.dofs()[i].damping * v[i], tau0[i] -= pull[i], rest[i] = h[i] - tau0[i];
    // The rows of J, the same through M^-1, and W = J M^-1 J^T, three by three.
    const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (std::size_t k = 0; k < 3; ++k) {
      multiply_by_jacobian_transpose(model, jacobian, hand, ReferenceFrame::mixed, {{}, axes[k]}, JT[k]);
      multiply_by_mass_inverse(model, forward, q, JT[k], MJT[k]);
    }
    const auto dot = [&](const auto& x, const auto& y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    const Sym3<double> W{dot(JT[0], MJT[0]), dot(JT[0], MJT[1]), dot(JT[0], MJT[2]),
                         dot(JT[1], MJT[1]), dot(JT[1], MJT[2]), dot(JT[2], MJT[2])};
    const Vec3<double> needed = a - get_bias_acceleration(jacobian, hand, ReferenceFrame::mixed).lin +
                                Vec3<double>{dot(MJT[0], rest), dot(MJT[1], rest), dot(MJT[2], rest)};
    const Vec3<double> F = to_mat3(inverse(W)) * needed;
    for (std::size_t i = 0; i < n; ++i) s.applied[i] = JT[0][i] * F.x + JT[1][i] * F.y + JT[2][i] * F.z + tau0[i];
  };
  while (sim.state.time < 8) sim.step();

  fmt::print("{} freedoms; the hand keeps to its circle within {:.2f} mm for two turns\n", n, 1e3 * worst);
  return worst < 1e-3 ? 0 : 1;
}
