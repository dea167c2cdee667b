// src/sim/event_work.hpp - the private state of EventDriven
#pragma once
#include <algorithm>
#include <limits>

#include "rough_contacts.hpp"
#include "sinew/contact/collision.hpp"

namespace sinew {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Ids = std::vector<std::uint64_t>;
inline bool contains(const Ids& ids, std::uint64_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

struct EventDriven::Work {
  Work(const Model&, const ConstraintSet&, ContactSource, const EventDrivenOptions&, JointForces);

  StatePoint now() const { return {integrator.state().q, integrator.state().v, {}, integrator.state().time}; }
  // dv/dt with the active contacts as equations; `forces` holds their forces. [F08 Table 11.1]
  void calc_motion(const StatePoint&, Out<double> out);
  // How far a state is from the next event; not positive at an event.
  double calc_margin(const StatePoint&);
  // Moves the state so that gaps of active contacts and errors of loops are zero.
  void project();
  // One step, or its part up to the first event; deals with the event.
  void step(double t);
  // All that may happen at a state: losses, impacts, and the choice of contacts that stay.
  void deal_with_events();
  void collide();
  // Which contacts of `touching` stay at the velocity of now. [F08 11.42]
  void find_staying();
  void choose_active(const Ids& weak);
  // The same with friction, where every current contact is active.
  void calc_rough_motion(const StatePoint&, Out<double> out);
  double calc_rough_margin(const StatePoint&);
  void find_rough_staying();
  void choose_rough();
  void note_slips();
  double acceleration_tolerance() const;
  void record(ContactEventKind, std::uint64_t id, ContactPhase before, ContactPhase after, double speed = 0,
              double accumulation = 0);

  const Model& model;
  EventDrivenOptions options;
  HeldContacts held;
  Integrator integrator;
  CollisionSolver collision;
  lcp::Solver solver;
  RoughContacts contacts_with_friction;
  const bool rough;
  Ids current, active, parting;
  Ids sliding;                                    // with friction: those of the current contacts that do not stick,
  std::vector<std::array<double, 2>> slips;       // and the directions of their slip at the start of a step
  std::vector<std::array<double, 2>> directions;  // of the active contacts: scratch
  std::vector<ContactGrip> grips;
  double limit = kInfinity;  // [s] of the next step
  double force_scale = 1;    // [N]
  std::vector<ContactEvent> events;
  std::vector<StayingContact> contacts;
  EventDrivenReport report;
  double last_time = 0;  // of the last events; at_once: how many there were at that time
  int at_once = 0;

  // Contacts that touch at an event.
  struct Touch {
    ContactPoint point;
    double before = 0, speed = 0;        // [m/s] before the impact, now
    double force = 0, acceleration = 0;  // [N, m/s^2] after find_staying
    double accumulation = 0;
    bool was_current = false, stays = false, settled = false, free = false;  // free: parts, no force
    bool slides = false;                                                     // with friction
    std::array<double, 2> direction{};                                       // of its slip
  };
  std::vector<Touch> touching;
  std::vector<ContactPoint> points;
  Ids ids;
  std::vector<int> order;
  std::vector<double> vdot, z, forces, q, v, e0, e1, M, d, lower, upper, y;
};

}  // namespace sinew
