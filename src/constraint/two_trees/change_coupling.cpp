// src/constraint/two_trees/change_coupling.cpp
#include "sinew/constraint/two_trees/change_coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constraint/two_trees/coupling_steps.hpp"
#include "linear/rows.hpp"
#include "sinew/constraint/solve/certify.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

struct Whole {
  Force<double> momentum;
  double angular, linear;  // sizes of the two parts, added up
  double energy;
};
Whole measure(const Model& primary, const CoupledTree& p, const Model& secondary, const CoupledTree& s,
              ChangeWorkspace& ws, In<double> v_P, In<double> v_S) {
  const Force<double>& a = calc_momentum(primary, ws.momentum_p, p.q, v_P, p.time);
  const Force<double>& b = calc_momentum(secondary, ws.momentum_s, s.q, v_S, s.time);
  return {a + b, norm(a.ang) + norm(b.ang), norm(a.lin) + norm(b.lin),
          calc_kinetic_energy(primary, ws.energy_p, p.q, v_P, p.time) +
              calc_kinetic_energy(secondary, ws.energy_s, s.q, v_S, s.time)};
}

// What the impulse adds to A V^, from the sweep that spread it.
double added_along(const CoupledTree& t, const CouplingWorkspace::Side& side, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < t.added.size(); ++c) {
    const auto a = to_array(t.added[c]);
    sum = std::inner_product(a.begin(), a.end(), side.A.begin() + std::ptrdiff_t((row * t.added.size() + c) * 6), sum);
  }
  return sum;
}

}  // namespace

double CouplingAudit::momentum_error() const {
  const Force<double> change = momentum_after - momentum_before;
  const double angular = norm(change.ang), linear = norm(change.lin);
  return std::max(angular > 0 ? angular / angular_size : 0, linear > 0 ? linear / linear_size : 0);
}
double CouplingAudit::energy_error() const {
  const double left = std::abs(energy_after - energy_before - work);
  return left > 0 ? left / std::max(energy_before, energy_after) : 0;
}

std::string describe(const CouplingAudit& a) {
  return fmt::format(
      "closure velocities differ by {:.3g} before and {:.1e} after; largest impulse {:.4g}\n"
      "momentum of the whole: linear ({:.6g}, {:.6g}, {:.6g}), angular ({:.6g}, {:.6g}, {:.6g}); changed by {:.1e} of "
      "its parts\n"
      "kinetic energy {:.6g} J before, {:.6g} J after; the impulse did {:.6g} J of work, unexplained {:.1e}\n",
      a.gap_before, a.gap_after, a.impulse, a.momentum_after.lin.x, a.momentum_after.lin.y, a.momentum_after.lin.z,
      a.momentum_after.ang.x, a.momentum_after.ang.y, a.momentum_after.ang.z, a.momentum_error(), a.energy_before,
      a.energy_after, a.work, a.energy_error());
}

ChangeWorkspace::ChangeWorkspace(const Model& primary, const CoupledTree& p, const Model& secondary,
                                 const CoupledTree& s, int most_rows)
    : coupling(p, s, most_rows), momentum_p(primary), momentum_s(secondary), energy_p(primary), energy_s(secondary) {
  p.aba.made_for.check("ChangeWorkspace", primary, "CoupledTree");
  s.aba.made_for.check("ChangeWorkspace", secondary, "CoupledTree");
}

const SolveCertificate& change_coupling(const Model& primary, CoupledTree& p, const Model& secondary, CoupledTree& s,
                                        ChangeWorkspace& ws, MatrixView<const double> A_P, MatrixView<const double> A_S,
                                        In<double> target, Out<double> v_P, Out<double> v_S, Out<double> impulse,
                                        const RankOptions& o) {
  CouplingWorkspace& c = ws.coupling;
  check_coupling("change_coupling", primary, p, secondary, s, c, A_P, A_S, target.size(), v_P.size(), v_S.size(),
                 impulse.size());
  take_rows(p, s, c, A_P, A_S, p.velocity, s.velocity, target);  // gap = A V^ - U^ [R92 0.20]
  solve_forces(p, s, c, impulse, o);
  const Whole before = measure(primary, p, secondary, s, ws, p.v, s.v);
  std::copy(p.v.begin(), p.v.end(), v_P.begin());
  std::copy(s.v.begin(), s.v.end(), v_S.begin());
  add_correction(primary, p, c.p, impulse, v_P);
  add_correction(secondary, s, c.s, impulse, v_S);
  const Whole after = measure(primary, p, secondary, s, ws, v_P, v_S);

  CouplingAudit& a = ws.audit;
  a = {};
  a.momentum_before = before.momentum, a.momentum_after = after.momentum;
  a.angular_size = std::max(before.angular, after.angular), a.linear_size = std::max(before.linear, after.linear);
  a.energy_before = before.energy, a.energy_after = after.energy;
  a.gap_before = linear::largest_entry(c.gap), a.impulse = linear::largest_entry(impulse);
  for (std::size_t r = 0; r < target.size(); ++r) {
    const double gap = c.gap[r] + added_along(p, c.p, r) + added_along(s, c.s, r);
    a.gap_after = std::max(a.gap_after, std::abs(gap));
    a.work -= impulse[r] * (target[r] + (c.gap[r] + gap) / 2);
  }
  (void)(find_non_finite("lambda", impulse, c.certificate) || find_non_finite("v", v_P, c.certificate) ||
         find_non_finite("v", v_S, c.certificate));
  return c.certificate;
}

}  // namespace sinew
