// tests/batch/batch_test.cpp - many samples at once
#include "sinew/batch/batch.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "sinew/batch/thread_pool.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Rows of numbers, one per sample.
template <class R>
struct Table {
  Table(std::size_t rows_, std::size_t cols_) : rows(rows_), cols(cols_), numbers(rows * cols) {}
  operator MatrixView<R>() { return {numbers.data(), rows, cols}; }
  operator MatrixView<const R>() const { return {numbers.data(), rows, cols}; }
  std::vector<R> row(std::size_t k) const {
    return {numbers.begin() + static_cast<std::ptrdiff_t>(k * cols),
            numbers.begin() + static_cast<std::ptrdiff_t>((k + 1) * cols)};
  }
  std::size_t rows, cols;
  std::vector<R> numbers;
};

template <class R>
struct Samples {
  Samples(const Model& m, std::size_t count)
      : q(count, static_cast<std::size_t>(m.nq())), v(count, static_cast<std::size_t>(m.nv())), a(v), out(v) {
    Random rng(7);
    for (std::size_t k = 0; k < count; ++k) {
      const TreeState s = random_state(m, rng);
      for (std::size_t i = 0; i < q.cols; ++i) q.numbers[k * q.cols + i] = static_cast<R>(s.q[i]);
      for (std::size_t i = 0; i < v.cols; ++i) v.numbers[k * v.cols + i] = static_cast<R>(s.v[i]);
      for (std::size_t i = 0; i < v.cols; ++i) a.numbers[k * v.cols + i] = static_cast<R>(s.a[i]);
    }
  }
  Table<R> q, v, a, out;
};

// What the four algorithms give for one sample; their sensitivity bounds what packs may do otherwise.
struct RunRnea {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& a) const {
    RneaWorkspace<T> ws(m);
    std::vector<T> tau(v.size());
    rnea(m, ws, q, v, a, tau);
    return tau;
  }
};
struct RunAba {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& tau) const {
    AbaWorkspace<T> ws(m);
    std::vector<T> a(v.size());
    aba(m, ws, q, v, tau, a);
    return a;
  }
};
struct RunCrba {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>&) const {
    CrbaWorkspace<T> ws(m);
    std::vector<T> M(v.size() * v.size());
    crba<T>(m, ws, q, MatrixView<T>(M.data(), v.size(), v.size()));
    return M;
  }
};
struct RunMassInverse {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>&) const {
    MassInverseWorkspace<T> ws(m);
    std::vector<T> N(v.size() * v.size());
    calc_mass_inverse<T>(m, ws, q, MatrixView<T>(N.data(), v.size(), v.size()));
    return N;
  }
};

// Results and the three matrices, one after the other.
struct RunRneaDerivatives {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& a) const {
    RneaDerivativesWorkspace<T> ws(m);
    const std::size_t n = v.size();
    std::vector<T> out(n + 3 * n * n);
    const auto matrix = [&](std::size_t k) { return MatrixView<T>(out.data() + n + k * n * n, n, n); };
    calc_rnea_derivatives<T>(m, ws, q, v, a, VectorView<T>(out.data(), n), matrix(0), matrix(1), matrix(2));
    return out;
  }
};
struct RunAbaDerivatives {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& tau) const {
    AbaDerivativesWorkspace<T> ws(m);
    const std::size_t n = v.size();
    std::vector<T> out(n + 3 * n * n);
    const auto matrix = [&](std::size_t k) { return MatrixView<T>(out.data() + n + k * n * n, n, n); };
    calc_aba_derivatives<T>(m, ws, q, v, tau, VectorView<T>(out.data(), n), matrix(0), matrix(1), matrix(2));
    return out;
  }
};
// The four tables of a batch, filled with NaN.
template <class R>
struct SlopeTables {
  SlopeTables(const Model& m, std::size_t count)
      : out(count, at(m.nv())), dq(count, at(m.nv()) * at(m.nv())), dv(dq), M(dq) {
    for (Table<R>* t : {&out, &dq, &dv, &M}) std::fill(t->numbers.begin(), t->numbers.end(), R(NAN));
  }
  std::vector<R> row(std::size_t k) const {
    std::vector<R> all = out.row(k);
    for (const Table<R>* t : {&dq, &dv, &M}) {
      const std::vector<R> more = t->row(k);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
  Table<R> out, dq, dv, M;
};

template <class R>
class BatchTest : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchTest, Precisions);

TYPED_TEST(BatchTest, GivesWhatOneSampleAtATimeGives) {
  using R = TypeParam;
  for (const auto& spec : {mechanisms::humanoid(), random_tree(4, {12, {}, 0.5})}) {
    const Model m = compile(spec).value();
    const std::size_t n = static_cast<std::size_t>(m.nv()), count = 21;
    Samples<R> s(m, count);
    Batch<R> batch(m, 2);
    Table<R> M(count, n * n), N(count, n * n), poses(count, 12 * m.bodies().size()), acceleration(count, n);
    batch.rnea(s.q, s.v, s.a, s.out);
    batch.aba(s.q, s.v, s.a, acceleration);
    batch.crba(s.q, M);
    batch.calc_mass_inverse(s.q, N);
    batch.calc_kinematics(s.q, poses);
    SlopeTables<R> inverse(m, count), forward(m, count);
    batch.calc_rnea_derivatives(s.q, s.v, s.a, inverse.out, inverse.dq, inverse.dv, inverse.M);
    batch.calc_aba_derivatives(s.q, s.v, s.a, forward.out, forward.dq, forward.dv, forward.M);
    const double eps = ScalarTraits<R>::kEpsilon;
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<R> q = s.q.row(k), v = s.v.row(k), a = s.a.row(k);
      const TreeState state{flatten(q), flatten(v), flatten(a)};
      const auto expect_row = [&](const auto& got, const auto& run, double allowed,
                                  const std::source_location& where = std::source_location::current()) {
        const Numbers want = flatten(run.template operator()<R>(m, q, v, a));
        const double scale = std::max(largest(want), sensitivity(m, state, run));
        EXPECT_TRUE(near_numbers(flatten(got.row(k)), want, allowed, scale, eps, where)) << "sample " << k;
      };
      expect_row(s.out, RunRnea{}, 10);
      expect_row(acceleration, RunAba{}, 300);
      expect_row(M, RunCrba{}, 10);
      expect_row(N, RunMassInverse{}, 300);
      expect_row(inverse, RunRneaDerivatives{}, 10);
      expect_row(forward, RunAbaDerivatives{}, 300);
      KinematicsWorkspace<R> kinematics(m);
      calc_kinematics(m, kinematics, q);
      for (std::size_t b = 0; b < m.bodies().size(); ++b) {
        const Transform<R> X = get_body_pose(m, kinematics, static_cast<int>(b));
        const std::vector<R> row = poses.row(k);
        EXPECT_NEAR(static_cast<double>(row[12 * b + 9]), static_cast<double>(X.r.x), 100 * eps);
        EXPECT_NEAR(static_cast<double>(row[12 * b + 1]), static_cast<double>(X.E.m.yx), 100 * eps);
      }
    }
  }
}

// The bits of a sample do not depend on how many others there are, nor on the threads.
TYPED_TEST(BatchTest, GivesTheSameBitsForAnyBatchAndAnyThreads) {
  using R = TypeParam;
  const Model m = compile(mechanisms::humanoid()).value();
  const std::size_t n = static_cast<std::size_t>(m.nv()), count = 67;
  Samples<R> s(m, count);
  Batch<R> one(m, 1);
  Table<R> tau(count, n), acceleration(count, n), N(count, n * n);
  one.rnea(s.q, s.v, s.a, tau);
  one.aba(s.q, s.v, s.a, acceleration);
  one.calc_mass_inverse(s.q, N);
  SlopeTables<R> inverse(m, count), forward(m, count);
  one.calc_rnea_derivatives(s.q, s.v, s.a, inverse.out, inverse.dq, inverse.dv, inverse.M);
  one.calc_aba_derivatives(s.q, s.v, s.a, forward.out, forward.dq, forward.dv, forward.M);
  for (const int threads : {2, 3, 5}) {
    Batch<R> batch(m, threads);
    Table<R> x(count, n), y(count, n), z(count, n * n);
    batch.rnea(s.q, s.v, s.a, x);
    batch.aba(s.q, s.v, s.a, y);
    batch.calc_mass_inverse(s.q, z);
    EXPECT_EQ(x.numbers, tau.numbers);
    EXPECT_EQ(y.numbers, acceleration.numbers);
    EXPECT_EQ(z.numbers, N.numbers);
    SlopeTables<R> d(m, count);
    batch.calc_rnea_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(d.row(k), inverse.row(k));
    batch.calc_aba_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(d.row(k), forward.row(k));
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{8}, std::size_t{33}}) {
    Table<R> x(size, n), y(size, n);
    const std::size_t first = count - size;
    const MatrixView<const R> q(s.q.numbers.data() + first * s.q.cols, size, s.q.cols);
    const MatrixView<const R> v(s.v.numbers.data() + first * n, size, n), a(s.a.numbers.data() + first * n, size, n);
    one.rnea(q, v, a, x);
    one.aba(q, v, a, y);
    SlopeTables<R> d(m, size);
    one.calc_aba_derivatives(q, v, a, d.out, d.dq, d.dv, d.M);
    for (std::size_t k = 0; k < size; ++k) {
      EXPECT_EQ(d.row(k), forward.row(first + k));
      EXPECT_EQ(x.row(k), tau.row(first + k));
      EXPECT_EQ(y.row(k), acceleration.row(first + k));
    }
  }
}

TEST(Batch, AllocatesNothingAfterItsFirstCall) {
  const Model m = compile(mechanisms::humanoid()).value();
  const std::size_t n = static_cast<std::size_t>(m.nv());
  Samples<double> s(m, 40);
  Table<double> M(40, n * n);
  Batch<double> batch(m, 1);
  batch.crba(s.q, M);
  SlopeTables<double> d(m, 40);
  batch.calc_rnea_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
  batch.calc_aba_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
  AllocationCount allocations;
  batch.rnea(s.q, s.v, s.a, s.out);
  batch.aba(s.q, s.v, s.a, s.out);
  batch.crba(s.q, M);
  batch.calc_rnea_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
  batch.calc_aba_derivatives(s.q, s.v, s.a, d.out, d.dq, d.dv, d.M);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(Batch, RefusesWrongShapes) {
  const Model m = compile(mechanisms::gu(3)).value();
  Samples<double> s(m, 4);
  Table<double> wrong(4, 2), few(3, 3);
  Batch<double> batch(m);
  EXPECT_THROW(batch.rnea(s.q, s.v, wrong, s.out), std::invalid_argument);
  EXPECT_THROW(batch.aba(s.q, few, s.a, s.out), std::invalid_argument);
  EXPECT_THROW(batch.crba(s.q, wrong), std::invalid_argument);
  try {
    batch.rnea(s.q, s.v, s.a, wrong);
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "Batch::rnea: tau is 4 x 2, the call needs 4 x 3");
  }
  Samples<double> none(m, 0);
  batch.rnea(none.q, none.v, none.a, none.out);  // nothing to do
}

TEST(ThreadPool, CoversEveryIndexOnceAndPassesExceptionsOn) {
  ThreadPool pool(3);
  for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> seen(count);
    pool.run(count, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& x : seen) EXPECT_EQ(x, 1);
  }
  EXPECT_THROW(pool.run(9, [](int, std::size_t, std::size_t) { throw std::runtime_error("no"); }), std::runtime_error);
  int calls = 0;
  ThreadPool(1).run(5, [&](int worker, std::size_t, std::size_t) { calls += worker + 1; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace sinew::test
