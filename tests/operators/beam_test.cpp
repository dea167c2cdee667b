// tests/operators/beam_test.cpp - generated beams against closed forms and published frequencies
#include "sinew/operators/beam.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "linear/symmetric_eigenvalues.hpp"
#include "support/dense_algebra.hpp"
#include "support/flexible_case.hpp"
#include "support/flexible_frequencies.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double root_between(const std::function<double(double)>& g, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (g(low) * g(middle) <= 0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

TEST(Beam, CantileverFrequencies) {
  const Model m = beam_model(JointKind::fixed);
  sko::BeamSpec o = unit_beam(6);
  o.modes_z = 0;
  const std::vector<double> omega = frequencies(m, sko::make_beam(o), 0);
  const double exact[] = {3.51601526850015, 22.0344915646688, 61.6972144135491};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(omega[at(i)] / exact[i], 1, 5e-12) << i;
}

// A mass of 0.2 at the tip: 1 + cos z cosh z = 0.2 z (sin z cosh z - cos z sinh z) [Blevins Table 8-8]. Six modes of
// the beam without it, with the child's weight through the interface node.
TEST(Beam, CantileverWithATipMass) {
  const Model m = beam_model(JointKind::fixed, 0.2);
  sko::BeamSpec o = unit_beam(10);
  o.modes_z = 0;
  const std::vector<double> omega = frequencies(m, sko::make_beam(o), 0);
  const auto g = [](double z) {
    return 1 + std::cos(z) * std::cosh(z) - 0.2 * z * (std::sin(z) * std::cosh(z) - std::cos(z) * std::sinh(z));
  };
  const double low[] = {1, 3.5, 6.5}, high[] = {2, 5, 8};
  for (int i = 0; i < 3; ++i) {
    const double z = root_between(g, low[i], high[i]);
    EXPECT_NEAR(omega[at(i)] / (z * z), 1, 1e-3) << i;
  }
}

TEST(Beam, FreeAndPinnedFrequencies) {
  sko::BeamSpec o = unit_beam(3);
  o.modes_z = 0, o.support = sko::BeamSupport::free_free;
  const double free_free[] = {22.3732854478061, 61.6728228678701, 120.903391727003};
  const std::vector<double> floats = frequencies(beam_model(JointKind::free), sko::make_beam(o), 0);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(floats[at(i)] / free_free[i], 1, 5e-10) << i;
  o.support = sko::BeamSupport::pinned;
  const std::vector<double> pinned = frequencies(beam_model(JointKind::revolute), sko::make_beam(o), 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(pinned[at(i)], std::pow((i + 1) * std::numbers::pi, 2), 3e-14 * pinned[at(i)]) << i;
}

// Flapwise frequencies of a uniform beam clamped on the axis it rotates about, straight from its equation
//   w'''' - speed^2 / 2 ((1 - x^2) w')' = omega^2 w,  w(0) = w'(0) = 0
// by Galerkin's method with x^2 times Legendre's polynomials: a path without modes or bodies.
std::vector<double> frequencies_of_the_equation(double speed) {
  constexpr std::size_t kTerms = 14;
  constexpr int kParts = 40;  // with Gauss's rule of five points in each
  constexpr double kPoints[] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  constexpr double kWeights[] = {128. / 225, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                                 0.2369268850561891};
  linear::Matrix K(kTerms, kTerms), M(kTerms, kTerms);
  for (int part = 0; part < kParts; ++part)
    for (int p = 0; p < 5; ++p) {
      const double x = (part + 0.5 + 0.5 * kPoints[p]) / kParts, y = 2 * x - 1, weight = 0.5 * kWeights[p] / kParts;
      std::array<double, kTerms> L{1, y}, dL{0, 2}, ddL{}, w, dw, ddw;
      for (std::size_t k = 2; k < kTerms; ++k) {  // k L_k = (2k - 1) y L_k-1 - (k - 1) L_k-2, and derivatives by x
        const double n = static_cast<double>(k), a = (2 * n - 1) / n, b = (n - 1) / n;
        L[k] = a * y * L[k - 1] - b * L[k - 2];
        dL[k] = a * (y * dL[k - 1] + 2 * L[k - 1]) - b * dL[k - 2];
        ddL[k] = a * (y * ddL[k - 1] + 4 * dL[k - 1]) - b * ddL[k - 2];
      }
      for (std::size_t k = 0; k < kTerms; ++k) {
        w[k] = x * x * L[k];
        dw[k] = 2 * x * L[k] + x * x * dL[k];
        ddw[k] = 2 * L[k] + 4 * x * dL[k] + x * x * ddL[k];
      }
      const double pull = 0.5 * speed * speed * (1 - x * x);
      for (std::size_t i = 0; i < kTerms; ++i)
        for (std::size_t j = 0; j < kTerms; ++j) {
          K.row(static_cast<int>(i))[j] += weight * (ddw[i] * ddw[j] + pull * dw[i] * dw[j]);
          M.row(static_cast<int>(i))[j] += weight * w[i] * w[j];
        }
    }
  std::vector<double> out = linear::symmetric_eigenvectors(K, M).values;
  for (double& x : out) x = std::sqrt(x);
  return out;
}

// Wright, Smith, Thresher, Wang: Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49 (1982) 197, have
// this table; the equation says the same. Edgewise, in the plane of rotation, squares are less by the square of the
// speed.
TEST(Beam, RotatingBeamStiffens) {
  const Model m = beam_model(JointKind::revolute);
  const sko::FlexibleBody body = sko::make_beam(unit_beam(12));  // y: edgewise, z: flapwise
  const struct {
    double speed, flap[3];
  } table[] = {{0, {3.5160, 22.0345, 61.6972}},  {1, {3.6816, 22.1810, 61.8418}}, {2, {4.1373, 22.6149, 62.2732}},
               {3, {4.7973, 23.3203, 62.9850}},  {4, {5.5850, 24.2733, 63.9668}}, {5, {6.4495, 25.4461, 65.2050}},
               {6, {7.3604, 26.8091, 66.6839}},  {8, {9.2568, 29.9954, 70.2930}}, {10, {11.2023, 33.6404, 74.6493}},
               {12, {13.1702, 37.6031, 79.6145}}};
  for (const auto& row : table) {
    const std::vector<double> omega = frequencies(m, body, row.speed), oracle = frequencies_of_the_equation(row.speed);
    const auto find = [&](double x) {
      return *std::min_element(omega.begin(), omega.end(),
                               [&](double a, double b) { return std::abs(a - x) < std::abs(b - x); });
    };
    for (int i = 0; i < 3; ++i) {
      const double flap = oracle[at(i)], edge = std::sqrt(flap * flap - row.speed * row.speed);
      EXPECT_NEAR(row.flap[i], flap, 6e-5) << "the table at " << row.speed;
      EXPECT_NEAR(find(flap) / flap, 1, 1e-4) << "flapwise at " << row.speed;
      EXPECT_NEAR(find(edge) / edge, 1, 1e-4) << "edgewise at " << row.speed;
    }
  }
}
// Without the second-order shapes the same beam gets softer in its plane, and is unstable at the lowest frequency.
TEST(Beam, WithoutStiffeningARotatingBeamIsWrong) {
  const Model m = beam_model(JointKind::revolute);
  sko::FlexibleBody body = sko::make_beam(unit_beam(6));
  body.second_momentum.clear(), body.stiffening.clear();
  EXPECT_TRUE(std::isnan(frequencies(m, body, 4)[0]));
}

// Euler's load: the beam with a follower of its axis pulled back by P along x: P = pi^2 / 4 makes it soft.
TEST(Beam, BucklesAtEulersLoad) {
  const Model m = beam_model(JointKind::fixed, 1e-3);
  sko::BeamSpec o = unit_beam(6);
  o.modes_z = 0;
  const sko::FlexibleBody body = sko::make_beam(o);
  const sko::FlexibleModel flexible(m, {body});
  sko::FlexibleSko f(flexible);
  const auto smallest = [&](double P) {
    MatrixXd K(6, 6);
    const double h = 1e-5;
    for (int i = 0; i < 6; ++i) {
      std::vector<double> difference(6, 0.0);
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> q(6, 0.0), zero(6, 0.0), tau(6);
        q[at(i)] = sign * h;
        f.update(q, zero);
        sko::SkoDynamics<double> ws(f.sko);
        sko::inverse_dynamics<double>(f.sko, ws, zero, tau);
        std::vector<double> J(36);
        f.calc_jacobian(f.find_place("beam", "tip"), MatrixView<double>(J.data(), 6, 6));
        for (std::size_t r = 0; r < 6; ++r) difference[r] += sign * (tau[r] + P * J[3 * 6 + r]) / (2 * h);
      }
      for (int r = 0; r < 6; ++r) K(r, i) = difference[at(r)];
    }
    return symmetric_eigen(0.5 * (K + K.transpose())).values(0);
  };
  const double P = root_between(smallest, 1, 4);
  EXPECT_NEAR(P / (std::numbers::pi * std::numbers::pi / 4), 1, 1e-3);
}

// Torsion of a clamped rod: omega = (n - 1/2) pi sqrt(G J / (I_p L)); axial: (n - 1/2) pi sqrt(E A / (m L)).
TEST(Beam, TorsionAndStretch) {
  const Model m = beam_model(JointKind::fixed);
  sko::BeamSpec o = unit_beam(0);
  o.modes_z = 0, o.modes_axial = 2, o.axial = 50, o.modes_torsion = 2, o.torsion = 0.7, o.section_y = 0.02,
  o.section_z = 0.01;
  sko::FlexibleBody body = sko::make_beam(o);
  body.replaces_inertia = true;  // the section has moments of its own
  const std::vector<double> omega = frequencies(m, body, 0);
  std::vector<double> want;
  for (const double n : {0.5, 1.5})
    want.push_back(n * std::numbers::pi * std::sqrt(0.7 / 0.03)),
        want.push_back(n * std::numbers::pi * std::sqrt(50.0));
  std::sort(want.begin(), want.end());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(omega[i] / want[i], 1, 2e-14);
}

}  // namespace
}  // namespace sinew::test
