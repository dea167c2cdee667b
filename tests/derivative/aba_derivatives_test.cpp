// tests/derivative/aba_derivatives_test.cpp - derivatives of forward dynamics against dual numbers and identities
#include "sinew/derivative/aba_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "derivative/derivative_case.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct ForwardOutcome {
  explicit ForwardOutcome(int n) : a(static_cast<std::size_t>(n)), dq(n, n), dv(n, n), Minv(n, n) {}
  std::vector<double> a;
  Matrix dq, dv, Minv;
};
// s.a are the joint forces.
ForwardOutcome run_forward(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces = {},
                           double time = 0) {
  AbaDerivativesWorkspace<double> ws(m);
  ForwardOutcome out(m.nv());
  for (Matrix* x : {&out.dq, &out.dv, &out.Minv}) std::fill(x->numbers.begin(), x->numbers.end(), NAN);
  calc_aba_derivatives(m, ws, s.q, s.v, s.a, out.a, out.dq, out.dv, out.Minv, {forces, time});
  return out;
}
void expect_dual_forward(const Model& m, const TreeState& s, const std::vector<Force<double>>& forces, double time,
                         const Allowed& n, const std::source_location& where = std::source_location::current()) {
  const ForwardOutcome got = run_forward(m, s, forces, time);
  const Jacobians want = dual_aba_derivatives(m, s, forces, time);
  AbaWorkspace<double> ws(m);
  std::vector<double> a(s.v.size());
  aba(m, ws, s.q, s.v, s.a, a, {forces, time});
  // dtau/dq and a are multiplied by M^-1: what they lose there cannot be had back.
  const double scale = std::max({1.0, largest(a), largest(want.dq.numbers), largest(want.dv.numbers)}) *
                       std::max(1.0, largest(want.dx.numbers));
  EXPECT_TRUE(near_numbers(got.dq.numbers, want.dq.numbers, n, scale, 0x1p-52, where)) << "dq of " << m.name();
  EXPECT_TRUE(near_numbers(got.dv.numbers, want.dv.numbers, n, scale, 0x1p-52, where)) << "dv of " << m.name();
  EXPECT_TRUE(near_numbers(got.Minv.numbers, want.dx.numbers, n, scale, 0x1p-52, where)) << "M^-1 of " << m.name();
  EXPECT_TRUE(near_numbers(got.a, a, n, scale, 0x1p-52, where)) << "a of " << m.name();
}

// A pendulum: a = (tau - m g l sin q) / (m l^2).
TEST(AbaDerivatives, OfAPendulum) {
  const double mass = 1.3, l = 0.7, q = 0.4;
  ModelBuilder b("pendulum");
  b.body("weight").mass(mass, {0, 0, -l}, {});
  b.revolute("pivot", "world", "weight").axis({0, 1, 0});
  ForwardOutcome out = run_forward(b.build().value(), {{q}, {0.9}, {2}});
  EXPECT_TRUE(near(out.a[0], (2 - mass * 9.81 * l * std::sin(q)) / (mass * l * l), 10));
  EXPECT_TRUE(near(out.dq(0, 0), -9.81 / l * std::cos(q), 10));
  EXPECT_TRUE(near(out.Minv(0, 0), 1 / (mass * l * l), 10));
}

TEST(AbaDerivatives, AreThoseOfDualNumbers) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    expect_dual_forward(m, s, some_forces(m, rng), 0.2, 300);
  });
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = hard_tree(seed);
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    expect_dual_forward(m, s, some_forces(m, rng), 0.2, 300);
  }
}

TEST(AbaDerivatives, OfMechanismsAreThoseOfDualNumbers) {
  for (const ModelSpec& spec :
       {mechanisms::humanoid(), mechanisms::hand(), mechanisms::dual_arm(), mechanisms::pendulum(6), mechanisms::gu(9),
        mechanisms::binary_tree(4), mechanisms::chain(30)}) {
    const Model m = compile(spec).value();
    Random rng(5);
    expect_dual_forward(m, random_state(m, rng), {}, 0, 100);
  }
}

// M^-1 is symmetric to the bit and that of tree/mass_inverse.hpp.
TEST(AbaDerivatives, HaveTheInverseOfTheMassMatrix) {
  for_random_trees(20, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    ForwardOutcome out = run_forward(m, s);
    MassInverseWorkspace<double> ws(m);
    Matrix Minv(m.nv(), m.nv());
    calc_mass_inverse(m, ws, s.q, Minv);
    CrbaWorkspace<double> crba_ws(m);
    Matrix M(m.nv(), m.nv());
    crba(m, crba_ws, s.q, M);
    const double size = largest(Minv.numbers);
    EXPECT_TRUE(near(out.Minv.numbers, Minv.numbers, 20, 1 + size * (1 + size * largest(M.numbers))));
    for (int i = 0; i < m.nv(); ++i)
      for (int j = 0; j < i; ++j) EXPECT_EQ(out.Minv(i, j), out.Minv(j, i));
  });
}

template <class T>
std::vector<T> all_forward_numbers(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                                   const std::vector<T>& tau) {
  AbaDerivativesWorkspace<T> ws(m);
  const auto n = static_cast<std::size_t>(m.nv());
  std::vector<T> out(n + 3 * n * n);
  T* at_matrix = out.data() + n;
  calc_aba_derivatives(m, ws, q, v, tau, VectorView<T>(out.data(), n), MatrixView<T>(at_matrix, n, n),
                       MatrixView<T>(at_matrix + n * n, n, n), MatrixView<T>(at_matrix + 2 * n * n, n, n));
  return out;
}
TEST(AbaDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
    return all_forward_numbers<T>(m, q, v, a);
  };
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(AbaDerivatives, AllocateNothingAndRepeatTheirBits) {
  const Model m = hard_tree(3, 30);
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const auto forces = some_forces(m, rng);
  AbaDerivativesWorkspace<double> ws(m);
  ForwardOutcome once(m.nv()), again(m.nv());
  calc_aba_derivatives(m, ws, s.q, s.v, s.a, once.a, once.dq, once.dv, once.Minv, {forces, 0.1});
  AllocationCount allocations;
  calc_aba_derivatives(m, ws, s.q, s.v, s.a, again.a, again.dq, again.dv, again.Minv, {forces, 0.1});
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.dq.numbers, again.dq.numbers);
  EXPECT_EQ(once.dv.numbers, again.dv.numbers);
  EXPECT_EQ(once.Minv.numbers, again.Minv.numbers);
}

TEST(AbaDerivatives, TakeModelsWithoutFreedom) {
  const Model m = ModelBuilder("empty").build().value();
  EXPECT_TRUE(run_forward(m, {}).a.empty());
}

}  // namespace
}  // namespace sinew::test
