// examples/whole_body.cpp - whole-body inverse dynamics: torques and foot forces of a humanoid that rises from a squat
//   example_whole_body
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/inverse_dynamics.hpp"
#include "sinew/io/load.hpp"
#include "sinew/tree/centre_of_mass.hpp"

using namespace sinew;

int main() {
  // The humanoid with bent knees, at rest.
  const Model model = compile(load("models/humanoid.xml").value()).value();
  const std::size_t n = at(model.nv());
  std::vector<double> q(model.neutral().begin(), model.neutral().end()), v(n);
  for (const std::string side : {"left", "right"})
    for (const auto& [joint, angle] : {std::pair{"_hip_pitch", -0.5}, {"_knee", 1.0}, {"_ankle_pitch", -0.5}})
      q[model.find_joint(side + joint)->q] = angle;

  // Both soles are held where they stand: six rows each, along the axes of the sole, angular ones first.
  KinematicsWorkspace<double> poses(model);
  calc_kinematics(model, poses, q);
  std::vector<ConstraintSpec> soles;
  for (const char* name : {"left_sole", "right_sole"}) {
    MaskConstraint sole;
    sole.name = sole.body_b = name, sole.pose_a = get_frame_pose(poses, *model.find_frame(name));
    soles.emplace_back(sole);
  }
  const ConstraintSet feet(model, soles);
  fmt::print("{} freedoms, {} contact rows; row 5 is {}\n", n, feet.rows(), feet.row_name(5));

  // The wish: the pelvis accelerates upwards by 2 m/s^2. The nearest motion that the feet allow: at rest, accelerations
  // obey the same rows as velocities.
  std::vector<double> a(n);
  a[5] = 2;
  ManifoldWorkspace manifold(model, feet);
  project_velocity(model, feet, manifold, q, a);

  // Which torques make it? Nothing drives the first six coordinates, the floating base. Of all answers, the shortest.
  std::vector<int> motors(n - 6);
  std::iota(motors.begin(), motors.end(), 6);
  std::vector<double> u(motors.size());
  ActuationWorkspace actuation(model, feet);
  const ActuationReport report = constrained_inverse_dynamics(model, feet, actuation, q, v, a, motors, u);
  fmt::print("{} ways to move, {} motors reach {} of them; knee torque {:.1f} N m\n", report.mobility, report.actuators,
             report.rank, u[model.find_joint("left_knee")->v - 6]);

  // Apply them: the same motion comes out, and with it the forces under the feet.
  std::vector<double> tau(n), again(n), lambda(at(feet.rows()));
  std::copy(u.begin(), u.end(), tau.begin() + 6);
  ConstrainedWorkspace dynamics(model, feet);
  const SolveCertificate& c = constrained_forward_dynamics(model, feet, dynamics, q, v, tau, again, lambda);
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(again[i] - a[i]));
  fmt::print("accelerations agree to {:.0e} rad/s^2; {}, residual {:.0e} N m\n", error, to_string(c.status),
             c.dynamics_residual);

  // Newton for the whole: both feet together carry the weight and lift the centre of mass.
  CentreOfMassWorkspace<double> whole(model);
  const double rise = calc_centre_of_mass_acceleration(model, whole, q, v, again).z;
  const double push = lambda[5] + lambda[11], expected = model.mass() * (9.81 + rise);
  fmt::print("centre of mass: {:.3f} m/s^2 upwards; feet {:.2f} N, mass (g + a) {:.2f} N\n", rise, push, expected);

  const bool right = error < 1e-11 && std::abs(push - expected) < 4e-14 * expected;
  return right && rise > 1 && report.unreached < 1e-11 ? 0 : 1;
}
