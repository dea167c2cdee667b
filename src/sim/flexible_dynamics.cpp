// src/sim/flexible_dynamics.cpp
#include "sinew/sim/flexible_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "plain_snapshot.hpp"
#include "sinew/sim/mechanisms.hpp"

namespace sinew {
namespace {

struct FlexibleRun {
  FlexibleRun(const sko::FlexibleModel& m, JointForces f)
      : forces(std::move(f)),
        sko(m),
        dynamics(sko.sko),
        q(at(m.nq())),
        v(at(m.nv())),
        tau(at(m.nv())),
        stacked(at(m.nv())),
        out(at(m.nv())) {}
  JointForces forces;
  sko::FlexibleSko sko;
  sko::SkoDynamics<double> dynamics;
  std::vector<double> q, v, tau, stacked, out;
};

}  // namespace

RightHandSide make_flexible_dynamics(const sko::FlexibleModel& m, JointForces forces) {
  auto run = std::make_shared<FlexibleRun>(m, std::move(forces));
  const std::size_t modes = at(m.modes()), nv = at(m.model().nv());
  return [run, modes, nv](const StatePoint& x, const StateRate& rate) {
    check_size("make_flexible_dynamics", "extra (eta and its rates)", x.extra.size(), 2 * modes);
    FlexibleRun& w = *run;
    const double *eta = x.extra.begin(), *eta_rate = eta + modes;
    std::copy(eta, eta + modes, std::copy(x.q.begin(), x.q.end(), w.q.begin()));
    std::copy(eta_rate, eta_rate + modes, std::copy(x.v.begin(), x.v.end(), w.v.begin()));
    std::fill(w.tau.begin(), w.tau.end(), 0.0);
    if (w.forces) w.forces(x, Out<double>{w.tau.data(), nv});
    w.sko.update(w.q, w.v, {{}, x.time});
    for (std::size_t i = 0; i < w.tau.size(); ++i) w.stacked[i] = w.tau[at(w.sko.coordinate(static_cast<int>(i)))];
    sko::forward_dynamics<double>(w.sko.sko, w.dynamics, w.stacked, w.out);
    for (std::size_t i = 0; i < w.out.size(); ++i) {
      const std::size_t c = at(w.sko.coordinate(static_cast<int>(i)));
      (c < nv ? rate.v[c] : rate.extra[modes + c - nv]) = w.out[i];
    }
    std::copy(eta_rate, eta_rate + modes, rate.extra.begin());
  };
}

namespace {

constexpr std::size_t kFlexibleWorks = 2;  // of modal damping, of applied forces

void check_smooth(const Model& m) {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("FlexibleMotion: " + what +
                                " is not followed by smooth integrators where bodies bend; step in time instead "
                                "(--integrator step)");
  };
  if (ContactShapes(m).pairs() > 0) refuse("contact");
  if (!m.spec().actuators.empty()) refuse("actuator '" + m.spec().actuators.front().name + "'");
  for (const DofSpec& d : m.dofs()) {
    if (d.damping != 0 || d.stiffness != 0 || d.friction != 0) refuse("a spring, damper or friction of a joint");
    if (std::isfinite(d.lower) || std::isfinite(d.upper)) refuse("a stop of a joint");
  }
}

double calc_damping_power(const sko::FlexibleModel& m, const double* rate) {
  double power = 0;
  for (const sko::FlexibleBody& b : m.bodies()) {
    const std::size_t n = at(b.modes);
    for (std::size_t i = 0; i < n && !b.damping.empty(); ++i)
      for (std::size_t j = 0; j < n; ++j) power -= rate[i] * b.damping[i * n + j] * rate[j];
    rate += n;
  }
  return power;
}

RightHandSide with_works(const sko::FlexibleModel& m, const std::vector<double>& forces) {
  const RightHandSide dynamics = make_flexible_dynamics(
      m, [&forces](const StatePoint&, Out<double> tau) { std::copy(forces.begin(), forces.end(), tau.begin()); });
  const std::size_t modes = at(m.modes());
  return [&m, &forces, dynamics, modes](const StatePoint& x, const StateRate& rate) {
    StatePoint motion = x;
    StateRate motion_rate = rate;
    motion.extra = {x.extra.data(), 2 * modes}, motion_rate.extra = {rate.extra.data(), 2 * modes};
    dynamics(motion, motion_rate);
    rate.extra[2 * modes] = calc_damping_power(m, x.extra.data() + modes);
    double applied = 0;
    for (std::size_t i = 0; i < forces.size(); ++i) applied += forces[i] * x.v[i];
    rate.extra[2 * modes + 1] = applied;
  };
}

IntegratorOptions flexible_options(const SmoothOptions& o, double dt, int modes) {
  const bool adaptive = o.method == IntegrationMethod::dormand_prince;
  return {.method = o.method,
          .dt = adaptive ? 0 : dt,
          .relative = o.relative,
          .absolute = o.absolute,
          .extra = 2 * modes + static_cast<int>(kFlexibleWorks)};
}

}  // namespace

FlexibleMotion::FlexibleMotion(const sko::FlexibleModel& m, const SmoothOptions& o)
    : Stepper(make_flexible_mechanism(m), o.dt),
      flexible_(m),
      options_(o),
      forces_(at(m.model().nv())),
      run_(m.model(), with_works(m, forces_), flexible_options(o, step_length_, m.modes())) {
  options_.dt = step_length_;
  if (o.soft) throw std::invalid_argument("FlexibleMotion: soft contact does not go with bodies that bend");
  check_smooth(m.model());
}

void FlexibleMotion::take_step(In<double> tau) {
  if (!external.empty())
    throw std::invalid_argument("FlexibleMotion: forces on bodies are not followed; step in time instead");
  const std::size_t nq = at(model_.nq()), nv = at(model_.nv()), modes = at(flexible_.modes());
  bool same_forces = true;
  for (std::size_t i = 0; i < nv; ++i) {
    const double force = tau.size() == 0 ? applied[i] : applied[i] + tau[i];
    same_forces = same_forces && force == forces_[i];
    forces_[i] = force;
  }
  State start{{state.q.begin(), state.q.begin() + static_cast<std::ptrdiff_t>(nq)},
              {state.v.begin(), state.v.begin() + static_cast<std::ptrdiff_t>(nv)},
              state.time};
  std::vector<double> extra(state.q.begin() + static_cast<std::ptrdiff_t>(nq), state.q.end());
  extra.insert(extra.end(), state.v.begin() + static_cast<std::ptrdiff_t>(nv), state.v.end());
  extra.resize(2 * modes + kFlexibleWorks);
  const State& there = run_.state();
  if (!same_forces || there.time != start.time || there.q != start.q || there.v != start.v ||
      !std::equal(extra.begin(), extra.end() - kFlexibleWorks, run_.extra().begin()))
    run_.set_state(start, extra);
  const IntegrationReport before = run_.report();
  const double damped = run_.extra()[2 * modes], worked = run_.extra()[2 * modes + 1];
  run_.interrupt = interrupt;
  run_.advance(state.time + step_length_);
  report_.work.dampers = run_.extra()[2 * modes] - damped, report_.work.applied = run_.extra()[2 * modes + 1] - worked;
  report_.solver = "none";
  report_.iterations = static_cast<int>(run_.report().evaluations - before.evaluations);
  report_.refinements = static_cast<int>(run_.report().rejected - before.rejected);
  for (std::size_t i = 0; i < nv; ++i) acceleration_[i] = (run_.state().v[i] - state.v[i]) / step_length_;
  std::copy(run_.state().q.begin(), run_.state().q.end(), state.q.begin());
  std::copy(run_.state().v.begin(), run_.state().v.end(), state.v.begin());
  for (std::size_t i = 0; i < modes; ++i) state.q[nq + i] = run_.extra()[i], state.v[nv + i] = run_.extra()[modes + i];
  state.time = run_.state().time;
}

OptionTexts FlexibleMotion::describe() const {
  return {{"integrator", std::string(to_string(options_.method))},
          {"dt", to_text(options_.dt)},
          {"relative", to_text(options_.relative)},
          {"absolute", to_text(options_.absolute)},
          {"law", "none"}};
}
Snapshot FlexibleMotion::make_snapshot() const { return make_plain_snapshot(*this); }

}  // namespace sinew
