// apps/eval/motion.cpp - `sinew eval`: positions, velocities, Jacobians, momentum and energy
#include "common/json_text.hpp"
#include "eval/algorithms.hpp"
#include "sinew/sim/sensor_readings.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/centre_of_mass.hpp"
#include "sinew/tree/centroidal.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/momentum.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

Json pose(const Transform<double>& X) {
  const Quaternion<double> q = to_quaternion(X.E);
  return {{"position", to_json(X.r)}, {"rotation", to_json(X.E)}, {"quaternion", Json::array({q.w, q.x, q.y, q.z})}};
}

const char* row_names(const EvalCase& e) { return e.x.is_linear_first() ? "linear, angular" : "angular, linear"; }

// A matrix of six rows, or six numbers, in the order asked for.
Numbers ordered(const EvalCase& e, Numbers six) {
  if (e.x.is_linear_first())
    std::rotate(six.begin(), six.begin() + static_cast<std::ptrdiff_t>(six.size() / 2), six.end());
  return six;
}
Numbers six_numbers(const Vec3<double>& ang, const Vec3<double>& lin) {
  return {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
}
// b of J a + b in the other convention: adds J times our acceleration where theirs is zero. J has our columns.
Numbers bias_of(const EvalCase& e, const Numbers& J, Numbers b) {
  const Numbers a = e.x.acceleration_at_zero(*e.s.q, *e.s.v);
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t k = 0; k < a.size(); ++k) b[i] += J[i * a.size() + k] * a[k];
  return b;
}

Json jacobian_of(const EvalCase& e, const JacobianWorkspace<double>& ws, const Place& place) {
  Numbers J(6 * nv(e));
  get_jacobian(e.m, ws, place, e.s.reference, MatrixView<double>(J.data(), 6, nv(e)));
  const Motion<double> b = get_bias_acceleration(ws, place, e.s.reference);
  return {{"J", to_json_matrix(ordered(e, e.x.columns(*e.s.q, J)), 6, nv(e))},
          {"Jdot_v", ordered(e, bias_of(e, J, six_numbers(b.ang, b.lin)))}};
}

}  // namespace

void eval_sensors(const EvalCase& e, Json& out) {
  SensorReadings sensors(e.m);
  sensors.calc(*e.s.q, *e.s.v, *e.s.a, e.s.time, calc_actuator_forces(e));
  out["sensors"] = Json::array();
  for (int i = 0; i < sensors.sensors(); ++i) {
    const auto values = sensors.values(i);
    const SensorSpec& s = e.m.spec().sensors[static_cast<std::size_t>(i)];
    out["sensors"].push_back({{"name", s.name}, {"kind", s.kind}, {"values", Numbers(values.begin(), values.end())}});
  }
}

void eval_kinematics(const EvalCase& e, Json& out) {
  KinematicsWorkspace<double> ws(e.m);
  calc_kinematics(e.m, ws, *e.s.q, e.s.time);
  out["bodies"] = Json::object();
  out["frames"] = Json::object();
  for (std::size_t b = 1; b < e.m.bodies().size(); ++b)
    out["bodies"][e.m.bodies()[b].name] = pose(get_body_pose(e.m, ws, static_cast<int>(b)));
  for (const FrameEntry& f : e.m.frames()) out["frames"][f.name] = pose(get_frame_pose(ws, f));
}

// As J v and J a + Jdot_v are.
void eval_velocity(const EvalCase& e, Json& out) {
  VelocityWorkspace<double> ws(e.m);
  const bool moving = e.s.a.has_value();
  if (moving)
    calc_accelerations(e.m, ws, *e.s.q, *e.s.v, *e.s.a, e.s.time);
  else
    calc_velocities(e.m, ws, *e.s.q, *e.s.v, e.s.time);
  out["reference"] = to_string(e.s.reference);
  out["velocities"] = Json::object();
  if (moving) out["accelerations"] = Json::object();
  for (std::size_t b = 1; b < e.m.bodies().size(); ++b) {
    const BodyEntry& body = e.m.bodies()[b];
    out["velocities"][body.name] = to_json(get_velocity(ws, body, e.s.reference));
    if (!moving) continue;
    if (e.s.reference != ReferenceFrame::mixed) {
      out["accelerations"][body.name] = to_json(get_acceleration(ws, body, e.s.reference));
    } else {
      const ClassicalAcceleration<double> a = get_classical_acceleration(ws, body, e.s.reference);
      out["accelerations"][body.name] = to_json(Motion<double>{a.ang, a.lin});
    }
  }
}

void eval_jacobian(const EvalCase& e, Json& out) {
  JacobianWorkspace<double> ws(e.m);
  calc_jacobian_rates(e.m, ws, *e.s.q, *e.s.v, e.s.time);
  out["reference"] = to_string(e.s.reference);
  out["J_rows"] = row_names(e);
  if (e.s.frames.size() == 1) {
    out["frame"] = e.s.frames[0];
    out.update(jacobian_of(e, ws, find_place(e.m, e.s.frames[0])));
    return;
  }
  for (const std::string& name : e.s.frames) out["jacobians"][name] = jacobian_of(e, ws, find_place(e.m, name));
}

void eval_com(const EvalCase& e, Json& out) {
  CentreOfMassWorkspace<double> ws(e.m);
  Numbers J(3 * nv(e));
  calc_centre_of_mass_jacobian(e.m, ws, *e.s.q, MatrixView<double>(J.data(), 3, nv(e)), e.s.time);
  out["com"] = to_json(ws.position);
  if (e.s.v) out["com_velocity"] = to_json(calc_centre_of_mass_velocity(e.m, ws, *e.s.q, *e.s.v, e.s.time));
  if (e.s.a)
    out["com_acceleration"] = to_json(calc_centre_of_mass_acceleration(e.m, ws, *e.s.q, *e.s.v, *e.s.a, e.s.time));
  out["J_com"] = to_json_matrix(e.x.columns(*e.s.q, J), 3, nv(e));
}

void eval_momentum(const EvalCase& e, Json& out) {
  MomentumWorkspace<double> ws(e.m);
  out["momentum"] = to_json(calc_centroidal_momentum(e.m, ws, *e.s.q, *e.s.v, e.s.time));
  if (e.s.a) out["momentum_rate"] = to_json(calc_centroidal_momentum_rate(e.m, ws, *e.s.q, *e.s.v, *e.s.a, e.s.time));
}

void eval_centroidal(const EvalCase& e, Json& out) {
  CentroidalWorkspace<double> ws(e.m);
  MomentumWorkspace<double> momentum(e.m);
  Numbers A(6 * nv(e));
  calc_centroidal_map(e.m, ws, *e.s.q, MatrixView<double>(A.data(), 6, nv(e)), e.s.time);
  const Force<double>& b = calc_centroidal_bias(e.m, momentum, *e.s.q, *e.s.v, e.s.time);
  out["A_rows"] = row_names(e);
  out["A"] = to_json_matrix(ordered(e, e.x.columns(*e.s.q, A)), 6, nv(e));
  out["Adot_v"] = ordered(e, bias_of(e, A, six_numbers(b.ang, b.lin)));
}

void eval_energy(const EvalCase& e, Json& out) {
  EnergyWorkspace<double> ws(e.m);
  out["energy"] = {{"kinetic", calc_kinetic_energy(e.m, ws, *e.s.q, *e.s.v, e.s.time)},
                   {"potential", calc_potential_energy(e.m, ws, *e.s.q, e.s.time)}};
}

}  // namespace sinew::app
