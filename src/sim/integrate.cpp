// src/sim/integrate.cpp
#include "sinew/sim/integrate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/tree/aba.hpp"
#include "tableau.hpp"

namespace sinew {
namespace {

constexpr double kTogether = 1e-12;  // of a step: events this close happen at once
std::string text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.9g", x);
  return out;
}

[[noreturn]] void refuse_option(const std::string& why) { throw std::invalid_argument("Integrator: " + why); }

IntegratorOptions check(const IntegratorOptions& o, const RightHandSide& f) {
  const bool adaptive = o.adaptive && o.method == IntegrationMethod::dormand_prince;
  if (!f) refuse_option("there is no right-hand side; make one with make_forward_dynamics");
  if (!(o.dt >= 0) || !std::isfinite(o.dt)) refuse_option("dt is " + text(o.dt) + "; a step must be positive");
  if (o.dt == 0 && !adaptive) refuse_option("fixed steps need options.dt, the length of a step");
  if (!(o.relative >= 0) || !(o.absolute > 0) || !std::isfinite(o.relative) || !std::isfinite(o.absolute))
    refuse_option("the tolerances are relative " + text(o.relative) + " and absolute " + text(o.absolute) +
                  "; relative must be 0 or more, absolute positive");
  if (adaptive && o.relative > 0 && o.relative < 1e-14)
    refuse_option("a relative tolerance of " + text(o.relative) +
                  " is below the precision of a double; use 1e-14 or more");
  if (!(o.least_step > 0)) refuse_option("least_step is " + text(o.least_step) + "; it must be positive");
  if (!(o.largest_step >= 0))
    refuse_option("largest_step is " + text(o.largest_step) + "; it must be positive, or 0 for no limit");
  if (o.extra < 0) refuse_option("extra is " + std::to_string(o.extra) + "; it must be 0 or more");
  if (o.events.samples < 1)
    refuse_option("events.samples is " + std::to_string(o.events.samples) + "; it must be 1 or more");
  if (!(o.events.tolerance > 0))
    refuse_option("events.tolerance is " + text(o.events.tolerance) + "; it must be positive");
  return o;
}

void copy(In<double> from, Out<double> to) { std::copy(from.begin(), from.end(), to.begin()); }

}  // namespace

RightHandSide make_forward_dynamics(const Model& m, JointForces forces) {
  struct Work {
    explicit Work(const Model& model) : aba(model), tau(at(model.nv())) {}
    AbaWorkspace<double> aba;
    std::vector<double> tau;
  };
  return [&m, forces = std::move(forces), work = std::make_shared<Work>(m)](const StatePoint& x, const StateRate& r) {
    if (forces) forces(x, work->tau);
    Surroundings<double> surroundings;
    surroundings.time = x.time;
    aba(m, work->aba, x.q, x.v, work->tau, r.v, surroundings);
    std::fill(r.extra.begin(), r.extra.end(), 0.0);
  };
}

RightHandSide make_constrained_dynamics(const Model& m, const ConstraintSet& set, const ConstrainedOptions& o,
                                        JointForces forces) {
  struct Work {
    Work(const Model& model, const ConstraintSet& s, const ConstrainedOptions& options)
        : dynamics(model, s, options), tau(at(model.nv())), lambda(at(s.rows())) {}
    ConstrainedWorkspace dynamics;
    std::vector<double> tau, lambda;
  };
  return [&m, &set, forces = std::move(forces), work = std::make_shared<Work>(m, set, o)](const StatePoint& x,
                                                                                          const StateRate& r) {
    if (forces) forces(x, work->tau);
    Surroundings<double> surroundings;
    surroundings.time = x.time;
    const SolveCertificate& c =
        constrained_forward_dynamics(m, set, work->dynamics, x.q, x.v, work->tau, r.v, work->lambda, surroundings);
    if (c.status != SolveStatus::solved)
      throw std::runtime_error("make_constrained_dynamics: at " + text(x.time) +
                               " s the constraints were not solved; " + describe(c, m, set).front());
    std::fill(r.extra.begin(), r.extra.end(), 0.0);
  };
}

Projection make_projection(const Model& m, const ConstraintSet& set) {
  return [&m, &set, work = std::make_shared<ManifoldWorkspace>(m, set)](State& s, Out<double>) {
    const ManifoldReport position = project_position(m, set, *work, s.q, s.time);
    const ManifoldReport velocity = project_velocity(m, set, *work, s.q, s.v, s.time);
    if (!position.reached || !velocity.reached)
      throw std::runtime_error("make_projection: at " + text(s.time) + " s the loops cannot be closed: an error of " +
                               text(position.residual) + " m or rad, " + text(velocity.residual) +
                               " m/s or rad/s is left; take smaller steps");
    return position.iterations > 0 || velocity.iterations > 0;
  };
}

Integrator::Integrator(const Model& m, RightHandSide f, const IntegratorOptions& options)
    : model_(m),
      f_(std::move(f)),
      options_(check(options, f_)),
      adaptive_(options.adaptive && options.method == IntegrationMethod::dormand_prince),
      tangent_(m),
      step_(m, options.extra, options.method),
      energies_(m),
      state_(make_state(m)),
      next_(state_),
      extra_(at(options.extra)),
      next_extra_(extra_),
      lengths_(at(m.nv())) {
  for (const Node& n : m.nodes())
    for (int k = 0; k < n.nv; ++k) {
      Length& length = lengths_[n.v + k];
      switch (n.joint.kind) {
        case JointKind::prismatic: length = {n.q, 1}; break;
        case JointKind::cylindrical: length = {n.q + 1, k}; break;
        case JointKind::planar: length = {n.q + 1, k > 0 ? 2 : 0}; break;
        case JointKind::free: length = {n.q + 4, k > 2 ? 3 : 0}; break;
        case JointKind::user: length = {n.q + k, n.nq == n.nv}; break;
        default: break;
      }
    }
  energy_ = calc_energy();
}

void Integrator::set_state(const State& s, In<double> extra) {
  check_size("Integrator", "q", s.q.size(), at(model_.nq()));
  check_size("Integrator", "v", s.v.size(), at(model_.nv()));
  if (extra.size() != 0 || extra_.empty()) check_size("Integrator", "extra", extra.size(), extra_.size());
  state_.q = s.q, state_.v = s.v, state_.time = s.time;
  if (extra.size() != 0) copy(extra, extra_);
  first_ = First::unknown;
  report_ = {};
  next_step_ = 0, last_error_ = 1e-4;
  energy_ = calc_energy();
  std::fill(sides_.begin(), sides_.end(), 0);
}

void Integrator::jump(In<double> q, In<double> v, In<double> extra) {
  check_size("Integrator", "q", q.size(), state_.q.size());
  check_size("Integrator", "v", v.size(), state_.v.size());
  if (extra.size() != 0) check_size("Integrator", "extra", extra.size(), extra_.size());
  copy(q, state_.q), copy(v, state_.v), copy(extra, extra_);
  first_ = First::unknown;
}

void Integrator::add_event(IntegrationEvent e) {
  if (!e.value) refuse_option("event '" + e.name + "' has no function `value`; give it one");
  events_.push_back(std::move(e));
  values_.push_back(0), sides_.push_back(0), hits_.reserve(events_.size());
}

double Integrator::calc_energy() {
  return calc_kinetic_energy(model_, energies_, state_.q, state_.v, state_.time) +
         calc_potential_energy(model_, energies_, state_.q, state_.time);
}
double Integrator::calc_energy_drift() { return calc_energy() - energy_; }

void Integrator::evaluate(const StatePoint& x, Out<double> dv, Out<double> dextra) {
  check_size("Integrator", "q", x.q.size(), at(model_.nq()));
  check_size("Integrator", "v", x.v.size(), at(model_.nv()));
  check_size("Integrator", "dv", dv.size(), at(model_.nv()));
  check_size("Integrator", "extra", x.extra.size(), extra_.size());
  check_size("Integrator", "dextra", dextra.size(), extra_.size());
  f_(x, {dv, dextra});
  ++report_.evaluations;
}

// All stages of a step of h from state_, and where it ends: next_.
void Integrator::calc_stages(double h) {
  const Tableau& tableau = tableau_of(options_.method);
  InterpolatedStep& s = step_;
  if (first_ == First::is_last) {
    std::swap(s.dv_.front(), s.dv_[s.stages_ - 1]);
    std::swap(s.dextra_.front(), s.dextra_[s.stages_ - 1]);
    first_ = First::known;
  }
  copy(state_.q, s.q_), copy(state_.v, s.v_), copy(extra_, s.extra_);
  s.time_ = state_.time, s.h_ = h;
  for (std::size_t i = 0; i < tableau.stages; ++i) {
    s.place(tableau.a[i], i, next_.q, next_.v, next_extra_);
    next_.time = state_.time + tableau.c[i] * h;
    if (i > 0 || first_ != First::known) evaluate({next_.q, next_.v, next_extra_, next_.time}, s.dv_[i], s.dextra_[i]);
    if (options_.method == IntegrationMethod::semi_implicit_euler)
      for (std::size_t j = 0; j < next_.v.size(); ++j) next_.v[j] += h * s.dv_[i][j];
    if (s.plain_)
      calc_rate<double>(model_, next_.q, next_.v, s.k_[i]);
    else
      tangent_.calc_rate(s.q_, s.u_, next_.v, s.k_[i]);
  }
  first_ = First::known;
  s.place(tableau.b, tableau.stages, next_.q, next_.v, next_extra_);
  next_.time = state_.time + h;
}

std::string Integrator::find_culprit() const {
  const auto find = [](const char* name, const std::vector<double>& x) {
    const auto bad = std::find_if(x.begin(), x.end(), [](double y) { return !std::isfinite(y); });
    return bad == x.end() ? std::string() : name + ("[" + std::to_string(bad - x.begin()) + "]");
  };
  for (const auto& [name, x] : {std::pair{"v", &next_.v}, {"q", &next_.q}, {"extra", &next_extra_}})
    if (const std::string found = find(name, *x); !found.empty()) return found;
  return {};
}

void Integrator::accept() {
  const double h = std::abs(step_.h_);
  ++report_.steps;
  report_.smallest_step = report_.steps == 1 ? h : std::min(report_.smallest_step, h);
  report_.largest_step = std::max(report_.largest_step, h);
  std::swap(state_, next_);
  std::swap(extra_, next_extra_);
  first_ = options_.method == IntegrationMethod::dormand_prince ? First::is_last : First::unknown;
  if (projection_ && projection_(state_, extra_)) first_ = First::unknown;
}

double Integrator::size_of(std::size_t coordinate) const {
  const Length& length = lengths_[coordinate];
  if (length.count == 0) return 1;
  double before = 0, after = 0;
  for (std::size_t k = at(length.q); k < at(length.q + length.count); ++k)
    before += state_.q[k] * state_.q[k], after += next_.q[k] * next_.q[k];
  return std::sqrt(std::max(before, after));
}

// Error of the step that calc_stages made, in units of the tolerance.
double Integrator::calc_error() const {
  const InterpolatedStep& s = step_;
  double sum = 0;
  const auto add = [&](const std::array<std::vector<double>, kMostStages>& rates, std::size_t j, double size) {
    double e = 0;
    for (std::size_t i = 0; i < kMostStages; ++i) e += kDormandPrinceError[i] * rates[i][j];
    e *= s.h_ / (options_.absolute + options_.relative * size);
    sum += e * e;
  };
  const auto larger = [](double a, double b) { return std::max(std::abs(a), std::abs(b)); };
  for (std::size_t j = 0; j < s.v_.size(); ++j) {
    add(s.k_, j, size_of(j));
    add(s.dv_, j, larger(s.v_[j], next_.v[j]));
  }
  for (std::size_t j = 0; j < extra_.size(); ++j) add(s.dextra_, j, larger(s.extra_[j], next_extra_[j]));
  const auto numbers = static_cast<double>(2 * s.v_.size() + extra_.size());
  return numbers > 0 ? std::sqrt(sum / numbers) : 0;
}

// A hundredth of the time in which the state changes by its own size.
double Integrator::find_first_step() {
  evaluate({state_.q, state_.v, extra_, state_.time}, step_.dv_[0], step_.dextra_[0]);
  first_ = First::known;
  next_.q = state_.q;
  double fastest = 0;
  for (std::size_t j = 0; j < state_.v.size(); ++j) {
    fastest = std::max(fastest, std::abs(state_.v[j]) / std::max(size_of(j), 0.1));
    fastest = std::max(fastest, std::abs(step_.dv_[0][j]) / std::max(std::abs(state_.v[j]), 1.0));
  }
  return std::clamp(0.01 / fastest, 1e-6, 0.1);
}

void Integrator::step(double h) {
  interrupt.check();
  if (!adaptive_) {
    calc_stages(h == 0 ? options_.dt : h);
    if (const std::string culprit = find_culprit(); !culprit.empty()) {
      first_ = First::unknown;
      throw std::runtime_error("Integrator: in the step from " + text(state_.time) + " s " + culprit +
                               " is not finite; the step of " + text(step_.h_) +
                               " s is too long, or forces are not finite");
    }
    return accept();
  }
  const double direction = h < 0 ? -1 : 1;
  double limit = h == 0 ? HUGE_VAL : std::abs(h);
  if (options_.largest_step > 0) limit = std::min(limit, options_.largest_step);
  if (next_step_ == 0) next_step_ = options_.dt > 0 ? options_.dt : find_first_step();
  for (bool again = false;; again = true) {
    interrupt.check();
    const double length = std::min(next_step_, limit);
    calc_stages(direction * length);
    const std::string culprit = find_culprit();
    const double error = culprit.empty() ? calc_error() : HUGE_VAL;
    const double growth = std::pow(std::max(error, 1e-10), 0.2 - 0.75 * 0.04);
    if (error <= 1) {
      // PI control (Hairer, Wanner): the last error counts too, so that steps do not swing.
      const double factor = std::clamp(growth / std::pow(last_error_, 0.04) / 0.9, 0.1, 5.0);
      const double next = length / (again ? std::max(factor, 1.0) : factor);
      next_step_ = length < next_step_ ? std::max(next, next_step_) : next;  // a step cut by a limit says little
      last_error_ = std::max(error, 1e-4);
      report_.largest_error = std::max(report_.largest_error, error);
      return accept();
    }
    ++report_.rejected;
    next_step_ = length / (std::isfinite(error) ? std::min(5.0, growth / 0.9) : 10.0);
    if (next_step_ >= std::max(options_.least_step, 1e-15 * std::abs(state_.time))) continue;
    throw std::runtime_error("Integrator: at " + text(state_.time) + " s the step fell to " + text(next_step_) +
                             " s, " +
                             (culprit.empty() ? "with an error of " + text(error) + " times the tolerance"
                                              : "with " + culprit + " not finite") +
                             "; forces jump or grow without bound there, or the tolerances ask for too much");
  }
}

void Integrator::advance(double t) {
  while (state_.time != t) {
    const double left = t - state_.time;
    const double whole = adaptive_ ? left : std::copysign(options_.dt, left);
    // The last step may be a little longer than the others, so that no tiny one follows.
    const bool last = adaptive_ || std::abs(left) <= std::abs(whole) * (1 + 1e-9);
    step(last ? left : whole);
    if (last && std::abs(t - state_.time) <= 1e-15 * std::max(std::abs(t), std::abs(state_.time))) state_.time = t;
  }
}

void Integrator::rewind(double delta) {
  step_.calc(delta, state_.q, state_.v, extra_);
  state_.time = step_.time_ + delta * step_.h_;
  first_ = First::unknown;
}

std::span<const int> Integrator::advance_to_event(double t) {
  hits_.clear();
  while (state_.time != t) {
    for (std::size_t e = 0; e < events_.size(); ++e) {
      values_[e] = events_[e].value({state_.q, state_.v, extra_, state_.time});
      if (sides_[e] == 0) sides_[e] = values_[e] < 0 ? -1 : 1;
    }
    const double left = t - state_.time;
    const double whole = adaptive_ ? left : std::copysign(options_.dt, left);
    const bool last = adaptive_ || std::abs(left) <= std::abs(whole) * (1 + 1e-9);
    step(last ? left : whole);
    if (last && std::abs(t - state_.time) <= 1e-15 * std::max(std::abs(t), std::abs(state_.time))) state_.time = t;

    // The first crossing of each event in its direction, and the earliest of all.
    double first = 2;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const auto value = [&](double delta) { return events_[e].value(step_.calc(delta)); };
      double side = sides_[e], from = values_[e], delta = 0;
      do {
        delta = find_crossing(value, from, side, options_.events, delta);
        side = -side, from = 0;
      } while (delta < 1 && events_[e].direction == -side);
      values_[e] = delta <= 1 && events_[e].direction != -side ? delta : 2;
      first = std::min(first, values_[e]);
    }
    const StatePoint stop = step_.calc(std::min(first, 1.0));
    for (std::size_t e = 0; e < events_.size(); ++e) {
      const bool hit = values_[e] <= first + kTogether && first <= 1;
      if (hit) hits_.push_back(static_cast<int>(e));
      if (const double value = events_[e].value(stop); hit)
        sides_[e] = events_[e].direction != 0 ? events_[e].direction : -sides_[e];
      else if (value != 0)
        sides_[e] = value < 0 ? -1 : 1;
    }
    if (first > 1) continue;
    rewind(first);
    break;
  }
  return hits_;
}

}  // namespace sinew
