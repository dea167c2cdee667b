// src/sim/smooth_forces.cpp
#include "smooth_forces.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double kPassed = 1e-9;  // [rad or m] beyond a stop that counts as passing it
std::string joint_of(const Model& m, int coordinate) {
  for (const JointEntry& j : m.joints())
    if (coordinate >= j.v && coordinate < j.v + j.nv) return "joint '" + j.name + "'";
  return "coordinate " + std::to_string(coordinate);
}
bool same(const Force<double>& a, const Force<double>& b) {
  return norm(a.ang - b.ang) == 0 && norm(a.lin - b.lin) == 0;
}

}  // namespace

SmoothForces::SmoothForces(const Model& m) : model_(m), drives_(m, 0), fluid_(m), motion_(m), rnea_(m) {
  for (int k = 0; k < m.nv(); ++k)
    if (m.dofs()[k].friction > 0)
      throw std::invalid_argument(joint_of(m, k) +
                                  " has dry friction, which is not smooth; set it to zero, or step in time "
                                  "(Simulation, --integrator step)");
  const auto refuse = [](const std::string& what, const char* why) {
    throw std::invalid_argument(what + " " + why + "; remove it, or step in time (Simulation, --integrator step)");
  };
  for (const TendonSpec& t : m.spec().tendons) {
    if (t.friction > 0) refuse("tendon '" + t.name + "'", "has dry friction, which is not smooth");
    if (t.armature > 0) refuse("tendon '" + t.name + "'", "has armature, which only steps in time know");
  }
  for (const ActuatorSpec& a : m.spec().actuators)
    if (a.transmission == Transmission::body) refuse("actuator '" + a.name + "'", "acts on contacts");
  for (auto* x : {&applied_, &next_applied_, &zeros_, &weight_, &with_external_}) x->resize(at(m.nv()));
}

bool SmoothForces::hold(const Stepper& s, In<double> tau) {
  std::copy(s.applied.begin(), s.applied.end(), next_applied_.begin());
  for (std::size_t i = 0; i < tau.size(); ++i) next_applied_[i] += tau[i];
  const bool as_before = next_applied_ == applied_ && s.control == control_ &&
                         std::equal(s.external.begin(), s.external.end(), external_.begin(), external_.end(), same);
  std::swap(applied_, next_applied_);
  control_ = s.control, external_ = s.external;
  return !as_before;
}

void SmoothForces::calc_activation_rates(In<double> activation, Out<double> rates) const {
  drives_.calc_activation_rates(control_, activation, rates);
}

void SmoothForces::calc(In<double> q, In<double> v, In<double> activation, double time, Out<double> tau) {
  calc_velocities(model_, motion_, q, v, time);
  std::copy(applied_.begin(), applied_.end(), tau.begin());
  all_external_.assign(external_.begin(), external_.end());
  if (drives_.any()) drives_.add_forces(q, v, control_, motion_, tau, all_external_, activation);
  fluid_.add_forces(motion_, all_external_);
  const DriveWork drives = drives_.calc_power(v);
  power_ = {};
  power_.actuators = drives.actuators, power_.springs = drives.springs, power_.dampers = drives.dampers;
  for (std::size_t k = 0; k < v.size(); ++k) power_.applied += applied_[k] * v[k];
  if (all_external_.empty()) return;
  for (std::size_t b = 1; b < all_external_.size(); ++b)
    power_.external += dot(all_external_[b], get_velocity(motion_, model_.bodies()[b], ReferenceFrame::body));
  // J^T f: static joint forces without the external forces, less those with them
  calc_gravity<double>(model_, rnea_, q, weight_, time);
  calc_bias<double>(model_, rnea_, q, zeros_, with_external_, {all_external_, time});
  for (std::size_t k = 0; k < v.size(); ++k) tau[k] += weight_[k] - with_external_[k];
}

StopWatch::StopWatch(const Model& m) : model_(m), limits_(m), tendons_(m), kinematics_(m) {}

void StopWatch::check(In<double> q, double time) {
  const auto refuse = [&](const std::string& what) {
    throw StepRefused("at t = " + std::to_string(time) + " s " + what +
                      " reaches its stop, which this integrator cannot handle; remove the stop, or step in time "
                      "(Simulation, --integrator step)");
  };
  int coordinate = 0;
  if (limits_.calc_violation(q, coordinate) > kPassed) refuse(joint_of(model_, coordinate));
  const std::vector<TendonSpec>& tendons = model_.spec().tendons;
  if (std::none_of(tendons.begin(), tendons.end(),
                   [](const TendonSpec& t) { return std::isfinite(t.lower) || std::isfinite(t.upper); }))
    return;
  calc_kinematics<double>(model_, kinematics_, q, time);
  calc_tendons(model_, tendons_, kinematics_, q, time);
  for (std::size_t i = 0; i < tendons.size(); ++i)
    if (std::max(tendons[i].lower - tendons_.length[i], tendons_.length[i] - tendons[i].upper) > kPassed)
      refuse("tendon '" + tendons[i].name + "'");
}

}  // namespace sinew
