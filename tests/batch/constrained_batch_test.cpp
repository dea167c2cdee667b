// tests/batch/constrained_batch_test.cpp - constrained dynamics of many samples at once
#include "sinew/batch/constrained_batch.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/base/random.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct ConstrainedRows {
  ConstrainedRows(std::size_t samples, std::size_t cols) : rows(samples), width(cols), x(samples * cols) {}
  operator MatrixView<double>() { return {x.data(), rows, width}; }
  operator MatrixView<const double>() const { return {x.data(), rows, width}; }
  std::size_t rows, width;
  std::vector<double> x;
};

TEST(ConstrainedBatch, HasTheBitsOfOneCallEach) {
  const Model m = compile(mechanisms::stewart_platform()).value();
  const ConstraintSet set(m);
  const std::size_t n = 7, nq = at(m.nq()), nv = at(m.nv()), rows = at(set.rows());
  ConstrainedRows q(n, nq), v(n, nv), tau(n, nv);
  Random rng(3);
  for (std::size_t i = 0; i < n; ++i) std::copy(m.neutral().begin(), m.neutral().end(), q.x.data() + i * nq);
  for (auto* x : {&v.x, &tau.x})
    for (double& number : *x) number = rng.uniform(-1, 1);
  tau.x[2 * nv] = std::numeric_limits<double>::quiet_NaN();
  for (const ConstrainedMethod method :
       {ConstrainedMethod::multipliers, ConstrainedMethod::proximal, ConstrainedMethod::pv, ConstrainedMethod::kkt}) {
    for (const int threads : {1, 2, 5}) {
      ConstrainedBatch batch(m, set, {.method = method}, threads);
      ConstrainedRows a(n, nv), lambda(n, rows);
      std::vector<SolveStatus> status(n);
      const AllocationCount allocations;
      EXPECT_EQ(batch.forward_dynamics(q, v, tau, a, lambda, status), 1u);
      EXPECT_EQ(allocations.count(), 0);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(status[i], i == 2 ? SolveStatus::non_finite : SolveStatus::solved);
        if (i == 2) continue;
        ConstrainedWorkspace ws(m, set, {.method = method});
        std::vector<double> qdd(nv), forces(rows);
        constrained_forward_dynamics(m, set, ws, In<double>(q.x.data() + i * nq, nq),
                                     In<double>(v.x.data() + i * nv, nv), In<double>(tau.x.data() + i * nv, nv), qdd,
                                     forces);
        EXPECT_TRUE(std::equal(qdd.begin(), qdd.end(), a.x.begin() + static_cast<std::ptrdiff_t>(i * nv))) << i;
        EXPECT_TRUE(std::equal(forces.begin(), forces.end(), lambda.x.begin() + static_cast<std::ptrdiff_t>(i * rows)));
      }
    }
  }
}

}  // namespace
}  // namespace sinew::test
