// apps/sim/report.cpp - what `sinew sim` prints and draws
#include <fmt/format.h>

#include <algorithm>

#include "common/json_text.hpp"
#include "common/terminal.hpp"
#include "sim/run.hpp"

namespace sinew::app {

using Json = nlohmann::ordered_json;

namespace {

// Lines of a summary: a word, then what there is to say, wrapped under itself.
class Lines {
 public:
  void add(const char* word, const std::string& text) {
    out_ += wrapped(fmt::format("  {:<12}", word), text, kColumns);
  }
  void more(const std::string& text) { add("", text); }
  std::string take() { return std::move(out_); }

 private:
  static constexpr int kColumns = 110;
  std::string out_;
};

std::string of(const Vec3<double>& v) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", v.x, v.y, v.z); }
std::string in_milliseconds(double s) { return fmt::format("{:g} ms", 1000 * s); }

void add_solution(const SimRun& r, Lines& out) {
  const SimulationTotals& t = r.totals;
  if (r.options.front().second != "step") {
    out.add("solution", fmt::format("{} evaluations of the equations of motion; {} steps were tried again shorter",
                                    t.iterations, t.refinements));
    return;
  }
  if (t.largest_size == 0) {
    out.add("solution", "no contact, loop or stop asked for one");
    return;
  }
  std::string text = fmt::format("{} problems of at most {} unknowns; ", t.problems, t.largest_size);
  text += t.unsolved == 0 ? "all solved" : fmt::format("{} NOT SOLVED", t.unsolved);
  if (t.wedged > 0) text += fmt::format(" ({} because contacts contradict)", t.wedged);
  if (t.out_of_time > 0) text += fmt::format(" ({} for lack of time)", t.out_of_time);
  if (t.close > 0) text += fmt::format(", {} less well than asked", t.close);
  out.add("solution", text + fmt::format("; worst relative residual {:.1e}", t.worst_residual));
}

void add_contacts(const SimRun& r, Lines& out) {
  const SimulationTotals& t = r.totals;
  if (t.contact_steps == 0 && t.collisions == 0) {
    out.add("contact", "none");
  } else {
    out.add("contact", fmt::format("in {} steps, at most {} points at once, {} collisions; {}", t.contact_steps,
                                   t.most_contacts, t.collisions,
                                   t.deepest > 0 ? fmt::format("deepest overlap {:.1e} m", t.deepest) : "no overlap"));
  }
  if (t.slowed + t.stuck > 0)
    out.more(
        fmt::format("deep overlaps: {} times one came back slowly, at the recovery speed; {} times it stayed, "
                    "because the problem with all overlaps was not solved",
                    t.slowed, t.stuck));
  if (t.cut_short > 0)
    out.more(fmt::format("impacts: {} steps had so many that what else would bounce was stopped; take a smaller step",
                         t.cut_short));
  if (!r.freedoms) return;
  out.add("loops", fmt::format("embedded, {} freedoms; off by at most {:.1e} m or rad; coordinates changed {} times",
                               *r.freedoms, t.worst_drift, r.coordinate_changes.size()));
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, r.coordinate_changes.size()); ++i) out.more(r.coordinate_changes[i]);
  if (r.coordinate_changes.size() > kShown)
    out.more(fmt::format("... and {} more (--json)", r.coordinate_changes.size() - kShown));
}

void add_energy(const SimRun& r, Lines& out) {
  const SimulationTotals& t = r.totals;
  out.add("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end ({:.6g} J of motion)", r.energy_before,
                                r.energy_after(), r.kinetic));
  std::string work;
  const auto add = [&](const char* name, double joules) {
    if (joules != 0) work += fmt::format("{}{} {:+.4g} J", work.empty() ? "" : ", ", name, joules);
  };
  add("collisions", t.work.collisions), add("contact normal", t.work.contact_normal);
  add("contact friction", t.work.contact_friction), add("stops", t.work.stops);
  add("joint friction", t.work.joint_friction), add("loops", t.work.loops), add("actuators", t.work.actuators);
  add("springs", t.work.springs), add("dampers", t.work.dampers), add("joint forces", t.work.applied);
  add("forces on bodies", t.work.external);
  if (!work.empty()) out.more("work on it: " + work);
  std::string rest = t.unsolved > 0 ? "of the problems that were not solved, and of the integrator"
                     : r.prescribed ? "of what drives prescribed joints, and of the integrator"
                                    : "the error of the integrator";
  out.more(fmt::format("unaccounted for: {:+.2g} J, {}", r.unaccounted(), rest));
}

void add_momentum(const SimRun& r, Lines& out) {
  const SimulationTotals& t = r.totals;
  const Force<double>&external = t.impulse.external, &rest = r.unaccounted_momentum;
  std::string text = fmt::format("{} N s from weight, {} N s from contacts with the world", of(t.impulse.weight.lin),
                                 of(t.impulse.contacts.lin));
  if (external.lin != Vec3<double>{} || external.ang != Vec3<double>{})
    text += fmt::format(", {} N s and {} N m s from forces on bodies", of(external.lin), of(external.ang));
  out.add("momentum", text);
  out.more(fmt::format("unaccounted for: {} N s and {} N m s, through joints to the world and of the integrator",
                       of(rest.lin), of(rest.ang)));
}

}  // namespace

std::string to_text(const SimRun& r) {
  const SimulationTotals& t = r.totals;
  const std::string& how = r.options.front().second;
  Lines out;
  for (std::size_t i = 0; i < r.notes.size(); ++i) out.add(i == 0 ? "scene" : "", r.notes[i]);
  out.add("steps", fmt::format("{} of {}{}{}{}", t.steps, in_milliseconds(r.dt), how == "step" ? "" : ", " + how,
                               r.steps_here < t.steps ? fmt::format("; {} of them here", r.steps_here) : "",
                               r.abandoned ? "; the next one was begun, abandoned and taken back" : ""));
  if (!r.modes.empty()) out.add("bending", fmt::format("{} modes of bodies that bend", r.modes.size()));
  add_contacts(r, out), add_solution(r, out), add_energy(r, out);
  if (how == "step") add_momentum(r, out);
  if (how == "step" && r.steps_here > 0) {
    const double per_step = 1e6 / static_cast<double>(std::max(1L, t.steps));
    out.add(
        "time",
        fmt::format(
            "{:.1f} us per step: finding contacts {:.1f} us, matrices {:.1f} us, solution {:.1f} us, motion {:.1f} us",
            1e6 * r.wall / static_cast<double>(r.steps_here), t.detection * per_step, t.assembly * per_step,
            t.solution * per_step, t.recovery * per_step));
  }
  std::string first = fmt::format("{}: {:g} s simulated", clean(r.scene), r.seconds());
  if (r.steps_here > 0) first += fmt::format(" in {:.3g} s, {:.3g} times real time", r.wall, r.real_time_factor());
  return first + "\n" + out.take();
}

std::string describe_trouble(const SimRun& r) {
  const Trouble& t = r.trouble;
  return fmt::format(
      "{} of {} problems were not solved, from t = {:g} s on; worst relative residual {:.1e}. Likely "
      "reason: {}",
      r.totals.unsolved, r.totals.problems, std::max(0.0, t.first), std::max(t.worst, r.totals.worst_residual),
      t.reason.empty() ? "it was so before this run was resumed" : t.reason);
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
           {"out_of_time", t.out_of_time},
           {"wedged", t.wedged},
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
           {"cut_short", t.cut_short},
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
  if (!r.modes.empty()) {
    Json& modes = out["modes"] = Json::object();
    const std::size_t first = r.end.q.size() - r.modes.size();
    for (std::size_t i = 0; i < r.modes.size(); ++i) modes[r.modes[i]] = r.end.q[first + i];
  }
  out["notes"] = r.notes;
  if (t.unsolved > 0)
    out["trouble"] = {{"unsolved", t.unsolved},
                      {"first", std::max(0.0, r.trouble.first)},
                      {"worst_residual", r.trouble.worst},
                      {"reason", r.trouble.reason}};
  if (r.freedoms) out["embedding"] = {{"freedoms", *r.freedoms}, {"coordinate_changes", r.coordinate_changes}};
  if (r.saved_rows > 0) out["record"] = {{"rows", r.saved_rows}, {"time", r.saved_time}};
  if (r.signal != 0) out["signal"] = r.signal, out["abandoned_step"] = r.abandoned;
  if (!r.broken.empty()) out["broken"] = r.broken;
  return out;
}

}  // namespace sinew::app
