// src/sim/step_derivative_parameters.cpp - derivatives of a step by friction, restitution, placement and inertia
#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "step_derivatives_impl.hpp"
#include "tree/checks.hpp"

namespace sinew {

// What slides has the friction -mu p_n s: a change of mu is a force -p_n s on its tangents.
void StepDerivatives::calc_by_friction(OutMatrix<double> out) const {
  const Impl& x = *impl_;
  const std::span<const ContactPoint> contacts = x.sim.contacts();
  check_shape("calc_by_friction", "the result", out, 2 * at(x.nv), x.sim.contacts().size());
  for (std::size_t i = 0; i < out.rows(); ++i) std::fill_n(&out(i, 0), out.cols(), 0.0);
  std::vector<double> du(at(x.nv));
  for (const Impl::Sliding& s : x.sliding) {
    const double *t1 = x.pressed.J.row(s.row + 1), *t2 = x.pressed.J.row(s.row + 2);
    for (int i = 0; i < x.nv; ++i) {
      double sum = 0;
      for (int k = 0; k < x.nv; ++k) sum -= x.by_last_impulse()(i, k) * (s.s1 * t1[k] + s.s2 * t2[k]);
      du[at(i)] = s.normal * sum;
    }
    x.set_column(du.data(), nullptr, nullptr, out, s.contact);
  }
  // And what slides on the way to the impacts.
  const std::size_t n = at(x.nv);
  std::vector<double> dw(n), dback(n), column(2 * n);
  for (const Impl::SlidingBefore& s : x.sliding_before) {
    const auto c = std::find_if(contacts.begin(), contacts.end(), [&](const ContactPoint& p) { return p.id == s.id; });
    if (c == contacts.end())
      refuse_derivatives_of_step("what slides before an impact touches no longer, so its friction has no derivatives");
    std::fill(dw.begin(), dw.end(), 0.0), std::fill(dback.begin(), dback.end(), 0.0);
    for (int i = 0; i < x.nv; ++i)
      for (int k = 0; k < x.nv; ++k) {
        dw[at(i)] += x.chain.gained_by(i, 2 * x.nv + k) * s.impulse[at(k)];
        dback[at(i)] += x.chain.passed_by(i, 2 * x.nv + k) * s.impulse[at(k)];
      }
    x.carry(dw.data(), dback.data(), du.data());
    x.set_column(du.data(), dw.data(), dback.data(), {column.data(), 2 * n, 1}, 0);
    for (std::size_t i = 0; i < 2 * n; ++i) out(i, at(static_cast<int>(c - contacts.begin()))) += column[i];
  }
}

void StepDerivatives::calc_by_restitution(OutMatrix<double> out) const {
  const Impl& x = *impl_;
  check_shape("calc_by_restitution", "the result", out, 2 * at(x.nv), at(x.report.impacts));
  std::vector<double> du(at(x.nv)), dw(at(x.nv)), dback(at(x.nv));
  for (int c = 0; c < x.report.impacts; ++c) {
    const int column = 3 * x.nv + c;
    for (int i = 0; i < x.nv; ++i)
      dw[at(i)] = x.chain.gained_by(i, column), dback[at(i)] = x.chain.passed_by(i, column);
    x.carry(dw.data(), dback.data(), du.data());
    x.set_column(du.data(), dw.data(), dback.data(), out, at(c));
  }
}

// Two shapes share one coefficient: the columns of their contacts add up.
void StepDerivatives::calc_by(const StepParameter& p, OutMatrix<double> out) {
  using Kind = StepParameter::Kind;
  const Impl& x = *impl_;
  if (p.kind == Kind::inertia) return calc_by_inertia(p.index, out);
  if (p.kind == Kind::placement) return calc_by_placement(p.index, out);
  const std::size_t n = 2 * at(x.nv);
  check_shape("calc_by", "the result", out, n, 1);
  for (const int shape : {p.index, p.other}) check_index("calc_by", "shape", shape, x.model.spec().shapes.size());
  const auto is_it = [&](const ContactPoint& c) {
    const auto [a, b] = x.sim.shapes().shapes_of(c);
    return (a == p.index && b == p.other) || (a == p.other && b == p.index);
  };
  std::vector<bool> counts;
  if (p.kind == Kind::friction)
    for (const ContactPoint& c : x.sim.contacts()) counts.push_back(is_it(c));
  else
    for (const stepping::ImpactLog::Round& r : x.log.rounds)
      for (const ContactPoint& c : r.contacts) counts.push_back(is_it(c));
  std::vector<double> all(n * counts.size());
  const OutMatrix<double> of_each(all.data(), n, counts.size());
  if (p.kind == Kind::friction)
    calc_by_friction(of_each);
  else
    calc_by_restitution(of_each);
  for (std::size_t i = 0; i < n; ++i) {
    out(i, 0) = 0;
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (counts[c]) out(i, 0) += of_each(i, c);
  }
}

void StepDerivatives::calc_by_placement(int shape, OutMatrix<double> out) {
  Impl& x = *impl_;
  check_index("calc_by_placement", "shape", shape, x.model.spec().shapes.size());
  check_shape("calc_by_placement", "the result", out, 2 * at(x.nv), 6);
  const auto is_it = [&](const ContactPoint& c) {
    const auto [a, b] = x.sim.shapes().shapes_of(c);
    return a == shape || b == shape;
  };
  for (const stepping::ImpactLog::Round& r : x.log.rounds)
    if (std::any_of(r.contacts.begin(), r.contacts.end(), is_it))
      refuse_derivatives_of_step("something bounces on shape " + std::to_string(shape) +
                                 " in this step, so its place has no derivatives");
  for (std::size_t c = 0; c < x.log.path.contacts.size() && !x.log.rounds.empty(); ++c) {
    const ContactPoint& p = x.log.path.contacts[c];
    if (is_it(p) && x.log.path.impulses[3 * c] > 0 && (x.bounces(p.node_a) || x.bounces(p.node_b)))
      refuse_derivatives_of_step("what presses on shape " + std::to_string(shape) +
                                 " bounces elsewhere in this step, so the place of the shape has no derivatives");
  }
  constexpr int kColumns = 8;  // six, and zeros
  linear::Matrix offsets(x.pressed.rows(), kColumns), force_by(x.nv, kColumns), u_by(x.nv, kColumns);
  std::array<double, 6> gap{};
  for (const Impl::Pressing& p : x.pressing) {
    const ContactPoint& c = x.sim.contacts()[p.contact];
    if (!is_it(c)) continue;
    const stepping::ContactRowSlopes::Result to{nullptr,         offsets.row(p.row), gap.data(),
                                                force_by.data(), kColumns,           p.count};
    const bool of_a = x.sim.shapes().shapes_of(c).first == shape;
    x.touching.add_placement(x.sim.shapes(), c, p.impulse, of_a, to);
    if (!x.log.rounds.empty())
      x.displaced.add_placement(x.sim.shapes(), c, {}, of_a,
                                {nullptr, offsets.row(p.row), gap.data(), force_by.data(), kColumns, 1});
    for (int k = 0; k < 6; ++k) offsets(p.row, k) += p.slope * gap[at(k)];
  }
  for (int i = 0; i < x.nv; ++i)
    for (int h = 0; h < x.nv; ++h)
      for (int k = 0; k < 6; ++k) u_by(i, k) += x.by_last_impulse()(i, h) * force_by(h, k);
  x.pressed.add_by_offsets(offsets, u_by);
  std::vector<double> du(at(x.nv));
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < x.nv; ++i) du[at(i)] = u_by(i, k);
    x.set_column(du.data(), nullptr, nullptr, out, at(k));
  }
}

// Equation (1) has the forces Y pi.
void StepDerivatives::calc_by_inertia(int body, OutMatrix<double> out) {
  Impl& x = *impl_;
  check_index("calc_by_inertia", "body", body, x.model.bodies().size());
  check_shape("calc_by_inertia", "the result", out, 2 * at(x.nv), kInertialParameters);
  const BodyEntry& entry = x.model.bodies()[at(body)];
  const bool flies = entry.node > 0 && x.moving.flight().is_single(entry.node);
  if (body == 0) throw std::invalid_argument("calc_by_inertia: the world has no inertia");
  if (flies || x.bounces(entry.node))
    refuse_derivatives_of_step(
        "the inertia of '" + entry.name + "' has no derivatives: it " +
        (flies ? "flies by its own spin" : "bounces in this step, or presses against what does"));
  const std::size_t n = at(x.nv), columns = inertial_parameter_count(x.model);
  std::vector<double> Y(n * columns), du(n);
  calc_regressor<double>(x.model, x.regressor, x.q, x.middle, x.acceleration, {Y.data(), n, columns}, x.time);
  for (std::size_t c = 0; c < kInertialParameters; ++c) {
    const std::size_t column = kInertialParameters * at(body - 1) + c;
    for (std::size_t i = 0; i < n; ++i) {
      du[i] = 0;
      for (std::size_t k = 0; k < n; ++k)
        du[i] -= x.dt * x.by_last_impulse()(static_cast<int>(i), static_cast<int>(k)) * Y[k * columns + column];
    }
    x.set_column(du.data(), nullptr, nullptr, out, c);
  }
}

}  // namespace sinew
