// tests/derivative/rnea_derivatives_test.cpp - derivatives of inverse dynamics against closed forms and dual numbers
#include "sinew/derivative/rnea_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "derivative/derivative_case.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct InverseOutcome {
  explicit InverseOutcome(int n) : tau(static_cast<std::size_t>(n)), dq(n, n), dv(n, n), M(n, n) {}
  std::vector<double> tau;
  Matrix dq, dv, M;
};
InverseOutcome run_inverse(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces = {},
                           double time = 0) {
  RneaDerivativesWorkspace<double> ws(m);
  InverseOutcome out(m.nv());
  for (Matrix* x : {&out.dq, &out.dv, &out.M}) std::fill(x->numbers.begin(), x->numbers.end(), NAN);
  calc_rnea_derivatives(m, ws, s.q, s.v, s.a, out.tau, out.dq, out.dv, out.M, {forces, time});
  return out;
}
void expect_dual_inverse(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces, double time,
                         const Allowed& n, const std::source_location& where = std::source_location::current()) {
  const InverseOutcome got = run_inverse(m, s, forces, time);
  const Jacobians want = dual_rnea_derivatives(m, s, forces, time);
  const double scale = std::max({1.0, largest(want.dq.numbers), largest(want.dv.numbers), largest(want.dx.numbers)});
  EXPECT_TRUE(near_numbers(got.dq.numbers, want.dq.numbers, n, scale, 0x1p-52, where)) << "dq of " << m.name();
  EXPECT_TRUE(near_numbers(got.dv.numbers, want.dv.numbers, n, scale, 0x1p-52, where)) << "dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.M.numbers, want.dx.numbers, n, scale, 0x1p-52, where)) << "M of " << m.name();
  RneaWorkspace<double> ws(m);
  std::vector<double> tau(s.v.size());
  rnea(m, ws, s.q, s.v, s.a, tau, {forces, time});
  EXPECT_TRUE(near_numbers(got.tau, tau, n, std::max(scale, largest(tau)), 0x1p-52, where)) << "tau of " << m.name();
}

// A pendulum with a weight m at l: tau = m l^2 a + m g l sin q.
TEST(RneaDerivatives, OfAPendulum) {
  const double mass = 1.3, l = 0.7, q = 0.4;
  ModelBuilder b("pendulum");
  b.body("weight").mass(mass, {0, 0, -l}, {});
  b.revolute("pivot", "world", "weight").axis({0, 1, 0});
  const Model m = b.build().value();
  InverseOutcome out = run_inverse(m, {{q}, {0.9}, {-0.3}});
  EXPECT_TRUE(near(out.dq(0, 0), mass * 9.81 * l * std::cos(q), 10));
  EXPECT_TRUE(near(out.dv(0, 0), 0.0, 1));
  EXPECT_TRUE(near(out.M(0, 0), mass * l * l, 10));
}

// The planar 2R arm without weight: tau_1 has -k (2 v1 + v2) v2, tau_2 has k v1^2, with k = m2 l1 c2 sin q2.
TEST(RneaDerivatives, OfAPlanarArm) {
  const double l1 = 0.8, c2 = 0.3, m2 = 1.7, v1 = 0.6, v2 = -1.1, q2 = 0.9;
  ModelBuilder b("2R");
  b.gravity({0, 0, 0});
  b.body("upper").mass(2, {0.4, 0, 0}, Sym3<double>::diagonal(0.01, 0.02, 0.02));
  b.body("fore").mass(m2, {c2, 0, 0}, Sym3<double>::diagonal(0.01, 0.03, 0.03));
  b.revolute("shoulder", "world", "upper");
  b.revolute("elbow", "upper", "fore").at({l1, 0, 0});
  InverseOutcome out = run_inverse(b.build().value(), {{0.4, q2}, {v1, v2}, {0, 0}});
  const double k = m2 * l1 * c2 * std::sin(q2), dk = m2 * l1 * c2 * std::cos(q2);
  EXPECT_TRUE(near(out.dq.numbers, std::vector<double>{0, -dk * (2 * v1 + v2) * v2, 0, dk * v1 * v1}, 20));
  EXPECT_TRUE(near(out.dv.numbers, std::vector<double>{-2 * k * v2, -2 * k * (v1 + v2), 2 * k * v1, 0}, 20));
}

// Random trees over all joints, with external forces, armature and prescribed motion.
TEST(RneaDerivatives, AreThoseOfDualNumbers) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    expect_dual_inverse(m, s, some_forces(m, rng), 0.2, 300);
  });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = hard_tree(seed);
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    expect_dual_inverse(m, s, some_forces(m, rng), 0.2, 300);
  }
}

// Mechanisms with long chains and many branches.
TEST(RneaDerivatives, OfMechanismsAreThoseOfDualNumbers) {
  for (const ModelSpec& spec :
       {mechanisms::humanoid(), mechanisms::hand(), mechanisms::dual_arm(), mechanisms::pendulum(6), mechanisms::gu(9),
        mechanisms::binary_tree(4), mechanisms::chain(30)}) {
    const Model m = compile(spec).value();
    Random rng(5);
    const TreeState s = random_state(m, rng);
    expect_dual_inverse(m, s, {}, 0, 300);
  }
}

// A machine far from the world's origin keeps its digits: the common frame stands at its first node.
TEST(RneaDerivatives, DoNotDependOnWhereTheMachineIs) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(3);
  TreeState s = random_state(m, rng);
  const InverseOutcome here = run_inverse(m, s);
  s.q[4] += 1e9;
  const InverseOutcome there = run_inverse(m, s);
  EXPECT_EQ(here.dq.numbers, there.dq.numbers);
  EXPECT_EQ(here.dv.numbers, there.dv.numbers);
}

// dtau/dv v twice over: tau(q, v) is quadratic in v without gravity, so dtau/dv v = 2 (h - g) where nothing is
// prescribed.
TEST(RneaDerivatives, AlongTheVelocityAreTwiceTheBias) {
  for_random_trees(
      40,
      [](const Model& m, Random& rng) {
        TreeState s = random_state(m, rng);
        InverseOutcome out = run_inverse(m, s);
        RneaWorkspace<double> ws(m);
        std::vector<double> h(s.v.size()), g(h);
        calc_bias(m, ws, s.q, s.v, h);
        calc_gravity(m, ws, s.q, g);
        for (std::size_t k = 0; k < h.size(); ++k) h[k] = 2 * (h[k] - g[k]);
        EXPECT_TRUE(near(out.dv * s.v, h, 300, std::max(1.0, largest(out.dv.numbers))));
      },
      true);
}

// Every scalar gives what double gives; in Dual without joints of users.
template <class T>
std::vector<T> all_inverse_numbers(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                                   const std::vector<T>& a) {
  RneaDerivativesWorkspace<T> ws(m);
  const auto n = static_cast<std::size_t>(m.nv());
  std::vector<T> out(n + 3 * n * n);
  T* at_matrix = out.data() + n;
  calc_rnea_derivatives(m, ws, q, v, a, VectorView<T>(out.data(), n), MatrixView<T>(at_matrix, n, n),
                        MatrixView<T>(at_matrix + n * n, n, n), MatrixView<T>(at_matrix + 2 * n * n, n, n));
  return out;
}
TEST(RneaDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
    return all_inverse_numbers<T>(m, q, v, a);
  };
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
    const Model hard = hard_tree(seed, 6);
    std::vector<TreeState> states;
    for (int l = 0; l < 16; ++l) states.push_back(random_state(hard, rng));
    expect_parity_of<float>(hard, states, 40, every);
    expect_parity_of<NativePack<double>>(hard, states, 40, every);
  }
}

TEST(RneaDerivatives, AllocateNothingAndRepeatTheirBits) {
  const Model m = hard_tree(3, 30);
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const auto forces = some_forces(m, rng);
  RneaDerivativesWorkspace<double> ws(m);
  InverseOutcome once(m.nv()), again(m.nv());
  calc_rnea_derivatives(m, ws, s.q, s.v, s.a, once.tau, once.dq, once.dv, once.M, {forces, 0.1});
  AllocationCount allocations;
  calc_rnea_derivatives(m, ws, s.q, s.v, s.a, again.tau, again.dq, again.dv, again.M, {forces, 0.1});
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.dq.numbers, again.dq.numbers);
  EXPECT_EQ(once.dv.numbers, again.dv.numbers);
  EXPECT_EQ(once.M.numbers, again.M.numbers);
}

// Parts of larger matrices: the same bits as alone, and what is around them stays. Rows are written by whole registers,
// which reach beyond their ends.
TEST(RneaDerivatives, WriteNothingBesideTheirMatrices) {
  constexpr std::size_t kAround = 16;
  constexpr double kMark = 4321;
  std::vector<Model> models;
  for (const ModelSpec& spec :
       {mechanisms::humanoid(), mechanisms::hand(), mechanisms::gu(9), mechanisms::binary_tree(4)})
    models.push_back(compile(spec).value());
  for (int bodies = 1; bodies < 12; ++bodies) models.push_back(compile(mechanisms::chain(bodies)).value());
  for (std::uint64_t seed = 0; seed < 10; ++seed) models.push_back(hard_tree(seed));
  for (const Model& m : models)
    for (const std::size_t spare : {std::size_t{0}, std::size_t{3}}) {
      SCOPED_TRACE(m.name() + ", spare columns: " + std::to_string(spare));
      Random rng(2);
      const TreeState s = random_state(m, rng);
      const InverseOutcome alone = run_inverse(m, s);
      const std::size_t n = s.v.size(), stride = n + spare;
      std::vector<std::vector<double>> rooms(3, std::vector<double>(kAround + n * stride + kAround, kMark));
      const auto part = [&](std::size_t k) { return MatrixView<double>(rooms[k].data() + kAround, n, n, stride); };
      std::vector<double> tau(n);
      RneaDerivativesWorkspace<double> ws(m);
      calc_rnea_derivatives(m, ws, s.q, s.v, s.a, tau, part(0), part(1), part(2));
      const Matrix* const want[] = {&alone.dq, &alone.dv, &alone.M};
      for (std::size_t k = 0; k < 3; ++k) {
        std::vector<double> expected(rooms[k].size(), kMark);
        for (std::size_t i = 0; i < n; ++i)
          std::copy_n(want[k]->numbers.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                      expected.begin() + static_cast<std::ptrdiff_t>(kAround + i * stride));
        EXPECT_EQ(rooms[k], expected) << "result " << k;
      }
    }
}

TEST(RneaDerivatives, RefuseWhatCannotBeDifferentiated) {
  const Model m = hard_tree(1);
  EXPECT_THROW(RneaDerivativesWorkspace<Dual>{m}, std::invalid_argument);
}

TEST(RneaDerivatives, TakeModelsWithoutFreedom) {
  const Model m = ModelBuilder("empty").build().value();
  EXPECT_TRUE(run_inverse(m, {}).tau.empty());
}

}  // namespace
}  // namespace sinew::test
