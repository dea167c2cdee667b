// examples/task_space.cpp - how two feet feel each other: J M^-1 J* as a formula, shortened, applied in O(N)
//   example_task_space
#include <fmt/format.h>

#include <cmath>

#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/tree/reference_frame.hpp"

using namespace sinew;

int main() {
  const Model model = compile(mechanisms::humanoid()).value();
  sko::RigidSko rigid(model);
  rigid.update(model.neutral(), std::vector<double>(at(model.nv())));
  const sko::OperatorAlgebra<double> o(rigid.sko);

  // Where the robot is touched: six numbers at each sole.
  const Place left = *model.find_frame("left_sole"), right = *model.find_frame("right_sole");
  const sko::TaskPoints<double> feet(rigid.sko, {make_pick_off(rigid, left), make_pick_off(rigid, right)});

  const auto J = o.jacobian(feet.B);
  const auto as_written = J * sko::inverse(o.mass()) * ~J;  // [J11 59]
  const auto found = sko::simplify(as_written);             // [J11 60]
  fmt::print("J M^-1 J* = {}\n          = {}   by {}\n", to_string(as_written), to_string(found), found.reason());

  sko::Application<double> slow(o, as_written), fast(o, found);
  fmt::print("{} and {} multiplications for a vector\n\n{}\n", slow.multiplications(), fast.multiplications(),
             fast.describe());

  // Push the left foot up with one newton: how do both feet accelerate?
  std::vector<double> force(at(feet.size())), a(force), b(force);
  force[5] = 1;
  fast.apply(force, a);
  slow.apply(force, b);
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = std::max(difference, std::abs(a[i] - b[i]));
  fmt::print("left foot {:.4f} m/s^2 up, right foot {:.4f} m/s^2; both formulas agree to {:.0e}\n", a[5], a[11],
             difference);
  return difference < 1e-12 && a[5] > 0 ? 0 : 1;
}
