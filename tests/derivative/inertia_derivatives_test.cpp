// tests/derivative/inertia_derivatives_test.cpp - by inertial parameters: closed form, and models with others
#include "sinew/derivative/inertia_derivatives.hpp"

#include <gtest/gtest.h>

#include "derivative/dual_slopes.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/tree/momentum.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

constexpr double kInertiaTime = 0.3;

int parameters_of(const Model& m) { return static_cast<int>(inertial_parameter_count(m)); }

// The model whose parameter k of body b is h more.
Model with_parameter(const Model& m, std::size_t b, int k, double h) {
  ModelSpec spec = m.spec();
  const RigidInertia<double>& I = m.bodies()[b].inertia;
  double pi[] = {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz};
  pi[k] += h;
  BodySpec& body = *std::find_if(spec.bodies.begin(), spec.bodies.end(),
                                 [&](const BodySpec& x) { return x.name == m.bodies()[b].name; });
  const double mass = pi[0];
  const Vec3<double> c = (1 / mass) * Vec3<double>{pi[1], pi[2], pi[3]};
  body.mass = mass, body.com = c;
  body.inertia = {
      pi[4] - mass * (c.y * c.y + c.z * c.z), pi[5] + mass * c.x * c.y, pi[6] + mass * c.x * c.z,
      pi[7] - mass * (c.x * c.x + c.z * c.z), pi[8] + mass * c.y * c.z, pi[9] - mass * (c.x * c.x + c.y * c.y)};
  return compile(spec).value();
}
// All columns of f(model) -> numbers, by differences of models, extrapolated.
template <class F>
Matrix differentiate_by_inertia(const Model& m, int rows, F f) {
  Matrix out(rows, parameters_of(m));
  for (std::size_t b = 1; b < m.bodies().size(); ++b)
    for (int k = 0; k < 10; ++k) {
      const auto slope = [&](double h) {
        std::vector<double> x = f(with_parameter(m, b, k, h)), y = f(with_parameter(m, b, k, -h));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = (x[i] - y[i]) / (2 * h);
        return x;
      };
      const std::vector<double> one = slope(2e-4), two = slope(1e-4), four = slope(5e-5);
      for (int i = 0; i < rows; ++i)
        out(i, 10 * static_cast<int>(b - 1) + k) = (64 * four[at(i)] - 20 * two[at(i)] + one[at(i)]) / 45;
    }
  return out;
}
double calc_difference(const Matrix& a, const Matrix& b) {
  double off = 0, scale = 1e-300;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    off = std::max(off, std::abs(a.numbers[i] - b.numbers[i]));
    scale = std::max(scale, std::abs(b.numbers[i]));
  }
  return off / scale;
}

// A wheel of inertia I about its axle: a = tau / I, da/dI_zz = -a / I; its mass does not matter.
TEST(InertiaDerivatives, OfAWheel) {
  const double I = 0.25;
  ModelBuilder b("wheel");
  b.gravity({0, 0, 0});
  b.body("wheel").mass(2, {0, 0, 0}, Sym3<double>::diagonal(I / 2, I / 2, I));
  b.revolute("axle", "world", "wheel");
  const Model m = b.build().value();
  InertiaDerivativesWorkspace<double> ws(m);
  Matrix da(1, 10);
  std::vector<double> a(1);
  calc_aba_inertia_derivatives(m, ws, std::vector{0.3}, std::vector{1.0}, std::vector{0.5}, a, da);
  EXPECT_TRUE(near(a[0], 0.5 / I, 2));
  EXPECT_TRUE(near(da(0, 9), -0.5 / (I * I), 2));
  EXPECT_EQ(da(0, 0), 0);
}

TEST(InertiaDerivatives, AreThoseOfOtherModels) {
  for_random_trees(12, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const auto forces = some_forces(m, rng);
    const Surroundings<double> around{forces, kInertiaTime};
    InertiaDerivativesWorkspace<double> ws(m);
    Matrix da(m.nv(), parameters_of(m)), dh(6, parameters_of(m));
    std::vector<double> a(s.v.size());
    calc_aba_inertia_derivatives(m, ws, s.q, s.v, s.a, a, da, around);
    const Matrix want = differentiate_by_inertia(m, m.nv(), [&](const Model& other) {
      std::vector<double> out(s.v.size());
      AbaWorkspace<double> w(other);
      aba(other, w, s.q, s.v, s.a, out, around);
      return out;
    });
    EXPECT_TRUE(is_small(calc_difference(da, want), 1e-8));
    if (m.nv() == 0) return;
    calc_centroidal_momentum_inertia_derivatives(m, ws, s.q, s.v, dh, kInertiaTime);
    const Matrix want_h = differentiate_by_inertia(m, 6, [&](const Model& other) {
      MomentumWorkspace<double> w(other);
      return flatten(calc_centroidal_momentum(other, w, s.q, s.v, kInertiaTime));
    });
    EXPECT_TRUE(is_small(calc_difference(dh, want_h), 1e-9));
  });
}

// h is of first degree in pi: dh/dpi pi = h.
TEST(InertiaDerivatives, TimesTheParametersIsTheMomentum) {
  for_hard_trees([](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    InertiaDerivativesWorkspace<double> ws(m);
    Matrix dh(6, parameters_of(m));
    calc_centroidal_momentum_inertia_derivatives(m, ws, s.q, s.v, dh, kInertiaTime);
    std::vector<double> pi(inertial_parameter_count(m));
    get_inertial_parameters(m, pi);
    MomentumWorkspace<double> w(m);
    EXPECT_TRUE(near(dh * pi, flatten(calc_centroidal_momentum(m, w, s.q, s.v, kInertiaTime)), 100,
                     std::max(1.0, largest(dh.numbers))));
  });
}

TEST(InertiaDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& x) {
    InertiaDerivativesWorkspace<T> ws(m);
    Grid<T> da(m.nv(), parameters_of(m)), dh(6, parameters_of(m));
    std::vector<T> a(x.size());
    calc_aba_inertia_derivatives<T>(m, ws, q, v, x, a, da);
    calc_centroidal_momentum_inertia_derivatives<T>(m, ws, q, v, dh);
    da.numbers.insert(da.numbers.end(), dh.numbers.begin(), dh.numbers.end());
    return da.numbers;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(InertiaDerivatives, AllocateNothing) {
  const Model m = hard_tree(3, 20);
  Random rng(1);
  const TreeState s = random_state(m, rng);
  InertiaDerivativesWorkspace<double> ws(m);
  Matrix da(m.nv(), parameters_of(m)), dh(6, parameters_of(m));
  std::vector<double> a(s.v.size());
  const auto run = [&] {
    calc_aba_inertia_derivatives(m, ws, s.q, s.v, s.a, a, da);
    calc_centroidal_momentum_inertia_derivatives(m, ws, s.q, s.v, dh);
  };
  run();
  const Matrix once = da;
  AllocationCount allocations;
  run();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.numbers, da.numbers);
}

}  // namespace
}  // namespace sinew::test
