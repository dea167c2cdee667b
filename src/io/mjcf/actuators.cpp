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
  int gain_type = 0, bias_type = 0, dynamics_type = 0;  // indices into the words below: 2 of gain and bias is muscle
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
      d.dynamics_type = *time > 0 ? 3 : 0, d.dynamics[0] = *time;
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
    d.dynamics[0] = number("timeconst", d.dynamics[0]);
    d.gain_type = 0, d.bias_type = 1, d.dynamics_type = 2;
  } else if (kind == "muscle") {
    // What was not set before has the value of a plain actuator, and gets that of a muscle.
    const auto fill = [](double& x, double unset, double otherwise) { x = x == unset ? otherwise : x; };
    fill(d.dynamics[0], 1, 0.01), fill(d.dynamics[1], 0, 0.04);
    constexpr double kMuscle[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    for (std::size_t k = 0; k < 9; ++k) fill(d.gain[k], k == 0 ? 1 : 0, kMuscle[k]);
    r.numbers("timeconst", std::span(d.dynamics).first(2), 1);
    d.dynamics[2] = number("tausmooth", d.dynamics[2]);
    r.numbers("range", std::span(d.gain).first(2), 2);
    constexpr const char* kNames[7] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    for (std::size_t k = 0; k < 7; ++k) d.gain[k + 2] = number(kNames[k], d.gain[k + 2]);
    d.bias = d.gain;
    d.gain_type = d.bias_type = 2, d.dynamics_type = 4;
  } else if (kind == "adhesion") {
    d.gain[0] = number("gain", d.gain[0]);
    d.gain_type = 0, d.bias_type = 0, d.dynamics_type = 0;
  }
}

// What it acts on, and what its coordinate is measured in; false and an error if that is missing. On a place the gear
// decides about the unit: with a force it is a length, with couples alone an angle.
bool read_target(Work& w, const Reader& r, const std::string& suffix, ActuatorSpec& a, Unit& unit) {
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
  const bool pushes = a.gear[0] != 0 || a.gear[1] != 0 || a.gear[2] != 0;
  switch (a.transmission) {
    case Transmission::joint:
    case Transmission::joint_in_parent:
      if (const Joint* j = find_joint(w, name, n, suffix)) {
        a.target = j->name;
        unit = unit_of(*j, w.scales);
        if (j->type == JointType::free) unit.is_length = pushes;
        return true;
      }
      return false;
    case Transmission::body: {
      const int i = find(w, w.body_names, name, "body", n, suffix);
      if (i < 0) return false;
      a.target = w.bodies[i].name;
      unit = {w.scales[w.bodies[i].scale], true};
      return true;
    }
    case Transmission::tendon: {
      const int i = find(w, w.tendon_names, name, "tendon", n, suffix);
      if (i < 0) return false;
      a.target = w.spec.tendons[i].name;
      unit = w.tendon_units[i];
      return true;
    }
    default: {
      const int i = find(w, w.site_names, name, "site", n, suffix);
      if (i < 0) return false;
      a.target = w.sites[i].name;
      unit = {w.scales[w.sites[i].scale], pushes};
      const bool crank = a.transmission == Transmission::slider_crank;
      const char* other = crank ? "cranksite" : "refsite";
      if (a.transmission == Transmission::site && !r.has(other)) return true;
      const auto reference = r.required_text(other);
      const int k = reference ? find(w, w.site_names, *reference, "site", n, suffix) : -1;
      if (k < 0) return false;
      a.reference = w.sites[k].name;
      a.crank_length = r.number("cranklength").value_or(0);
      if (crank) unit = {geometric_mean(unit.scale, w.scales[w.sites[k].scale]), true};
      return true;
    }
  }
}

// A law of another kind has numbers of unknown units: MuJoCo refuses to scale them, too.
void refuse_scaled_law(const Reader& r, const Unit& unit) {
  if (unit.scale.force_mass != 1 || unit.scale.force_length != 1)
    r.error(Code::bad_actuator, "its law cannot be scaled, and it acts on something in a <frame> with a scale",
            "write scaling=\"geometry\" in the frame");
}

// Armature and damping of an actuator belong to what it acts on, times gear squared: all terms, as in MuJoCo.
void add_to_target(Work& w, const Reader& r, const ActuatorSpec& a, const Unit& u) {
  const double armature = u.force(1) * r.number("armature").value_or(0), ratio = a.gear[0] * a.gear[0];
  std::array<double, 3> damping{};
  r.numbers("damping", damping, 1);
  for (int k = 0; k < 3; ++k) damping[static_cast<std::size_t>(k)] *= u.force(k + 1);
  if (armature == 0 && damping == std::array<double, 3>{}) return;
  if (armature < 0 || damping[0] < 0)
    r.error(Code::negative_coefficient, "armature or damping is negative", "write a number >= 0");
  const auto add = [&](auto& to) {
    to.armature += ratio * armature, to.damping += ratio * damping[0];
    to.damping_terms[0] += ratio * damping[1], to.damping_terms[1] += ratio * damping[2];
  };
  if (a.transmission == Transmission::tendon) {
    for (TendonSpec& t : w.spec.tendons)
      if (t.name == a.target) add(t);
    return;
  }
  for (JointSpec& whole : w.spec.joints) {
    const auto matches = [&](const JointSpec& j) { return j.name == a.target && j.dofs.size() == 1; };
    if (matches(whole)) return add(whole.dofs[0]);
    for (JointSpec& part : whole.parts)
      if (matches(part)) return add(part.dofs[0]);
  }
  w.remarks.count(Code::unsupported_element, "actuator armature or damping",
                  "counts on joints of one coordinate and on tendons only, and is left out", r.node());
}

}  // namespace

void read_limits(Work& w, const Reader& r, const char* range, const char* flag, double& lower, double& upper) {
  std::array<double, 2> v{};
  const bool given = r.numbers(range, v, 2) == 2;
  const int limited = r.choice(flag, {"false", "true", "auto"}, 2);
  if (limited == 0 || (limited == 2 && !(given && w.settings().autolimits))) return;
  if (v[0] > v[1] || (v[0] == v[1] && limited == 1 && !given))
    return r.error(Code::empty_limit_range, std::string(range) + " is empty", "write the lower limit first");
  lower = v[0], upper = v[1];
}

namespace {

// The range of what an actuator acts on; none: it has no limits.
std::optional<std::array<double, 2>> find_target_range(const Work& w, const ActuatorSpec& a) {
  if (a.transmission == Transmission::tendon) {
    for (const TendonSpec& t : w.spec.tendons)
      if (t.name == a.target && std::isfinite(t.upper)) return std::array{t.lower, t.upper};
  } else if (a.transmission == Transmission::joint) {
    const auto found = w.joint_names.find(a.target);
    if (found == w.joint_names.end()) return std::nullopt;
    for (const Joint& j : w.bodies[found->second].joints)
      if (j.name == a.target && j.dofs.size() == 1 && std::isfinite(j.dofs[0].upper))
        return std::array{j.dofs[0].lower, j.dofs[0].upper};
  }
  return std::nullopt;
}

void read_actuator(Work& w, const Node& n, const std::string& suffix) {
  const Class* from = w.defaults().find(n, "class", w.defaults().top(), w.out);
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
  r.numbers("gear", a.gear, 1);
  Unit unit;
  if (!read_target(w, r, suffix, a, unit)) return;
  read_limits(w, r, "forcerange", "forcelimited", a.force_lower, a.force_upper);
  if (a.kind == "damper" || a.kind == "adhesion") {
    std::array<double, 2> c{};
    if (r.numbers("ctrlrange", c, 2) == 2) a.control_lower = c[0], a.control_upper = c[1];
  } else {
    read_limits(w, r, "ctrlrange", "ctrllimited", a.control_lower, a.control_upper);
  }
  read_limits(w, r, "actrange", "actlimited", a.activation_lower, a.activation_upper);
  const auto left_out = [&](const char* what, const char* message) {
    w.remarks.count(Code::unsupported_element, "actuator " + std::string(what), message, n);
  };
  const bool muscle = d.gain_type == 2 && d.bias_type == 2, known = muscle || (d.gain_type <= 1 && d.bias_type <= 1);
  if (!known) left_out("gaintype", "its force law is neither affine nor that of a muscle and is left out");
  if (d.dynamics_type > 4) left_out("dyntype", "its activation is left out: the control acts at once");
  const auto actdim = r.integer("actdim").value_or(-1);
  if (actdim > 1) left_out("actdim", "an activation of several numbers is left out");
  if (d.dynamics_type <= 4) a.activation = static_cast<Activation>(d.dynamics_type);
  std::copy_n(d.dynamics.begin(), 3, a.time_constants.begin());
  a.early = r.boolean("actearly").value_or(false);
  std::array<double, 2> lengths{};
  if (r.numbers("lengthrange", lengths, 2) == 2 && lengths[0] < lengths[1]) a.length_range = lengths;
  if (muscle) {
    const auto& g = d.gain;
    a.muscle = MuscleSpec{{g[0], g[1]}, g[2], g[3], g[4], g[5], g[6], g[7], g[8]};
    if (!(g[0] < g[1])) r.error(Code::bad_actuator, "the range of the muscle is empty", "write range=\"0.75 1.05\"");
  } else {
    std::copy_n(d.gain.begin(), d.gain_type == 1 ? 3 : 1, a.gain.begin());
    if (d.bias_type == 1) std::copy_n(d.bias.begin(), 3, a.bias.begin());
  }

  if (!known || d.dynamics_type > 4) refuse_scaled_law(r, unit);
  scale_actuator(a, unit);
  add_to_target(w, r, a, unit);
  const bool inherits_activation = a.kind == "intvelocity";
  if (d.inherit_range > 0 && !r.has(inherits_activation ? "actrange" : "ctrlrange"))
    if (const auto range = find_target_range(w, a)) {
      const double middle = ((*range)[0] + (*range)[1]) / 2, half = ((*range)[1] - (*range)[0]) / 2;
      (inherits_activation ? a.activation_lower : a.control_lower) = middle - d.inherit_range * half;
      (inherits_activation ? a.activation_upper : a.control_upper) = middle + d.inherit_range * half;
    }
  const bool servo = !muscle && d.gain_type == 0 && d.bias_type == 1 && a.bias[1] == -a.gain[0];
  if (servo && a.bias[2] > 0) a.damping_ratio = a.bias[2], a.bias[2] = 0;
  w.spec.actuators.push_back(std::move(a));
  w.actuator_units.push_back(unit);
}

}  // namespace

namespace {

// True if it is not attached; keyframes need to know.
bool note_actuator(Work& w, const Node& n) {
  const bool out = is_left_out(w, n);
  if (w.at.attachment) w.at.attachment->actuators.push_back(!out);
  return out;
}

}  // namespace

void read_actuators(Work& w) {
  if (w.at.attachment) w.at.attachment->first_actuator = w.spec.actuators.size();
  constexpr std::string_view kModelled = "general motor position velocity intvelocity damper cylinder muscle adhesion";
  for (const Node& section : w.root().children) {
    if (section.tag() != "actuator") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (note_actuator(w, n)) continue;
      if (!has_word(known_children("actuator"), n.tag())) {
        w.warn(n, Code::unknown_element, "MJCF has no such actuator", "remove it");
        continue;
      }
      if (!has_word(kModelled, n.tag())) {
        ActuatorSpec dropped;
        Unit unit;
        const Reader r(n, w.out);
        if (n.tag() == "dcmotor" && read_target(w, r, {}, dropped, unit)) refuse_scaled_law(r, unit);
        w.remarks.count(Code::unsupported_element, "actuator <" + std::string(n.tag()) + ">", "is not modelled", n);
        continue;
      }
      check_attributes(n, "actuator/" + std::string(n.tag()), w.remarks, w.out);
      for_replicas(w, n, {"joint", "jointinparent", "site", "slidersite", "tendon", "body"},
                   [&](const std::string& s) { read_actuator(w, n, s); });
    }
  }
}

}  // namespace sinew::mjcf
