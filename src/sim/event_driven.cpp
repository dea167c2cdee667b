// src/sim/event_driven.cpp
#include "sinew/sim/event_driven.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constants.hpp"
#include "event_work.hpp"

namespace sinew {
namespace {

using namespace events;

const ContactPoint* find(std::span<const ContactPoint> contacts, std::uint64_t id) {
  const auto c = std::find_if(contacts.begin(), contacts.end(), [id](const ContactPoint& p) { return p.id == id; });
  return c == contacts.end() ? nullptr : &*c;
}

void check(const EventDrivenOptions& o) {
  const auto positive = [](const char* name, double x) {
    if (!(x > 0))
      throw std::invalid_argument(std::string("EventDriven: ") + name + " is " + std::to_string(x) +
                                  "; it must be positive");
  };
  positive("reach", o.reach);
  positive("gap_tolerance", o.gap_tolerance);
  positive("speed_tolerance", o.speed_tolerance);
  positive("most_events", static_cast<double>(o.most_events));
  if (o.integrator.extra != 0)
    throw std::invalid_argument("EventDriven: integrator.extra is " + std::to_string(o.integrator.extra) +
                                "; extra numbers work with Integrator only, so set it to 0");
}

}  // namespace

std::string_view to_string(ContactPhase phase) {
  switch (phase) {
    case ContactPhase::apart: return "apart";
    case ContactPhase::approaching: return "approaching";
    case ContactPhase::parting: return "parting";
    case ContactPhase::staying: return "staying";
  }
  return "unknown";
}

std::string_view to_string(ContactEventKind kind) {
  switch (kind) {
    case ContactEventKind::impact: return "impact";
    case ContactEventKind::settling: return "settling";
    case ContactEventKind::gain: return "gain";
    case ContactEventKind::geometric_loss: return "geometric loss";
    case ContactEventKind::dynamic_loss: return "dynamic loss";
    case ContactEventKind::sticking: return "sticking";
    case ContactEventKind::sliding: return "sliding";
  }
  return "unknown";
}

EventDriven::Work::Work(const Model& m, const ConstraintSet& set, ContactSource source, const EventDrivenOptions& o,
                        JointForces f)
    : model(m),
      options(o),
      held(m, set, std::move(source), std::move(f), options),
      integrator(
          m, [this](const StatePoint& s, const StateRate& r) { calc_motion(s, r.v); }, o.integrator),
      collision(m, set, Formulation::os, {o.solver, RestitutionFriction::whole}),
      solver(o.solver),
      contacts_with_friction(held, solver),
      rough(o.friction == EventFriction::coulomb),
      vdot(at(m.nv())) {
  check(options);
}

void EventDriven::Work::calc_motion(const StatePoint& at_x, Out<double> out) {
  if (rough) return calc_rough_motion(at_x, out);
  held.calc(at_x, active);
  std::copy(held.free_acceleration().begin(), held.free_acceleration().end(), out.begin());
  const int rows = held.layout().rows();
  if (rows == 0) return;
  order.resize(at(rows));
  for (int r = 0; r < rows; ++r) order[r] = r;
  held.factor(order);
  held.solve(held.d(), z);
  held.add_response(z, out);
  forces.assign(z.begin() + held.layout().first_contact(), z.end());
}

double EventDriven::Work::calc_margin(const StatePoint& at_x) {
  const std::vector<ContactPoint>& found = held.find(at_x);
  double least = options.reach;
  for (const ContactPoint& c : found) {
    if (!contains(current, c.id))
      least = std::min(least, c.gap + (contains(parting, c.id) ? 2 * options.gap_tolerance : 0));
    else if (!contains(active, c.id))
      least = std::min(least, 10 * options.gap_tolerance - std::abs(c.gap));
  }
  for (const std::uint64_t id : current)
    if (!find(found, id)) return -options.reach;
  if (active.empty()) return least;
  if (rough) return std::min(least, calc_rough_margin(at_x));
  calc_motion(at_x, vdot);
  for (const double f : forces) least = std::min(least, f / force_scale + kForceTolerance);
  return least;
}

void EventDriven::Work::project() {
  const auto largest = [](const std::vector<double>& e) {
    double out = 0;
    for (const double x : e) out = std::max(out, std::abs(x));
    return out;
  };
  if (active.empty() && held.layout().free == 0) return;
  q = integrator.state().q, v = integrator.state().v;
  bool moved = false;
  const double time = integrator.state().time;
  for (int round = 0; round < kProjections; ++round) {
    held.calc({q, v, {}, time}, active, rough ? 3 : 1);
    held.get_errors(e0, e1);
    order.clear();
    const lcp::RowLayout& rows = held.layout();
    for (int r = 0; r < rows.rows(); ++r) {
      const bool tangent = rows.block_of(r) == lcp::RowBlock::contacts && rows.axis_of(r) > 0;
      if (!tangent || !contains(sliding, active[rows.contact_of(r)]))
        order.push_back(r);
      else
        e0[r] = e1[r] = 0;
    }
    const bool position = largest(e0) > kOnContact, velocity = largest(e1) > kOnContact;
    if (!position && !velocity) break;
    held.factor(order);
    const auto correct = [&](const std::vector<double>& e) {
      std::fill(vdot.begin(), vdot.end(), 0.0);
      held.solve(e, z);
      held.add_response(z, vdot);
    };
    correct(e1);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += vdot[i];
    correct(e0);
    y = q;
    integrate(model, y, vdot, 1.0, q);
    moved = true;
  }
  if (moved) integrator.jump(q, v);
}

void EventDriven::Work::step(double t) {
  points.clear();
  for (const ContactPoint& c : held.find(now()))
    if (contains(current, c.id)) points.push_back(c);
  held.remember(points);
  if (rough) note_slips();
  const double start = calc_margin(now());

  const IntegratorOptions& o = options.integrator;
  const bool adaptive = o.adaptive && o.method == IntegrationMethod::dormand_prince;
  double h = std::min(t - integrator.state().time, limit);
  if (!adaptive && h > o.dt * (1 + 1e-9)) h = o.dt;
  integrator.step(h);
  limit = kInfinity;
  InterpolatedStep& s = integrator.last_step();
  const double delta = find_crossing([&](double at_delta) { return calc_margin(s.calc(at_delta)); }, start, 1,
                                     options.integrator.events);
  if (delta <= 1) {
    integrator.rewind(delta);
    deal_with_events();
    return;
  }
  project();
  for (const ContactPoint& c : held.find(now())) {
    if (c.gap > options.gap_tolerance) std::erase(parting, c.id);
    report.deepest = std::max(report.deepest, -c.gap);
  }
}

void EventDriven::Work::record(ContactEventKind kind, std::uint64_t id, ContactPhase before, ContactPhase after,
                               double speed, double accumulation) {
  events.push_back({integrator.state().time, kind, id, before, after, speed, accumulation});
  ++report.events;
}

void EventDriven::Work::deal_with_events() {
  const double time = integrator.state().time;
  at_once = time > last_time ? 1 : at_once + 1;
  last_time = time;
  if (at_once > kMostAtOnce)
    throw std::runtime_error("EventDriven: at " + std::to_string(integrator.state().time) +
                             " s events follow each other without end; the last was of contact " +
                             std::to_string(events.empty() ? 0 : events.back().contact) +
                             "; step in time with Simulation instead");
  // Active contacts whose force has become negative.
  Ids weak;
  if (!active.empty() && !rough) {
    calc_motion(now(), vdot);
    for (std::size_t i = 0; i < active.size(); ++i)
      if (forces[i] < -kForceTolerance / 2 * force_scale) weak.push_back(active[i]);
  }
  // Contacts that touch, and contacts that have left their surface.
  const std::vector<ContactPoint>& found = held.find(now());
  ids.clear();
  for (const ContactPoint& c : found) {
    report.deepest = std::max(report.deepest, -c.gap);
    const bool lost = contains(current, c.id) && !contains(active, c.id) && c.gap > options.gap_tolerance;
    if (lost) {
      record(ContactEventKind::dynamic_loss, c.id, ContactPhase::staying, ContactPhase::apart);
      std::erase(current, c.id);
    } else if (c.gap <= options.gap_tolerance || contains(active, c.id)) {
      ids.push_back(c.id);
    }
  }
  for (const std::uint64_t id : Ids(current))
    if (!find(found, id)) {
      record(ContactEventKind::geometric_loss, id, ContactPhase::staying, ContactPhase::apart);
      std::erase(current, id), std::erase(active, id);
    }
  project();
  touching.clear();
  const std::vector<ContactPoint>& corrected = held.find(now());
  for (std::size_t i = 0; i < corrected.size(); ++i)
    if (contains(ids, corrected[i].id)) {
      Touch& c = touching.emplace_back();
      c.point = corrected[i];
      c.before = c.speed = held.speeds()[i];
      c.was_current = contains(current, corrected[i].id);
    }
  collide();
  find_staying();
  choose_active(weak);
}

// Impacts until no surfaces approach each other.
void EventDriven::Work::collide() {
  const double slow = options.speed_tolerance;
  const auto update = [&](const std::vector<double>& velocity) {
    const std::vector<ContactPoint>& found = held.find({integrator.state().q, velocity, {}, integrator.state().time});
    for (Touch& c : touching)
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].id == c.point.id) c.speed = held.speeds()[i];
  };
  for (int round = 0;; ++round) {
    if (std::none_of(touching.begin(), touching.end(), [=](const Touch& c) { return c.speed < -slow; })) return;
    if (round == kMostImpacts)
      throw std::runtime_error("EventDriven: at " + std::to_string(integrator.state().time) + " s " +
                               std::to_string(kMostImpacts) +
                               " impacts have not parted the surfaces; step in time with Simulation instead");
    v = integrator.state().v;
    for (bool again = true; again;) {
      again = false;
      points.clear();
      for (const Touch& c : touching) points.push_back(c.point);
      const CollisionAnswer& a = collision.solve(integrator.state().q, v, points, integrator.state().time);
      for (const lcp::Certificate* c :
           {&a.compression_certificate, a.restituted ? &a.restitution_certificate : nullptr})
        if (c) {
          report.worst_residual = std::max(report.worst_residual, c->residual);
          if (c->status != lcp::Status::solved)
            throw std::runtime_error("EventDriven: the impact at " + std::to_string(integrator.state().time) +
                                     " s was not solved (" + std::string(to_string(c->status)) +
                                     "); step in time with Simulation instead");
        }
      integrator.jump(integrator.state().q, a.v);
      update(a.v);
      // A bounce that hardly leaves the surface ends a series of ever smaller ones: the contact settles.
      find_staying();
      for (Touch& c : touching) {
        if (!(c.speed > slow && c.acceleration < 0 && c.point.restitution > 0)) continue;
        const double height = c.speed * c.speed / (-2 * c.acceleration), flight = 2 * c.speed / -c.acceleration;
        if (height > 10 * options.gap_tolerance) continue;
        const double e = c.point.restitution;
        c.accumulation = integrator.state().time + (e < 1 ? flight / (1 - e) : 0);
        c.settled = again = true;
        c.point.restitution = 0;
      }
      if (!again) report.impact_energy += a.energy.after - a.energy.before;
    }
    ++report.impacts;
  }
}

void EventDriven::Work::find_staying() {
  ids.clear();
  for (const Touch& c : touching) ids.push_back(c.point.id);
  points.clear();
  for (const ContactPoint& c : held.find(now()))
    if (contains(ids, c.id)) points.push_back(c);
  held.remember(points);
  if (rough) return find_rough_staying();
  held.calc(now(), ids);
  const lcp::RowLayout& rows = held.layout();
  // Contacts that neither approach nor part.
  order.clear();
  for (int r = 0; r < rows.free; ++r) order.push_back(r);
  for (std::size_t i = 0; i < touching.size(); ++i) {
    touching[i].free = touching[i].speed > options.speed_tolerance;
    touching[i].force = 0;
    if (!touching[i].free) order.push_back(rows.row_of_contact(i));
  }
  const std::size_t n = order.size();
  M.resize(n * n), d.resize(n), lower.assign(n, 0.0), upper.assign(n, kInfinity), y.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (order[i] < rows.free) lower[i] = -kInfinity;
    d[i] = held.d()[order[i]];
    for (std::size_t j = 0; j < n; ++j) M[i * n + j] = held.get_response(order[i], order[j]);
  }
  if (n > 0) {
    const lcp::Certificate c = solver.solve(lcp::Problem{{M.data(), n, n}, d, lower, upper}, y);
    ++report.problems;
    report.worst_residual = std::max(report.worst_residual, c.residual);
    if (c.status != lcp::Status::solved)
      throw std::runtime_error("EventDriven: at " + std::to_string(integrator.state().time) +
                               " s no acceleration obeys the " + std::to_string(touching.size()) + " contacts (" +
                               std::string(to_string(c.status)) + "); step in time with Simulation instead");
  }
  z.assign(at(rows.rows()), 0.0);
  for (std::size_t i = 0; i < n; ++i) z[order[i]] = y[i];
  for (std::size_t i = 0; i < touching.size(); ++i) {
    const int r = rows.row_of_contact(i);
    touching[i].force = z[r];
    touching[i].acceleration = held.d()[r];
    for (int s = 0; s < rows.rows(); ++s) touching[i].acceleration += held.get_response(r, s) * z[s];  // [F08 11.34]
  }
}

// After find_staying: chooses the current and the active contacts, and records what changed.
void EventDriven::Work::choose_active(const Ids& weak) {
  if (rough) return choose_rough();
  double largest_force = 0, largest_d = 1;
  for (const Touch& c : touching) largest_force = std::max(largest_force, c.force);
  for (const double x : held.d()) largest_d = std::max(largest_d, std::abs(x));
  const double parts = kAccelerationTolerance * largest_d;
  // Pressing contacts first, then those without force; those whose force became negative last.
  std::vector<std::pair<double, int>> rows;
  for (std::size_t i = 0; i < touching.size(); ++i) {
    const Touch& c = touching[i];
    const bool presses = c.force > kForceTolerance * largest_force;
    if (!c.free && (presses || c.acceleration <= parts))
      rows.emplace_back(presses ? -c.force : contains(weak, c.point.id) ? 2 : 1, static_cast<int>(i));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  order.clear();
  for (int r = 0; r < held.layout().free; ++r) order.push_back(r);
  for (const auto& [rank, i] : rows) order.push_back(held.layout().row_of_contact(i));
  held.factor(order);

  current.clear(), active.clear(), parting.clear();
  for (const auto& [rank, i] : rows) {
    Touch& c = touching[i];
    const bool independent = held.is_independent(held.layout().row_of_contact(i));
    c.stays = rank < 2 || !independent;
    if (c.stays && independent) active.push_back(c.point.id);
  }
  force_scale = largest_force > 0 ? largest_force : 1;
  limit = kInfinity;
  for (const Touch& c : touching) {
    (c.stays ? current : parting).push_back(c.point.id);
    const ContactPhase after = c.stays ? ContactPhase::staying : ContactPhase::parting;
    if (c.free && c.acceleration < 0) limit = std::min(limit, -c.speed / c.acceleration);
    if (c.before < -options.speed_tolerance)
      record(c.settled ? ContactEventKind::settling : ContactEventKind::impact, c.point.id, ContactPhase::approaching,
             after, c.before, c.accumulation);
    else if (c.was_current && !c.stays)
      record(ContactEventKind::dynamic_loss, c.point.id, ContactPhase::staying, after);
    else if (!c.was_current && c.stays)
      record(ContactEventKind::gain, c.point.id, ContactPhase::apart, after);
  }
}

EventDriven::EventDriven(const Model& m, const ConstraintSet& set, const EventDrivenOptions& o, ContactSource source,
                         JointForces forces)
    : work_(std::make_unique<Work>(m, set, source ? std::move(source) : make_contact_source(m), o, std::move(forces))) {
  set_interrupt(o.solver.interrupt);
}
EventDriven::~EventDriven() = default;

void EventDriven::set_state(const State& s) {
  Work& w = *work_;
  w.current.clear(), w.active.clear(), w.parting.clear(), w.sliding.clear(), w.slips.clear(), w.events.clear();
  w.report = {}, w.at_once = 0, w.last_time = s.time;
  w.integrator.set_state(s);
  for (const ContactPoint& c : w.held.find(w.now()))
    if (c.gap < -kDeepestStart)
      throw std::invalid_argument("EventDriven: at the start contact " + std::to_string(c.id) + " overlaps by " +
                                  std::to_string(-c.gap) + " m; move its bodies apart");
  w.deal_with_events();
}

const State& EventDriven::state() const { return work_->integrator.state(); }
std::span<const ContactEvent> EventDriven::events() const { return work_->events; }
const EventDrivenReport& EventDriven::report() const { return work_->report; }
Integrator& EventDriven::integrator() { return work_->integrator; }

void EventDriven::set_interrupt(Interrupt i) {
  Work& w = *work_;
  w.integrator.interrupt = w.solver.options.interrupt = w.collision.options.solver.interrupt = i;
}

void EventDriven::advance(double t) {
  const std::size_t first = work_->events.size();
  while (t - state().time > 1e-15 * std::abs(t)) {
    work_->step(t);
    if (work_->events.size() - first > static_cast<std::size_t>(work_->options.most_events))
      throw std::runtime_error("EventDriven: more than " + std::to_string(work_->options.most_events) +
                               " events up to " + std::to_string(state().time) +
                               " s; raise most_events if that is right");
  }
}

std::span<const ContactEvent> EventDriven::advance_to_event(double t) {
  const std::size_t first = work_->events.size();
  while (t - state().time > 1e-15 * std::abs(t) && work_->events.size() == first) work_->step(t);
  return std::span<const ContactEvent>(work_->events).subspan(first);
}

std::span<const StayingContact> EventDriven::contacts() {
  Work& w = *work_;
  w.contacts.clear();
  const std::vector<ContactPoint> found = w.held.find(w.now());
  if (!w.active.empty()) w.calc_motion(w.now(), w.vdot);
  for (const ContactPoint& c : found) {
    if (!contains(w.current, c.id)) continue;
    StayingContact& out = w.contacts.emplace_back();
    out.point = c;
    const auto i = static_cast<std::size_t>(std::find(w.active.begin(), w.active.end(), c.id) - w.active.begin());
    out.active = i < w.active.size();
    if (!out.active) continue;
    const std::vector<double>& f = w.contacts_with_friction.forces();
    const int r = w.held.layout().row_of_contact(i);
    out.force = w.rough ? f[r] : w.forces[i];
    if (w.rough) out.tangent = {f[r + 1], f[r + 2]};
    out.slides = contains(w.sliding, c.id);
  }
  return w.contacts;
}

}  // namespace sinew
