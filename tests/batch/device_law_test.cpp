// tests/batch/device_law_test.cpp - friction problems by the methods of a device, against the solvers of the CPU
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/batch/kernel/device_answer.hpp"
#include "sinew/batch/kernel/team.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using device::Law;
using device::LawData;
using device::LawOutcome;
using device::SerialTeam;

// W = J J^T with `rank` columns; singles of two kinds: stops, and dry friction.
struct LawProblem {
  int singles, contacts, rows, motions;
  std::vector<double> W, q, lower, upper, mu;
  // From the rows of W up to its diagonal; singles are stops.
  LawProblem(int stops, const std::vector<double>& half, const std::vector<double>& velocities, double friction)
      : singles(stops),
        contacts((static_cast<int>(velocities.size()) - stops) / 3),
        rows(static_cast<int>(velocities.size())),
        motions(rows),
        q(velocities) {
    const std::size_t n = q.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) W.push_back(half[std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j)]);
    lower.resize(n), upper.assign(n, device::Numbers<double>::kLargest), mu.assign(at(contacts), friction);
  }
  LawProblem(int stops, int touching, int rank, double friction, Random& random)
      : singles(stops), contacts(touching), rows(stops + 3 * touching), motions(rank) {
    const std::size_t n = at(rows), k = at(rank);
    std::vector<double> J(n * k);
    for (double& x : J) x = random.normal();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < k; ++c) sum += J[i * k + c] * J[j * k + c];
        W.push_back(sum);
      }
    // Velocities that motions have: every contact approaches for some of them.
    std::vector<double> v(k);
    for (double& x : v) x = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) sum += J[i * k + c] * v[c];
      q.push_back(sum);
    }
    lower.resize(n), upper.resize(n), mu.assign(at(touching), friction);
    for (std::size_t i = 0; i < at(stops); ++i)
      lower[i] = i % 2 == 0 ? 0 : -0.1, upper[i] = i % 2 == 0 ? device::Numbers<double>::kLargest : 0.1;
  }
};

// Memory of a problem in one precision.
template <class R>
struct LawMemory {
  std::vector<R> W, q, lower, upper, mu, numbers;
  std::vector<device::LawBlock<R>> block;
  std::vector<device::LawUnknown<R>> unknown;
  std::vector<device::InteriorBlock<R>> inside;
  std::vector<int> pivot, used;
  LawData<R> data;
  explicit LawMemory(const LawProblem& p) {
    const std::size_t n = at(p.rows);
    const auto cast_to = [](std::vector<R>& to, const std::vector<double>& from) {
      for (const double x : from)
        to.push_back(
            static_cast<R>(std::clamp<double>(x, -device::Numbers<R>::kLargest, device::Numbers<R>::kLargest)));
    };
    cast_to(W, p.W), cast_to(q, p.q), cast_to(lower, p.lower), cast_to(upper, p.upper), cast_to(mu, p.mu);
    LawData<R>& d = data;
    d.singles = p.singles, d.contacts = p.contacts, d.rows = d.stride = p.rows, d.stride_of_A = p.rows + 1;
    numbers.resize((n + 1) * (n + 1) + 9 * n + device::kRow + device::kPanel * (2 * n + 1));
    R* next = numbers.data();
    const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
    d.A = take((n + 1) * (n + 1)), d.z = take(n), d.u = take(n), d.other = take(n), d.next = take(n), d.held = take(n);
    d.x = take(n), d.y = take(n), d.unit = take(n), d.line = take(device::kRow);
    d.panel = take(device::kPanel * (2 * n + 1)), d.motions = p.motions;
    block.resize(n), unknown.resize(n), inside.resize(n), pivot.resize(n), used.resize(n);
    d.W = W.data(), d.q = q.data(), d.lower = lower.data(), d.upper = upper.data(), d.mu = mu.data();
    d.block = block.data(), d.unknown = unknown.data(), d.inside = inside.data();
    d.pivot = pivot.data(), d.used = used.data();
    for (const R x : q) d.scale = std::max(d.scale, std::abs(x));
  }
};

// Velocities of the answer of the CPU's solvers.
std::vector<double> solve_on_cpu(const LawProblem& p) {
  std::vector<double> z(at(p.rows)), u(p.q), upper(p.upper);
  for (double& x : upper)
    if (x == device::Numbers<double>::kLargest) x = INFINITY;
  lcp::FrictionProblem problem;
  problem.W = {p.W.data(), at(p.rows), at(p.rows)}, problem.q = p.q, problem.mu = p.mu;
  problem.unilateral = p.singles;
  problem.lower = {p.lower.data(), at(p.singles)}, problem.upper = {upper.data(), at(p.singles)};
  lcp::Solver solver({.tolerance = 1e-12});
  EXPECT_EQ(solver.solve(problem, z).status, lcp::Status::solved);
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t j = 0; j < u.size(); ++j) u[i] += p.W[i * u.size() + j] * z[j];
  return u;
}

// With little friction and W regular the answer is unique.
template <class Team>
void expect_answers_of_the_cpu() {
  Random random(3);
  const Team team{};
  for (int run = 0; run < 40; ++run) {
    SCOPED_TRACE(run);
    const int contacts = 1 + run % 6, stops = run % 4;
    const LawProblem p(stops, contacts, stops + 3 * contacts + 4, 0.2, random);
    const std::vector<double> expected = solve_on_cpu(p);
    for (const bool hard : {false, true}) {
      LawMemory<double> m(p);
      const Law<double, Team> law{team, m.data};
      LawOutcome cost;
      const double residual = hard ? find_hard_answer(law, 1e-10, cost) : find_quick_answer(law, 1e-10, cost);
      if (!hard && residual > 1e-10) continue;  // not all problems are quick
      EXPECT_LE(residual, 1e-10);
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(m.data.u[i], expected[i], slack(1e-7, "of badly conditioned problems")) << hard;
    }
  }
}

TEST(DeviceLaw, AnswersAreThoseOfTheCpu) {
  expect_answers_of_the_cpu<SerialTeam>();
  expect_answers_of_the_cpu<device::SerialBlock>();  // of large problems
}

// As many as five panels, the last one not full, with pivots in any order.
TEST(DeviceLaw, PanelsEliminateAsColumnsDo) {
  Random random(11);
  for (const int n : {1, 7, 8, 9, 16, 37}) {
    SCOPED_TRACE(n);
    LawProblem p(n, 0, n, 0, random);
    LawMemory<double> by_columns(p), by_panels(p);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= n; ++j) {
        const double x = i == 0 && j == 0 ? 0 : random.normal();  // the first pivot is not in its place
        by_columns.data.A[i * by_columns.data.stride_of_A + j] = n == 1 ? 2 + j : x;
        by_panels.data.A[j * by_panels.data.stride_of_A + i] = n == 1 ? 2 + j : x;
      }
    const SerialTeam team;
    const device::SerialBlock block{};
    ASSERT_TRUE((Law<double, SerialTeam>{team, by_columns.data}.eliminate(n)));
    ASSERT_TRUE((Law<double, device::SerialBlock>{block, by_panels.data}.eliminate(n)));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(by_panels.data.u[i], by_columns.data.u[i], 3e-13) << i;
    for (int i = 0; i < n; ++i) by_panels.data.A[i] = 0;  // a column of zeros
    EXPECT_FALSE((Law<double, device::SerialBlock>{block, by_panels.data}.eliminate(n)));
  }
}

// More rows than motions, and much friction: many answers, or a hard way to one.
TEST(DeviceLaw, HardMethodsFindWhatQuickOnesDoNot) {
  Random random(5);
  const SerialTeam team;
  int quick = 0, all = 0, count = 0;
  for (int run = 0; run < 300; ++run) {
    const LawProblem p(run % 3, 2 + run % 6, 6, 0.8, random);
    LawMemory<float> m(p);
    const Law<float, SerialTeam> law{team, m.data};
    LawOutcome cost;
    const float tolerance = 1e-5f;
    const bool solved = find_quick_answer(law, tolerance, cost) <= tolerance;
    ++count, quick += solved, all += solved || find_hard_answer(law, tolerance, cost) <= tolerance;
  }
  EXPECT_LT(quick, count);
  EXPECT_GE(all, count - (count - quick) / 20) << quick;
}

// A leg on two contacts and four stops, of a humanoid that falls: Newton's method goes round in a circle from every
// start, and the interior point comes to the boundary too soon. Its path, followed step by step, leads to the answer.
TEST(DeviceLaw, AProblemThatOnlyTheSlowPathSolves) {
  const LawProblem p(
      4, {4.93454552,     3.55595922,    3.93174481,    -0.605258286,  -0.188285589,  15.7937279,    -0.973796725,
          -1.03654528,    -7.46976757,   43.4888229,    -0.064884305,  -0.0120051559, -0.0513765253, 0.0140184527,
          0.700256407,    0.131119549,   0.0299123563,  -0.0532521456, 0.0176115632,  0.399603099,   1.13365197,
          0.170400143,    0.162032858,   0.0989364982,  0.00076295808, -0.0674235821, 0.0957896411,  1.53834116,
          0.00472909026,  -0.108159564,  0.633385301,   -5.80526638,   0.00380884018, 0.00454688631, -0.00571347633,
          0.92488569,     -0.0774547011, -0.0746074766, -1.03477526,   -3.20654225,   0.00238683308, 0.00328153255,
          -0.00251769414, 0.378293723,   0.640083492,   -0.079067342,  0.221564516,   -0.132502466,  -1.20395386,
          -0.0108045554,  -0.0134632429, 0.0187041555,  0.0537441298,  -0.0156788677, 1.25243306},
      {2.11584735, 0.909978747, 0.0816535801, 2.27396107, -0.193824396, -0.327796042, 0.3699148, -0.508273125,
       -1.8717829, 1.1737442},
      1.17436337);
  const SerialTeam team;
  LawOutcome cost;
  LawMemory<float> in_float(p);
  EXPECT_LE(device::find_hard_answer(Law<float, SerialTeam>{team, in_float.data}, 0.9e-5f, cost), 1e-5f);
  LawMemory<double> in_double(p);
  EXPECT_LE(device::find_hard_answer(Law<double, SerialTeam>{team, in_double.data}, 0.9e-10, cost), 1e-10);
  const std::vector<double> u = solve_on_cpu(p);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(in_double.data.u[i], u[i], 1e-11) << i;
}

}  // namespace
}  // namespace sinew::test
