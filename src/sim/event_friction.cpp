// src/sim/event_friction.cpp - EventDriven where contacts stick or slide
#include <cmath>

#include "constants.hpp"
#include "event_work.hpp"

namespace sinew {

using namespace events;

double EventDriven::Work::acceleration_tolerance() const {
  double largest = 1;
  for (const double x : held.d()) largest = std::max(largest, std::abs(x));
  return kAccelerationTolerance * largest;
}

// Friction acts against the slip. Slow slips, and slips that reversed within the step, keep the direction of the step's
// start: the step will be cut where they stop.
void EventDriven::Work::calc_rough_motion(const StatePoint& at_x, Out<double> out) {
  const std::vector<ContactPoint>& found = held.find(at_x);
  grips.assign(active.size(), ContactGrip::cone), directions.assign(active.size(), {0.0, 0.0});
  for (std::size_t i = 0; i < active.size(); ++i) {
    const auto s = static_cast<std::size_t>(std::find(sliding.begin(), sliding.end(), active[i]) - sliding.begin());
    if (s == sliding.size()) continue;
    grips[i] = ContactGrip::slides, directions[i] = slips[s];
    for (std::size_t k = 0; k < found.size(); ++k) {
      const std::array<double, 2>& u = held.slips()[k];
      const double size = std::hypot(u[0], u[1]);
      if (found[k].id == active[i] && size > kSlow && u[0] * slips[s][0] + u[1] * slips[s][1] > 0)
        directions[i] = {u[0] / size, u[1] / size};
    }
  }
  contacts_with_friction.solve(at_x, active, grips, directions);
  report.worst_residual = std::max(report.worst_residual, contacts_with_friction.certificate().residual);
  std::copy(held.free_acceleration().begin(), held.free_acceleration().end(), out.begin());
  held.add_response(contacts_with_friction.forces(), out);
}

void EventDriven::Work::note_slips() {
  const std::vector<ContactPoint>& found = held.find(now());
  for (std::size_t k = 0; k < found.size(); ++k)
    for (std::size_t s = 0; s < sliding.size(); ++s) {
      const std::array<double, 2>& u = held.slips()[k];
      const double size = std::hypot(u[0], u[1]);
      if (found[k].id == sliding[s] && size > kSlow) slips[s] = {u[0] / size, u[1] / size};
    }
}

double EventDriven::Work::calc_rough_margin(const StatePoint& at_x) {
  calc_rough_motion(at_x, vdot);
  const double tolerance = acceleration_tolerance();
  double least = options.reach;
  for (std::size_t i = 0; i < active.size(); ++i) {
    const int r = held.layout().row_of_contact(i);
    const double *a = &contacts_with_friction.accelerations()[r], *u = &contacts_with_friction.velocities()[r];
    if (a[0] > tolerance) return -1;  // it parts
    const auto s = static_cast<std::size_t>(std::find(sliding.begin(), sliding.end(), active[i]) - sliding.begin());
    if (s == sliding.size() && std::hypot(a[1], a[2]) > tolerance) return -1;  // it lets go
    if (s < sliding.size() && held.chosen()[i].friction > 0)
      least = std::min(least, slips[s][0] * u[1] + slips[s][1] * u[2]);  // it stops
  }
  return least;
}

void EventDriven::Work::find_rough_staying() {
  const std::vector<ContactPoint>& found = held.find(now());
  grips.clear(), directions.clear();
  for (Touch& c : touching) {
    std::array<double, 2> u{};
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found[k].id == c.point.id) u = held.slips()[k];
    const double slip = std::hypot(u[0], u[1]);
    c.free = c.speed > options.speed_tolerance;
    c.slides = slip > options.speed_tolerance;
    if (c.slides) c.direction = {u[0] / slip, u[1] / slip};
    grips.push_back(c.free ? ContactGrip::none : c.slides ? ContactGrip::slides : ContactGrip::cone);
    directions.push_back(c.direction);
  }
  contacts_with_friction.solve(now(), ids, grips, directions);
  ++report.problems;
  const double tolerance = acceleration_tolerance();
  for (std::size_t i = 0; i < touching.size(); ++i) {
    Touch& c = touching[i];
    const int r = held.layout().row_of_contact(i);
    const double *a = &contacts_with_friction.accelerations()[r], *f = &contacts_with_friction.forces()[r];
    c.force = f[0], c.acceleration = a[0];
    if (c.slides || std::hypot(a[1], a[2]) <= tolerance) continue;
    // It begins to slide: against its friction, or without friction along its acceleration.
    const double friction = std::hypot(f[1], f[2]), pull = std::hypot(a[1], a[2]);
    c.slides = true;
    if (friction > 0)
      c.direction = {-f[1] / friction, -f[2] / friction};
    else
      c.direction = {a[1] / pull, a[2] / pull};
  }
}

void EventDriven::Work::choose_rough() {
  const double tolerance = acceleration_tolerance();
  const Ids slid = sliding;
  current.clear(), active.clear(), parting.clear(), sliding.clear(), slips.clear();
  limit = kInfinity;
  for (Touch& c : touching) {
    c.stays = !c.free && c.acceleration <= tolerance;
    const bool slides = c.slides || c.point.friction == 0;
    (c.stays ? current : parting).push_back(c.point.id);
    if (c.stays && slides) sliding.push_back(c.point.id), slips.push_back(c.direction);
    const ContactPhase after = c.stays ? ContactPhase::staying : ContactPhase::parting;
    if (c.free && c.acceleration < 0) limit = std::min(limit, -c.speed / c.acceleration);
    const std::uint64_t id = c.point.id;
    if (c.before < -options.speed_tolerance)
      record(c.settled ? ContactEventKind::settling : ContactEventKind::impact, id, ContactPhase::approaching, after,
             c.before, c.accumulation);
    else if (c.was_current && !c.stays)
      record(ContactEventKind::dynamic_loss, id, ContactPhase::staying, after);
    else if (!c.was_current && c.stays)
      record(ContactEventKind::gain, id, ContactPhase::apart, after);
    if (c.stays && c.point.friction > 0 && (!c.was_current || slides != contains(slid, id)))
      record(slides ? ContactEventKind::sliding : ContactEventKind::sticking, id, after, after);
  }
  active = current;
}

}  // namespace sinew
