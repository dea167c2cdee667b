// src/io/mjcf/tendons.cpp - tendons: strings through sites around geoms, and sums of joint coordinates
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

// What the path goes along: the innermost frame around all of it, and the units of its joints.
struct Path {
  std::optional<int> scale;
  std::vector<Unit> joints;

  void pass(const Scales& scales, int next) { scale = scale ? scales.common(*scale, next) : next; }
  // Joints that turn make an angle; one that slides makes a length of it, and so do sites.
  Unit unit(const Scales& scales) const {
    const auto slides = [](const Unit& u) { return u.is_length; };
    return {scales[scale.value_or(0)], joints.empty() || std::any_of(joints.begin(), joints.end(), slides)};
  }
};

// One part of a path; false and an error where what it names is missing.
bool read_part(Work& w, const Node& n, bool fixed, const std::string& suffix, TendonSpec& t, Path& path) {
  const std::string tag(n.tag());
  if (!has_word(known_children(fixed ? "fixed" : "spatial"), tag)) {
    w.warn(n, Code::unknown_element, "MJCF has no such element in a tendon", "remove it");
    return true;
  }
  check_attributes(n, (fixed ? "fixed/" : "spatial/") + tag, w.remarks, w.out);
  const Reader r(n, w.out);
  TendonPart p;
  if (tag == "pulley") {
    const auto divisor = r.number("divisor");
    if (!divisor) return r.error(Code::missing_attribute, "has no divisor", "write divisor=\"2\""), false;
    p.kind = TendonPartKind::pulley, p.factor = *divisor;
  } else if (tag == "joint") {
    const auto name = r.required_text("joint");
    const Joint* j = name ? find_scalar_joint(w, *name, n, suffix) : nullptr;
    if (!j) return false;
    p.kind = TendonPartKind::joint, p.target = j->name, p.factor = r.number("coef").value_or(1);
    path.pass(w.scales, j->scale);
    path.joints.push_back(unit_of(*j, w.scales));
  } else if (tag == "site") {
    const auto name = r.required_text("site");
    const int i = name ? find(w, w.site_names, *name, "site", n, suffix) : -1;
    if (i < 0) return false;
    p.target = w.sites[i].name;
    path.pass(w.scales, w.sites[i].scale);
  } else {
    const auto name = r.required_text("geom");
    const int i = name ? find(w, w.geom_names, *name, "geom", n, suffix) : -1;
    if (i < 0) return false;
    p.kind = TendonPartKind::wrap, p.target = w.geoms[i].shape.name;
    path.pass(w.scales, w.geoms[i].scale);
    if (const auto side = r.text("sidesite")) {
      const int s = find(w, w.site_names, *side, "site", n, suffix);
      if (s < 0) return false;
      p.side = w.sites[s].name;
    }
  }
  t.parts.push_back(std::move(p));
  return true;
}

void read_tendon(Work& w, const Node& n, const std::string& suffix) {
  const bool fixed = n.tag() == "fixed";
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "tendon", w.out);
  TendonSpec t;
  t.where = n.where();
  t.name = full_name(w, n, suffix);
  const int index = static_cast<int>(w.spec.tendons.size());
  enter(w, w.tendon_names, t.name, index, n);
  for (std::string free = "tendon_" + std::to_string(index); t.name.empty(); free += '_')
    if (w.tendon_names.emplace(free, index).second) t.name = free;
  bool good = true;
  Path path;
  for (const Node& c : n.children) good = read_part(w, c, fixed, suffix, t, path) && good;
  read_limits(w, r, "range", "limited", t.lower, t.upper);
  read_limits(w, r, "actuatorfrcrange", "actuatorfrclimited", t.effort_lower, t.effort_upper);
  const auto polynomial = [&](const char* name, double& first, std::array<double, 2>& more) {
    std::array<double, 3> c{};
    r.numbers(name, c, 1);
    first = c[0], more = {c[1], c[2]};
  };
  polynomial("stiffness", t.stiffness, t.stiffness_terms);
  polynomial("damping", t.damping, t.damping_terms);
  t.friction = r.number("frictionloss").value_or(0);
  t.armature = r.number("armature").value_or(0);
  std::array<double, 2> rest{-1, -1};
  if (r.numbers("springlength", rest, 1) == 1) rest[1] = rest[0];
  if (rest[0] != -1 || rest[1] != -1) t.rest = rest;
  if (t.parts.empty() && good) r.error(Code::missing_element, "has no path", "give it sites, or joints");
  const Unit unit = path.unit(w.scales);
  scale_tendon(t, unit);
  for (std::size_t i = 0; i < path.joints.size(); ++i) t.parts[i].factor *= unit.position() / path.joints[i].position();
  w.tendon_units.push_back(unit);
  w.spec.tendons.push_back(std::move(t));
}

// The suffixes of the first thing in its path that was replicated; null: none was.
const std::vector<std::string>* find_replicas(const Work& w, const Node& n) {
  for (const Node& c : n.children)
    for (const char* a : {"site", "geom", "joint", "sidesite"})
      if (const char* name = c.xml->Attribute(a))
        if (const auto it = w.replicas.find(w.at.prefix + name); it != w.replicas.end()) return &it->second;
  return nullptr;
}

}  // namespace

void read_tendons(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "tendon") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (is_left_out(w, n)) continue;
      if (n.tag() != "spatial" && n.tag() != "fixed") {
        w.warn(n, Code::unknown_element, "MJCF has no such tendon", "remove it");
        continue;
      }
      check_attributes(n, "tendon", w.remarks, w.out);
      const std::vector<std::string>* replicas = find_replicas(w, n);
      if (!replicas) {
        read_tendon(w, n, {});
        continue;
      }
      const std::vector<std::string> suffixes = *replicas;  // a tendon's own name may add to the map
      for (const std::string& suffix : suffixes)
        if (may_replicate(w, n)) read_tendon(w, n, suffix);
    }
  }
}

void read_tendon_coupling(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "equality", w.out);
  const auto name1 = r.required_text("tendon1");
  if (!name1) return;
  const auto name2 = r.text("tendon2");
  const int a = find(w, w.tendon_names, *name1, "tendon", n, suffix);
  const int b = name2 ? find(w, w.tendon_names, *name2, "tendon", n, suffix) : 0;
  if (a < 0 || b < 0) return;
  TendonCouplingSpec c;
  c.name = full_name(w, n, suffix);
  c.where = n.where();
  c.active = r.boolean("active").value_or(true);
  c.dependent = w.spec.tendons[a].name;
  std::array<double, 5> p{0, 1, 0, 0, 0};
  r.numbers("polycoef", p, 1);
  scale_polynomial(p, w.tendon_units[a], name2 ? w.tendon_units[b] : Unit{});
  c.offset = p[0];
  if (name2) c.driver = w.spec.tendons[b].name, c.coefficients = {p[1], p[2], p[3], p[4]};
  while (c.coefficients.size() > 1 && c.coefficients.back() == 0) c.coefficients.pop_back();
  w.spec.tendon_couplings.push_back(std::move(c));
}

}  // namespace sinew::mjcf
