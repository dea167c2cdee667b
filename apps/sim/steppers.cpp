// apps/sim/steppers.cpp
#include "sim/steppers.hpp"

#include "common/input_error.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/mechanisms.hpp"

namespace sinew::app {
namespace {

constexpr const char *kSteps = "step", *kEvents = "events", *kRigid = "rigid", *kSoft = "soft";

[[noreturn]] void refuse(const std::string& why) { throw InputError(why, kUsage); }

// Refuses options that only --integrator step has.
void refuse_options_of_steps(const SceneInput& in, const std::string& integrator) {
  const std::string cure = " is for --integrator step; leave it out with --integrator " + integrator;
  if (in.formulation != "os") refuse("--formulation" + cure);
  if (in.solver != "automatic") refuse("--solver" + cure);
  if (in.directions != 0) refuse("--directions" + cure);
  if (in.seconds_per_step != 0) refuse("--most-seconds-per-step" + cure);
  if (in.iterations != 0) refuse("--most-iterations" + cure);
  if (in.printed_law) refuse("--printed-law" + cure);
  if (in.no_look_ahead) refuse("--no-look-ahead" + cure);
  if (!in.dump.empty()) refuse("--dump" + cure);
}

SoftSurface find_surface(const StepperInput& o, const Model& m) {
  if (o.stiffness > 0 && o.damping > 0) return {.stiffness = o.stiffness, .damping = o.damping};
  if (o.stiffness != 0 || o.damping != 0)
    refuse("--stiffness and --damping must both be positive, or both be left out");
  return make_soft_surface(m);
}

}  // namespace

void add_stepper_input(Command& c, StepperInput& o) {
  c.option("--integrator", o.integrator,
           "step: hard contact in time steps (default); events: hard contact from event to event; euler, "
           "semi_implicit_euler, heun, rk4, rkmk4 or dormand_prince: without contact, or with --law soft",
           {.type = "NAME"});
  c.option("--law", o.law, "Of contact: rigid (default), or soft (default integrator: dormand_prince)",
           {.type = "NAME"});
  c.option("--stiffness", o.stiffness, "Of soft surfaces [N/m]; default: found from the weight of the scene",
           {.type = "K", .range = kPositive});
  c.option("--damping", o.damping, "Of soft surfaces [N s/m]; goes with --stiffness",
           {.type = "D", .range = kPositive});
  c.option(
      "--loops", o.loops,
      "rows: loops and gears by multipliers (default); embed: in minimal coordinates, O(N), without drift; with step "
      "and the smooth integrators",
      {.type = "NAME"});
  c.option("--accuracy", o.accuracy, "Relative error of adaptive steps", {.type = "R", .range = kPositive});
}

std::unique_ptr<Stepper> make_stepper(const SceneInput& in, const StepperInput& o, const Model& m,
                                      const ConstraintSet& set) {
  const std::string law = o.law.empty() ? kRigid : o.law;
  if (law != kRigid && law != kSoft) refuse("there is no law '" + law + "'; known: rigid, soft");
  const std::string name = !o.integrator.empty() ? o.integrator : law == kSoft ? "dormand_prince" : kSteps;
  const auto method = find_integration_method(name);
  if (name != kSteps && name != kEvents && !method)
    refuse("there is no integrator '" + name +
           "'; known: step, events, euler, semi_implicit_euler, heun, rk4, rkmk4, dormand_prince");
  if (law == kSoft && !method)
    refuse("--law soft is a force, and " + name + " is for hard contact; use --integrator dormand_prince or rkmk4");
  if (law != kSoft && (o.stiffness != 0 || o.damping != 0)) refuse("--stiffness and --damping are for --law soft");
  if (!(o.accuracy > 0)) refuse("--accuracy must be positive");
  if (o.loops != "rows" && o.loops != "embed") refuse("there is no --loops " + o.loops + "; known: rows, embed");
  const bool embed = o.loops == "embed";
  if (embed && name == kEvents)
    refuse("--loops embed does not go with --integrator events; use --integrator step, or --loops rows");
  if (embed && in.formulation != "os")
    refuse("--formulation chooses how rows of loops are solved, and --loops embed has none; leave it out");
  SimulationOptions steps = make_options(in);
  if (embed) steps.loops = LoopMethod::embed;
  if (name != kSteps) refuse_options_of_steps(in, name);
  if (o.flexible) {
    if (name == kEvents || law == kSoft || embed || in.formulation != "os")
      refuse(
          "--flexible goes with --integrator step, or where nothing touches with euler, semi_implicit_euler, heun, "
          "rk4, rkmk4 and dormand_prince; leave out --law soft, --loops embed and --formulation");
  }
  try {
    if (name == kSteps && o.flexible) return std::make_unique<Simulation>(make_flexible_mechanism(*o.flexible), steps);
    if (name == kSteps) return std::make_unique<Simulation>(m, set, steps);
    if (name == kEvents) {
      EventSimulationOptions events{.dt = in.dt};
      events.events.integrator.relative = o.accuracy, events.events.integrator.absolute = 0.1 * o.accuracy;
      return std::make_unique<EventSimulation>(m, set, events);
    }
    SmoothOptions smooth{.method = *method, .dt = in.dt, .relative = o.accuracy, .absolute = 0.01 * o.accuracy};
    if (law == kSoft) smooth.soft = find_surface(o, m);
    if (embed) smooth.loops = LoopMethod::embed;
    if (o.flexible) return std::make_unique<FlexibleMotion>(*o.flexible, smooth);
    return std::make_unique<SmoothSimulation>(m, set, smooth);
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
}

}  // namespace sinew::app
