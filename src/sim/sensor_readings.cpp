// src/sim/sensor_readings.cpp - what sensors read; sensor_setup.cpp finds what they are on
#include "sinew/sim/sensor_readings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/sensor_kinds.hpp"
#include "sinew/contact/ray.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

Vec3<double> log_of(const double* q) { return log(Displacement<double>{{q[0], q[1], q[2], q[3]}, {}}).ang; }

void write(const Vec3<double>& x, double* out) { out[0] = x.x, out[1] = x.y, out[2] = x.z; }

}  // namespace

std::optional<int> SensorReadings::find(std::string_view name) const {
  for (std::size_t i = 0; i < sensors_.size(); ++i)
    if (*sensors_[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}
const std::string& SensorReadings::name(int sensor) const {
  check_index("SensorReadings::name", "sensor", sensor, sensors_.size());
  return *sensors_[at(sensor)].name;
}
std::vector<std::string> SensorReadings::labels() const {
  std::vector<std::string> out;
  out.reserve(values_.size());
  for (const Sensor& s : sensors_)
    for (std::size_t k = 0; k < s.size; ++k)
      out.push_back(s.size == 1 ? *s.name : *s.name + "[" + std::to_string(k) + "]");
  return out;
}

In<double> SensorReadings::values(int sensor) const {
  check_index("SensorReadings::values", "sensor", sensor, sensors_.size());
  const Sensor& s = sensors_[at(sensor)];
  return {values_.data() + s.first, s.size};
}

void SensorReadings::update(const Stepper& s) {
  motion_.kinematics.made_for.check("SensorReadings::update", s.model(), "SensorReadings");
  if (!s.extra_coordinates().empty())
    throw std::invalid_argument("SensorReadings::update: bodies of the model bend, but its sensors read rigid bodies");
  touches_.clear(), limit_forces_.clear();
  external_.assign(s.external.begin(), s.external.end());
  for (std::size_t c = 0; c < s.contacts().size(); ++c) {
    const ContactPoint& p = s.contacts()[c];
    const Vec3<double> f = s.contact_force(c);
    const auto [a, b] = s.shapes().shapes_of(p);
    const auto body_of = [&](int shape) { return *model_.find_body(model_.spec().shapes[at(shape)].body); };
    touches_.push_back({p.point, p.normal, body_of(a), body_of(b), dot(f, p.normal), f});
  }
  if (const auto* steps = dynamic_cast<const Simulation*>(&s))
    for (std::size_t r = 0; r < steps->joint_impulses().size(); ++r) {
      const JointRow& row = steps->joint_rows()[r];
      if (!std::isinf(row.upper) || row.softness != 0 || row.of_contact) continue;  // not a stop
      int tendon = -1;
      for (std::size_t t = 0; t < model_.tendons().size() && !row.forces.nodes.empty(); ++t)
        if (model_.tendons()[t].nodes.data() == row.forces.nodes.data()) tendon = static_cast<int>(t);
      limit_forces_.push_back({row.node, tendon, steps->joint_impulses()[r] / s.step_length()});
    }
  const auto of_joints = [](const std::vector<double>& x, int n) { return In<double>(x.data(), at(n)); };
  calc_all(of_joints(s.state.q, model_.nq()), of_joints(s.state.v, model_.nv()), s.acceleration(), s.state.time,
           s.actuator_forces());
}

void SensorReadings::calc(In<double> q, In<double> v, In<double> a, double time, In<double> actuator_forces) {
  touches_.clear(), limit_forces_.clear(), external_.clear();
  calc_all(q, v, a, time, actuator_forces);
}

void SensorReadings::calc_all(In<double> q, In<double> v, In<double> a, double time, In<double> actuator_forces) {
  const char* call = "SensorReadings::calc";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "a", a.size(), at(model_.nv()));
  if (actuator_forces.size() != 0)
    check_size(call, "actuator_forces", actuator_forces.size(), model_.spec().actuators.size());
  if (sensors_.empty()) return;
  calc_accelerations(model_, motion_, q, v, a, time);
  if (drives_) {
    std::fill(tau_.begin(), tau_.end(), 0.0), applied_.clear();
    drives_->add_forces(q, v, controls_, motion_, tau_, applied_, activations_);
  }
  if (tendons_) calc_tendon_rates(model_, *tendons_, motion_, q, time);
  for (const Sensor& s : sensors_) {
    double* out = values_.data() + s.first;
    read(s, q, v, time, actuator_forces, out);
    const bool direction = s.kind >= Kind::framequat && s.kind <= Kind::framezaxis;
    const bool own = direction || s.kind == Kind::ballquat || (s.kind >= Kind::distance && s.kind <= Kind::fromto);
    if (s.cutoff > 0 && !own)
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
    case Kind::actuatorpos: out[0] = drives_->actuator_lengths()[i]; break;
    case Kind::actuatorvel: out[0] = drives_->actuator_speeds()[i]; break;
    case Kind::jointactuatorfrc: out[0] = read_joint_force(s.index, q, forces); break;
    case Kind::clock: out[0] = time; break;
    case Kind::e_kinetic: out[0] = calc_kinetic_energy(model_, energies_, q, v, time); break;
    case Kind::e_potential: out[0] = read_potential_energy(q); break;
    case Kind::tendonpos: out[0] = tendons_->length[i]; break;
    case Kind::tendonvel: out[0] = tendons_->velocity[i]; break;
    case Kind::tendonactuatorfrc: {
      out[0] = 0;
      const auto& list = model_.spec().actuators;
      for (std::size_t k = 0; k < forces.size(); ++k)
        if (list[k].transmission == Transmission::tendon && list[k].target == model_.spec().tendons[i].name)
          out[0] += forces[k];
      break;
    }
    case Kind::jointlimitpos:
    case Kind::jointlimitvel:
    case Kind::jointlimitfrc:
    case Kind::tendonlimitpos:
    case Kind::tendonlimitvel:
    case Kind::tendonlimitfrc: out[0] = read_limit(s, q, v); break;
    case Kind::force:
    case Kind::torque: read_interaction(s, out); break;
    case Kind::touch: out[0] = read_touch(s); break;
    case Kind::rangefinder: out[0] = read_range(s); break;
    case Kind::distance:
    case Kind::normal:
    case Kind::fromto: read_distance(s, out); break;
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
    case Kind::magnetometer: write(apply(X.E, model_.spec().magnetic), out); break;
    case Kind::insidesite: out[0] = holds_point(s.zone, s.zone_size, apply(R.E, away)) ? 1 : 0; break;
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

// What the parent of the site's body exerts on it: the rate of momentum of all below, less other forces on that.
void SensorReadings::read_interaction(const Sensor& s, double* out) const {
  Force<double> total;  // about the origin of the world
  const auto below = [&](int body) {
    while (body > 0 && body != s.index) body = model_.bodies()[at(body)].parent;
    return body == s.index;
  };
  for (int b = 1; b < static_cast<int>(model_.bodies().size()); ++b) {
    if (!below(b)) continue;
    const BodyEntry& body = model_.bodies()[at(b)];
    const Transform<double> X = body.in_node * motion_.kinematics.X[at(body.node)];
    const Vec3<double> w = apply(X.E, get_velocity(motion_, body, ReferenceFrame::mixed).ang),
                       turning = apply(X.E, get_acceleration(motion_, body, ReferenceFrame::mixed).ang),
                       a = apply(X.E, get_point_acceleration(motion_, body) - model_.gravity());
    const RigidInertia<double>& I = body.inertia;  // along the body's axes, about its origin
    Force<double> f;
    f.lin = I.m * a + cross(turning, I.h) + cross(w, cross(w, I.h));
    f.ang = I.I * turning + cross(w, I.I * w) + cross(I.h, a);
    if (!external_.empty()) f -= external_[at(b)];
    total += apply_inverse(X, f);
  }
  for (const Touch& t : touches_) {
    const Force<double> f{cross(t.point, t.whole), t.whole};
    if (below(t.body_a)) total -= f;
    if (below(t.body_b)) total += f;
  }
  const Transform<double> X = s.object.in_node * motion_.kinematics.X[at(s.object.node)];
  const Force<double> there = apply(X, total);
  write(s.kind == Kind::force ? there.lin : there.ang, out);
}

double SensorReadings::read_touch(const Sensor& s) const {
  const Transform<double> X = s.object.in_node * motion_.kinematics.X[at(s.object.node)];
  double sum = 0;
  for (const Touch& t : touches_) {
    if (t.body_a != s.index && t.body_b != s.index) continue;
    // Away from the body: from there the volume is in sight, even if the point lies behind it.
    const Vec3<double> out = t.body_a == s.index ? -t.normal : t.normal;
    if (cast_ray(s.zone, s.zone_size, apply_to_point(X, t.point), apply(X.E, out)) >= 0) sum += t.force;
  }
  return sum;
}

Transform<double> SensorReadings::pose_of_shape(int shape) const {
  const ShapeSpec& spec = model_.spec().shapes[at(shape)];
  const BodyEntry& body = model_.bodies()[at(*model_.find_body(spec.body))];
  return spec.pose * (body.in_node * motion_.kinematics.X[at(body.node)]);
}

double SensorReadings::read_range(const Sensor& s) const {
  const Transform<double> X = s.object.in_node * motion_.kinematics.X[at(s.object.node)];
  const Vec3<double> along = apply_inverse(X.E, Vec3<double>{0, 0, 1});
  double nearest = -1;
  const auto see = [&](double t) {
    if (t >= 0 && (nearest < 0 || t < nearest)) nearest = t;
  };
  const ModelSpec& spec = model_.spec();
  for (std::size_t i = 0; i < spec.shapes.size(); ++i) {
    const ShapeSpec& shape = spec.shapes[i];
    if (shape.rgba[3] == 0 || *model_.find_body(shape.body) == s.index) continue;
    const Transform<double> Y = pose_of_shape(static_cast<int>(i));
    const Vec3<double> from = apply_to_point(Y, X.r), to = apply(Y.E, along);
    if (shape.kind != ShapeKind::mesh) {
      see(cast_ray(shape.kind, shape.size, from, to));
      continue;
    }
    const MeshSpec& mesh = mesh_of(spec, shape);
    for (const auto& t : mesh.triangles)
      see(cast_ray({mesh.vertices[at(t[0])], mesh.vertices[at(t[1])], mesh.vertices[at(t[2])]}, from, to));
  }
  return nearest;
}

// The nearest points of two shapes, or of all shapes of two bodies.
void SensorReadings::read_distance(const Sensor& s, double* out) {
  const double reach = std::max(0.0, s.cutoff);
  TouchPoint best;
  best.gap = std::numeric_limits<double>::infinity();
  const auto placed = [&](int i) {
    const ShapeSpec& shape = model_.spec().shapes[at(i)];
    return PlacedShape{shape.kind, pose_of_shape(i), shape.size, nullptr, nullptr};
  };
  for (const int a : s.shapes)
    for (const int b : s.others) {
      points_.clear();
      collide(placed(a), placed(b), reach, points_);
      for (const TouchPoint& p : points_)
        if (p.gap < best.gap) best = p;
    }
  const bool found = best.gap <= reach;
  std::fill(out, out + s.size, 0.0);
  if (s.kind == Kind::distance) out[0] = found ? best.gap : reach;
  if (!found) return;
  if (s.kind == Kind::normal) write(-best.normal, out);
  if (s.kind != Kind::fromto) return;
  write(best.point + (best.gap / 2) * best.normal, out);
  write(best.point - (best.gap / 2) * best.normal, out + 3);
}

// Below zero beyond the limit; the rate of that; the force that holds. All zero within.
double SensorReadings::read_limit(const Sensor& s, In<double> q, In<double> v) const {
  const bool of_tendon = s.kind >= Kind::tendonlimitpos;
  if (s.kind == Kind::jointlimitfrc || s.kind == Kind::tendonlimitfrc) {
    double sum = 0;
    for (const LimitForce& f : limit_forces_) {
      const bool here = of_tendon ? f.tendon == s.index
                                  : f.tendon < 0 && std::find(s.joint->nodes.begin(), s.joint->nodes.end(), f.node) !=
                                                        s.joint->nodes.end();
      if (here) sum += f.force;
    }
    return sum;
  }
  double x = 0, u = 0;
  if (of_tendon) {
    x = tendons_->length[at(s.index)], u = tendons_->velocity[at(s.index)];
  } else if (s.joint->kind == JointKind::spherical) {
    const double* turn = q.data() + s.joint->q;
    const double sign = turn[0] < 0 ? -1 : 1;
    const Vec3<double> sine{sign * turn[1], sign * turn[2], sign * turn[3]};
    const double length = norm(sine);
    x = 2 * std::atan2(length, sign * turn[0]);
    const double* w = v.data() + s.joint->v;
    if (length > 0) u = dot((1 / length) * sine, Vec3<double>{w[0], w[1], w[2]});
  } else {
    x = q[at(s.joint->q)], u = v[at(s.joint->v)];
  }
  const bool rate = s.kind == Kind::jointlimitvel || s.kind == Kind::tendonlimitvel;
  if (x < s.lower) return rate ? u : x - s.lower;
  if (x > s.upper) return rate ? -u : s.upper - x;
  return 0;
}

// Of all actuators on one coordinate, within what the joint can take.
double SensorReadings::read_joint_force(int coordinate, In<double> q, In<double> forces) {
  double sum = 0;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    drives_->calc_moment(static_cast<int>(k), motion_.kinematics, q, moment_);
    sum += moment_[at(coordinate)] * forces[k];
  }
  const double most = model_.dofs()[at(coordinate)].max_effort;
  return std::clamp(sum, -most, most);
}

// Of gravity, with the world's origin at zero, and of springs of joints and tendons.
double SensorReadings::read_potential_energy(In<double> q) const {
  double sum = 0;
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    const BodyEntry& body = model_.bodies()[b];
    const Transform<double> X = body.in_node * motion_.kinematics.X[at(body.node)];
    sum -= dot(model_.gravity(), body.inertia.m * X.r + apply_inverse(X.E, body.inertia.h));
  }
  const auto spring = [](double k, const std::array<double, 2>& terms, double x) {
    return x * x * (k / 2 + terms[0] * x / 3 + terms[1] * x * x / 4);
  };
  for (const Node& n : model_.nodes())
    for (int k = 0; k < n.nv; ++k) {
      const DofSpec& d = model_.dofs()[at(n.v + k)];
      if (d.stiffness == 0 && d.stiffness_terms == std::array<double, 2>{}) continue;
      if (n.nq == n.nv) {
        sum += spring(d.stiffness, d.stiffness_terms, q[at(n.q + k)] - d.rest);
      } else if (k < 3) {  // about one axis of a turn
        const Vec3<double> turn = log_of(q.data() + n.q);
        const double x = k == 0 ? turn.x : k == 1 ? turn.y : turn.z;
        sum += d.stiffness * x * x / 2;
      }
    }
  for (std::size_t t = 0; t < model_.tendons().size(); ++t) {
    const TendonSpec& spec = model_.spec().tendons[t];
    const double rest = tendons_->rest[t], x = tendons_->length[t];
    const std::array<double, 2> band = spec.rest ? *spec.rest : std::array{rest, rest};
    const double beyond = x > band[1] ? x - band[1] : x < band[0] ? x - band[0] : 0;
    sum += spring(spec.stiffness, spec.stiffness_terms, beyond);
  }
  return sum;
}

}  // namespace sinew
