// src/sim/smooth_simulation.cpp
#include "sinew/sim/smooth_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "plain_snapshot.hpp"
#include "smooth_forces.hpp"

namespace sinew {
namespace {

// Extra numbers of the integrator: works first, then activations, then the states of the soft surfaces.
constexpr std::size_t kWorks = 7;
constexpr double WorkAccount::*kWork[kWorks] = {
    &WorkAccount::actuators, &WorkAccount::springs,        &WorkAccount::dampers,         &WorkAccount::applied,
    &WorkAccount::external,  &WorkAccount::contact_normal, &WorkAccount::contact_friction};
constexpr int kLeastSlots = 64;
IntegratorOptions integrator_options(const SmoothOptions& o, double dt, int extra) {
  IntegratorOptions out{.method = o.method, .relative = o.relative, .absolute = o.absolute, .extra = extra};
  if (o.method != IntegrationMethod::dormand_prince) out.dt = dt;
  return out;
}

}  // namespace

SoftSurface make_soft_surface(const Model& m, double depth, double ratio) {
  std::vector<std::size_t> tree(m.nodes().size());
  for (std::size_t i = 1; i < tree.size(); ++i) tree[i] = m.nodes()[i].parent <= 0 ? i : tree[m.nodes()[i].parent];
  std::vector<double> mass(tree.size());
  for (const BodyEntry& b : m.bodies())
    if (b.node != 0) mass[tree[b.node]] += b.inertia.m;
  const double heaviest = *std::max_element(mass.begin(), mass.end()), weight = heaviest * norm(m.gravity());
  if (!(weight > 0) || !(depth > 0) || !(ratio > 0))
    throw std::invalid_argument(
        "make_soft_surface: no moving body has weight, or depth or ratio is not positive; "
        "set stiffness and damping yourself");
  SoftSurface out;
  out.stiffness = weight / depth, out.damping = 2 * ratio * std::sqrt(out.stiffness * heaviest);
  return out;
}

struct SmoothSimulation::Work {
  explicit Work(SmoothSimulation& owner)
      : s(owner), forces(owner.model()), stops(owner.model()), rows(owner.model(), owner.constraints()) {
    const Model& m = s.model();
    const ConstraintSet& set = s.constraints();
    first_soft = kWorks + at(m.activations());
    int numbers = static_cast<int>(first_soft);
    if (s.options_.soft) {
      const int slots = std::max(kLeastSlots, 2 * s.shapes_.usual_contacts());
      soft.emplace(m, SoftContactOptions{.surface = *s.options_.soft, .slots = slots});
      soft_tau.resize(at(m.nv())), soft_rates.resize(at(soft->state_size()));
      numbers += soft->state_size();
    }
    const JointForces all = [this](const StatePoint& x, Out<double> tau) { calc_forces(x, tau); };
    RightHandSide dynamics;
    if (set.rows() == 0) {
      dynamics = make_forward_dynamics(m, all);
    } else if (s.options_.loops == LoopMethod::embed) {
      const bool adaptive = s.options_.method == IntegrationMethod::dormand_prince;
      EmbeddedMotion e =
          make_embedded_dynamics(m, set, {}, all, adaptive ? UnclosedStage::retry : UnclosedStage::refuse);
      dynamics = std::move(e.rate), close = std::move(e.projection), embedded = std::move(e.work);
    } else {
      dynamics = make_constrained_dynamics(m, set, {}, all);
      close = make_projection(m, set);
    }
    integrator.emplace(
        m,
        [this, dynamics](const StatePoint& x, const StateRate& r) {
          dynamics(x, r);
          for (std::size_t i = 0; i < kWorks; ++i) r.extra[i] = power.*kWork[i];
          if (first_soft > kWorks)
            forces.calc_activation_rates(activation_of(x.extra), {r.extra.data() + kWorks, first_soft - kWorks});
          std::copy(soft_rates.begin(), soft_rates.end(), r.extra.begin() + static_cast<std::ptrdiff_t>(first_soft));
        },
        integrator_options(s.options_, s.step_length_, numbers));
    integrator->set_projection([this](State& x, Out<double> beside) { return end_step(x, beside); });
    extra_rates.resize(at(numbers));
  }

  // All forces and their power; with soft surfaces those of contacts too.
  void calc_forces(const StatePoint& x, Out<double> tau) {
    forces.calc(x.q, x.v, activation_of(x.extra), x.time, tau);
    power = forces.power();
    if (!soft) return;
    find_contacts(x.q, x.v, x.time);
    soft->calc_forces(found, soft_part(x.extra), x.time, soft_tau, soft_rates);
    double all = 0;
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += soft_tau[k], all += soft_tau[k] * x.v[k];
    speeds.resize(3 * found.size());
    calc_contact_velocities(found, forces.motion(), speeds);
    std::size_t c = 0;
    for (const SoftForce& f : soft->forces()) {
      while (found[c].id != f.contact) ++c;
      power.contact_normal += f.normal * speeds[3 * c];
    }
    power.contact_friction = all - power.contact_normal;
  }

  void find_contacts(In<double> q, In<double> v, double time) {
    s.shapes_.find(soft->calc_motion(q, v, time).kinematics, soft->options().skin, found);
  }

  // After each step of the integrator.
  bool end_step(State& x, Out<double> numbers) {
    bool changed = close && close(x, numbers);
    check(x);
    const std::vector<ActuatorSpec>& actuators = s.model().spec().actuators;
    for (std::size_t i = 0; i < actuators.size(); ++i) {
      if (s.model().activation_of()[i] < 0) continue;
      double& a = numbers[kWorks + at(s.model().activation_of()[i])];
      const double limited = std::clamp(a, actuators[i].activation_lower, actuators[i].activation_upper);
      changed = changed || limited != a;
      a = limited;
    }
    if (!soft) return changed;
    find_contacts(x.q, x.v, x.time);
    const bool freed = soft->end_step(found, {numbers.data() + first_soft, numbers.size() - first_soft}, x.time);
    return changed || freed;
  }

  // Throws StepRefused for a stop, or for a contact without a soft surface.
  void check(const State& x) {
    stops.check(x.q, x.time);
    if (soft) return;
    calc_kinematics<double>(s.model(), kinematics, x.q, x.time);
    s.shapes_.find(kinematics, 0, found);
    for (const ContactPoint& c : found)
      if (c.gap <= 0)
        throw StepRefused("at t = " + std::to_string(x.time) + " s " + s.shapes_.pair_name(c) +
                          " touches, and there is no contact law; use a soft surface (--law soft), or "
                          "step in time (Simulation, --integrator step) or from event to event (--integrator events)");
  }

  In<double> activation_of(In<double> numbers) const { return {numbers.data() + kWorks, first_soft - kWorks}; }
  In<double> soft_part(In<double> numbers) const { return {numbers.data() + first_soft, numbers.size() - first_soft}; }

  SmoothSimulation& s;
  std::size_t first_soft = kWorks;
  SmoothForces forces;
  StopWatch stops;
  ConstraintRows rows;
  KinematicsWorkspace<double> kinematics{s.model()};
  std::optional<SoftContact> soft;
  Projection close;
  std::shared_ptr<EmbeddedWorkspace> embedded;  // none: rows, or no loops
  std::optional<Integrator> integrator;
  WorkAccount power;
  std::vector<ContactPoint> found;
  std::vector<double> speeds, soft_tau, soft_rates, extra_rates, extra, next_activation;
};

SmoothSimulation::SmoothSimulation(const Model& m, const SmoothOptions& options)
    : SmoothSimulation(m, nullptr, options) {}
SmoothSimulation::SmoothSimulation(const Model& m, const ConstraintSet& set, const SmoothOptions& options)
    : SmoothSimulation(m, &set, options) {}
SmoothSimulation::SmoothSimulation(const Model& m, const ConstraintSet* set, const SmoothOptions& options)
    : Stepper(m, set, options.dt), options_(options) {
  options_.dt = step_length_;
  if (options_.soft) refuse_spin_friction("SmoothSimulation");
  work_ = std::make_unique<Work>(*this);
}
SmoothSimulation::~SmoothSimulation() = default;

void SmoothSimulation::take_step(In<double> tau) {
  const auto started = std::chrono::steady_clock::now();
  Work& w = *work_;
  Integrator& run = *w.integrator;
  const bool other_forces = w.forces.hold(*this, tau);
  const State& there = run.state();
  w.extra.assign(run.extra().begin(), run.extra().end());
  const In<double> activation = w.activation_of(w.extra);
  const bool as_left = there.time == state.time && there.q == state.q && there.v == state.v;
  if (!as_left || !std::equal(activation.begin(), activation.end(), state.activation.begin())) {
    w.check(state);
    std::copy(state.activation.begin(), state.activation.end(), w.extra.begin() + kWorks);
    run.set_state(state, w.extra);
  } else if (other_forces) {
    run.jump(state.q, state.v);
  }
  const IntegrationReport before = run.report();
  const double end = state.time + step_length_;
  run.interrupt = interrupt;
  try {
    run.advance(end);
    // Accelerations and contacts at the end of the step.
    run.evaluate({run.state().q, run.state().v, run.extra(), end}, acceleration_, w.extra_rates);
  } catch (const Interrupted&) {
    run.set_state(state, w.extra);
    throw;
  }

  contacts_.clear(), contact_forces_.clear();
  if (w.soft) {
    std::size_t c = 0;
    for (const SoftForce& f : w.soft->forces()) {
      while (w.found[c].id != f.contact) ++c;
      contacts_.push_back(w.found[c]);
      contact_forces_.push_back(to_world(w.found[c].normal, f.normal, f.tangent[0], f.tangent[1]));
      report_.penetration = std::max(report_.penetration, -w.found[c].gap);
    }
  }
  for (std::size_t i = 0; i < kWorks; ++i) report_.work.*kWork[i] = run.extra()[i] - w.extra[i];
  if (set_.rows() > 0) {
    calc_constraint_rows(model_, set_, w.rows, run.state().q, run.state().v, end);
    for (const double e : w.rows.position) report_.drift = std::max(report_.drift, std::abs(e));
  }
  report_.contacts = static_cast<int>(contacts_.size());
  report_.solver = "none";
  report_.iterations = static_cast<int>(run.report().evaluations - before.evaluations);
  report_.refinements = static_cast<int>(run.report().rejected - before.rejected);
  w.next_activation.assign(run.extra().begin() + kWorks,
                           run.extra().begin() + static_cast<std::ptrdiff_t>(w.first_soft));
  state = run.state();
  state.activation = w.next_activation;
  totals_.solution += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

In<double> SmoothSimulation::actuator_forces() const { return work_->forces.actuator_forces(); }
const EmbeddingReport* SmoothSimulation::embedding() const {
  return work_->embedded ? &work_->embedded->embedding.report : nullptr;
}
double SmoothSimulation::stored_energy() const {
  const In<double> numbers = work_->integrator->extra();
  return work_->soft ? work_->soft->calc_stored_energy(work_->soft_part(numbers)) : 0;
}

OptionTexts SmoothSimulation::describe() const {
  OptionTexts out{{"integrator", std::string(to_string(options_.method))},
                  {"dt", to_text(options_.dt)},
                  {"relative", to_text(options_.relative)},
                  {"absolute", to_text(options_.absolute)},
                  {"law", options_.soft ? "soft" : "none"}};
  if (set_.rows() > 0) out.emplace_back("loops", to_string(options_.loops));
  if (!options_.soft) return out;
  const SoftSurface& soft = work_->soft->options().surface;
  out.insert(out.end(), {{"stiffness", to_text(soft.stiffness)},
                         {"damping", to_text(soft.damping)},
                         {"tangent_stiffness", to_text(soft.tangent_stiffness)},
                         {"tangent_damping", to_text(soft.tangent_damping)}});
  return out;
}
Snapshot SmoothSimulation::make_snapshot() const { return make_plain_snapshot(*this); }

}  // namespace sinew
