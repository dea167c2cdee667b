// tests/derivative/coupled_derivatives_test.cpp - mimic joints: a closed form, and differences of embedded dynamics
#include "sinew/derivative/coupled_derivatives.hpp"

#include <gtest/gtest.h>

#include "derivative/derivative_case.hpp"
#include "io/public_robots.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Inverse dynamics or forward dynamics, x = dw or T.
struct CoupledOutcome {
  explicit CoupledOutcome(int n) : y(at(n)), dy(n, n), dw(n, n), dx(n, n) {}
  std::vector<double> y;
  Matrix dy, dw, dx;
};
struct CoupledState {
  std::vector<double> q, w, x;
};
CoupledState random_coupled_state(const Model& m, const CoupledDerivativesWorkspace& ws, Random& rng) {
  const int n = static_cast<int>(ws.independent.size());
  CoupledState s{random_configuration(m, rng), random_numbers(rng, n), random_numbers(rng, n)};
  set_dependent_positions(m, ws, s.q);
  return s;
}

// The same through the rows of the couplings, which constraint/embedding closes and solves by itself.
class EmbeddedCase {
 public:
  EmbeddedCase(const Model& m, const std::vector<int>& independent)
      : m_(m), set_(m), independent_(independent), ws_(m, set_, {.independent = independent}) {}
  std::vector<double> run(CoupledState s, bool inverse) {
    std::vector<double> v(at(m_.nv())), tau(v), a(v), out(independent_.size());
    for (std::size_t j = 0; j < out.size(); ++j) v[at(independent_[j])] = s.w[j], tau[at(independent_[j])] = s.x[j];
    const EmbeddingReport& closed = close_loops(m_, set_, ws_.embedding, s.q, v);
    EXPECT_EQ(closed.status, EmbeddingStatus::ready) << describe(closed, m_, set_);
    EXPECT_EQ(ws_.embedding.independent, independent_);
    if (inverse) {
      embedded_inverse_dynamics(m_, set_, ws_, s.q, v, s.x, out);
    } else {
      embedded_forward_dynamics(m_, set_, ws_, s.q, v, tau, a);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = a[at(independent_[j])];
    }
    return out;
  }
  // Along every coordinate of y, w and x, extrapolated.
  CoupledOutcome differentiate(const CoupledState& s, bool inverse) {
    const int n = static_cast<int>(independent_.size());
    CoupledOutcome out(n);
    out.y = run(s, inverse);
    const auto fill = [&](Matrix& to, int j, auto&& move) {
      const auto slope = [&](double h) {
        std::vector<double> there = run(move(h), inverse), here = run(move(-h), inverse);
        for (std::size_t i = 0; i < there.size(); ++i) there[i] = (there[i] - here[i]) / (2 * h);
        return there;
      };
      const std::vector<double> one = slope(2e-3), two = slope(1e-3);
      for (int i = 0; i < n; ++i) to(i, j) = (4 * two[at(i)] - one[at(i)]) / 3;
    };
    for (int j = 0; j < n; ++j) {
      fill(out.dy, j, [&](double h) {
        CoupledState moved = s;
        std::vector<double> step(at(m_.nv()));
        step[at(independent_[at(j)])] = h;
        integrate(m_, s.q, step, 1.0, moved.q);
        return moved;
      });
      fill(out.dw, j, [&](double h) {
        CoupledState moved = s;
        moved.w[at(j)] += h;
        return moved;
      });
      fill(out.dx, j, [&](double h) {
        CoupledState moved = s;
        moved.x[at(j)] += h;
        return moved;
      });
    }
    return out;
  }

 private:
  const Model& m_;
  ConstraintSet set_;
  std::vector<int> independent_;
  EmbeddedWorkspace ws_;
};

double compare_coupled(const Matrix& a, const Matrix& b) {
  double off = 0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) off = std::max(off, std::abs(a.numbers[i] - b.numbers[i]));
  return off / std::max(1.0, largest(b.numbers));
}
void expect_embedded(const Model& m, std::uint64_t seed, double allowed) {
  SCOPED_TRACE(m.name());
  CoupledDerivativesWorkspace ws(m);
  const int n = static_cast<int>(ws.independent.size());
  ASSERT_LT(n, m.nv());
  Random rng(seed);
  const CoupledState s = random_coupled_state(m, ws, rng);
  EmbeddedCase other(m, ws.independent);
  for (const bool inverse : {true, false}) {
    SCOPED_TRACE(inverse ? "inverse" : "forward");
    CoupledOutcome got(n);
    if (inverse)
      calc_coupled_rnea_derivatives(m, ws, s.q, s.w, s.x, got.y, got.dy, got.dw, got.dx);
    else
      calc_coupled_aba_derivatives(m, ws, s.q, s.w, s.x, got.y, got.dy, got.dw, got.dx);
    const CoupledOutcome want = other.differentiate(s, inverse);
    EXPECT_TRUE(near(got.y, want.y, 1000));
    EXPECT_TRUE(is_small(compare_coupled(got.dy, want.dy), allowed));
    EXPECT_TRUE(is_small(compare_coupled(got.dw, want.dw), allowed));
    EXPECT_TRUE(is_small(compare_coupled(got.dx, want.dx), allowed));
  }
}

// Two slides, the second at c q^2: T = (m1 + k q^2) dw + k q w^2 with k = 4 m2 c^2.
TEST(CoupledDerivatives, OfASlideAndAParabola) {
  const double m1 = 1.5, m2 = 0.7, c = 0.6, q = 0.8, w = 1.1, dw = -0.4, k = 4 * m2 * c * c;
  ModelBuilder b("parabola");
  b.gravity({0, 0, 0});
  b.body("one").mass(solid_sphere(m1, 0.1));
  b.body("two").mass(solid_sphere(m2, 0.1));
  b.prismatic("a", "world", "one").axis({1, 0, 0});
  b.prismatic("b", "world", "two").axis({0, 1, 0});
  b.couple({.name = "gear", .dependent = "b", .terms = {{"a", {0, c}, 0}}});
  const Model m = b.build().value();
  CoupledDerivativesWorkspace ws(m);
  ASSERT_EQ(ws.independent, std::vector<int>{0});
  CoupledOutcome inverse(1), forward(1);
  const std::vector<double> at_q{q, 99};  // the second is not read
  calc_coupled_rnea_derivatives(m, ws, at_q, std::vector{w}, std::vector{dw}, inverse.y, inverse.dy, inverse.dw,
                                inverse.dx);
  EXPECT_TRUE(near(inverse.y[0], (m1 + k * q * q) * dw + k * q * w * w, 10));
  EXPECT_TRUE(near(inverse.dy(0, 0), 2 * k * q * dw + k * w * w, 10));
  EXPECT_TRUE(near(inverse.dw(0, 0), 2 * k * q * w, 10));
  EXPECT_TRUE(near(inverse.dx(0, 0), m1 + k * q * q, 10));
  calc_coupled_aba_derivatives(m, ws, at_q, std::vector{w}, inverse.y, forward.y, forward.dy, forward.dw, forward.dx);
  EXPECT_TRUE(near(forward.y[0], dw, 20));
  EXPECT_TRUE(near(forward.dy(0, 0), -inverse.dy(0, 0) / inverse.dx(0, 0), 20));
  EXPECT_TRUE(near(forward.dw(0, 0), -inverse.dw(0, 0) / inverse.dx(0, 0), 20));
  EXPECT_TRUE(near(forward.dx(0, 0), 1 / inverse.dx(0, 0), 20));
}

// A floating arm whose joints follow each other by polynomials: a chain, two terms, one that is not active.
TEST(CoupledDerivatives, OfChainsOfPolynomialsAreThoseOfDifferences) {
  ModelBuilder b("arm");
  b.body("base").mass(solid_sphere(2, 0.2));
  b.free("float", "world", "base");
  std::string on = "base";
  const Vec3<double> axes[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (int k = 0; k < 5; ++k) {
    const std::string name = "link" + std::to_string(k), joint = "joint" + std::to_string(k);
    b.body(name).mass(solid_sphere(1, 0.1), make_placement({0.2, 0.05, 0}));
    b.revolute(joint, on, name).axis(axes[k % 3]).at({0.3, 0, 0.1}).limits(-0.6, 0.6);
    on = name;
  }
  b.couple({.name = "last", .dependent = "joint4", .terms = {{"joint3", {0.7, 0.3, -0.2}, 0.1}}, .offset = 0.2});
  b.couple(
      {.name = "mix", .dependent = "joint3", .terms = {{"joint0", {-0.5, 0.4}, 0}, {"joint1", {0.8, 0, 0.3}, -0.2}}});
  b.couple({.name = "off", .dependent = "joint2", .terms = {{"joint1", {1}, 0}}, .active = false});
  expect_embedded(b.build().value(), 5, 1e-10);
}

TEST(CoupledDerivatives, RefuseCouplingsThatDoNotEnd) {
  ModelBuilder b("circle");
  for (const char* name : {"a", "b"}) {
    b.body(name).mass(solid_sphere(1, 0.1));
    b.revolute(std::string("to_") + name, "world", name);
  }
  b.couple({.name = "there", .dependent = "to_a", .terms = {{"to_b", {1}, 0}}});
  b.couple({.name = "back", .dependent = "to_b", .terms = {{"to_a", {0.5}, 0}}});
  const Model m = b.build().value();
  try {
    const CoupledDerivativesWorkspace ws(m);
    FAIL() << "no refusal";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("depends on itself"), std::string::npos) << e.what();
  }
}

class PublicCouplings : public PublicRobots {};
TEST_F(PublicCouplings, DerivativesAreThoseOfDifferences) {
  for (const char* file : {"panda_description/urdf/panda.urdf", "baxter_description/urdf/baxter.urdf"}) {
    const Model m = compile(load((folder / file).string()).value()).value();
    expect_embedded(m, 2, 1e-8);
    CoupledDerivativesWorkspace ws(m);
    Random rng(1);
    const CoupledState s = random_coupled_state(m, ws, rng);
    const int n = static_cast<int>(s.w.size());
    CoupledOutcome x(n);
    calc_coupled_aba_derivatives(m, ws, s.q, s.w, s.x, x.y, x.dy, x.dw, x.dx);
    AllocationCount allocations;
    calc_coupled_aba_derivatives(m, ws, s.q, s.w, s.x, x.y, x.dy, x.dw, x.dx);
    EXPECT_EQ(allocations.count(), 0);
  }
}

}  // namespace
}  // namespace sinew::test
