// src/io/mjcf/sensors.cpp - <sensor>: those that sim/sensor_readings.hpp reads; the others are notes
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kOfSites = "accelerometer velocimeter gyro force torque magnetometer touch rangefinder";
constexpr std::string_view kOfFrames =
    "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc insidesite";
constexpr std::string_view kOfJoints =
    "jointpos jointvel ballquat ballangvel jointactuatorfrc jointlimitpos jointlimitvel jointlimitfrc";
constexpr std::string_view kOfTendons =
    "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc";
constexpr std::string_view kOfActuators = "actuatorpos actuatorvel actuatorfrc";
constexpr std::string_view kOfSubtrees = "subtreecom subtreelinvel subtreeangmom";
constexpr std::string_view kOfPairs = "distance normal fromto";
constexpr std::string_view kOfNothing = "clock e_kinetic e_potential";

bool is_read(std::string_view tag) {
  for (const std::string_view list :
       {kOfSites, kOfFrames, kOfJoints, kOfTendons, kOfActuators, kOfSubtrees, kOfPairs, kOfNothing})
    if (has_word(list, tag)) return true;
  return false;
}

// Why a sensor of a kind that is read cannot be; empty: it can.
std::string find_obstacle(const Work& w, const Reader& r, std::string_view tag) {
  const auto pulls = [](const TendonSpec& t) {
    return std::any_of(t.parts.begin(), t.parts.end(),
                       [](const TendonPart& p) { return p.kind == TendonPartKind::site; });
  };
  if ((tag == "force" || tag == "torque") &&
      (std::any_of(w.spec.loops.begin(), w.spec.loops.end(), [](const LoopSpec& l) { return l.active; }) ||
       std::any_of(w.spec.tendons.begin(), w.spec.tendons.end(), pulls)))
    return "it would need the forces of connects, welds and spatial tendons, which sensors do not know";
  if (tag == "insidesite" && r.boolean("enclosed").value_or(false)) return "enclosed is not measured";
  if (tag != "rangefinder") return {};
  if (!r.has("site") || r.text("data").value_or("dist") != "dist") return "only the distance from a site is measured";
  for (const ShapeSpec& s : w.spec.shapes) {
    if (s.kind == ShapeKind::heightfield) return "rays meet no heightfields";
    if (s.kind != ShapeKind::mesh) continue;
    for (const MeshSpec& m : w.spec.meshes)
      if (m.name == s.asset && m.triangles.empty()) return "rays meet meshes only where they are read (load_meshes)";
  }
  return {};
}

// False, and a note, where the object is of a kind without a frame here.
bool find_object(Work& w, const Node& n, std::string_view kind, std::string_view name, const std::string& suffix,
                 std::string& full, Scale& scale) {
  const auto take = [&](const Names& names, const char* word, const auto& list) {
    const int i = find(w, names, name, word, n, suffix);
    if (i >= 0) full = list[i].name, scale = w.scales[list[i].scale];
    return i >= 0;
  };
  if (kind == "site") return take(w.site_names, "site", w.sites);
  if (kind == "body" || kind == "xbody") return take(w.body_names, "body", w.bodies);
  if (kind == "geom") {
    const int i = find(w, w.geom_names, name, "geom", n, suffix);
    if (i < 0) return false;
    full = w.geoms[i].shape.name;
    scale = w.scales[w.geoms[i].scale];
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
  Unit unit;        // of what it measures
  Scale reference;  // of what it is measured from
  for (const char* a : {"delay", "interval", "nsample", "noise"})
    if (r.has(a)) w.remarks.count(Code::ignored_element, "sensor " + std::string(a), "is not applied to readings", n);
  const auto leave_out = [&](const std::string& why) {
    w.remarks.count(Code::ignored_element, "sensor <" + tag + ">", "is not kept: " + why, n);
  };
  if (const std::string why = find_obstacle(w, r, tag); !why.empty()) return leave_out(why);
  if (has_word(kOfSites, tag) || has_word(kOfFrames, tag)) {
    const bool site = has_word(kOfSites, tag);
    const auto name = r.required_text(site ? "site" : "objname");
    const auto kind = site ? "site" : r.required_text("objtype");
    if (!name || !kind || !find_object(w, n, *kind, *name, suffix, s.object, unit.scale)) return;
    s.object_kind = *kind;
    if (const auto refname = r.text("refname")) {
      const auto reference_kind = r.required_text("reftype");
      if (!reference_kind || !find_object(w, n, *reference_kind, *refname, suffix, s.reference, reference)) return;
      s.reference_kind = *reference_kind;
    }
    if (tag == "insidesite") {
      const auto zone = r.required_text("site");
      if (!zone || !find_object(w, n, "site", *zone, suffix, s.reference, reference)) return;
      s.reference_kind = "site";
    }
  } else if (has_word(kOfJoints, tag)) {
    const auto name = r.required_text("joint");
    const Joint* j = name ? find_joint(w, *name, n, suffix) : nullptr;
    if (!j) return;
    const bool ball = tag.starts_with("ball");
    const bool either = tag.starts_with("jointlimit");
    if ((!either && ball != (j->type == JointType::ball)) || j->type == JointType::free)
      return w.error(n, Code::bad_joint_parameter, "joint " + xml::quote(*name) + " is of another type",
                     "name another");
    s.object_kind = "joint", s.object = j->name;
    unit = unit_of(*j, w.scales);
  } else if (has_word(kOfSubtrees, tag)) {
    const auto name = r.required_text("body");
    if (!name || !find_object(w, n, "body", *name, suffix, s.object, unit.scale)) return;
    s.object_kind = "body";
  } else if (has_word(kOfTendons, tag)) {
    const auto name = r.required_text("tendon");
    const int t = name ? find(w, w.tendon_names, *name, "tendon", n, suffix) : -1;
    if (t < 0) return;
    s.object_kind = "tendon", s.object = w.spec.tendons[t].name;
    unit = w.tendon_units[t];
  } else if (has_word(kOfPairs, tag)) {
    for (const bool first : {true, false}) {
      const char *geom = first ? "geom1" : "geom2", *body = first ? "body1" : "body2";
      if (r.has(geom) == r.has(body))
        return r.error(Code::missing_attribute, std::string("must have one of ") + geom + " and " + body, "name one");
      const std::string kind = r.has(geom) ? "geom" : "body";
      std::string& object = first ? s.object : s.reference;
      const std::string_view name = *r.text(r.has(geom) ? geom : body);
      if (!find_object(w, n, kind, name, suffix, object, first ? unit.scale : reference)) return;
      (first ? s.object_kind : s.reference_kind) = kind;
      const auto of_object = [&](const ShapeSpec& x) { return (kind == "geom" ? x.name : x.body) == object; };
      bool any = false;
      for (const ShapeSpec& x : w.spec.shapes) {
        if (!of_object(x)) continue;
        any = true;
        if (x.kind == ShapeKind::mesh || x.kind == ShapeKind::heightfield)
          return leave_out("distances of meshes and heightfields are not measured");
      }
      if (!any) return leave_out("a body has no geoms");
    }
    unit.scale = geometric_mean(unit.scale, reference);
  } else if (has_word(kOfActuators, tag)) {
    const auto name = r.required_text("actuator");
    const auto& list = w.spec.actuators;
    if (!name) return;
    const std::string full = w.at.prefix + std::string(*name);
    const auto found = std::find_if(list.begin(), list.end(), [&](const ActuatorSpec& a) { return a.name == full; });
    if (found == list.end())
      return w.remarks.count(Code::ignored_element, "sensor <" + tag + ">", "is on an actuator that is not kept", n);
    s.object_kind = "actuator", s.object = full;
    unit = w.actuator_units[static_cast<std::size_t>(found - list.begin())];
  }
  s.cutoff = cutoff_factor(tag, unit) * r.number("cutoff").value_or(0);
  w.spec.sensors.push_back(std::move(s));
}

}  // namespace

void read_sensors(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "sensor") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (is_left_out(w, n)) continue;
      const std::string tag(n.tag());
      if (is_read(tag))
        for_replicas(w, n,
                     {"site", "objname", "joint", "body", "refname", "tendon", "geom1", "body1", "geom2", "body2"},
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
