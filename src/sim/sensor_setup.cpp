// src/sim/sensor_setup.cpp - finds what each sensor of a model is on, or refuses it by name
#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/sensor_kinds.hpp"
#include "sinew/model/principal_axes.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse_sensor(const SensorSpec& s, const std::string& why) {
  throw std::invalid_argument("SensorReadings: sensor '" + s.name + "' (" + s.kind + ") " + why);
}

// Active loops, and tendons that pull at sites.
bool has_hidden_forces(const ModelSpec& spec) {
  return std::any_of(spec.loops.begin(), spec.loops.end(), [](const LoopSpec& l) { return l.active; }) ||
         std::any_of(spec.tendons.begin(), spec.tendons.end(), [](const TendonSpec& t) {
           return std::any_of(t.parts.begin(), t.parts.end(),
                              [](const TendonPart& p) { return p.kind == TendonPartKind::site; });
         });
}

}  // namespace

SensorReadings::SensorReadings(const Model& m) : SensorReadings(m, nullptr) {}
SensorReadings::SensorReadings(const Model& m, std::vector<std::string>& left_out) : SensorReadings(m, &left_out) {}
SensorReadings::SensorReadings(const Model& m, std::vector<std::string>* left_out)
    : model_(m),
      motion_(m),
      energies_(m),
      tau_(at(m.nv())),
      moment_(at(m.nv())),
      controls_(m.spec().actuators.size()),
      activations_(at(m.activations())) {
  std::size_t count = 0;
  for (const SensorSpec& s : m.spec().sensors) {
    try {
      sensors_.push_back(make(s));
    } catch (const std::invalid_argument& e) {
      if (!left_out) throw;
      left_out->emplace_back(e.what());
      continue;
    }
    sensors_.back().first = count;
    count += sensors_.back().size;
    const Kind kind = sensors_.back().kind;
    if (kind == Kind::actuatorpos || kind == Kind::actuatorvel || kind == Kind::jointactuatorfrc)
      if (!drives_) drives_.emplace(m, 0);
    if ((kind >= Kind::tendonpos && kind <= Kind::tendonlimitfrc) || kind == Kind::e_potential)
      if (!tendons_) tendons_.emplace(m);
  }
  values_.resize(count);
}

Place SensorReadings::find_place(const SensorSpec& s, const std::string& kind, const std::string& name) const {
  if (kind == "site") {
    if (const auto frame = model_.find_frame(name)) return *frame;
  } else if (kind == "xbody" || kind == "body") {
    if (const auto b = model_.find_body(name)) {
      Place out = model_.bodies()[at(*b)];
      if (kind == "xbody" || *b == 0) return out;
      const auto& list = model_.spec().bodies;
      const BodySpec& spec = *std::find_if(list.begin(), list.end(), [&](const BodySpec& x) { return x.name == name; });
      const auto axes = spec.principal_axes ? *spec.principal_axes : find_principal_axes(spec.inertia);
      out.in_node = Transform<double>{to_rotation(axes), spec.com} * out.in_node;
      return out;
    }
  } else if (kind == "geom") {
    for (const ShapeSpec& shape : model_.spec().shapes)
      if (shape.name == name && shape.kind != ShapeKind::mesh) {
        Place out = model_.bodies()[at(*model_.find_body(shape.body))];
        out.in_node = shape.pose * out.in_node;
        return out;
      }
  }
  refuse_sensor(
      s, "is on the " + kind + " '" + name + "', which the model does not have, or whose frame it does not keep");
}

// A shape, or all of a body.
void SensorReadings::find_shapes(const SensorSpec& s, const std::string& kind, const std::string& name,
                                 std::vector<int>& out) const {
  const auto& list = model_.spec().shapes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if ((kind == "geom" ? list[i].name : list[i].body) != name) continue;
    if (list[i].kind == ShapeKind::mesh || list[i].kind == ShapeKind::heightfield)
      refuse_sensor(s, "is on '" + list[i].name + "', a mesh or heightfield, whose distances are not measured");
    out.push_back(static_cast<int>(i));
  }
  if (out.empty()) refuse_sensor(s, "is on the " + kind + " '" + name + "', which has no shape in this model");
}

void SensorReadings::set_zone(const SensorSpec& s, const std::string& site, Sensor& out) const {
  const int i = find_by_name(model_.spec().frames, site);
  if (i < 0) refuse_sensor(s, "is on the site '" + site + "', which the model does not have");
  const FrameSpec& frame = model_.spec().frames[at(i)];
  out.zone = frame.zone, out.zone_size = frame.zone_size;
  if (out.zone == ShapeKind::mesh || out.zone == ShapeKind::heightfield || out.zone == ShapeKind::plane)
    refuse_sensor(s, "is on the site '" + site + "', whose volume is not known");
}

SensorReadings::Sensor SensorReadings::make(const SensorSpec& s) const {
  const auto* known =
      std::find_if(std::begin(kSensorKinds), std::end(kSensorKinds), [&](const auto& k) { return k.first == s.kind; });
  if (known == std::end(kSensorKinds)) refuse_sensor(s, "is of a kind that is not modelled");
  const BodyEntry& world = model_.bodies()[0];
  Sensor out{static_cast<Kind>(known - kSensorKinds), &s.name, world, world};
  out.size = known->second, out.cutoff = s.cutoff;
  const auto need = [&](int index, const char* what) {
    if (index < 0)
      refuse_sensor(s, "is on the " + std::string(what) + " '" + s.object + "', which the model does not have");
    return index;
  };
  const ModelSpec& spec = model_.spec();
  switch (out.kind) {
    case Kind::jointpos:
    case Kind::jointvel:
    case Kind::jointactuatorfrc:
    case Kind::ballquat:
    case Kind::ballangvel:
    case Kind::jointlimitpos:
    case Kind::jointlimitvel:
    case Kind::jointlimitfrc: {
      const JointEntry* j = model_.find_joint(s.object);
      const bool ball = out.kind == Kind::ballquat || out.kind == Kind::ballangvel;
      const bool limit = out.kind >= Kind::jointlimitpos && out.kind <= Kind::jointlimitfrc;
      const bool scalar = j && j->nq == 1 && j->nv == 1, spherical = j && j->kind == JointKind::spherical;
      if (!(ball ? spherical : scalar || (limit && spherical)))
        refuse_sensor(s, "needs a joint of another kind than '" + s.object + "'");
      out.index = out.kind == Kind::jointpos || out.kind == Kind::ballquat ? j->q : j->v;
      out.joint = j;
      out.lower = model_.dofs()[at(j->v)].lower, out.upper = model_.dofs()[at(j->v)].upper;
      break;
    }
    case Kind::subtreecom:
    case Kind::subtreelinvel:
    case Kind::subtreeangmom: out.index = need(model_.find_body(s.object).value_or(-1), "body"); break;
    case Kind::actuatorfrc:
    case Kind::actuatorpos:
    case Kind::actuatorvel: out.index = need(find_by_name(spec.actuators, s.object), "actuator"); break;
    case Kind::tendonpos:
    case Kind::tendonvel:
    case Kind::tendonactuatorfrc:
    case Kind::tendonlimitpos:
    case Kind::tendonlimitvel:
    case Kind::tendonlimitfrc:
      out.index = need(find_by_name(spec.tendons, s.object), "tendon");
      out.lower = spec.tendons[at(out.index)].lower, out.upper = spec.tendons[at(out.index)].upper;
      break;
    case Kind::distance:
    case Kind::normal:
    case Kind::fromto:
      find_shapes(s, s.object_kind, s.object, out.shapes);
      find_shapes(s, s.reference_kind, s.reference, out.others);
      break;
    case Kind::clock:
    case Kind::e_kinetic:
    case Kind::e_potential: break;
    default:
      out.object = find_place(s, s.object_kind, s.object);
      out.relative = !s.reference.empty();
      if (out.relative) out.reference = find_place(s, s.reference_kind, s.reference);
      if (out.relative && (out.kind < Kind::framepos || out.kind > Kind::frameangvel) && out.kind != Kind::insidesite)
        refuse_sensor(s, "cannot be relative to another object");
  }
  if (out.kind == Kind::touch) set_zone(s, s.object, out);
  if (out.kind == Kind::insidesite) {
    if (s.reference_kind != "site") refuse_sensor(s, "needs a site as its reference");
    set_zone(s, s.reference, out);
  }
  if (out.kind == Kind::touch || out.kind == Kind::force || out.kind == Kind::torque || out.kind == Kind::rangefinder)
    out.index = need(
        model_.find_body(spec.frames[at(need(find_by_name(spec.frames, s.object), "site"))].body).value_or(-1), "body");
  if (out.kind == Kind::force || out.kind == Kind::torque)
    if (has_hidden_forces(spec))
      refuse_sensor(s, "would need the forces of loops and of tendons through sites, which sensors do not know");
  if (out.kind == Kind::rangefinder)
    for (const ShapeSpec& shape : spec.shapes)
      if (shape.kind == ShapeKind::heightfield ||
          (shape.kind == ShapeKind::mesh && mesh_of(spec, shape).triangles.empty()))
        refuse_sensor(
            s, "cannot see '" + shape.name + "': rays meet no heightfields, and meshes only where they are read");
  return out;
}

}  // namespace sinew
