// src/io/mjcf/bodies.cpp - the walk over <worldbody>: bodies, frames, replicas, sites
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

struct Scope {
  int body;
  Surroundings around;
  const Class* child;  // childclass
  std::string suffix;  // of the enclosing <replicate>s
};

class Walk {
 public:
  explicit Walk(Work& w) : w_(w) {}

  void children(const Node& parent, const Scope& scope) {
    for (const Node& n : parent.children)
      if (!w_.full()) child(n, scope);
  }

 private:
  void child(const Node& n, const Scope& scope) {
    const std::string_view tag = n.tag();
    if ((!scope.suffix.empty() || w_.at.depth > 0) && !may_replicate(w_, n)) return;
    if (tag == "body")
      body(n, scope);
    else if (tag == "geom")
      read_geom(w_, n, class_of(n, scope), scope.body, scope.around, scope.suffix);
    else if (tag == "site")
      site(n, scope);
    else if (tag == "frame")
      frame(n, scope);
    else if (tag == "replicate")
      replicate(n, scope);
    else if (tag == "joint" || tag == "freejoint" || tag == "inertial")
      own(n, scope);
    else if (tag == "camera" || tag == "light")
      w_.remarks.count(Code::ignored_element, "<" + std::string(tag) + ">", "looks are not kept", n);
    else if (tag == "flexcomp" || tag == "composite" || tag == "plugin")
      refuse_element(w_, n);
    else if (tag == "attach")
      attach(n, scope);
    else if (has_word(known_children("body"), tag))
      w_.remarks.count(Code::unsupported_element, "<" + std::string(tag) + ">", "is not modelled", n);
    else
      w_.warn(n, Code::unknown_element, "MJCF has no such element in a body", "remove it");
  }

  const Class* class_of(const Node& n, const Scope& s) const { return w_.defaults().find(n, "class", s.child, w_.out); }
  // Elements of the body itself: joints and inertia.
  void own(const Node& n, const Scope& s) {
    if (s.body == 0)
      return w_.error(n, Code::self_joint, "the world has no joints and no mass", "move it into a <body>");
    if (n.tag() != "inertial")
      return read_joint(w_, n, n.tag() == "joint" ? class_of(n, s) : nullptr, s.body, s.around, s.suffix);
    auto& own = w_.bodies[s.body].inertial;
    if (own) return w_.error(n, Code::bad_value, "a body has two <inertial>", "keep one");
    own = read_inertial(w_, n, s.around);
  }

  void body(const Node& n, const Scope& s) {
    check_attributes(n, "body", w_.remarks, w_.out);
    const Reader r(n, w_.out);
    Body b;
    b.name = full_name(w_, n, s.suffix);
    b.parent = s.body;
    b.node = &n;
    b.settings = &w_.settings();
    b.scale = s.around.scale;
    b.frame = place(s.around, w_.scales, read_frame(r, w_.settings()));
    b.world = w_.bodies[s.body].world * b.frame;
    b.mocap = r.boolean("mocap").value_or(false);
    b.gravcomp = r.number("gravcomp").value_or(0);
    if (b.mocap && s.body != 0)
      w_.error(n, Code::bad_value, "only a child of the world can be a mocap body", "remove mocap");
    const int index = static_cast<int>(w_.bodies.size());
    enter(w_, w_.body_names, b.name, index, n);
    ++w_.bodies[s.body].children;
    w_.bodies.push_back(std::move(b));
    children(n, {index, {{}, s.around.scale}, w_.defaults().find(n, "childclass", s.child, w_.out), s.suffix});
  }

  void site(const Node& n, const Scope& s) {
    check_attributes(n, "site", w_.remarks, w_.out);
    const Reader r(n, class_of(n, s), "site", w_.out);
    Site out;
    out.name = full_name(w_, n, s.suffix);
    out.body = s.body;
    out.where = n.where();
    out.node = &n;
    double length = 0;
    constexpr ShapeKind kZones[] = {ShapeKind::sphere,   ShapeKind::capsule, ShapeKind::ellipsoid,
                                    ShapeKind::cylinder, ShapeKind::box,     ShapeKind::mesh};
    out.zone = kZones[r.choice("type", {"sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"}, 0)];
    r.numbers("size", out.size, 1);
    const auto ends = read_fromto(r, length);
    const bool round = out.zone == ShapeKind::capsule || out.zone == ShapeKind::cylinder;
    if (ends) out.size[round ? 1 : 2] = length / 2;
    if (ends && !round) out.size[1] = out.size[0];
    out.scale = s.around.scale;
    for (double& x : out.size) x *= w_.scales[out.scale].length;
    out.frame = place(s.around, w_.scales, ends ? *ends : read_frame(r, w_.settings()));
    const int index = static_cast<int>(w_.sites.size());
    enter(w_, w_.site_names, out.name, index, n);
    w_.bodies[s.body].sites.push_back(index);
    w_.sites.push_back(std::move(out));
  }

  void frame(const Node& n, const Scope& s) {
    check_attributes(n, "frame", w_.remarks, w_.out);
    const Reader r(n, w_.out);
    Scope inner = s;
    inner.around.frame = place(s.around, w_.scales, read_frame(r, w_.settings()));
    if (r.has("scale") || r.has("massscale") || r.has("scaling"))
      inner.around.scale = w_.scales.add(s.around.scale, read_scale(r, w_.scales[s.around.scale]),
                                         (w_.bodies[s.body].world * inner.around.frame).pos);
    inner.child = w_.defaults().find(n, "childclass", s.child, w_.out);
    children(n, inner);
  }

  void attach(const Node& n, const Scope& s) {
    check_attributes(n, "attach", w_.remarks, w_.out);
    if (w_.counts_only && !n.xml->Attribute("model")) return;
    const Context here = w_.at;
    if (const auto found = begin_attachment(w_, n, s.suffix)) {
      const Scope inner{s.body, s.around, found->child_class, s.suffix};
      if (found->what->tag() != "mujoco")
        child(*found->what, inner);
      else
        for (const Node& section : found->what->children)
          if (section.tag() == "worldbody") children(section, inner);
      w_.at.attachment->end_body = static_cast<int>(w_.bodies.size());
    }
    w_.at = here;
  }

  void replicate(const Node& n, const Scope& s) {
    check_attributes(n, "replicate", w_.remarks, w_.out);
    const Reader r(n, w_.out);
    const int count = r.integer("count").value_or(0);
    if (count < 1) return w_.error(n, Code::bad_value, "count must be a whole number > 0", "write count=\"...\"");
    for (const Node& c : n.children)
      if (c.tag() == "joint" || c.tag() == "freejoint" || c.tag() == "inertial")
        return w_.error(c, Code::bad_value, "cannot be replicated by itself", "wrap it in a <body>");
    Frame step;
    step.pos = w_.scales[s.around.scale].length * r.vec3("offset").value_or(Vec3<double>{});
    std::array<double, 3> e{};
    if (r.numbers("euler", e, 3) == 3) step.quat = from_euler(e, w_.settings());
    const std::size_t digits = std::to_string(count - 1).size();
    const std::string sep(r.text("sep").value_or(""));
    Scope inner = s;
    for (int i = 0; i < count && may_replicate(w_, n); ++i) {
      std::string number = std::to_string(i);
      number.insert(0, digits - number.size(), '0');
      inner.suffix = sep + number + s.suffix;
      if (inner.suffix.size() > kMaxName)
        return w_.error(n, Code::bad_value, "its suffixes are too long", "shorten sep");
      children(n, inner);
      inner.around.frame = inner.around.frame * step;
    }
  }

  Work& w_;
};

}  // namespace

void read_bodies(Work& w) {
  Body world;
  world.name = w.spec.world;
  world.node = &w.root();
  world.settings = &w.settings();
  w.bodies.push_back(world);
  w.body_names.emplace(world.name, 0);
  Walk walk(w);
  for (const Node& section : w.root().children)
    if (section.tag() == "worldbody") walk.children(section, {0, {}, w.defaults().top(), {}});
}

bool may_replicate(Work& w, const Node& n) {
  if (++w.replicated == kMaxReplicated)
    w.error(n, Code::too_many_elements,
            "<replicate> and <attach> make more than " + std::to_string(kMaxReplicated) + " elements",
            "lower the count, or attach less");
  return w.replicated < kMaxReplicated;
}

std::string full_name(Work& w, const Node& n, const std::string& suffix) {
  const char* name = n.xml->Attribute("name");
  if (!name || !*name) return {};
  if (w.at.prefix.size() + std::string_view(name).size() + suffix.size() > kMaxName) {
    w.error(n, Code::bad_value, "its name is longer than " + std::to_string(kMaxName) + " bytes", "shorten it");
    return {};
  }
  std::string full = w.at.prefix + name;
  if (suffix.empty()) return full;
  auto& list = w.replicas[full];
  if (list.empty() || list.back() != suffix) list.push_back(suffix);
  return full + suffix;
}

void enter(Work& w, Names& names, const std::string& name, int index, const Node& n) {
  if (name.empty()) return;
  if (!names.emplace(name, index).second)
    w.error(n, Code::duplicate_name, "the name " + xml::quote(name) + " is taken", "rename one of the two");
}

int find(Work& w, const Names& names, std::string_view name, const char* kind, const Node& n,
         const std::string& suffix) {
  const std::string full = w.at.prefix + std::string(name);
  if (!suffix.empty())
    if (const auto it = names.find(full + suffix); it != names.end()) return it->second;
  if (const auto it = names.find(full); it != names.end()) return it->second;
  if (&names == &w.body_names && name == w.spec.world) return 0;
  w.error(n, Code::unknown_name, "there is no " + std::string(kind) + " " + xml::quote(name), "correct the name");
  return -1;
}

}  // namespace sinew::mjcf
