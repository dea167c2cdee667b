// tests/derivative/public_derivatives_test.cpp - derivatives of every public robot against dual numbers
// With SINEW_DERIVATIVE_TABLE the errors are also written to that file (make derivative-table).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "derivative/derivative_case.hpp"
#include "io/public_robots.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/aba_hessian.hpp"
#include "sinew/io/load.hpp"

namespace sinew::test {
namespace {

// Of all entries, relative to the largest of them.
double calc_error(const Matrix& got, const Matrix& want) {
  double off = 0, size = 0;
  for (std::size_t k = 0; k < want.numbers.size(); ++k) {
    const double d = std::abs(got.numbers[k] - want.numbers[k]);
    off = std::isnan(d) ? INFINITY : std::max(off, d);
    size = std::max(size, std::abs(want.numbers[k]));
  }
  return size > 0 ? off / size : off;
}
double calc_error(const Matrix& dq, const Matrix& dv, const Matrix& dx, const Jacobians& want) {
  return std::max({calc_error(dq, want.dq), calc_error(dv, want.dv), calc_error(dx, want.dx)});
}

// condition: largest of M times largest of M^-1. What forward dynamics loses grows with it.
struct Errors {
  double inverse = 0, forward = 0, condition = 0;
};
void add_errors(const Model& m, const TreeState& s, Errors& out) {
  const int n = m.nv();
  const auto size = static_cast<std::size_t>(n);
  Matrix dq(n, n), dv(n, n), M(n, n), Minv(n, n), a_q(n, n), a_v(n, n);
  std::vector<double> tau(size), a(size);
  RneaDerivativesWorkspace<double> inverse(m);
  calc_rnea_derivatives(m, inverse, s.q, s.v, s.a, tau, dq, dv, M);
  out.inverse = std::max(out.inverse, calc_error(dq, dv, M, dual_rnea_derivatives(m, s, {})));

  AbaDerivativesWorkspace<double> forward(m);
  calc_aba_derivatives(m, forward, s.q, s.v, tau, a, a_q, a_v, Minv);
  const double error = calc_error(a_q, a_v, Minv, dual_aba_derivatives(m, {s.q, s.v, tau}, {}));
  if (!std::isfinite(error)) return;  // a coordinate moves no inertia: there is no M^-1
  out.forward = std::max(out.forward, error);
  out.condition = std::max(out.condition, largest(M.numbers) * largest(Minv.numbers));
}

class PublicDerivatives : public PublicRobots {};

TEST_F(PublicDerivatives, AreThoseOfDualNumbers) {
  const char* table = std::getenv("SINEW_DERIVATIVE_TABLE");
  std::ofstream out;
  if (table) out.open(table);
  if (table) out << "| robot | base | nv | dRNEA | dABA | size of M times size of M^-1 |\n|---|---|---|---|---|---|\n";
  int robots = 0;
  for (const auto& file : files(".urdf"))
    for (const bool floating : {false, true}) {
      const auto spec = load(file.string(), {.floating_base = floating});
      if (!spec.ok()) continue;  // io/urdf_public_test.cpp says which
      const auto model = compile(spec.value());
      if (!model.ok() || model.value().nv() == 0) continue;
      const Model& m = model.value();
      Errors worst;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        Random rng(seed);
        add_errors(m, random_state(m, rng), worst);
      }
      ++robots;
      const std::string name = std::filesystem::relative(file, folder).string();
      EXPECT_LE(worst.inverse, 1e-12) << name;
      EXPECT_LE(worst.forward, 1e-12 + 1e-15 * worst.condition) << name;
      char line[512];
      std::snprintf(line, sizeof line, "| %s | %s | %d | %.0e | %.0e | %.0e |\n", name.c_str(),
                    floating ? "floating" : "fixed", m.nv(), worst.inverse, worst.forward, worst.condition);
      if (table) out << line;
    }
  EXPECT_GT(robots, 100);
}

// Of all four matrices.
double calc_error(const Hessian& got, const Hessian& want) {
  return std::max({calc_error(got.qq, want.qq), calc_error(got.qv, want.qv), calc_error(got.vv, want.vv),
                   calc_error(got.qx, want.qx)});
}

// Second derivatives of some of them, against dual numbers over the first.
TEST_F(PublicDerivatives, OfSecondOrderAreThoseOfDualNumbers) {
  for (const auto& [file, floating] : {std::pair{"panda_description/urdf/panda.urdf", false},
                                       {"anymal_b_simple_description/robots/anymal.urdf", true},
                                       {"talos_data/robots/talos_full_v2.urdf", true},
                                       {"allegro_hand_description/urdf/allegro_right_hand.urdf", false},
                                       {"ur_description/urdf/ur5_robot.urdf", false}}) {
    SCOPED_TRACE(file);
    const Model m = compile(load((folder / file).string(), {.floating_base = floating}).value()).value();
    Random rng(7);
    TreeState s = random_state(m, rng);
    const std::vector<double> lambda = random_numbers(rng, m.nv());
    const int n = m.nv();
    Hessian got(n);
    RneaHessianWorkspace<double> ws(m);
    calc_rnea_hessian(m, ws, s.q, s.v, s.a, lambda, got.qq, got.qv, got.vv, got.qx);
    RneaDerivativesWorkspace<Dual> first(m);
    std::vector<Dual> tau(s.v.size());
    Grid<Dual> M(n, n);
    EXPECT_TRUE(is_small(
        calc_error(got, differentiate_twice(m, s, lambda,
                                            [&](const auto& q, const auto& v, const auto& a, auto& dq, auto& dv) {
                                              calc_rnea_derivatives<Dual>(m, first, q, v, a, tau, dq, dv, M);
                                            })),
        slack(1e-12, "the goal")));

    // Forward dynamics, at the joint forces of these accelerations.
    RneaWorkspace<double> inverse(m);
    std::vector<double> forces(s.v.size());
    rnea(m, inverse, s.q, s.v, s.a, forces);
    s.a = forces;
    AbaHessianWorkspace<double> forward(m);
    calc_aba_hessian(m, forward, s.q, s.v, s.a, lambda, got.qq, got.qv, got.vv, got.qx);
    AbaDerivativesWorkspace<Dual> forward_first(m);
    std::vector<Dual> acceleration(s.v.size());
    EXPECT_TRUE(is_small(
        calc_error(got, differentiate_twice(m, s, lambda,
                                            [&](const auto& q, const auto& v, const auto& x, auto& dq, auto& dv) {
                                              calc_aba_derivatives<Dual>(m, forward_first, q, v, x, acceleration, dq,
                                                                         dv, M);
                                            })),
        1e-11));
  }
}

}  // namespace
}  // namespace sinew::test
