// tests/derivative/aba_hessian_test.cpp - second derivatives of forward dynamics against dual numbers over the first
#include "sinew/derivative/aba_hessian.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "derivative/derivative_case.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// s.a are the joint forces.
void expect_dual_forward_hessian(const Model& m, Random& rng, const Allowed& n, double time = 0,
                                 const std::source_location& where = std::source_location::current()) {
  const TreeState s = random_state(m, rng);
  const std::vector<double> lambda = random_numbers(rng, m.nv());
  const auto forces = some_forces(m, rng);
  AbaHessianWorkspace<double> ws(m);
  Hessian got(m.nv());
  for (Matrix* x : {&got.qq, &got.qv, &got.vv, &got.qx}) std::fill(x->numbers.begin(), x->numbers.end(), NAN);
  calc_aba_hessian(m, ws, s.q, s.v, s.a, lambda, got.qq, got.qv, got.vv, got.qx, {forces, time});

  AbaDerivativesWorkspace<Dual> dual(m);
  const auto external = constant(forces);
  std::vector<Dual> a(s.v.size());
  Grid<Dual> Minv(m.nv(), m.nv());
  const Hessian want =
      differentiate_twice(m, s, lambda, [&](const auto& q, const auto& v, const auto& tau, auto& dq, auto& dv) {
        calc_aba_derivatives(m, dual, q, v, tau, a, dq, dv, Minv, {external, time});
      });
  const double scale = std::max(1.0, largest(want.qq.numbers));
  EXPECT_TRUE(near_numbers(got.qq.numbers, want.qq.numbers, n, scale, 0x1p-52, where)) << "dq dq of " << m.name();
  EXPECT_TRUE(near_numbers(got.qv.numbers, want.qv.numbers, n, scale, 0x1p-52, where)) << "dq dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.vv.numbers, want.vv.numbers, n, scale, 0x1p-52, where)) << "dv dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.qx.numbers, want.qx.numbers, n, scale, 0x1p-52, where)) << "dq dtau of " << m.name();
}

// A pendulum: a = tau / (m l^2) - g / l sin q.
TEST(AbaHessian, OfAPendulum) {
  ModelBuilder b("pendulum");
  b.body("weight").mass(1.3, {0, 0, -0.7}, {});
  b.revolute("pivot", "world", "weight").axis({0, 1, 0});
  const Model m = b.build().value();
  AbaHessianWorkspace<double> ws(m);
  Hessian out(1);
  calc_aba_hessian(m, ws, std::vector{0.4}, std::vector{0.9}, std::vector{2.0}, std::vector{3.0}, out.qq, out.qv,
                   out.vv, out.qx);
  EXPECT_TRUE(near(out.qq(0, 0), 3 * 9.81 / 0.7 * std::sin(0.4), 10));
  EXPECT_TRUE(near(out.qx(0, 0), 0.0, 1));
}

TEST(AbaHessian, IsThatOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_dual_forward_hessian(constant_subspace_tree(seed, 1 + static_cast<int>(seed) % 9), rng, 1000, 0.2);
  }
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::hand(), mechanisms::chain(12)}) {
    Random rng(4);
    expect_dual_forward_hessian(compile(spec).value(), rng, 1000);
  }
}

// All layers of the tensors, each times a weight, add up to the contraction.
TEST(AbaHessian, IsTheContractionOfItsTensors) {
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = constant_subspace_tree(seed, 6);
    const int n = m.nv();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const std::vector<double> lambda = random_numbers(rng, n);
    const auto forces = some_forces(m, rng);
    for (const bool inverse : {true, false}) {
      Hessian want(n);
      Matrix all[] = {{n * n, n}, {n * n, n}, {n * n, n}, {n * n, n}};
      for (Matrix& x : all) std::fill(x.numbers.begin(), x.numbers.end(), NAN);
      AbaHessianWorkspace<double> ws(m);
      if (inverse) {
        calc_rnea_hessian(m, ws.inverse, s.q, s.v, s.a, lambda, want.qq, want.qv, want.vv, want.qx, {forces, 0.2});
        calc_rnea_tensors(m, ws.inverse, s.q, s.v, s.a, all[0], all[1], all[2], all[3], {forces, 0.2});
      } else {
        calc_aba_hessian(m, ws, s.q, s.v, s.a, lambda, want.qq, want.qv, want.vv, want.qx, {forces, 0.2});
        calc_aba_tensors(m, ws, s.q, s.v, s.a, all[0], all[1], all[2], all[3], {forces, 0.2});
      }
      const Matrix* contracted[] = {&want.qq, &want.qv, &want.vv, &want.qx};
      for (int which = 0; which < 4; ++which) {
        Matrix sum(n, n);
        for (int i = 0; i < n; ++i)
          for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j) sum(k, j) += lambda[at(i)] * all[which](i * n + k, j);
        EXPECT_TRUE(near_numbers(sum.numbers, contracted[which]->numbers, 300,
                                 std::max(1.0, largest(all[which].numbers)), 0x1p-52));
      }
    }
  }
}

TEST(AbaHessian, AllocatesNothing) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  AbaHessianWorkspace<double> ws(m);
  Hessian once(m.nv()), again(m.nv());
  calc_aba_hessian(m, ws, s.q, s.v, s.a, s.a, once.qq, once.qv, once.vv, once.qx);
  AllocationCount allocations;
  calc_aba_hessian(m, ws, s.q, s.v, s.a, s.a, again.qq, again.qv, again.vv, again.qx);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.qq.numbers, again.qq.numbers);
}

}  // namespace
}  // namespace sinew::test
