// examples/operators.cpp - the mass matrix as a formula: its factors, its inverse, and what it costs to apply each
//   example_operators            prints a table in Markdown; docs/operators.md quotes it
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/rigid_sko.hpp"

using namespace sinew;

namespace {

using Clock = std::chrono::steady_clock;
using Form = sko::Operator<sko::Freedoms, sko::Freedoms>;

double measure_microseconds(sko::Application<double>& x, const std::vector<double>& in, std::vector<double>& out) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 200; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < 10; ++i) x.apply(in, out);
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 10);
  }
  return best;
}

}  // namespace

int main() {
  const Model model = compile(mechanisms::humanoid()).value();
  sko::RigidSko rigid(model);
  rigid.update(model.neutral(), std::vector<double>(at(model.nv())));
  const sko::OperatorAlgebra<double> o(rigid.sko);
  const Form one = sko::identity<sko::Freedoms>();

  const Form mass = o.mass();                              // [J11 3]
  const Form innovations = one + o.H * o.A * o.K;          // [J11 49]
  const Form factored = innovations * o.D * ~innovations;  // [J11 49]
  const Form solve = sko::inverse(mass);                   // [J11 51]
  const std::pair<const char*, Form> rows[] = {{"mass matrix", mass}, {"factored", factored}, {"inverse", solve}};

  fmt::print("A humanoid with {} freedoms. `inverse` found: {}.\n\n", model.nv(), solve.reason());
  fmt::print("| | formula | multiplications | additions | time |\n|---|---|---|---|---|\n");
  for (const auto& [name, form] : rows) {
    sko::Application<double> x(o, form);
    const std::vector<double> in(at(x.cols()), 1.0);
    std::vector<double> out(at(x.rows()));
    const double time = measure_microseconds(x, in, out);
    fmt::print("| {} | `{}` | {} | {} | {:.2f} us |\n", name, sko::to_string(form), x.multiplications(), x.additions(),
               time);
  }

  // The product of the two is the identity, and both forms of the mass matrix agree.
  sko::Application<double> both(o, solve * factored);
  std::vector<double> in(at(model.nv())), out(in);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(1.0 + static_cast<double>(i));
  both.apply(in, out);
  double error = 0;
  for (std::size_t i = 0; i < in.size(); ++i) error = std::max(error, std::abs(out[i] - in[i]));
  fmt::print("\nThe inverse, applied to what the factored form gives, returns its argument to {:.0e}.\n", error);
  return error < 1e-9 ? 0 : 1;
}
