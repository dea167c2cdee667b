// src/sim/snapshot.cpp
#include "sinew/sim/snapshot.hpp"

#include <algorithm>
#include <stdexcept>

#include "plain_snapshot.hpp"
#include "refuse_snapshot.hpp"
#include "simulation_phases.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew {
namespace {

// A new field of the totals must be added here; the assertion on sizes checks that.
template <class Totals, class Integer, class Real>
void visit_totals(Totals& t, Integer integer, Real real) {
  static_assert(sizeof(SimulationTotals) == 13 * sizeof(long) + 2 * sizeof(int) + 47 * sizeof(double),
                "a new field of SimulationTotals belongs in the snapshot: name it below");
  auto& w = t.work;
  for (auto* x : {&t.steps, &t.collisions, &t.contact_steps, &t.problems, &t.close, &t.unsolved, &t.refinements,
                  &t.iterations, &t.slowed, &t.stuck, &t.cut_short, &t.out_of_time, &t.wedged})
    integer(*x);
  for (auto* x : {&t.most_contacts, &t.largest_size}) integer(*x);
  for (auto* x : {&t.worst_residual,  &t.worst_complementarity,
                  &t.worst_cone,      &t.deepest,
                  &t.worst_violation, &t.worst_drift,
                  &t.largest_gain,    &w.actuators,
                  &w.springs,         &w.dampers,
                  &w.applied,         &w.external,
                  &w.contact_normal,  &w.contact_friction,
                  &w.collisions,      &w.stops,
                  &w.joint_friction,  &w.loops,
                  &t.start_energy,    &t.detection,
                  &t.assembly,        &t.solution,
                  &t.recovery})
    real(*x);
  for (auto* x : {&t.start_momentum, &t.impulse.weight, &t.impulse.external, &t.impulse.contacts})
    for (auto* part : {&x->ang, &x->lin}) real(part->x), real(part->y), real(part->z);
}

constexpr std::size_t kContactNumbers = 11;  // of each, beside its nodes and its id
void write_contacts(Snapshot& s, const std::string& name, std::span<const ContactPoint> contacts) {
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> nodes;
  std::vector<double> numbers;
  for (const ContactPoint& c : contacts) {
    ids.push_back(c.id);
    nodes.insert(nodes.end(), {c.node_a, c.node_b});
    numbers.insert(numbers.end(), {c.point.x, c.point.y, c.point.z, c.normal.x, c.normal.y, c.normal.z, c.gap,
                                   c.friction, c.restitution, c.torsional_friction, c.rolling_friction});
  }
  s.set(name + "/ids", std::move(ids));
  s.set(name + "/nodes", std::move(nodes));
  s.set(name + "/numbers", std::move(numbers));
}
std::vector<ContactPoint> read_contacts(const Snapshot& s, const std::string& name) {
  const std::vector<std::uint64_t>& ids = s.words(name + "/ids");
  const std::vector<std::int64_t>& nodes = s.integers(name + "/nodes");
  const std::vector<double>& numbers = s.reals(name + "/numbers");
  if (nodes.size() != 2 * ids.size() || numbers.size() != kContactNumbers * ids.size())
    refuse_snapshot("the lists of " + name + " differ in length");
  std::vector<ContactPoint> out(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double* x = numbers.data() + kContactNumbers * i;
    out[i] = {static_cast<int>(nodes[2 * i]),
              static_cast<int>(nodes[2 * i + 1]),
              {x[0], x[1], x[2]},
              {x[3], x[4], x[5]},
              x[6],
              x[7],
              x[8],
              ids[i],
              x[9],
              x[10]};
  }
  return out;
}

void write_memory(Snapshot& s, const std::string& name, const ContactMemory& memory) {
  s.set(name + "/z", memory.z);
  s.set(name + "/impulses", memory.impulses);
  s.set(name + "/velocities", memory.velocities);
  s.set(name + "/repeated", memory.repeated);
  s.set(name + "/residuals", memory.residuals);
  write_contacts(s, name + "/met", memory.met);
  s.set(name + "/joint_ids", memory.joint_ids);
  s.set(name + "/joint_impulses", memory.joint_impulses);
}
ContactMemory read_memory(const Snapshot& s, const std::string& name) {
  return {s.reals(name + "/z"),          read_contacts(s, name + "/met"),  s.reals(name + "/impulses"),
          s.reals(name + "/velocities"), s.reals(name + "/repeated"),      s.reals(name + "/residuals"),
          s.words(name + "/joint_ids"),  s.reals(name + "/joint_impulses")};
}

std::vector<double> to_numbers(const std::vector<Force<double>>& forces) {
  std::vector<double> out;
  for (const Force<double>& f : forces) out.insert(out.end(), {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z});
  return out;
}
std::vector<Force<double>> to_forces(const std::vector<double>& x) {
  if (x.size() % 6 != 0) refuse_snapshot("external has " + std::to_string(x.size()) + " numbers, not six per body");
  std::vector<Force<double>> out;
  for (std::size_t i = 0; i < x.size(); i += 6)
    out.push_back({{x[i], x[i + 1], x[i + 2]}, {x[i + 3], x[i + 4], x[i + 5]}});
  return out;
}

void check_size(const char* what, std::size_t there, std::size_t here) {
  if (there != here)
    refuse_snapshot(std::string(what) + " has " + std::to_string(there) + " numbers in the snapshot and " +
                    std::to_string(here) + " here");
}

}  // namespace

OptionTexts describe_options(const SimulationOptions& o) {
  // All but the interrupt, and sleep, which does not change bits.
  static_assert(sizeof(SimulationOptions) == 144, "a new option decides the next bits: name it below");
  return {{"integrator", "step"},
          {"dt", to_text(o.dt)},
          {"formulation", std::string(to_string(o.formulation))},
          {"solver", std::string(to_string(o.solver.method))},
          {"directions", std::to_string(o.solver.directions)},
          {"tolerance", to_text(o.solver.tolerance)},
          {"acceptable", to_text(o.solver.acceptable)},
          {"iterations", std::to_string(o.solver.iterations)},
          {"warm", o.solver.warm ? "true" : "false"},
          {"sparse_rows", std::to_string(o.solver.sparse_rows)},
          {"repeat", to_text(o.solver.repeat)},
          {"restitution_friction", o.restitution_friction == RestitutionFriction::whole ? "whole" : "printed"},
          {"look_ahead", o.look_ahead ? "true" : "false"},
          {"middle_forces", o.middle_forces ? "true" : "false"},
          {"rest_speed", to_text(o.rest_speed)},
          {"recovery", to_text(o.recovery)},
          {"recovery_speed", to_text(o.recovery_speed)},
          {"refinements", std::to_string(o.refinements)},
          {"overlap", to_text(o.overlap)},
          {"most_seconds", to_text(o.most_seconds)}};
}

OptionTexts Simulation::describe() const {
  OptionTexts out = describe_options(options());
  if (embedding()) out.emplace_back("loops", to_string(options().loops));
  return out;
}

Snapshot Simulation::make_snapshot() const {
  if (mechanism_) return make_plain_snapshot(*this);
  if (model_hash_ == 0) model_hash_ = calc_model_hash(model_);
  const Phases& p = *phases_;
  Snapshot s;
  s.model = model_hash_;
  s.options = describe_options(options());
  s.options.emplace_back("constraint_rows", std::to_string(set_.rows()));
  s.set("time", std::vector<double>{state.time});
  s.set("step", std::vector<std::int64_t>{totals_.steps});
  s.set("q", state.q);
  s.set("v", state.v);
  if (!state.activation.empty()) s.set("activation", state.activation);
  s.set("control", control);
  s.set("applied", applied);
  s.set("external", to_numbers(external));
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  visit_totals(
      totals_, [&](auto x) { integers.push_back(x); }, [&](double x) { reals.push_back(x); });
  s.set("totals/integers", std::move(integers));
  s.set("totals/reals", std::move(reals));
  write_memory(s, "contact", p.solution.solver.get_memory());
  write_memory(s, "collision", p.collisions.solver.get_memory());
  write_contacts(s, "contacts", contacts_);
  s.set("impulses", p.account.impulses);
  s.set("accelerations", p.forces.guess.get_memory(state));
  s.set("stuck/contacts", p.rows.stuck.contacts);
  s.set("stuck/stops", p.rows.stuck.stops);
  s.set("bends/contacts", p.rows.bends.contacts);
  s.set("bends/by", p.rows.bends.by);
  return s;
}

void Simulation::restore(const Snapshot& s) {
  if (mechanism_)
    refuse_snapshot(
        "runs with embedded loops or with bodies that bend cannot go on from one with the same bits; start from the "
        "beginning");
  // Read and check everything before changing anything.
  if (s.version != kSnapshotVersion) refuse_snapshot("it has version " + std::to_string(s.version));
  Snapshot here = make_snapshot();
  if (s.model != here.model) refuse_snapshot("it is of another model; restore it with the model it was made with");
  for (const auto& [name, value] : here.options) {
    const auto there = std::find_if(s.options.begin(), s.options.end(), [&](const auto& o) { return o.first == name; });
    if (there == s.options.end()) refuse_snapshot("it does not state the option " + name);
    if (there->second != value)
      refuse_snapshot(name + " is " + there->second + " in the snapshot and " + value + " here");
  }
  const std::vector<double>&time = s.reals("time"), &q = s.reals("q"), &v = s.reals("v");
  const std::vector<double>&reals = s.reals("totals/reals"), &impulses = s.reals("impulses");
  const std::vector<std::int64_t>& integers = s.integers("totals/integers");
  check_size("time", time.size(), 1);
  check_size("q", q.size(), state.q.size());
  check_size("v", v.size(), state.v.size());
  const std::vector<double> activation = state.activation.empty() ? state.activation : s.reals("activation");
  check_size("activation", activation.size(), state.activation.size());
  const std::vector<double>&controls = s.reals("control"), &forces = s.reals("applied");
  const std::vector<Force<double>> on_bodies = to_forces(s.reals("external"));
  check_size("control", controls.size(), control.size());
  check_size("applied", forces.size(), applied.size());
  check_size("totals/integers", integers.size(), here.integers("totals/integers").size());
  check_size("totals/reals", reals.size(), here.reals("totals/reals").size());
  std::vector<ContactPoint> contacts = read_contacts(s, "contacts");
  check_size("impulses", impulses.size(), 3 * contacts.size());
  check_contacts("Simulation::restore", model_, contacts);
  const std::vector<std::uint64_t>&stuck_contacts = s.words("stuck/contacts"), &stuck_stops = s.words("stuck/stops");
  const stepping::Rows::Bends bends{s.words("bends/contacts"), s.reals("bends/by")};
  check_size("bends/by", bends.by.size(), bends.contacts.size());
  const std::vector<double>& accelerations = s.reals("accelerations");
  if (!accelerations.empty() && accelerations.size() != state.v.size())
    check_size("accelerations", accelerations.size(), 2 * state.v.size());
  const ContactMemory contact = read_memory(s, "contact"), collision = read_memory(s, "collision");

  Phases& p = *phases_;
  p.collisions.solver.set_memory(collision);
  p.solution.solver.set_memory(contact);
  state = {q, v, time[0], activation};
  control = controls, applied = forces, external = on_bodies;
  p.detection.forget(), p.rest.forget();
  p.forces.guess.set_memory(state, accelerations);
  auto integer = integers.begin();
  auto real = reals.begin();
  visit_totals(
      totals_, [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(*integer++); },
      [&](double& x) { x = *real++; });
  contacts_ = std::move(contacts);
  p.account.impulses = impulses;
  p.account.calc_contact_forces(contacts_, contact_forces_);
  p.solution.spin.learn(contacts_, impulses);
  p.rows.stuck = {stuck_contacts, stuck_stops}, p.rows.bends = bends;
  report_ = {};
}

}  // namespace sinew
