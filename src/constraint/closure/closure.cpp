// src/constraint/closure/closure.cpp
#include "sinew/constraint/closure/closure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constraint/checks.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
ClosedMotion::ClosedMotion(const Model& m, const ClosureFunction& f)
    : q(m.neutral().begin(), m.neutral().end()), v(at(m.nv())), G(at(m.nv()) * at(f.independents())), g(at(m.nv())) {}

void calc_closure(const ClosureFunction& f, In<double> y, In<double> yd, ClosedMotion& out) {
  const auto n = at(f.independents());
  check_size("calc_closure", "y", y.size(), n);
  check_size("calc_closure", "yd", yd.size(), n);
  check_size("calc_closure", "ClosedMotion::G", out.G.size(), out.g.size() * n);
  if (const std::string reason = f.refuse(y); !reason.empty()) throw std::domain_error("closure function: " + reason);
  std::fill(out.G.begin(), out.G.end(), 0.0);
  std::fill(out.g.begin(), out.g.end(), 0.0);
  f.calc(y, yd, {out.q, {out.G.data(), out.g.size(), n}, out.g});
  for (std::size_t i = 0; i < out.v.size(); ++i) {
    out.v[i] = 0;
    for (std::size_t j = 0; j < n; ++j) out.v[i] += out.G[i * n + j] * yd[j];  // [F08 8.57]
  }
}

ClosureCheck check_closure(const Model& m, const ConstraintSet& set, const ClosureFunction& f, In<double> y,
                           In<double> yd, double time) {
  check_set("check_closure", m, set);
  check_size("check_closure", "y", y.size(), at(f.independents()));
  check_size("check_closure", "yd", yd.size(), at(f.independents()));
  ClosureCheck out;
  const auto raise = [](double& largest, double x) { largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : x; };
  ClosedMotion motion(m, f), after(m, f), before(m, f);
  ConstraintRows rows(m, set);
  const std::size_t n = y.size(), nv = at(m.nv());
  std::vector<double> column(nv), product(at(set.rows()));
  calc_closure(f, y, yd, motion);
  calc_constraint_rows(m, set, rows, motion.q, motion.v, time);
  for (const double e : rows.position) raise(out.position, e);
  multiply_by_constraint_jacobian(m, set, rows, motion.g, product);
  for (std::size_t r = 0; r < product.size(); ++r) raise(out.acceleration, product[r] - rows.k[r]);

  const double h = 0x1p-17;
  std::vector<double> moved(y.begin(), y.end());
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < nv; ++i) column[i] = motion.G[i * n + j];
    multiply_by_constraint_jacobian(m, set, rows, column, product);
    for (const double x : product) raise(out.velocity, x);
    moved[j] = y[j] + h;
    calc_closure(f, moved, yd, after);
    moved[j] = y[j] - h;
    calc_closure(f, moved, yd, before);
    moved[j] = y[j];
    std::vector<double> rate(nv);
    difference(m, before.q, after.q, rate);
    for (std::size_t i = 0; i < nv; ++i) raise(out.rate, column[i] - rate[i] / (2 * h));
  }
  return out;
}

}  // namespace sinew
