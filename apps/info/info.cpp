// apps/info/info.cpp - `sinew info`: what a model is made of
#include <fmt/format.h>

#include <cmath>

#include "common/describe.hpp"
#include "common/model_input.hpp"
#include "common/model_json.hpp"
#include "common/report.hpp"
#include "info/mobility.hpp"
#include "info/tree_text.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew::app {
namespace {

std::string list_names(const Model& m, const std::vector<int>& bodies) {
  std::string out;
  for (const int b : bodies) out += (out.empty() ? "" : ", ") + clean(m.bodies()[b].name);
  return out;
}

std::string describe_counts(const Model& m) {
  const ModelSpec& s = m.spec();
  struct Count {
    std::size_t n;
    const char *one, *many;
    bool always;
  };
  const Count counts[] = {
      {s.bodies.size(), "body", "bodies", true},
      {s.joints.size(), "joint", "joints", true},
      {s.frames.size(), "frame", "frames", true},
      {s.shapes.size(), "shape", "shapes", true},
      {s.meshes.size(), "mesh", "meshes", false},
      {s.heightfields.size(), "heightfield", "heightfields", false},
      {s.loops.size(), "loop", "loops", true},
      {s.couplings.size(), "coupling", "couplings", true},
      {s.tendons.size(), "tendon", "tendons", false},
      {s.tendon_couplings.size(), "tendon coupling", "tendon couplings", false},
      {s.actuators.size(), "actuator", "actuators", false},
      {s.keyframes.size(), "keyframe", "keyframes", false},
  };
  std::string out;
  for (const Count& c : counts)
    if (c.n > 0 || c.always) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", c.n, c.n == 1 ? c.one : c.many);
  return out;
}

// "name: ", or nothing if there is no name or the text contains it.
std::string label(const std::string& name, const std::string& said = {}) {
  return name.empty() || name == said ? "" : name + ": ";
}

std::string describe_loops(const Model& m, const Paint& paint, int width) {
  if (m.loops().empty()) return "";
  const KinematicsWorkspace<double> ws = kinematics_at_neutral(m);
  std::string out = "\n  " + paint.dim("loops") + "\n";
  for (std::size_t i = 0; i < m.loops().size(); ++i) {
    const LoopSpec& l = m.spec().loops[i];
    const bool meets = l.kind == JointKind::fixed || l.kind == JointKind::revolute || l.kind == JointKind::spherical ||
                       l.kind == JointKind::universal;
    const double gap = loop_gap(m.loops()[i], ws);
    const std::string state = !meets       ? ""
                              : gap < 1e-9 ? ", closed at neutral"
                                           : fmt::format(", open by {:.3g} m at neutral", gap);
    out += wrapped("  ",
                   clean(fmt::format("{}{} -- {}, {}{}{}", label(l.name), l.body_a, l.body_b, to_string(l.kind), state,
                                     l.active ? "" : ", inactive")),
                   width);
  }
  return out;
}

std::string describe_couplings(const Model& m, const Paint& paint, int width) {
  if (m.couplings().empty()) return "";
  std::string out = "\n  " + paint.dim("couplings") + "\n";
  for (const CouplingSpec& c : m.spec().couplings)
    out += wrapped("  ", clean(label(c.name, c.dependent) + formula(c) + (c.active ? "" : ", inactive")), width);
  return out;
}

// "through a, around b, through c", or "0.5 knee + 2 hip"
std::string describe_path(const TendonSpec& t) {
  std::string out;
  for (const TendonPart& p : t.parts) {
    const bool first = out.empty();
    switch (p.kind) {
      case TendonPartKind::joint: out += fmt::format("{}{:g} {}", first ? "" : " + ", p.factor, p.target); break;
      case TendonPartKind::site: out += fmt::format("{}through {}", first ? "" : ", ", p.target); break;
      case TendonPartKind::pulley: out += fmt::format("{}pulley /{:g}", first ? "" : ", ", p.factor); break;
      case TendonPartKind::wrap:
        out += fmt::format(", around {}{}", p.target, p.side.empty() ? "" : " on the side of " + p.side);
        break;
    }
  }
  return out;
}

std::string describe_tendons(const Model& m, const Paint& paint, int width) {
  if (m.tendons().empty()) return "";
  const TendonWorkspace ws(m);
  std::string out = "\n  " + paint.dim("tendons") + "\n";
  for (std::size_t i = 0; i < m.tendons().size(); ++i) {
    const TendonSpec& t = m.spec().tendons[i];
    std::string laws = fmt::format(", {:.4g} m at neutral", ws.neutral[i]);
    if (std::isfinite(t.lower) || std::isfinite(t.upper))
      laws += fmt::format(", within {:g} .. {:g} m", t.lower, t.upper);
    if (t.stiffness != 0) laws += fmt::format(", spring {:g} N/m", t.stiffness);
    if (t.damping != 0) laws += fmt::format(", damping {:g} N s/m", t.damping);
    if (t.friction != 0) laws += fmt::format(", friction {:g} N", t.friction);
    if (t.armature != 0) laws += fmt::format(", armature {:g} kg", t.armature);
    out += wrapped("  ", clean(label(t.name) + describe_path(t) + laws), width);
  }
  return out;
}

std::string describe_mobility(const Model& m, const Paint& paint, int width) {
  const MobilityReport report = report_mobility(m);
  if (report.lines.empty()) return "";
  std::string out = "\n  " + paint.dim("mobility") + "\n";
  for (const std::string& line : report.lines) out += wrapped("  ", clean(line), width);
  return out;
}

void print_model(const Model& m) {
  const Paint paint(stdout);
  const int width = find_width(stdout);
  const std::vector<int> branches = branch_points(m);
  fmt::print("{}: {} dof (nq {}, nv {}), {:.6g} kg\n", paint.bold(clean(m.name())), m.nv(), m.nq(), m.nv(), m.mass());
  fmt::print("{}", wrapped("  ", describe_counts(m), width));
  const std::string forks =
      branches.empty() ? "no branch point"
                       : counted(static_cast<int>(branches.size()), "branch point") + ": " + list_names(m, branches);
  fmt::print("{}", wrapped("  ", fmt::format("depth {}, {}", m.topology().max_depth(), forks), width));
  fmt::print("\n{}", draw_tree(m, paint, width));
  fmt::print("{}{}{}{}", describe_loops(m, paint, width), describe_couplings(m, paint, width),
             describe_tendons(m, paint, width), describe_mobility(m, paint, width));
}

int run(const ModelInput& in) {
  const ReadModel r = read_model(in);
  const int code = r.model ? kOk : kRefused;
  if (in.json) {
    Json out = {{"file", in.file.string()}};
    if (r.model) out.update(to_json(*r.model));
    if (r.model) out["mobility"] = report_mobility(*r.model).json;
    out["diagnostics"] = to_json(r.diagnostics);
    fmt::print("{}", write(out));
    return code;
  }
  if (r.model) print_model(*r.model);
  std::fflush(stdout);
  if (!r.model)
    fmt::print(stderr, "{}{}: refused, {}\n",
               report(r.diagnostics, in.file.string(), Paint(stderr), find_width(stderr)), in.file.string(),
               summarize(r.diagnostics));
  else if (!r.diagnostics.empty())
    fmt::print(stderr, "\n{}; see: sinew check {}\n", summarize(r.diagnostics), in.file.string());
  return code;
}

}  // namespace

void add_info(Command& sinew) {
  Command c = sinew.add("info", "Show what a model is made of");
  const auto in = add_model_input(c);
  c.footer(
      "Exit codes: 0 fine, 2 the file is refused, 3 wrong usage.\n"
      "Examples:\n  sinew info models/humanoid.xml\n  sinew info --floating --json robot.urdf | jq .mass");
  c.run([in] { return run(*in); });
}

}  // namespace sinew::app
