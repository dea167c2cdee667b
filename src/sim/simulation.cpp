// src/sim/simulation.cpp
#include "sinew/sim/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "simulation_phases.hpp"
#include "sinew/sim/mechanisms.hpp"

namespace sinew {
namespace {

SimulationOptions complete_options(const Model& m, SimulationOptions o, double dt) {
  o.dt = dt;
  if (!(o.recovery >= 0 && o.recovery <= 1))
    throw std::invalid_argument("Simulation: recovery must be between 0 and 1, not " + std::to_string(o.recovery));
  if (!(o.recovery_speed >= 0))
    throw std::invalid_argument("Simulation: recovery_speed must not be negative, but is " +
                                std::to_string(o.recovery_speed));
  if (o.refinements < 0 || !(o.overlap > 0))
    throw std::invalid_argument("Simulation: refinements must not be negative, and overlap must be positive");
  if (!(o.most_seconds >= 0))
    throw std::invalid_argument("Simulation: most_seconds must not be negative, but is " +
                                std::to_string(o.most_seconds));
  if (o.rest_speed < 0) o.rest_speed = 2 * norm(m.gravity()) * o.dt;
  return o;
}

Interrupt::Clock::time_point find_deadline(double seconds) {
  using Clock = Interrupt::Clock;
  constexpr double kForEver = 1e9;  // more does not fit the clock
  const std::chrono::duration<double> left(std::min(seconds, kForEver));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
}

}  // namespace

Simulation::Phases::Phases(stepping::Setting s, std::unique_ptr<Drives> of_model, std::unique_ptr<Model> twin_of_drives)
    : setting(std::move(s)),
      drives(std::move(of_model)),
      twin(std::move(twin_of_drives)),
      detection(setting),
      arms(setting),
      rows(setting, detection, *drives),
      forces(setting, detection, rows, *drives),
      movement(setting, forces, rows),
      solution(setting, twin.get(), *drives, detection, arms, rows, forces, movement),
      grips(setting.view),
      collisions(setting, detection, rows, forces, movement, solution),
      account(setting, detection, rows, forces, movement, solution, *drives),
      rest(setting) {}

void Simulation::Phases::reserve(const State& state, ContactShapes& shapes, bool moves_mocap, int contacts) {
  const int joint_rows = std::min(std::max(stepping::kRoom, contacts), rows.most());
  const std::size_t count = at(contacts), most = at(rows.most());
  shapes.reserve(contacts);
  detection.reserve(state, count), arms.reserve(count), rows.reserve(count),
      collisions.reserve(state, contacts, joint_rows);
  forces.reserve(state), movement.reserve(state), solution.reserve(contacts, joint_rows), account.reserve(count, most);
  before_q.reserve(moves_mocap ? state.q.size() : 0), before_v.reserve(state.v.size());
  const std::size_t loops = at(setting.set.rows());
  for (ContactMemory* x : {&kept.contact, &kept.collision}) stepping::reserve_memory(*x, count, at(joint_rows), loops);
  grips.reserve(count, at(joint_rows), loops), rest.reserve(state, count, at(joint_rows), loops);
  kept.contacts.reserve(count), kept.stuck.contacts.reserve(count), kept.stuck.stops.reserve(at(joint_rows));
  kept.bends.contacts.reserve(count), kept.bends.by.reserve(count);
}

Simulation::Simulation(const Model& m, const SimulationOptions& options) : Simulation(m, nullptr, options) {}
Simulation::Simulation(const Model& m, const ConstraintSet& set, const SimulationOptions& options)
    : Simulation(m, &set, options) {}
Simulation::Simulation(const Model& m, const ConstraintSet* set, const SimulationOptions& options)
    : Stepper(m, set, options.dt) {
  make_phases(options);
}
Simulation::Simulation(std::unique_ptr<Mechanism> mechanism, const SimulationOptions& options)
    : Stepper(std::move(mechanism), options.dt) {
  make_phases(options);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

// Makes the mechanism too, if loops are to be embedded.
void Simulation::make_phases(const SimulationOptions& options) {
  const SimulationOptions o = complete_options(model_, options, step_length_);
  auto drives = std::make_unique<Drives>(model_, o.dt);
  auto twin = drives->is_implicit() ? std::make_unique<Model>(drives->make_twin()) : nullptr;
  if (!mechanism_ && o.loops == LoopMethod::embed && set_.rows() > 0)
    mechanism_ = make_embedded_mechanism(model_, set_);
  if (mechanism_) mechanism_->set_step(o.dt, twin ? *twin : model_);
  stepping::Setting setting{model_, view(), set_, mechanism_.get(), o, extra_, body_of_node_, view_body_};
  phases_ = std::make_unique<Phases>(std::move(setting), std::move(drives), std::move(twin));
  interrupt = o.solver.interrupt;
  reserve(std::min(stepping::kRoom, 3 * shapes_.usual_contacts() / 2));
}

void Simulation::reserve(int contacts) {
  if (contacts < 0 || contacts > stepping::kMostReserved)
    throw std::invalid_argument("Simulation::reserve: " + std::to_string(contacts) + " contacts; give 0 to " +
                                std::to_string(stepping::kMostReserved));
  try {
    phases_->reserve(state, shapes_, mocap.any(), contacts);
    contacts_.reserve(at(contacts)), contact_forces_.reserve(at(contacts));
  } catch (const std::exception&) {  // std::bad_alloc, or std::length_error; what was there is as it was
    throw std::invalid_argument("Simulation::reserve: there is no memory for " + std::to_string(contacts) +
                                " contacts; give fewer");
  }
}

const SimulationOptions& Simulation::options() const { return phases_->setting.options; }
In<double> Simulation::contact_impulses() const { return phases_->account.impulses; }
In<double> Simulation::contact_bias() const { return phases_->rows.bias(); }
const Drives& Simulation::drives() const { return *phases_->drives; }
std::span<const JointRow> Simulation::joint_rows() const { return phases_->rows.rows; }
In<double> Simulation::joint_impulses() const { return phases_->account.row_impulses; }
In<double> Simulation::joint_velocities() const { return phases_->account.row_velocities; }
In<double> Simulation::loop_impulses() const { return phases_->account.loop_impulses; }
In<double> Simulation::actuator_forces() const { return phases_->drives->actuator_forces(); }
const lcp::FrictionProblem& Simulation::problem() const { return phases_->solution.solver.problem(); }
const EmbeddingReport* Simulation::embedding() const { return get_embedding(mechanism_.get()); }
void Simulation::set_watch(const ContactWatch& watch) {
  phases_->solution.solver.watch = watch;
  phases_->collisions.solver.set_watch(watch);
}

void Simulation::set_loop(const Loop& loop) {
  Stepper::set_loop(loop);
  phases_->solution.solver.loop = loop;
  phases_->collisions.solver.set_loop(loop);
}

void Simulation::take_step(In<double> tau) {
  Phases& p = *phases_;
  const stepping::Step step{
      state,    contacts_,       shapes_,       mocap,   control, applied, tau,
      external, contact_forces_, acceleration_, report_, wedged_, totals_, interrupt.without_deadline()};
  if (p.rest.is_repeated(step)) {
    p.rest.repeat(step);
    return end_step_at(state.time + options().dt);
  }
  keep();
  p.rest.begin(step);
  if (mocap.any()) mocap.begin_step(p.setting.q_of_joints(state.q), options().dt);
  p.solution.solver.options().interrupt = p.collisions.solver.options.solver.interrupt =
      options().most_seconds > 0 ? interrupt.until(find_deadline(options().most_seconds)) : interrupt;
  try {
    take_step_from_here(step);
  } catch (...) {
    put_back();
    throw;
  }
  p.rest.end(step, p.solution.solver, !p.rows.stuck.contacts.empty() || !p.rows.stuck.stops.empty());
}

void Simulation::take_step_from_here(const stepping::Step& step) {
  using Clock = std::chrono::steady_clock;
  Phases& p = *phases_;
  report_.impulse = {};
  p.solution.begin_step();
  const auto start = Clock::now();
  p.forces.guess_middle(state);
  p.arms.keep(contacts_, p.forces.knows(state));
  p.grips.even_out(contacts_, p.account.impulses, p.solution.solver);
  p.detection.find(step);
  p.arms.find(contacts_, p.detection.motion(), shapes_);
  p.rows.find_stops(step);
  totals_.detection += std::chrono::duration<double>(Clock::now() - start).count();
  p.collisions.run(step);
  p.solution.set_far_aside(step);
  p.forces.find(step);
  p.rows.find_bias(step);
  p.rows.skip_stuck(step);
  if (!p.movement.displacement().empty()) p.rows.displace(step, p.movement.displacement());
  p.solution.run(step);
  p.account.run(step);

  // The step is completed.
  std::copy(p.movement.v().begin(), p.movement.v().end(), state.v.begin());
  std::copy(p.movement.q().begin(), p.movement.q().end(), state.q.begin());
  p.drives->step_activations(control, state.activation);
  end_step_at(state.time + options().dt);
}

void Simulation::end_step_at(double time) {
  state.time = time;
  if (mechanism_) mechanism_->end_step(state.q, state.v, state.time);
  phases_->detection.keep(state);
  phases_->forces.learn(state, acceleration_);
}

}  // namespace sinew
