// apps/sim/flexible_run.cpp
#include "sim/flexible_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/refuse.hpp"
#include "sim/stop_signal.hpp"
#include "sinew/io/flexible.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/flexible_simulation.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

void refuse_other_options(const SceneInput& in, const SimInput& o) {
  const auto refuse_if = [](bool given, const char* name) {
    if (given) throw InputError(std::string(name) + " does not go with --flexible; leave it out", kUsage);
  };
  refuse_if(!o.record.empty(), "--record");
  refuse_if(!o.resume.empty(), "--resume");
  refuse_if(!o.plot.empty(), "--plot");
  refuse_if(o.pushes != 0, "--pushes");
  refuse_if(!o.stepper.law.empty() && o.stepper.law != "rigid", "--law soft");
  refuse_if(o.stepper.integrator == "events", "--integrator events");
  refuse_if(o.stepper.loops != "rows", "--loops");
  refuse_if(in.formulation != "os", "--formulation");
  refuse_if(in.printed_law, "--printed-law");
  refuse_if(in.no_look_ahead, "--no-look-ahead");
  refuse_if(!in.dump.empty(), "--dump");
}

struct FlexibleRun {
  double dt = 0, wall = 0, energy_before = 0, kinetic = 0, gravity = 0, elastic = 0;
  long steps = 0;
  std::string integrator = "step", broken;
  int signal = 0;
  FlexibleReport report;
  std::vector<ContactForce> contacts;
  State end;  // q and v with eta and its rates
};

void set_energies(sko::FlexibleSko& s, FlexibleRun& r) {
  s.update(r.end.q, r.end.v, {{}, r.end.time});
  r.kinetic = s.kinetic_energy(), r.gravity = s.gravity_energy(), r.elastic = s.elastic_energy();
}

State with_modes(const State& from, const sko::FlexibleModel& m, In<double> extra) {
  State out = from;
  const std::size_t modes = at(m.modes());
  out.q.insert(out.q.end(), extra.begin(), extra.begin() + modes);
  out.v.insert(out.v.end(), extra.begin() + modes, extra.end());
  return out;
}

FlexibleRun run_steps(const SceneInput& in, const Scene& scene, const sko::FlexibleModel& m, const StopSignal& stop) {
  FlexibleSimulation s(m, {.dt = in.dt, .solver = make_options(in).solver});
  std::copy(scene.start.q.begin(), scene.start.q.end(), s.state.q.begin());
  std::copy(scene.start.v.begin(), scene.start.v.end(), s.state.v.begin());
  if (!scene.control.empty()) s.control = scene.control;
  FlexibleRun out;
  out.dt = s.step_length();
  out.energy_before = s.kinetic_energy() + s.potential_energy();
  try {
    for (const long steps = std::lround(in.seconds / out.dt); out.steps < steps && stop.get() == 0; ++out.steps)
      s.step();
  } catch (const std::runtime_error& e) {
    out.broken = e.what();
  }
  out.report = s.report();
  for (std::size_t c = 0; c < s.contacts().size(); ++c) {
    const double* p = s.impulses().data() + 3 * c;
    const ContactPoint& at_point = s.contacts()[c];
    out.contacts.push_back(
        {s.pair_name(at_point), "", "", at_point, (1 / out.dt) * to_world(at_point.normal, p[0], p[1], p[2])});
  }
  out.end = s.state;
  return out;
}

// Without contact: shapes that could touch, stops, drives and dry friction are refused.
FlexibleRun run_smooth(const SceneInput& in, const StepperInput& o, const Scene& scene, const sko::FlexibleModel& m,
                       const StopSignal& stop) {
  const auto method = find_integration_method(o.integrator);
  if (!method)
    throw InputError("there is no integrator '" + o.integrator +
                         "'; with --flexible: step, euler, "
                         "semi_implicit_euler, heun, rk4, rkmk4, dormand_prince",
                     kUsage);
  const auto refuse_smooth = [&](const std::string& what) {
    throw InputError(what + " is not followed by --integrator " + o.integrator +
                     " with --flexible; use --integrator step");
  };
  if (ContactShapes(scene.model).pairs() > 0) refuse_smooth("contact");
  if (!scene.model.spec().actuators.empty()) refuse_smooth("an actuator");
  for (const DofSpec& d : scene.model.dofs()) {
    if (d.damping != 0 || d.stiffness != 0 || d.friction != 0) refuse_smooth("a spring, damper or friction of a joint");
    if (std::isfinite(d.lower) || std::isfinite(d.upper)) refuse_smooth("a stop of a joint");
  }
  FlexibleRun out;
  out.integrator = o.integrator;
  out.dt = in.dt > 0 ? in.dt : scene.model.spec().timestep;
  if (!(out.dt > 0)) throw InputError("the model has no timestep; give --dt", kUsage);
  const bool adaptive = *method == IntegrationMethod::dormand_prince;
  Integrator run(scene.model, make_flexible_dynamics(m),
                 {.method = *method,
                  .dt = adaptive ? 0 : out.dt,
                  .relative = o.accuracy,
                  .absolute = 0.01 * o.accuracy,
                  .extra = 2 * m.modes()});
  run.set_state(scene.start, std::vector<double>(at(2 * m.modes()), 0.0));
  sko::FlexibleSko s(m);
  out.end = with_modes(run.state(), m, run.extra());
  set_energies(s, out);
  out.energy_before = out.kinetic + out.gravity + out.elastic;
  try {
    for (const long steps = std::lround(in.seconds / out.dt); out.steps < steps && stop.get() == 0; ++out.steps)
      run.advance(out.dt * static_cast<double>(out.steps + 1));
  } catch (const std::runtime_error& e) {
    out.broken = e.what();
  }
  out.end = with_modes(run.state(), m, run.extra());
  return out;
}

Json to_json(const FlexibleRun& r, const sko::FlexibleModel& m) {
  Json contacts = Json::array(), bodies = Json::object();
  for (const ContactForce& c : r.contacts)
    contacts.push_back({{"shapes", c.shapes},
                        {"point", app::to_json(c.at.point)},
                        {"gap", c.at.gap},
                        {"force", app::to_json(c.force)}});
  const double* eta = r.end.q.data() + m.model().nq();
  for (const sko::FlexibleBody& b : m.bodies()) {
    bodies[b.body] = std::vector<double>(eta, eta + b.modes);
    eta += b.modes;
  }
  return {{"integrator", r.integrator},
          {"steps", r.steps},
          {"dt", r.dt},
          {"time", r.end.time},
          {"wall_seconds", r.wall},
          {"modes", m.modes()},
          {"contact_steps", r.report.contact_steps},
          {"most_contacts", r.report.most_contacts},
          {"unsolved", r.report.unsolved},
          {"worst_residual", r.report.worst_residual},
          {"penetration", r.report.deepest},
          {"energy",
           {{"before", r.energy_before},
            {"kinetic", r.kinetic},
            {"gravity", r.gravity},
            {"elastic", r.elastic},
            {"contacts", r.report.contact_work},
            {"modal_damping", r.report.modal_damping_work}}},
          {"eta", std::move(bodies)},
          {"contacts", std::move(contacts)},
          {"q", r.end.q},
          {"v", r.end.v}};
}

std::string to_text(const FlexibleRun& r, const sko::FlexibleModel& m) {
  std::string out =
      fmt::format("{} steps of {:g} s, {}: {:g} s in {:.3g} s\n", r.steps, r.dt, r.integrator, r.end.time, r.wall);
  out += fmt::format("flexible bodies   {}, with {} modes\n", m.bodies().size(), m.modes());
  if (r.integrator == "step")
    out += fmt::format(
        "contacts          in {} steps, at most {} at once; unsolved {}; worst relative residual {:.1e}\n"
        "penetration       at most {:.1e} m\n",
        r.report.contact_steps, r.report.most_contacts, r.report.unsolved, r.report.worst_residual, r.report.deepest);
  out += fmt::format("energy            {:.6g} J -> {:.6g} J: kinetic {:.6g}, gravity {:.6g}, elastic {:.6g}\n",
                     r.energy_before, r.kinetic + r.gravity + r.elastic, r.kinetic, r.gravity, r.elastic);
  if (r.integrator == "step")
    out += fmt::format("  contacts        {:+.6g} J\n  modal damping   {:+.6g} J\n", r.report.contact_work,
                       r.report.modal_damping_work);
  for (const ContactForce& c : r.contacts)
    out += fmt::format("force             ({:.4g}, {:.4g}, {:.4g}) N, {}\n", c.force.x, c.force.y, c.force.z, c.shapes);
  return out;
}

}  // namespace

int run_flexible(const SceneInput& in, const Scene& scene, const SimInput& o) {
  refuse_other_options(in, o);
  if (!(in.seconds > 0)) throw InputError("--for must be positive", kUsage);
  const Result<FlexibleInput> read = load_flexible(o.flexible, scene.model);
  if (!read.ok()) {
    refuse(read.diagnostics(), o.flexible.string(), in.model->json);
    return kRefused;
  }
  try {
    const sko::FlexibleModel m(scene.model, read->bodies, read->attach);
    const StopSignal stop;
    const auto started = std::chrono::steady_clock::now();
    const bool steps = o.stepper.integrator.empty() || o.stepper.integrator == "step";
    FlexibleRun r = steps ? run_steps(in, scene, m, stop) : run_smooth(in, o.stepper, scene, m, stop);
    r.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    r.signal = stop.get();
    sko::FlexibleSko s(m);
    set_energies(s, r);
    fmt::print("{}", in.model->json ? write_short(to_json(r, m)) : to_text(r, m));
    if (!r.broken.empty()) fmt::print(stderr, "sinew: {}\n", r.broken);
    return !r.broken.empty() ? kBroken : r.signal != 0 ? 128 + r.signal : kOk;
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
}

}  // namespace sinew::app
