// src/io/mjcf/constraints.cpp - contact pairs and exclusions, equalities as loops and couplings
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

std::string body_name(const Work& w, int i) { return w.bodies[i].name; }

void read_pair(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "pair", w.out);
  const auto a = r.required_text("geom1"), b = r.required_text("geom2");
  if (!a || !b) return;
  PairSpec p;
  p.name = full_name(w, n, suffix);
  p.where = n.where();
  const int i = find(w, w.geom_names, *a, "geom", n, suffix), j = find(w, w.geom_names, *b, "geom", n, suffix);
  if (i < 0 || j < 0) return;
  p.shape_a = w.geoms[i].shape.name;
  p.shape_b = w.geoms[j].shape.name;
  std::array<double, 5> mu{1, 1, 0.005, 0.0001, 0.0001};
  r.numbers("friction", mu, 1);
  if (mu[0] != mu[1] || mu[3] != mu[4])
    w.warn(n, Code::value_adjusted,
           "friction that depends on the direction is not modelled: the first of each two is kept");
  p.friction = mu[0], p.torsional_friction = mu[2], p.rolling_friction = mu[3];
  p.friction_law = read_friction_law(r);
  p.margin = r.number("margin").value_or(0);
  const double length = geometric_mean(w.scales[w.geoms[i].scale], w.scales[w.geoms[j].scale]).length;
  p.margin *= length, p.torsional_friction *= length, p.rolling_friction *= length;
  if (w.main.settings.contact) w.spec.pairs.push_back(std::move(p));
}

void read_exclude(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.out);
  const auto a = r.required_text("body1"), b = r.required_text("body2");
  if (!a || !b) return;
  const int i = find(w, w.body_names, *a, "body", n, suffix), j = find(w, w.body_names, *b, "body", n, suffix);
  if (i >= 0 && j >= 0) w.spec.exclusions.push_back({body_name(w, i), body_name(w, j), n.where()});
}

void read_loop(Work& w, const Node& n, const std::string& suffix) {
  const bool weld = n.tag() == "weld";
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "equality", w.out);
  LoopSpec l;
  l.name = full_name(w, n, suffix);
  l.kind = weld ? JointKind::fixed : JointKind::spherical;
  l.active = r.boolean("active").value_or(true);
  l.where = n.where();
  if (const auto a = r.text("site1")) {
    const auto b = r.required_text("site2");
    if (!b) return;
    const int i = find(w, w.site_names, *a, "site", n, suffix), j = find(w, w.site_names, *b, "site", n, suffix);
    if (i < 0 || j < 0) return;
    const Site &s = w.sites[i], &t = w.sites[j];
    l.body_a = body_name(w, s.body), l.body_b = body_name(w, t.body);
    l.pose_a = to_pose(s.frame), l.pose_b = to_pose(t.frame);
    w.spec.loops.push_back(std::move(l));
    return;
  }
  const auto name1 = r.required_text("body1");
  if (!name1) return;
  const auto name2 = r.text("body2");
  const int a = find(w, w.body_names, *name1, "body", n, suffix);
  const int b = name2 ? find(w, w.body_names, *name2, "body", n, suffix) : 0;
  if (a < 0 || b < 0) return;
  if (a == b) return w.error(n, Code::self_joint, "both bodies are the same", "name two bodies");
  l.body_a = body_name(w, a), l.body_b = body_name(w, b);
  const Frame &A = w.bodies[a].world, &B = w.bodies[b].world;
  const double length_a = w.scales[w.bodies[a].scale].length, length_b = w.scales[w.bodies[b].scale].length;
  const auto anchor = r.vec3("anchor");
  if (!weld) {
    if (!anchor) return r.error(Code::missing_attribute, "has no anchor", "write anchor=\"x y z\"");
    const Frame at{length_a * *anchor, {}};
    l.pose_a = to_pose(at);
    l.pose_b = to_pose(inverse(B) * A * at);
  } else {
    std::array<double, 7> p{0, 1, 0, 0, 0, 0, 0};
    r.numbers("relpose", p, 7);
    const Frame at{length_b * anchor.value_or(Vec3<double>{}), {}};
    const bool given = p[3] != 0 || p[4] != 0 || p[5] != 0 || p[6] != 0;
    l.pose_b = to_pose(at);
    l.pose_a = to_pose(
        given ? Frame{length_a * Vec3<double>{p[0], p[1], p[2]}, normalized(Quaternion<double>{p[3], p[4], p[5], p[6]})}
              : inverse(A) * B * at);
  }
  w.spec.loops.push_back(std::move(l));
}

void read_coupling(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "equality", w.out);
  const auto name1 = r.required_text("joint1");
  if (!name1) return;
  const Joint* y = find_scalar_joint(w, *name1, n, suffix);
  if (!y) return;
  CouplingSpec c;
  c.name = full_name(w, n, suffix);
  c.dependent = y->name;
  c.active = r.boolean("active").value_or(true);
  c.where = n.where();
  std::array<double, 5> a{0, 1, 0, 0, 0};
  r.numbers("polycoef", a, 1);
  const auto name2 = r.text("joint2");
  const Joint* x = name2 ? find_scalar_joint(w, *name2, n, suffix) : nullptr;
  if (name2 && !x) return;
  scale_polynomial(a, unit_of(*y, w.scales), x ? unit_of(*x, w.scales) : Unit{});
  c.offset = y->ref + a[0];
  if (x) {
    CouplingTerm t{x->name, {a[1], a[2], a[3], a[4]}, x->ref};
    while (t.coefficients.size() > 1 && t.coefficients.back() == 0) t.coefficients.pop_back();
    c.terms.push_back(std::move(t));
  }
  w.spec.couplings.push_back(std::move(c));
}

}  // namespace

void read_contacts(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "contact") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (is_left_out(w, n)) continue;
      const std::string rule = "contact/" + std::string(n.tag());
      check_attributes(n, rule, w.remarks, w.out);
      if (n.tag() == "pair")
        for_replicas(w, n, {"geom1", "geom2"}, [&](const std::string& s) { read_pair(w, n, s); });
      else if (n.tag() == "exclude")
        for_replicas(w, n, {"body1", "body2"}, [&](const std::string& s) { read_exclude(w, n, s); });
      else
        w.warn(n, Code::unknown_element, "MJCF has no such element in <contact>", "remove it");
    }
  }
}

void read_equalities(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "equality") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (is_left_out(w, n)) continue;
      check_attributes(n, "equality/" + std::string(n.tag()), w.remarks, w.out);
      const bool loop = n.tag() == "connect" || n.tag() == "weld";
      if (loop)
        for_replicas(w, n, {"body1", "site1", "body2", "site2"}, [&](const std::string& s) { read_loop(w, n, s); });
      else if (n.tag() == "joint")
        for_replicas(w, n, {"joint1", "joint2"}, [&](const std::string& s) { read_coupling(w, n, s); });
      else if (n.tag() == "tendon")
        for_replicas(w, n, {"tendon1", "tendon2"}, [&](const std::string& s) { read_tendon_coupling(w, n, s); });
      else if (has_word(known_children("equality"), n.tag()))
        w.remarks.count(Code::unsupported_element, "equality <" + std::string(n.tag()) + ">", "is not modelled", n);
      else
        w.warn(n, Code::unknown_element, "MJCF has no such equality", "remove it");
    }
  }
}

}  // namespace sinew::mjcf
