// tests/derivative/force_derivatives_test.cpp - by gravity: other models; by external forces: dual numbers
#include "sinew/derivative/force_derivatives.hpp"

#include <gtest/gtest.h>

#include "derivative/dual_slopes.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

constexpr double kForceTime = 0.3;

// f(model) -> numbers with gravity one more along each axis, less that with the model's: linear, so no step is too
// large.
template <class F>
Matrix differentiate_by_gravity(const Model& m, F f) {
  Matrix out(m.nv(), 3);
  const std::vector<double> here = f(m);
  for (int axis = 0; axis < 3; ++axis) {
    ModelSpec spec = m.spec();
    double* numbers[] = {&spec.gravity.x, &spec.gravity.y, &spec.gravity.z};
    *numbers[axis] += 1;
    const std::vector<double> there = f(compile(spec).value());
    for (int i = 0; i < m.nv(); ++i) out(i, axis) = there[at(i)] - here[at(i)];
  }
  return out;
}
// The slopes of f(external) -> numbers along every number of every force.
template <class F>
Matrix differentiate_by_forces(const Model& m, std::vector<Force<Dual>> forces, F f) {
  Matrix out(m.nv(), 6 * static_cast<int>(forces.size()));
  for (std::size_t b = 0; b < forces.size(); ++b) {
    Force<Dual>& x = forces[b];
    Dual* numbers[] = {&x.ang.x, &x.ang.y, &x.ang.z, &x.lin.x, &x.lin.y, &x.lin.z};
    for (int k = 0; k < 6; ++k) {
      numbers[k]->slope = 1;
      const std::vector<Dual> y = f(forces);
      numbers[k]->slope = 0;
      for (int i = 0; i < m.nv(); ++i) out(i, 6 * static_cast<int>(b) + k) = y[at(i)].slope;
    }
  }
  return out;
}

// A pendulum that hangs: tau about y is m l (g_x cos q - g_z sin q), a = -tau / (m l^2).
TEST(ForceDerivatives, OfAPendulum) {
  const double mass = 1.3, l = 0.7, q = 0.4;
  ModelBuilder b("pendulum");
  b.body("weight").mass(mass, {0, 0, -l}, {});
  b.revolute("pivot", "world", "weight").axis({0, 1, 0});
  const Model m = b.build().value();
  ForceDerivativesWorkspace<double> ws(m);
  Matrix dtau(1, 3), da(1, 3), by_force(1, 12);
  calc_rnea_gravity_derivatives(m, ws, std::vector{q}, dtau);
  EXPECT_TRUE(near(dtau.numbers, std::vector{mass * l * std::cos(q), 0.0, -mass * l * std::sin(q)}, 4));
  calc_aba_gravity_derivatives(m, ws, std::vector{q}, da);
  EXPECT_TRUE(near(da.numbers, std::vector{-std::cos(q) / l, 0.0, std::sin(q) / l}, 4));
  calc_aba_force_derivatives(m, ws, std::vector{q}, by_force);
  EXPECT_TRUE(near(by_force(0, 6 + 1), 1 / (mass * l * l), 4));  // a couple about the pivot
  EXPECT_EQ(by_force(0, 6 + 3), 0);                              // a force through the pivot
}

TEST(ForceDerivatives, ByGravityAreThoseOfOtherModels) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    ForceDerivativesWorkspace<double> ws(m);
    Matrix dtau(m.nv(), 3), da(m.nv(), 3);
    calc_rnea_gravity_derivatives(m, ws, s.q, dtau, kForceTime);
    calc_aba_gravity_derivatives(m, ws, s.q, da, kForceTime);
    double size = 1;
    const auto keep = [&](std::vector<double> x) {
      size = std::max(size, largest(x));
      return x;
    };
    const Matrix want = differentiate_by_gravity(m, [&](const Model& other) {
      RneaWorkspace<double> w(other);
      std::vector<double> tau(s.v.size());
      rnea(other, w, s.q, s.v, s.a, tau, {{}, kForceTime});
      return keep(tau);
    });
    EXPECT_TRUE(near_numbers(dtau.numbers, want.numbers, 300, size, 0x1p-52));
    size = 1;
    const Matrix want_a = differentiate_by_gravity(m, [&](const Model& other) {
      AbaWorkspace<double> w(other);
      std::vector<double> a(s.v.size());
      aba(other, w, s.q, s.v, s.a, a, {{}, kForceTime});
      return keep(a);
    });
    EXPECT_TRUE(near_numbers(da.numbers, want_a.numbers, 3000, size, 0x1p-52));
  });
}

TEST(ForceDerivatives, ByExternalForcesAreThoseOfDualNumbers) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    ForceDerivativesWorkspace<double> ws(m);
    const int columns = 6 * static_cast<int>(m.bodies().size());
    Matrix dtau(m.nv(), columns), da(m.nv(), columns);
    calc_rnea_force_derivatives(m, ws, s.q, dtau, kForceTime);
    calc_aba_force_derivatives(m, ws, s.q, da, kForceTime);
    const std::vector<double> held(s.v.size()), still(s.q.size());
    const auto q = moving(s.q, still), v = moving(s.v, held), x = moving(s.a, held);
    const auto forces = constant(some_forces(m, rng));
    RneaWorkspace<Dual> inverse(m);
    AbaWorkspace<Dual> forward(m);
    std::vector<Dual> y(s.v.size());
    expect_near(dtau,
                differentiate_by_forces(m, forces,
                                        [&](const auto& external) {
                                          rnea<Dual>(m, inverse, q, v, x, y, {external, kForceTime});
                                          return y;
                                        }),
                100);
    expect_near(da,
                differentiate_by_forces(m, forces,
                                        [&](const auto& external) {
                                          aba<Dual>(m, forward, q, v, x, y, {external, kForceTime});
                                          return y;
                                        }),
                30000);
  });
}

TEST(ForceDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>&, const std::vector<T>&) {
    ForceDerivativesWorkspace<T> ws(m);
    Grid<T> by_gravity(m.nv(), 3), by_forces(m.nv(), 6 * static_cast<int>(m.bodies().size()));
    calc_aba_gravity_derivatives<T>(m, ws, q, by_gravity);
    calc_aba_force_derivatives<T>(m, ws, q, by_forces);
    by_forces.numbers.insert(by_forces.numbers.end(), by_gravity.numbers.begin(), by_gravity.numbers.end());
    return by_forces.numbers;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(ForceDerivatives, AllocateNothing) {
  const Model m = hard_tree(3, 20);
  Random rng(1);
  const TreeState s = random_state(m, rng);
  ForceDerivativesWorkspace<double> ws(m);
  Matrix by_gravity(m.nv(), 3), by_forces(m.nv(), 6 * static_cast<int>(m.bodies().size()));
  const auto run = [&] {
    calc_aba_gravity_derivatives(m, ws, s.q, by_gravity);
    calc_aba_force_derivatives(m, ws, s.q, by_forces);
  };
  run();
  const Matrix once = by_forces;
  AllocationCount allocations;
  run();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.numbers, by_forces.numbers);
}

}  // namespace
}  // namespace sinew::test
