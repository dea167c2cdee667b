// apps/reproduce/f08_accuracy.cpp - sections 10.1 and 10.2: round-off far from the origin, sensitivity of chains
#include <algorithm>
#include <cmath>
#include <numbers>

#include "reproduce/f08_study.hpp"
#include "sinew/base/index.hpp"
#include "sinew/linear/symmetric_factor.hpp"
#include "sinew/tree/planar_dynamics.hpp"

namespace sinew::app {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// Of a symmetric matrix that only its product is known of, by the power method.
template <class Apply>
double largest_eigenvalue(std::size_t n, Apply apply) {
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 + 0.3 * std::sin(static_cast<double>(7 * i + 1));
  double value = 0;
  for (int step = 0; step < 100000; ++step) {
    double xx = 0, xy = 0, yy = 0;
    apply(x, y);
    for (std::size_t i = 0; i < n; ++i) xx += x[i] * x[i], xy += x[i] * y[i], yy += y[i] * y[i];
    const double last = value;
    value = xy / xx;
    if (std::abs(value - last) <= 1e-14 * value) break;
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] / std::sqrt(yy);
  }
  return value;
}

linear::SymmetricFactor factored(const double* A, int n) {
  linear::SymmetricFactor f(n);
  f.resize(n);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) f(i, j) = A[at(i * n + j)];
  linear::factor(f);
  return f;
}

// Of a positive definite matrix, by rows.
double condition(const double* A, int n) {
  const linear::SymmetricFactor f = factored(A, n);
  const auto multiply = [&](const std::vector<double>& x, std::vector<double>& y) {
    for (int i = 0; i < n; ++i) {
      y[at(i)] = 0;
      for (int j = 0; j < n; ++j) y[at(i)] += A[at(i * n + j)] * x[at(j)];
    }
  };
  const auto divide = [&](const std::vector<double>& x, std::vector<double>& y) {
    y = x;
    linear::solve(f, y.data());
  };
  return largest_eigenvalue(at(n), multiply) * largest_eigenvalue(at(n), divide);
}

// The line of least squares through the logarithms.
double log_slope(const std::vector<double>& x, const std::vector<double>& y, double from, double to) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] < from || x[i] > to) continue;
    const double a = std::log(x[i]), b = std::log(y[i]);
    n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// It turns about its centre with unit speed, and the force (1, -1, 1) acts there: moment, x, y.
FarBody study_far_body(double cx, double cy) {
  FarBody out;
  out.c = {cx, cy};
  const Vec2<double> c{cx, cy};
  const PlanarRigidInertia<double> I = make_planar_inertia(1.0, c, 1.0);
  const PlanarTransform<double> to_c{1, 0, c};  // C <- O
  const PlanarMotion<double> v = apply_inverse(to_c, PlanarMotion<double>{1, {0, 0}});
  const PlanarForce<double> f = apply_inverse(to_c, PlanarForce<double>{1, {-1, 1}});
  const PlanarForce<double> p = cross(v, I * v);
  const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t k = 0; k < 3; ++k) {
    const PlanarForce<double> column = I * PlanarMotion<double>{unit[k][0], {unit[k][1], unit[k][2]}};
    out.I[k] = column.ang, out.I[3 + k] = column.lin.x, out.I[6 + k] = column.lin.y;
  }
  out.rhs = {f.ang - p.ang, f.lin.x - p.lin.x, f.lin.y - p.lin.y};
  out.exact = {1, cy - 1, 1 - cx};
  out.solved = out.rhs;
  linear::solve(factored(out.I.data(), 3), out.solved.data());
  // At C, where the acceleration is (1, -1, 1): moved there without rounding of its own.
  using Long = long double;
  const Long w = out.solved[0], x = Long(out.solved[1]) - w * Long(cy), y = Long(out.solved[2]) + w * Long(cx);
  out.error = static_cast<double>(std::max({std::abs(w - 1), std::abs(x + 1), std::abs(y - 1)}));
  return out;
}

double chain_condition(const PlanarModel& m, const std::vector<double>& q) {
  PlanarWorkspace<double> ws(m);
  std::vector<double> M(q.size() * q.size());
  planar_crba(m, ws, q, MatrixView<double>(M.data(), q.size(), q.size()));
  return condition(M.data(), static_cast<int>(q.size()));
}

}  // namespace

FarBodies study_far_bodies() {
  constexpr int kDirections = 40, kPerDecade = 8;
  FarBodies out;
  out.example = study_far_body(100, 10);
  out.example.condition = condition(out.example.I.data(), 3);
  Random random(11);
  for (int i = -2 * kPerDecade; i <= 5 * kPerDecade; ++i) {
    const double distance = std::pow(10, static_cast<double>(i) / kPerDecade);
    double sum = 0;
    for (int k = 0; k < kDirections; ++k) {
      const double angle = random.uniform(0, 2 * std::numbers::pi);
      const double error = study_far_body(distance * std::cos(angle), distance * std::sin(angle)).error;
      sum += error;
      if (k >= 4 || error == 0) continue;  // four directions are drawn
      out.distance.push_back(distance), out.error.push_back(error);
    }
    out.mean_distance.push_back(distance), out.mean_error.push_back(sum / kDirections);
  }
  out.slope_near = log_slope(out.mean_distance, out.mean_error, 0, 0.3);
  out.slope_far = log_slope(out.mean_distance, out.mean_error, 1, 1e5);
  return out;
}

Sensitivity study_sensitivity() {
  Sensitivity out;
  const PlanarModel m = planar_rods(6);
  for (int i = 0; i < 6; ++i) out.q.push_back((i % 2 == 0 ? 75 : -75) * kDegree);
  const std::vector<double> ones(6, 1.0), rest(6, 0.0);
  PlanarWorkspace<double> ws(m);
  out.force.resize(6), out.answer.resize(6);
  planar_rnea(m, ws, out.q, rest, ones, out.force);
  for (const double f : out.force) {  // to three figures
    const double unit = std::pow(10, std::floor(std::log10(f)) - 2);
    out.applied.push_back(std::round(f / unit) * unit);
  }
  planar_aba(m, ws, out.q, rest, out.applied, out.answer);
  for (std::size_t i = 0; i < 6; ++i) {
    out.force_error = std::max(out.force_error, std::abs(out.applied[i] / out.force[i] - 1));
    out.answer_error = std::max(out.answer_error, std::abs(out.answer[i] - 1));
  }
  out.condition = chain_condition(m, out.q);
  for (const int n : {6, 10, 20, 40})
    out.straight.push_back({n, chain_condition(planar_rods(n), std::vector<double>(at(n)))});
  return out;
}

}  // namespace sinew::app
