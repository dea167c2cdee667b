// tests/derivative/placement_derivatives_test.cpp - derivatives by placements of joints: closed form, and other models
#include "sinew/derivative/placement_derivatives.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "derivative/derivative_case.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Joint j of the model with its frame turned (axis 0 .. 2) or shifted (3 .. 5) by h along its own axes.
Model with_moved_joint(const Model& m, std::size_t j, int axis, double h) {
  ModelSpec spec = m.spec();
  Vec3<double> turn{}, shift{};
  double* numbers[] = {&turn.x, &turn.y, &turn.z, &shift.x, &shift.y, &shift.z};
  *numbers[axis] = h;
  spec.joints[j].placement = make_placement(shift, turn) * spec.joints[j].placement;
  return compile(spec).value();
}

// All columns of f(model) -> numbers, by differences of models, extrapolated.
template <class F>
Matrix differentiate_by_placement(const Model& m, F f) {
  Matrix out(m.nv(), 6 * static_cast<int>(m.joints().size()));
  for (std::size_t j = 0; j < m.joints().size(); ++j)
    for (int axis = 0; axis < 6; ++axis) {
      const auto slope = [&](double h) {
        std::vector<double> x = f(with_moved_joint(m, j, axis, h)), y = f(with_moved_joint(m, j, axis, -h));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - y[i]) / (2 * h);
        return x;
      };
      const std::vector<double> one = slope(2e-3), two = slope(1e-3);
      for (int i = 0; i < m.nv(); ++i) out(i, 6 * static_cast<int>(j) + axis) = (4 * two[at(i)] - one[at(i)]) / 3;
    }
  return out;
}
// The largest difference, relative to the largest entry.
double compare(const Matrix& a, const Matrix& b) {
  double off = 0, scale = 1e-300;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    off = std::max(off, std::abs(a.numbers[i] - b.numbers[i]));
    scale = std::max(scale, std::abs(b.numbers[i]));
  }
  return off / scale;
}

}  // namespace

// Two links that hang in a plane, still: the second hinge farther out by dx takes its load there, m2 g dx.
TEST(PlacementDerivatives, OfTwoLinks) {
  const double g = 9.81, m2 = 3, l = 0.4;
  ModelBuilder b("links");
  b.body("one").mass(solid_sphere(2, 0.1), make_placement({0.3, 0, 0}));
  b.body("two").mass(solid_sphere(m2, 0.1), make_placement({l, 0, 0}));
  b.revolute("a", "world", "one").axis({0, 1, 0});
  b.revolute("b", "one", "two").axis({0, 1, 0}).at({0.7, 0, 0});
  const Model m = b.build().value();
  PlacementDerivativesWorkspace<double> ws(m);
  Matrix d(2, 12);
  const std::vector<double> zero(2);
  calc_rnea_placement_derivatives(m, ws, m.neutral(), zero, zero, d);
  // Turned by y it droops: the load comes nearer only by second order; turned by x or z likewise.
  EXPECT_NEAR(d(0, 6 + 3), -m2 * g, 1e-13);
  EXPECT_NEAR(d(1, 6 + 3), 0, 1e-14);
  EXPECT_NEAR(d(0, 6 + 1), 0, 1e-14);
  EXPECT_NEAR(d(0, 0 + 3), 0, 1e-14);  // all of it, elsewhere
  // Turned about x by dx, the first hinge pushes its axis up: the weight across it stays m g to first order.
  EXPECT_NEAR(d(0, 0), 0, 1e-14);
}

TEST(PlacementDerivatives, AreThoseOfOtherModels) {
  double worst_inverse = 0, worst_forward = 0;
  int fixed = 0;
  for_random_trees(24, [&](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const auto forces = some_forces(m, rng);
    const Surroundings<double> around{forces, 0.1};
    PlacementDerivativesWorkspace<double> ws(m);
    const int columns = 6 * static_cast<int>(m.joints().size());
    Matrix dtau(m.nv(), columns), da(m.nv(), columns);
    std::vector<double> a(s.v.size());
    calc_rnea_placement_derivatives(m, ws, s.q, s.v, s.a, dtau, around);
    const Matrix want = differentiate_by_placement(m, [&](const Model& moved) {
      std::vector<double> tau(s.v.size());
      RneaWorkspace<double> w(moved);
      rnea(moved, w, s.q, s.v, s.a, tau, around);
      return tau;
    });
    for (const JointEntry& j : m.joints()) fixed += j.nodes.empty();
    const double off = compare(dtau, want);
    worst_inverse = std::max(worst_inverse, off);
    EXPECT_TRUE(is_small(off, 1e-10));
    calc_aba_placement_derivatives(m, ws, s.q, s.v, s.a, a, da, around);
    const Matrix want_a = differentiate_by_placement(m, [&](const Model& moved) {
      std::vector<double> out(s.v.size());
      AbaWorkspace<double> w(moved);
      aba(moved, w, s.q, s.v, s.a, out, around);
      return out;
    });
    const double off_a = compare(da, want_a);
    worst_forward = std::max(worst_forward, off_a);
    EXPECT_TRUE(is_small(off_a, 1e-8));
  });
  fmt::print("worst {:.1e} of inverse, {:.1e} of forward dynamics; {} fixed joints\n", worst_inverse, worst_forward,
             fixed);
  EXPECT_GT(fixed, 3);
}

TEST(PlacementDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
    PlacementDerivativesWorkspace<T> ws(m);
    Grid<T> out(m.nv(), 6 * static_cast<int>(m.joints().size()));
    calc_rnea_placement_derivatives<T>(m, ws, q, v, a, out);
    return out.numbers;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(PlacementDerivatives, AllocateNothing) {
  const Model m = compile(random_tree(3, {.bodies = 20})).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const auto forces = some_forces(m, rng);
  PlacementDerivativesWorkspace<double> ws(m);
  Matrix once(m.nv(), 6 * static_cast<int>(m.joints().size())), again = once;
  std::vector<double> a(s.v.size());
  calc_aba_placement_derivatives(m, ws, s.q, s.v, s.a, a, once, {forces, 0.1});
  AllocationCount allocations;
  calc_aba_placement_derivatives(m, ws, s.q, s.v, s.a, a, again, {forces, 0.1});
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.numbers, again.numbers);
}

}  // namespace sinew::test
