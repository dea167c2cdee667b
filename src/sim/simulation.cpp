// src/sim/simulation.cpp
#include "sinew/sim/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "sinew/contact/contact_rows.hpp"

namespace sinew {
namespace {

constexpr int kMostRounds = 8;  // of collisions that set each other off within one step

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

SimulationOptions complete(const Model& m, SimulationOptions o) {
  if (o.dt == 0) o.dt = m.spec().timestep;
  if (!(o.dt > 0) || !std::isfinite(o.dt))
    throw std::invalid_argument("Simulation: the step must be positive, but dt is " + std::to_string(o.dt) +
                                " and the model states no timestep; set options.dt");
  if (!(o.recovery >= 0 && o.recovery <= 1))
    throw std::invalid_argument("Simulation: recovery must be between 0 and 1, not " + std::to_string(o.recovery));
  if (o.rest_speed < 0) o.rest_speed = 2 * norm(m.gravity()) * o.dt;
  return o;
}

std::string short_text(double x) {
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%g", x))};
}

// The first body whose velocity is not finite after a step; where none is, as after a problem with such numbers, the
// one that was fastest before it.
std::string describe_culprit(const Model& m, const std::vector<double>& before, const std::vector<double>& after) {
  const auto body_of = [&](std::size_t v) {
    for (const JointEntry& j : m.joints())
      if (static_cast<int>(v) >= j.v && static_cast<int>(v) < j.v + j.nv)
        return "'" + m.bodies()[static_cast<std::size_t>(j.child)].name + "'";
    return std::string("an unknown one");
  };
  const auto bad = [](double x) { return !std::isfinite(x); };
  const auto first = std::find_if(after.begin(), after.end(), bad);
  if (first != after.end() && !std::all_of(after.begin(), after.end(), bad))
    return "first in body " + body_of(static_cast<std::size_t>(first - after.begin()));
  const auto fastest =
      std::max_element(before.begin(), before.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
  if (fastest == before.end()) return "in no body";
  return "in all bodies; the fastest before was " + body_of(static_cast<std::size_t>(fastest - before.begin())) +
         " at " + short_text(*fastest);
}

}  // namespace

Simulation::Simulation(const Model& m, const ConstraintSet& set, const SimulationOptions& options)
    : state(make_state(m)),
      model_(m),
      set_(set),
      options_(complete(m, options)),
      shapes_(m),
      contact_(m, set, options_.formulation, options_.solver),
      collision_(m, set, options_.formulation, {options_.solver, options_.restitution_friction}),
      straight_(m),
      rnea_(m),
      energies_(m),
      zeros_(static_cast<std::size_t>(m.nv())),
      next_q_(static_cast<std::size_t>(m.nq())),
      next_v_(zeros_.size()),
      turning_(zeros_.size()),
      forces_(zeros_.size()) {}

double Simulation::kinetic_energy() { return calc_kinetic_energy(model_, energies_, state.q, state.v, state.time); }
double Simulation::potential_energy() { return calc_potential_energy(model_, energies_, state.q, state.time); }

void Simulation::set_watch(const ContactWatch& watch) {
  contact_.watch = watch;
  collision_.set_watch(watch);
}

Vec3<double> Simulation::contact_force(std::size_t contact) const {
  const Vec3<double>& n = contacts_[contact].normal;
  const auto [t1, t2] = contact_tangents(n);
  const double* p = impulses_.data() + 3 * contact;
  return (1 / options_.dt) * (p[0] * n + p[1] * t1 + p[2] * t2);
}

void Simulation::find_contacts() {
  VelocityWorkspace<double>& motion = energies_.motion;
  calc_velocities(model_, motion, state.q, state.v, state.time);
  shapes_.find(motion.kinematics, options_.look_ahead ? shapes_.calc_reach(motion, options_.dt) : 0, contacts_);
  velocities_.resize(3 * contacts_.size());
  calc_contact_velocities(contacts_, motion, velocities_);
}

void Simulation::note(const lcp::Certificate& c, const ContactCosts& costs, StepReport& report) {
  report.residual = std::max(report.residual, c.residual);
  report.unsolved += c.status != lcp::Status::solved;
  ++totals_.problems;
  totals_.largest_size = std::max(totals_.largest_size, costs.size);
  totals_.assembly += costs.assembly, totals_.solution += costs.solution, totals_.recovery += costs.recovery;
}

// Bodies that would meet within the step, and those that touch already, exchange impulses until none of them bounces.
void Simulation::collide(StepReport& report) {
  for (int round = 0; round < kMostRounds && !contacts_.empty(); ++round) {
    bool bounce = false;
    touching_.clear();
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const double u = velocities_[3 * c], gap = contacts_[c].gap;
      const bool closes = options_.look_ahead ? gap + options_.dt * u <= 0 : gap <= 0;
      if (closes || gap <= options_.dt * options_.rest_speed) touching_.push_back(contacts_[c]);
      bounce = bounce || (closes && u < -options_.rest_speed && contacts_[c].restitution > 0);
    }
    if (!bounce) return;
    const CollisionAnswer& a = collision_.solve(state.q, state.v, touching_, state.time);
    ++report.collisions;
    note(a.compression_certificate, a.costs, report);
    if (a.restituted) note(a.restitution_certificate, {}, report);
    const double gain = a.energy.after - a.energy.before;
    report.collision_energy += gain;
    totals_.largest_gain = report.collisions + totals_.collisions == 1 ? gain : std::max(totals_.largest_gain, gain);
    std::copy(a.v.begin(), a.v.end(), state.v.begin());
    calc_velocities(model_, energies_.motion, state.q, state.v, state.time);
    calc_contact_velocities(contacts_, energies_.motion, velocities_);
  }
}

// v+ over the step, and q+ by v+.
void Simulation::advance(In<double> tau, StepReport& report) {
  const double dt = options_.dt;
  bias_.clear();
  for (const ContactPoint& c : contacts_)
    bias_.push_back(!options_.look_ahead ? 0 : c.gap > 0 ? c.gap / dt : options_.recovery * c.gap / dt);
  // Straight flight: what turning axes do to the numbers v is not the step's business, so M e is added to its forces.
  std::copy(tau.begin(), tau.end(), forces_.begin());
  if (straight_.any()) {
    straight_.calc_turning(state.v, turning_);
    multiply_by_mass(model_, rnea_, state.q, turning_, next_v_, state.time);
    for (std::size_t i = 0; i < forces_.size(); ++i) forces_[i] += next_v_[i];
  }
  const ContactAnswer& a = contact_.solve({.q = state.q,
                                           .v = state.v,
                                           .tau = forces_,
                                           .dt = dt,
                                           .time = state.time,
                                           .contacts = contacts_,
                                           .bias = bias_,
                                           .feedback = options_.recovery});
  note(a.certificate, a.costs, report);
  report.contacts = static_cast<int>(contacts_.size());
  report.size = a.costs.size;
  impulses_.assign(a.contact.begin(), a.contact.end());

  // Impulses do  p . (u- + u+) / 2.
  for (std::size_t i = 0; i < tau.size(); ++i) report.applied_work += dt * tau[i] * (state.v[i] + a.v[i]) / 2;
  if (!contacts_.empty()) {
    after_.resize(velocities_.size());
    calc_velocities(model_, energies_.motion, state.q, a.v, state.time);
    calc_contact_velocities(contacts_, energies_.motion, after_);
    for (std::size_t i = 0; i < after_.size(); ++i)
      report.contact_work += impulses_[i] * (velocities_[i] + after_[i]) / 2;
  }

  straight_.move(state.q, a.v, dt, next_q_, next_v_);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(next_v_.begin(), next_v_.end(), finite) || !std::all_of(next_q_.begin(), next_q_.end(), finite)) {
    std::copy(before_.begin(), before_.end(), state.v.begin());
    throw std::runtime_error(
        "Simulation: step " + std::to_string(totals_.steps + 1) + " at t = " + short_text(state.time) +
        " s gave a number that is not finite, " + describe_culprit(model_, state.v, next_v_) +
        " (contact problem: " + std::string(to_string(a.certificate.status)) + "); the state is that before the step");
  }
  std::copy(next_v_.begin(), next_v_.end(), state.v.begin());
  std::copy(next_q_.begin(), next_q_.end(), state.q.begin());
  state.time += dt;
}

const StepReport& Simulation::step(In<double> tau) {
  report_ = {};
  const auto start = Clock::now();
  before_.assign(state.v.begin(), state.v.end());
  find_contacts();
  totals_.detection += since(start);
  for (const ContactPoint& c : contacts_) report_.penetration = std::max(report_.penetration, -c.gap);
  collide(report_);
  advance(tau.size() == 0 ? In<double>(zeros_) : tau, report_);

  SimulationTotals& t = totals_;
  ++t.steps;
  t.collisions += report_.collisions, t.unsolved += report_.unsolved;
  t.contact_steps += report_.contacts > 0;
  t.most_contacts = std::max(t.most_contacts, report_.contacts);
  t.worst_residual = std::max(t.worst_residual, report_.residual);
  t.deepest = std::max(t.deepest, report_.penetration);
  t.collision_energy += report_.collision_energy;
  t.contact_work += report_.contact_work;
  t.applied_work += report_.applied_work;
  return report_;
}

}  // namespace sinew
