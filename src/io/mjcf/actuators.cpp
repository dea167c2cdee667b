// src/io/mjcf/actuators.cpp - actuators as gain * control + bias
// Defaults write from the outermost class to the element. A kind such as <position> continues from its own last
// default, or else from the last <general>; <general> continues from whatever was written last.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

struct Drive {
  std::array<double, 10> gain{1}, bias{}, dynamics{1};
  int gain_type = 0, bias_type = 0, dynamics_type = 0;  // indices into the words below; gain 2.., bias 2..: not affine
  double inherit_range = 0;
};

// Applies one source, by the rules of its kind.
void apply(Work& w, const Node& n, Drive& d) {
  const Reader r(n, w.out);
  const std::string_view kind = n.tag();
  const auto number = [&](const char* name, double otherwise) { return r.number(name).value_or(otherwise); };
  d.inherit_range = number("inheritrange", d.inherit_range);
  if (kind == "general") {
    d.gain_type = r.choice("gaintype", {"fixed", "affine", "muscle", "user", "dcmotor", "pid", "so3"}, d.gain_type);
    d.bias_type = r.choice("biastype", {"none", "affine", "muscle", "user", "dcmotor", "pid", "so3"}, d.bias_type);
    d.dynamics_type =
        r.choice("dyntype", {"none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor", "pid"},
                 d.dynamics_type);
    r.numbers("gainprm", d.gain, 1), r.numbers("biasprm", d.bias, 1), r.numbers("dynprm", d.dynamics, 1);
  } else if (kind == "motor") {
    d.gain = {1}, d.bias = {}, d.gain_type = d.bias_type = d.dynamics_type = 0;
  } else if (kind == "position" || kind == "intvelocity") {
    const double kp = number("kp", d.gain[0]);
    double rate = d.bias[2];  // above 0 it is a damping ratio, as in MuJoCo
    if (const auto ratio = r.number("dampratio")) rate = *ratio;
    if (const auto kv = r.number("kv")) rate = -*kv;
    d.gain = {kp}, d.bias = {0, -kp, rate};
    d.gain_type = 0, d.bias_type = 1;
    if (kind == "intvelocity")
      d.dynamics_type = 1;
    else if (const auto time = r.number("timeconst"))
      d.dynamics_type = *time > 0 ? 3 : 0;
  } else if (kind == "velocity") {
    const double kv = number("kv", d.gain[0]);
    d.gain = {kv}, d.bias = {0, 0, -kv};
    d.gain_type = 0, d.bias_type = 1, d.dynamics_type = 0;
  } else if (kind == "damper") {
    const double kv = number("kv", -d.gain[2]);
    if (kv < 0) r.error(Code::negative_coefficient, "kv of a damper is negative", "write a number >= 0");
    d.gain = {0, 0, -kv}, d.bias = {};
    d.gain_type = 1, d.bias_type = 0, d.dynamics_type = 0;
  } else if (kind == "cylinder") {
    d.gain[0] = number("area", d.gain[0]);
    if (const auto x = r.number("diameter")) d.gain[0] = std::numbers::pi / 4 * *x * *x;
    r.numbers("bias", std::span(d.bias).first(3), 3);
    d.gain_type = 0, d.bias_type = 1, d.dynamics_type = 2;
  } else if (kind == "adhesion") {
    d.gain[0] = number("gain", d.gain[0]);
    d.gain_type = 0, d.bias_type = 0, d.dynamics_type = 0;
  }
}

// What it acts on; empty target and an error if that is missing.
bool read_target(Work& w, const Reader& r, const std::string& suffix, ActuatorSpec& a) {
  struct Choice {
    const char* attribute;
    Transmission transmission;
  };
  constexpr Choice kChoices[] = {{"joint", Transmission::joint},   {"jointinparent", Transmission::joint_in_parent},
                                 {"tendon", Transmission::tendon}, {"slidersite", Transmission::slider_crank},
                                 {"site", Transmission::site},     {"body", Transmission::body}};
  const Node& n = r.node();
  const Choice* found = nullptr;
  for (const Choice& c : kChoices)
    if (r.has(c.attribute)) {
      if (found)
        return r.error(Code::bad_value, "acts on several things", "keep one of joint, site, tendon, body"), false;
      found = &c;
    }
  if (!found) return r.error(Code::missing_attribute, "acts on nothing", "write joint=\"...\""), false;
  const std::string_view name = *r.text(found->attribute);
  a.transmission = found->transmission;
  switch (a.transmission) {
    case Transmission::joint:
    case Transmission::joint_in_parent:
      if (const Joint* j = find_joint(w, name, n, suffix)) return a.target = j->name, true;
      return false;
    case Transmission::body: {
      const int i = find(w, w.body_names, name, "body", n, suffix);
      if (i >= 0) a.target = w.bodies[i].name;
      return i >= 0;
    }
    case Transmission::tendon:
      a.target = name;
      w.remarks.count(Code::unsupported_element, "actuator tendon", "tendons are not modelled", n);
      return true;
    default: {
      const int i = find(w, w.site_names, name, "site", n, suffix);
      if (i >= 0) a.target = w.sites[i].name;
      if (r.has("refsite"))
        w.remarks.count(Code::unsupported_element, "actuator refsite", "the reference site is left out", n);
      if (a.transmission == Transmission::slider_crank)
        w.remarks.count(Code::unsupported_element, "actuator slidersite", "the crank is left out", n);
      return i >= 0;
    }
  }
}

// Reads a range if it is in force; otherwise leaves the limits unchanged.
void read_limits(Work& w, const Reader& r, const char* range, const char* flag, double& lower, double& upper) {
  std::array<double, 2> v{};
  const bool given = r.numbers(range, v, 2) == 2;
  const int limited = r.choice(flag, {"false", "true", "auto"}, 2);
  if (limited == 0 || (limited == 2 && !(given && w.settings.autolimits))) return;
  if (v[0] > v[1] || (v[0] == v[1] && limited == 1 && !given))
    return r.error(Code::empty_limit_range, std::string(range) + " is empty", "write the lower limit first");
  lower = v[0], upper = v[1];
}

void read_actuator(Work& w, const Node& n, const std::string& suffix) {
  const Class* from = w.defaults.find(n, "class", w.defaults.top(), w.out);
  std::vector<const Node*> sources;
  for (const Class* c = from; c; c = c->parent)
    for (auto e = c->elements.rbegin(); e != c->elements.rend(); ++e)
      if (has_word(known_children("actuator"), (*e)->tag())) sources.push_back(*e);
  std::reverse(sources.begin(), sources.end());
  sources.push_back(&n);
  Drive d, general;
  std::map<std::string_view, Drive> own;
  for (const Node* s : sources) {
    const bool is_general = s->tag() == "general";
    if (!is_general) d = own.try_emplace(s->tag(), general).first->second;
    apply(w, *s, d);
    if (is_general)
      general = d, own.clear();
    else
      own[s->tag()] = d;
  }

  const Reader r(n, sources, w.out);
  ActuatorSpec a;
  a.kind = n.tag();
  a.where = n.where();
  a.name = full_name(w, n, suffix);
  if (!read_target(w, r, suffix, a)) return;
  r.numbers("gear", a.gear, 1);
  read_limits(w, r, "forcerange", "forcelimited", a.force_lower, a.force_upper);
  if (a.kind == "damper" || a.kind == "adhesion") {
    std::array<double, 2> c{};
    if (r.numbers("ctrlrange", c, 2) == 2) a.control_lower = c[0], a.control_upper = c[1];
  } else {
    read_limits(w, r, "ctrlrange", "ctrllimited", a.control_lower, a.control_upper);
  }
  if (d.inherit_range > 0 && !r.has("ctrlrange") && a.transmission == Transmission::joint)
    if (const Joint* j = find_scalar_joint(w, a.target, n, {}); j && std::isfinite(j->dofs[0].upper)) {
      const double middle = (j->dofs[0].lower + j->dofs[0].upper) / 2, half = (j->dofs[0].upper - j->dofs[0].lower) / 2;
      a.control_lower = middle - d.inherit_range * half, a.control_upper = middle + d.inherit_range * half;
    }
  const auto left_out = [&](const char* what, const char* message) {
    w.remarks.count(Code::unsupported_element, "actuator " + std::string(what), message, n);
  };
  if (a.kind == "muscle" || d.gain_type > 1 || d.bias_type > 1)
    left_out(a.kind == "muscle" ? "muscle" : "gaintype", "its force law is not affine and is left out");
  if (d.dynamics_type != 0 && a.kind != "muscle")
    left_out("dyntype", "activation dynamics are left out: the control acts at once");
  const bool servo = a.kind == "position" || a.kind == "intvelocity";
  if (servo && d.bias[2] > 0) {
    left_out("dampratio", "the damping that depends on the inertia is left out");
    d.bias[2] = 0;
  }
  std::copy_n(d.gain.begin(), d.gain_type == 1 ? 3 : 1, a.gain.begin());
  if (d.bias_type == 1) std::copy_n(d.bias.begin(), 3, a.bias.begin());
  w.spec.actuators.push_back(std::move(a));
}

}  // namespace

void read_actuators(Work& w) {
  constexpr std::string_view kModelled = "general motor position velocity intvelocity damper cylinder muscle adhesion";
  for (const Node& section : w.tree.root.children) {
    if (section.tag() != "actuator") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (!has_word(known_children("actuator"), n.tag())) {
        w.warn(n, Code::unknown_element, "MJCF has no such actuator", "remove it");
        continue;
      }
      if (!has_word(kModelled, n.tag())) {
        w.remarks.count(Code::unsupported_element, "actuator <" + std::string(n.tag()) + ">", "is not modelled", n);
        continue;
      }
      check_attributes(n, "actuator/" + std::string(n.tag()), w.remarks, w.out);
      for_replicas(w, n, {"joint", "jointinparent", "site", "body"},
                   [&](const std::string& s) { read_actuator(w, n, s); });
    }
  }
}

}  // namespace sinew::mjcf
