// apps/sim/report.cpp - what `sinew sim` prints and draws
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/json_text.hpp"
#include "common/svg_chart.hpp"
#include "sim/run.hpp"

namespace sinew::app {

using Json = nlohmann::ordered_json;

std::string to_text(const SimRun& r) {
  const SimulationTotals& t = r.totals;
  const double per_step = 1e6 / static_cast<double>(std::max(1L, t.steps));
  std::string out = fmt::format("{} steps of {:g} s: {:g} s", t.steps, r.dt, r.seconds());
  const bool steps = r.options.front().second == "step";
  if (!steps) out += ", " + r.options.front().second;
  if (r.steps_here < t.steps) out += fmt::format(", {} steps of them here", r.steps_here);
  if (r.steps_here > 0) out += fmt::format(" in {:.3g} s, {:.3g} x real time", r.wall, r.real_time_factor());
  out += fmt::format("\ncontacts          in {} steps, at most {} at once; {} collisions\n", t.contact_steps,
                     t.most_contacts, t.collisions);
  if (steps)
    out += fmt::format("problems          {}, at most {} unknowns; {}unsolved {}; worst relative residual {:.1e}\n",
                       t.problems, t.largest_size, t.close > 0 ? fmt::format("only close {}; ", t.close) : "",
                       t.unsolved, t.worst_residual);
  else
    out += fmt::format("evaluations       {}; {} steps were rejected\n", t.iterations, t.refinements);
  out += fmt::format("penetration       at most {:.1e} m\n", t.deepest);
  if (t.slowed + t.stuck > 0)
    out += fmt::format(
        "  deep            {} times an overlap came back slowly, at the recovery speed; {} times it stayed,\n"
        "                  because the problem with all overlaps was not solved\n",
        t.slowed, t.stuck);
  if (r.freedoms) {
    out += fmt::format(
        "loops             embedded, {} freedoms; off by at most {:.1e} m or rad; coordinates changed {} times\n",
        *r.freedoms, t.worst_drift, r.coordinate_changes.size());
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < std::min(kShown, r.coordinate_changes.size()); ++i)
      out += "                  " + r.coordinate_changes[i] + "\n";
    if (r.coordinate_changes.size() > kShown)
      out += fmt::format("                  ... and {} more (--json)\n", r.coordinate_changes.size() - kShown);
  }
  out += fmt::format("energy            {:.6g} J -> {:.6g} J\n", r.energy_before, r.energy_after());
  out += fmt::format("  collisions      {:+.6g} J{}\n", t.work.collisions,
                     t.collisions > 0 ? fmt::format(" (the largest change of one: {:+.2g} J)", t.largest_gain) : "");
  const auto line = [&](const char* name, double joules) {
    if (joules != 0) out += fmt::format("  {:<15} {:+.6g} J\n", name, joules);
  };
  line("contact normal", t.work.contact_normal), line("friction", t.work.contact_friction);
  line("stops", t.work.stops), line("joint friction", t.work.joint_friction), line("loops", t.work.loops);
  line("actuators", t.work.actuators), line("springs", t.work.springs), line("dampers", t.work.dampers);
  line("applied", t.work.applied), line("external", t.work.external);
  out += fmt::format("  unaccounted for {:+.2g} J, the error of the integrator\n", r.unaccounted());
  if (steps) {
    const auto of = [](const Vec3<double>& v) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", v.x, v.y, v.z); };
    out += fmt::format("momentum          {} N s from weight, {} from contacts with the world\n",
                       of(t.impulse.weight.lin), of(t.impulse.contacts.lin));
    const Force<double>& external = t.impulse.external;
    if (external.lin != Vec3<double>{} || external.ang != Vec3<double>{})
      out += fmt::format("  external        {} N s and {} N m s\n", of(external.lin), of(external.ang));
    out += fmt::format("  unaccounted for {} N s and {} N m s, of the integrator and of joints to the world\n",
                       of(r.unaccounted_momentum.lin), of(r.unaccounted_momentum.ang));
  }
  if (steps && r.steps_here > 0)
    out += fmt::format(
        "a step            {:.1f} us: detection {:.2f}, assembly {:.2f}, solution {:.2f}, recovery {:.2f}\n",
        1e6 * r.wall / static_cast<double>(r.steps_here), t.detection * per_step, t.assembly * per_step,
        t.solution * per_step, t.recovery * per_step);
  return out;
}

Json to_json(const SimRun& r) {
  const SimulationTotals& t = r.totals;
  Json bodies = Json::object(), contacts = Json::array();
  for (const BodyPlace& b : r.bodies) {
    const Quaternion<double>& o = b.orientation;
    bodies[b.name] = {{"position", to_json(b.position)}, {"orientation", {o.w, o.x, o.y, o.z}}};
  }
  for (const ContactForce& c : r.contacts)
    contacts.push_back({{"shapes", c.shapes},
                        {"bodies", {c.body_a, c.body_b}},
                        {"point", to_json(c.at.point)},
                        {"normal", to_json(c.at.normal)},
                        {"gap", c.at.gap},
                        {"force", to_json(c.force)}});
  Json options = Json::object();
  for (const auto& [name, value] : r.options) {
    const Json number = Json::parse(value, nullptr, false);
    options[name] = number.is_number() || number.is_boolean() ? number : Json(value);
  }
  Json out{{"integrator", r.options.front().second},
           {"options", std::move(options)},
           {"steps", t.steps},
           {"dt", r.dt},
           {"seconds", r.seconds()},
           {"steps_here", r.steps_here},
           {"wall_seconds", r.wall},
           {"real_time_factor", r.steps_here > 0 ? r.real_time_factor() : 0},
           {"steps_per_second", r.steps_here > 0 ? static_cast<double>(r.steps_here) / r.wall : 0},
           {"phase_seconds",
            {{"detection", t.detection}, {"assembly", t.assembly}, {"solution", t.solution}, {"recovery", t.recovery}}},
           {"contact_steps", t.contact_steps},
           {"most_contacts", t.most_contacts},
           {"collisions", t.collisions},
           {"problems", t.problems},
           {"close", t.close},
           {"unsolved", t.unsolved},
           {"largest_size", t.largest_size},
           {"worst_residual", t.worst_residual},
           {"worst_complementarity", t.worst_complementarity},
           {"worst_cone", t.worst_cone},
           {"penetration", t.deepest},
           {"worst_violation", t.worst_violation},
           {"worst_drift", t.worst_drift},
           {"refinements", t.refinements},
           {"slowed", t.slowed},
           {"stuck", t.stuck},
           {"iterations", t.iterations},
           {"energy",
            {{"before", r.energy_before},
             {"after", r.energy_after()},
             {"kinetic", r.kinetic},
             {"potential", r.potential},
             {"collisions", t.work.collisions},
             {"largest_change", t.largest_gain},
             {"contact_normal", t.work.contact_normal},
             {"contact_friction", t.work.contact_friction},
             {"stops", t.work.stops},
             {"joint_friction", t.work.joint_friction},
             {"loops", t.work.loops},
             {"actuators", t.work.actuators},
             {"springs", t.work.springs},
             {"dampers", t.work.dampers},
             {"applied", t.work.applied},
             {"external", t.work.external},
             {"unaccounted", r.unaccounted()}}},
           {"momentum",
            {{"before", to_json(t.start_momentum)},
             {"weight", to_json(t.impulse.weight)},
             {"external", to_json(t.impulse.external)},
             {"contacts", to_json(t.impulse.contacts)},
             {"unaccounted", to_json(r.unaccounted_momentum)}}},
           {"time", r.end.time},
           {"q", r.end.q},
           {"v", r.end.v},
           {"bodies", std::move(bodies)},
           {"contacts", std::move(contacts)}};
  if (r.freedoms) out["embedding"] = {{"freedoms", *r.freedoms}, {"coordinate_changes", r.coordinate_changes}};
  if (r.saved_rows > 0) out["record"] = {{"rows", r.saved_rows}, {"time", r.saved_time}};
  if (r.signal != 0) out["signal"] = r.signal;
  if (!r.broken.empty()) out["broken"] = r.broken;
  return out;
}

std::string charts(const SimRun& r) {
  const Track& t = r.track;
  std::vector<double> total(t.time.size());
  std::transform(t.kinetic.begin(), t.kinetic.end(), t.potential.begin(), total.begin(), std::plus<>());
  return to_svg({{"height of " + t.body, "time [s]", "m", {{t.body, t.time, t.height}}},
                 {"vertical velocity of " + t.body, "time [s]", "m/s", {{t.body, t.time, t.velocity}}},
                 {"energy",
                  "time [s]",
                  "J",
                  {{"total", t.time, total}, {"kinetic", t.time, t.kinetic}, {"potential", t.time, t.potential}}},
                 {"contacts", "time [s]", "contacts in the step", {{"contacts", t.time, t.contacts}}}},
                2);
}

}  // namespace sinew::app
