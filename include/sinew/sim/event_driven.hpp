// sinew/sim/event_driven.hpp - hard contact from event to event [F08 Table 11.1]
//   1. Bodies move smoothly; active contacts are equations, all others are ignored.
//   2. Each step is searched for the first event: surfaces meet, a contact leaves the surface that it was on, or the
//      force of an active contact turns negative. The step is shortened to it (sim/interpolation.hpp).
//   3. Impacts change velocities instantly; then one complementarity problem of accelerations decides which contacts
//      stay [F08 11.42].
// A contact is in one of four states [F08 section 11.4]. The current contacts are those that stay; the active ones are
// a basis of them, with every contact that presses.
// Bounces that follow each other ever faster (a ball at rest in the end) are cut short once they rise no higher than
// 10 gap_tolerance: the contact settles, and its event says when the bounces would have ended.
//   EventDriven run(model, set, {.integrator = {.relative = 1e-9}});
//   run.set_state(state);
//   run.advance(5);
//   for (const ContactEvent& e : run.events()) ...
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/lcp/solve.hpp"
#include "sinew/sim/contact_source.hpp"
#include "sinew/sim/integrate.hpp"

namespace sinew {

// What a contact is about to do [F08 section 11.4].
enum class ContactPhase {
  apart,        // state 1: a gap
  approaching,  // state 2a: no gap, and the bodies approach: an impact
  parting,      // state 2b: no gap, and it opens
  staying,      // state 3: no gap, and it neither opens nor closes
};
std::string_view to_string(ContactPhase);

// What happened.
enum class ContactEventKind {
  impact,          // surfaces meet with a speed
  settling,        // the last of ever faster impacts: the contact stays from here on
  gain,            // surfaces meet with zero speed
  geometric_loss,  // off the edge of the surface
  dynamic_loss,    // the force would have to pull
  sticking,        // with friction: a sliding contact stops
  sliding,         // with friction: a sticking contact begins to slide, or a new one slides
};
std::string_view to_string(ContactEventKind);

// One event of one contact.
struct ContactEvent {
  double time = 0;
  ContactEventKind kind{};
  std::uint64_t contact = 0;  // its id
  ContactPhase before{}, after{};
  double speed = 0;         // [m/s] impacts: along the normal before, not positive
  double accumulation = 0;  // [s] settling: when the bounces left out would have ended
};

// What to do with friction.
enum class EventFriction {
  refuse,   // a contact with friction is an error: the book's procedure has none
  ignore,   // all contacts are smooth
  coulomb,  // contacts stick or slide; see docs/integrators.md
};

struct EventDrivenOptions {
  IntegratorOptions integrator{.relative = 1e-9, .absolute = 1e-10};
  lcp::SolverOptions solver;
  EventFriction friction = EventFriction::refuse;
  double reach = 1;               // [m] how far away contacts are looked for
  double gap_tolerance = 1e-10;   // [m] surfaces this close touch
  double speed_tolerance = 1e-9;  // [m/s] slower surfaces neither approach nor part
  long most_events = 100000;      // per call; more count as an endless loop
};

struct EventDrivenReport {
  long impacts = 0, problems = 0, events = 0;
  double impact_energy = 0;   // [J] gained in impacts: not positive
  double worst_residual = 0;  // relative, of all complementarity problems
  double deepest = 0;         // [m] largest overlap at the end of a step or at an event
};

// A contact that stays, with its forces.
struct StayingContact {
  ContactPoint point;
  bool active = false;              // in the basis; with friction: true for all
  double force = 0;                 // [N] along the normal
  std::array<double, 2> tangent{};  // [N] friction, along contact_tangents of the normal
  bool slides = false;
};

class EventDriven {
 public:
  // Model and set must outlive it. Throws std::invalid_argument for options out of range.
  // Without a source: contacts of the model's shapes.
  EventDriven(const Model&, const ConstraintSet&, const EventDrivenOptions& = {}, ContactSource = {}, JointForces = {});
  EventDriven(const Model&&, const ConstraintSet&, const EventDrivenOptions& = {}, ContactSource = {},
              JointForces = {}) = delete;
  EventDriven(const Model&, const ConstraintSet&&, const EventDrivenOptions& = {}, ContactSource = {},
              JointForces = {}) = delete;
  ~EventDriven();

  // Forgets all events. Contacts that touch in this state are events at once. Throws std::invalid_argument for a state
  // that overlaps.
  void set_state(const State&);
  const State& state() const;
  // Throws std::runtime_error where no acceleration obeys the contacts [F08 Example 11.1], where events do not end, and
  // where the integrator does.
  void advance(double t);
  // Advances to the next event, or to t. Returns the events that happened; none: t was reached.
  std::span<const ContactEvent> advance_to_event(double t);

  void set_interrupt(Interrupt);  // besides that of options.solver: after Interrupted, set_state must follow

  std::span<const ContactEvent> events() const;  // since set_state
  std::span<const StayingContact> contacts();    // now, with their forces
  const EventDrivenReport& report() const;
  // That moves the state between events.
  Integrator& integrator();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace sinew
