// src/io/mjcf/sensors.cpp - <sensor>: those that sim/sensor_readings.hpp reads; the others are notes
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kOfSites = "accelerometer velocimeter gyro";
constexpr std::string_view kOfFrames =
    "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc";
constexpr std::string_view kOfJoints = "jointpos jointvel ballquat ballangvel";
constexpr std::string_view kOfSubtrees = "subtreecom subtreelinvel subtreeangmom";
constexpr std::string_view kOfNothing = "clock e_kinetic";

// False, and a note, where the object is of a kind without a frame here.
bool find_object(Work& w, const Node& n, std::string_view kind, std::string_view name, const std::string& suffix,
                 std::string& full) {
  const auto take = [&](const Names& names, const char* word, auto&& name_of) {
    const int i = find(w, names, name, word, n, suffix);
    if (i >= 0) full = name_of(i);
    return i >= 0;
  };
  if (kind == "site") return take(w.site_names, "site", [&](int i) { return w.sites[i].name; });
  if (kind == "body" || kind == "xbody") return take(w.body_names, "body", [&](int i) { return w.bodies[i].name; });
  if (kind == "geom") {
    const int i = find(w, w.geom_names, name, "geom", n, suffix);
    if (i < 0) return false;
    full = w.geoms[i].shape.name;
    if (w.geoms[i].shape.kind != ShapeKind::mesh) return true;
  }
  w.remarks.count(Code::ignored_element, "sensor on a " + std::string(kind == "geom" ? "mesh" : kind),
                  "is not kept; it does not change the motion", n);
  return false;
}

void read_sensor(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.out);
  const std::string tag(n.tag());
  SensorSpec s;
  s.name = full_name(w, n, suffix);
  s.kind = tag;
  s.where = n.where();
  s.cutoff = r.number("cutoff").value_or(0);
  for (const char* a : {"delay", "interval", "nsample", "noise"})
    if (r.has(a)) w.remarks.count(Code::ignored_element, "sensor " + std::string(a), "is not applied to readings", n);
  if (has_word(kOfSites, tag) || has_word(kOfFrames, tag)) {
    const bool site = has_word(kOfSites, tag);
    const auto name = r.required_text(site ? "site" : "objname");
    const auto kind = site ? "site" : r.required_text("objtype");
    if (!name || !kind || !find_object(w, n, *kind, *name, suffix, s.object)) return;
    s.object_kind = *kind;
    if (const auto reference = r.text("refname")) {
      const auto reference_kind = r.required_text("reftype");
      if (!reference_kind || !find_object(w, n, *reference_kind, *reference, suffix, s.reference)) return;
      s.reference_kind = *reference_kind;
    }
  } else if (has_word(kOfJoints, tag)) {
    const auto name = r.required_text("joint");
    const Joint* j = name ? find_joint(w, *name, n, suffix) : nullptr;
    if (!j) return;
    const bool ball = tag.starts_with("ball");
    if (ball != (j->type == JointType::ball) || j->type == JointType::free)
      return w.error(n, Code::bad_joint_parameter, "joint " + xml::quote(*name) + " is of another type",
                     "name another");
    s.object_kind = "joint", s.object = j->name;
  } else if (has_word(kOfSubtrees, tag)) {
    const auto name = r.required_text("body");
    if (!name || !find_object(w, n, "body", *name, suffix, s.object)) return;
    s.object_kind = "body";
  } else if (tag == "actuatorfrc") {
    const auto name = r.required_text("actuator");
    const auto& list = w.spec.actuators;
    if (!name) return;
    if (std::none_of(list.begin(), list.end(), [&](const ActuatorSpec& a) { return a.name == *name; }))
      return w.remarks.count(Code::ignored_element, "sensor <actuatorfrc>", "is on an actuator that is not kept", n);
    s.object_kind = "actuator", s.object = *name;
  }
  w.spec.sensors.push_back(std::move(s));
}

}  // namespace

void read_sensors(Work& w) {
  for (const Node& section : w.tree.root.children) {
    if (section.tag() != "sensor") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      const std::string tag(n.tag());
      const bool known = has_word(kOfSites, tag) || has_word(kOfFrames, tag) || has_word(kOfJoints, tag) ||
                         has_word(kOfSubtrees, tag) || has_word(kOfNothing, tag) || tag == "actuatorfrc";
      if (known)
        for_replicas(w, n, {"site", "objname", "joint", "body", "refname"},
                     [&](const std::string& suffix) { read_sensor(w, n, suffix); });
      else if (tag == "plugin")
        refuse_element(w, n);
      else if (has_word(known_children("sensor"), tag))
        w.remarks.count(Code::ignored_element, "sensor <" + tag + ">", "is not kept; it does not change the motion", n);
      else
        w.warn(n, Code::unknown_element, "MJCF has no such sensor", "remove it");
    }
  }
  // Frames of bodies as sensors see them have MuJoCo's principal axes.
  const auto of_body = [](const SensorSpec& s) { return s.object_kind == "body" || s.reference_kind == "body"; };
  if (std::any_of(w.spec.sensors.begin(), w.spec.sensors.end(), of_body)) set_principal_axes(w);
}

}  // namespace sinew::mjcf
