// src/sim/sensor_readings.cpp
#include "sinew/sim/sensor_readings.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "sinew/model/principal_axes.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {

enum class SensorReadings::Kind {
  accelerometer,
  velocimeter,
  gyro,
  framepos,
  framequat,
  framexaxis,
  frameyaxis,
  framezaxis,
  framelinvel,
  frameangvel,
  framelinacc,
  frameangacc,
  jointpos,
  jointvel,
  ballquat,
  ballangvel,
  subtreecom,
  subtreelinvel,
  subtreeangmom,
  actuatorfrc,
  clock,
  e_kinetic
};

namespace {

// Word and how many numbers, in the order of Kind.
constexpr std::pair<std::string_view, std::size_t> kSensorKinds[] = {
    {"accelerometer", 3}, {"velocimeter", 3}, {"gyro", 3},          {"framepos", 3},      {"framequat", 4},
    {"framexaxis", 3},    {"frameyaxis", 3},  {"framezaxis", 3},    {"framelinvel", 3},   {"frameangvel", 3},
    {"framelinacc", 3},   {"frameangacc", 3}, {"jointpos", 1},      {"jointvel", 1},      {"ballquat", 4},
    {"ballangvel", 3},    {"subtreecom", 3},  {"subtreelinvel", 3}, {"subtreeangmom", 3}, {"actuatorfrc", 1},
    {"clock", 1},         {"e_kinetic", 1}};

[[noreturn]] void refuse_sensor(const SensorSpec& s, const std::string& why) {
  throw std::invalid_argument("SensorReadings: sensor '" + s.name + "' (" + s.kind + ") " + why);
}

void write(const Vec3<double>& x, double* out) { out[0] = x.x, out[1] = x.y, out[2] = x.z; }

}  // namespace

SensorReadings::SensorReadings(const Model& m) : model_(m), motion_(m), energies_(m) {
  std::size_t count = 0;
  for (const SensorSpec& s : m.spec().sensors) {
    sensors_.push_back(make(s));
    sensors_.back().first = count;
    count += sensors_.back().size;
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

SensorReadings::Sensor SensorReadings::make(const SensorSpec& s) const {
  const auto* known =
      std::find_if(std::begin(kSensorKinds), std::end(kSensorKinds), [&](const auto& k) { return k.first == s.kind; });
  if (known == std::end(kSensorKinds)) refuse_sensor(s, "is of a kind that is not modelled");
  const BodyEntry& world = model_.bodies()[0];
  Sensor out{static_cast<Kind>(known - kSensorKinds), world, world};
  out.size = known->second, out.cutoff = s.cutoff;
  if (out.kind <= Kind::frameangacc) {
    out.object = find_place(s, s.object_kind, s.object);
    out.relative = !s.reference.empty();
    if (out.relative) out.reference = find_place(s, s.reference_kind, s.reference);
    if (out.relative && (out.kind < Kind::framepos || out.kind > Kind::frameangvel))
      refuse_sensor(s, "cannot be relative to another object");
  } else if (out.kind <= Kind::ballangvel) {
    const JointEntry* j = model_.find_joint(s.object);
    const bool ball = out.kind >= Kind::ballquat;
    if (!j || (ball ? j->kind != JointKind::spherical : j->nq != 1 || j->nv != 1))
      refuse_sensor(s, "needs a joint of another kind than '" + s.object + "'");
    out.index = out.kind == Kind::jointpos || out.kind == Kind::ballquat ? j->q : j->v;
  } else if (out.kind <= Kind::subtreeangmom) {
    const auto b = model_.find_body(s.object);
    if (!b) refuse_sensor(s, "is on the body '" + s.object + "', which the model does not have");
    out.index = *b;
  } else if (out.kind == Kind::actuatorfrc) {
    const auto& list = model_.spec().actuators;
    const auto a = std::find_if(list.begin(), list.end(), [&](const ActuatorSpec& x) { return x.name == s.object; });
    if (a == list.end()) refuse_sensor(s, "is on the actuator '" + s.object + "', which the model does not have");
    out.index = static_cast<int>(a - list.begin());
  }
  return out;
}

std::optional<int> SensorReadings::find(std::string_view name) const {
  const auto& list = model_.spec().sensors;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}

In<double> SensorReadings::values(int sensor) const {
  check_index("SensorReadings::values", "sensor", sensor, sensors_.size());
  const Sensor& s = sensors_[at(sensor)];
  return {values_.data() + s.first, s.size};
}

void SensorReadings::update(const Stepper& s) {
  motion_.kinematics.made_for.check("SensorReadings::update", s.model(), "SensorReadings");
  calc(s.state.q, s.state.v, s.acceleration(), s.state.time, s.actuator_forces());
}

void SensorReadings::calc(In<double> q, In<double> v, In<double> a, double time, In<double> actuator_forces) {
  const char* call = "SensorReadings::calc";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "a", a.size(), at(model_.nv()));
  if (actuator_forces.size() != 0)
    check_size(call, "actuator_forces", actuator_forces.size(), model_.spec().actuators.size());
  if (sensors_.empty()) return;
  calc_accelerations(model_, motion_, q, v, a, time);
  for (const Sensor& s : sensors_) {
    double* out = values_.data() + s.first;
    read(s, q, v, time, actuator_forces, out);
    const bool direction = s.kind >= Kind::framequat && s.kind <= Kind::framezaxis;
    if (s.cutoff > 0 && !direction && s.kind != Kind::ballquat)
      for (std::size_t i = 0; i < s.size; ++i) out[i] = std::clamp(out[i], -s.cutoff, s.cutoff);
  }
}

void SensorReadings::read(const Sensor& s, In<double> q, In<double> v, double time, In<double> forces, double* out) {
  const auto i = at(s.index);
  switch (s.kind) {
    case Kind::jointpos: out[0] = q[i]; break;
    case Kind::jointvel: out[0] = v[i]; break;
    case Kind::ballquat: std::copy_n(q.data() + i, 4, out); break;
    case Kind::ballangvel: std::copy_n(v.data() + i, 3, out); break;
    case Kind::subtreecom:
    case Kind::subtreelinvel:
    case Kind::subtreeangmom: read_subtree(s, out); break;
    case Kind::actuatorfrc: out[0] = forces.size() == 0 ? 0 : forces[i]; break;
    case Kind::clock: out[0] = time; break;
    case Kind::e_kinetic: out[0] = calc_kinetic_energy(model_, energies_, q, v, time); break;
    default: read_frame(s, out); break;
  }
}

void SensorReadings::read_frame(const Sensor& s, double* out) const {
  const auto pose_of = [&](const Place& p) { return p.in_node * motion_.kinematics.X[at(p.node)]; };
  const Transform<double> X = pose_of(s.object);
  const Motion<double> local = get_velocity(motion_, s.object, ReferenceFrame::body);
  const Motion<double> velocity = get_velocity(motion_, s.object, ReferenceFrame::mixed);
  const Transform<double> R = s.relative ? pose_of(s.reference) : Transform<double>{};
  const Motion<double> base = s.relative ? get_velocity(motion_, s.reference, ReferenceFrame::mixed) : Motion<double>{};
  const Vec3<double> away = X.r - R.r;
  const auto axis = [&](double x, double y, double z) {
    write(apply(R.E, apply_inverse(X.E, Vec3<double>{x, y, z})), out);
  };
  switch (s.kind) {
    case Kind::gyro: write(local.ang, out); break;
    case Kind::velocimeter: write(local.lin, out); break;
    case Kind::accelerometer:
      write(apply(X.E, get_point_acceleration(motion_, s.object) - model_.gravity()), out);
      break;
    case Kind::framepos: write(apply(R.E, away), out); break;
    case Kind::framequat: {
      const Quaternion<double> turn = to_quaternion(X.E * inverse(R.E));
      out[0] = turn.w, out[1] = turn.x, out[2] = turn.y, out[3] = turn.z;
      break;
    }
    case Kind::framexaxis: axis(1, 0, 0); break;
    case Kind::frameyaxis: axis(0, 1, 0); break;
    case Kind::framezaxis: axis(0, 0, 1); break;
    case Kind::framelinvel: write(apply(R.E, velocity.lin - base.lin - cross(base.ang, away)), out); break;
    case Kind::frameangvel: write(apply(R.E, velocity.ang - base.ang), out); break;
    case Kind::framelinacc: write(get_point_acceleration(motion_, s.object) - model_.gravity(), out); break;
    default: write(get_acceleration(motion_, s.object, ReferenceFrame::mixed).ang, out); break;
  }
}

void SensorReadings::read_subtree(const Sensor& s, double* out) const {
  Force<double> momentum;  // about the origin of the world
  Vec3<double> weighted;
  double mass = 0;
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    int up = static_cast<int>(b);
    while (up > 0 && up != s.index) up = model_.bodies()[at(up)].parent;
    if (up != s.index) continue;
    const BodyEntry& body = model_.bodies()[b];
    const Transform<double> X = body.in_node * motion_.kinematics.X[at(body.node)];
    momentum += apply_inverse(X, body.inertia * get_velocity(motion_, body, ReferenceFrame::body));
    mass += body.inertia.m;
    weighted += body.inertia.m * X.r + apply_inverse(X.E, body.inertia.h);
  }
  const Vec3<double> centre = mass > 0 ? (1 / mass) * weighted : Vec3<double>{};
  if (s.kind == Kind::subtreecom) return write(centre, out);
  if (s.kind == Kind::subtreelinvel) return write(mass > 0 ? (1 / mass) * momentum.lin : Vec3<double>{}, out);
  write(momentum.ang - cross(centre, momentum.lin), out);
}

}  // namespace sinew
