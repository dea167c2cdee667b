// tests/derivative/recipes_test.cpp - what docs/derivatives.md makes of dRNEA and dABA, against dual numbers
#include <gtest/gtest.h>

#include "derivative/dual_slopes.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::test {
namespace {

constexpr double kRecipeTime = 0.3;

// dtau/dq and dtau/dv of inverse dynamics.
struct InverseSlopes {
  InverseSlopes(const Model& m, const std::vector<double>& q, const std::vector<double>& v,
                const std::vector<double>& a)
      : tau(v.size()), dq(m.nv(), m.nv()), dv(dq) {
    RneaDerivativesWorkspace<double> ws(m);
    Matrix M = dq;
    calc_rnea_derivatives(m, ws, q, v, a, tau, dq, dv, M, {{}, kRecipeTime});
  }
  std::vector<double> tau;
  Matrix dq, dv;
};
Matrix minus(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] -= b.numbers[i];
  return a;
}

// Of h(q, v): a = 0.
TEST(DerivativeRecipes, OfTheBias) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const InverseSlopes got(m, s.q, s.v, std::vector<double>(s.v.size()));
    RneaWorkspace<Dual> dual(m);
    const SlopesByDual want = differentiate_list(m, s, m.nv(), [&](const auto& q, const auto& v, const auto&) {
      std::vector<Dual> h(v.size());
      calc_bias<Dual>(m, dual, q, v, h, {{}, kRecipeTime});
      return h;
    });
    expect_near(got.dq, want.dq, 300), expect_near(got.dv, want.dv, 300);
  });
}

// Of g(q): v = a = 0, where nothing is prescribed.
TEST(DerivativeRecipes, OfGravity) {
  for_random_trees(
      30,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        const std::vector<double> rest(s.v.size());
        const InverseSlopes got(m, s.q, rest, rest);
        RneaWorkspace<Dual> dual(m);
        const SlopesByDual want = differentiate_list(m, s, m.nv(), [&](const auto& q, const auto&, const auto&) {
          std::vector<Dual> g(s.v.size());
          calc_gravity<Dual>(m, dual, q, g, kRecipeTime);
          return g;
        });
        expect_near(got.dq, want.dq, 300);
      },
      true);
}

// Of M x: a = x less a = 0.
TEST(DerivativeRecipes, OfMassTimesAVector) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<double> rest(s.v.size());
    const Matrix got = minus(InverseSlopes(m, s.q, rest, s.a).dq, InverseSlopes(m, s.q, rest, rest).dq);
    RneaWorkspace<Dual> dual(m);
    const SlopesByDual want = differentiate_list(m, s, m.nv(), [&](const auto& q, const auto&, const auto& x) {
      std::vector<Dual> Mx(x.size());
      multiply_by_mass<Dual>(m, dual, q, x, Mx, kRecipeTime);
      return Mx;
    });
    expect_near(got, want.dq, 300);
  });
}

// Of M^-1 x: tau = x + h less tau = h, with h the joint forces at rest.
TEST(DerivativeRecipes, OfInverseMassTimesAVector) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const int n = m.nv();
    const std::vector<double> rest(s.v.size()), h = InverseSlopes(m, s.q, rest, rest).tau;
    AbaDerivativesWorkspace<double> ws(m);
    Matrix with(n, n), without(n, n), other(n, n), Minv(n, n);
    std::vector<double> a(s.v.size());
    calc_aba_derivatives(m, ws, s.q, rest, h, a, without, other, Minv, {{}, kRecipeTime});
    calc_aba_derivatives(m, ws, s.q, rest, plus(h, s.a), a, with, other, Minv, {{}, kRecipeTime});
    MassInverseWorkspace<Dual> dual(m);
    Grid<Dual> inverse(n, n);
    const SlopesByDual want = differentiate_list(m, s, n, [&](const auto& q, const auto&, const auto& x) {
      calc_mass_inverse<Dual>(m, dual, q, inverse, kRecipeTime);
      std::vector<Dual> out(x.size());
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) out[at(i)] += inverse(i, k) * x[at(k)];
      return out;
    });
    const double scale = std::max({1.0, largest(want.dq.numbers), largest(with.numbers)});
    EXPECT_TRUE(near_numbers(minus(with, without).numbers, want.dq.numbers, 30000, scale, 0x1p-52));
  });
}

}  // namespace
}  // namespace sinew::test
