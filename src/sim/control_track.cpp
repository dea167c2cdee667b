// src/sim/control_track.cpp
#include "sinew/sim/control_track.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/base/nearest_name.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse_table(const std::string& why) { throw std::invalid_argument("control table: " + why); }

// Coordinate of "joint" or "joint[k]"; -1: there is no such joint.
int find_driven_coordinate(const Model& m, const std::string& name) {
  if (const JointEntry* j = m.find_joint(name)) {
    if (j->nv != 1)
      refuse_table("joint '" + name + "' has " + std::to_string(j->nv) + " velocity coordinates; name one, as in '" +
                   name + "[0]'");
    return j->v;
  }
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']') || name.size() > open + 6 || name.size() < open + 3) return -1;
  const JointEntry* j = m.find_joint(name.substr(0, open));
  const std::string digits = name.substr(open + 1, name.size() - open - 2);
  if (!j || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return -1;
  const int k = std::stoi(digits);
  if (k >= j->nv)
    refuse_table("column '" + name + "': the joint has " + std::to_string(j->nv) +
                 " velocity coordinates, counted from 0");
  return j->v + k;
}

}  // namespace

ControlTrack::ControlTrack(const Model& m, ControlTable table)
    : actuators_(m.spec().actuators.size()), nv_(at(m.nv())), table_(std::move(table)) {
  if (table_.time.empty()) refuse_table("it has no rows");
  check_size("ControlTrack", "values", table_.values.size(), table_.time.size() * table_.names.size());
  for (std::size_t i = 0; i < table_.time.size(); ++i) {
    if (!std::isfinite(table_.time[i])) refuse_table("the time of row " + std::to_string(i) + " is not finite");
    if (i > 0 && !(table_.time[i] > table_.time[i - 1]))
      refuse_table("the time of row " + std::to_string(i) + " is not after the one before it");
  }
  for (std::size_t i = 0; i < table_.values.size(); ++i)
    if (!std::isfinite(table_.values[i]))
      refuse_table("row " + std::to_string(i / table_.names.size()) + " of column '" +
                   table_.names[i % table_.names.size()] + "' is not finite");
  const std::vector<ActuatorSpec>& actuators = m.spec().actuators;
  for (const std::string& name : table_.names) {
    const auto a = std::find_if(actuators.begin(), actuators.end(), [&](const auto& x) { return x.name == name; });
    Target target{a != actuators.end(), false, at(static_cast<int>(a - actuators.begin()))};
    if (!target.actuator && add_place_column(m, name, static_cast<int>(targets_.size()))) {
      target.mocap = true;
      targets_.push_back(target);
      continue;
    }
    if (!target.actuator) {
      const int v = find_driven_coordinate(m, name);
      if (v < 0) {
        std::vector<std::string> known;
        known.reserve(actuators.size());
        for (const ActuatorSpec& x : actuators) known.push_back(x.name);
        for (const JointEntry& j : m.joints())
          if (j.nv > 0) known.push_back(j.name);
        refuse_table("column '" + name +
                     "' is neither an actuator nor a joint, nor the place of a mocap body (as in 'hand/pos.x')" +
                     suggest_name(name, known));
      }
      target.index = at(v);
    }
    for (std::size_t i = 0; i < targets_.size(); ++i)
      if (!targets_[i].mocap && targets_[i].actuator == target.actuator && targets_[i].index == target.index)
        refuse_table("columns '" + table_.names[i] + "' and '" + name + "' drive the same");
    targets_.push_back(target);
  }
}

void ControlTrack::set(double time, Out<double> control, Out<double> applied) const {
  check_size("ControlTrack", "control", control.size(), actuators_);
  check_size("ControlTrack", "applied", applied.size(), nv_);
  const auto next = std::upper_bound(table_.time.begin(), table_.time.end(), time);
  const auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, next - table_.time.begin() - 1));
  for (std::size_t k = 0; k < targets_.size(); ++k)
    if (!targets_[k].mocap)
      (targets_[k].actuator ? control : applied)[targets_[k].index] = table_.values[row * targets_.size() + k];
}

// True if the column is "body/pos.x" or the like.
bool ControlTrack::add_place_column(const Model& m, const std::string& name, int column) {
  constexpr const char* kParts[7] = {"/quat.w", "/quat.x", "/quat.y", "/quat.z", "/pos.x", "/pos.y", "/pos.z"};
  for (std::size_t k = 0; k < 7; ++k) {
    if (!name.ends_with(kParts[k])) continue;
    const std::string body = name.substr(0, name.size() - std::string_view(kParts[k]).size());
    const auto number = m.find_body(body);
    const MocapBodies mocap(m);
    const std::vector<int>& known = mocap.bodies();
    if (!number || std::find(known.begin(), known.end(), *number) == known.end())
      refuse_table("column '" + name + "': there is no mocap body '" + body + "'");
    auto found = std::find_if(places_.begin(), places_.end(), [&](const PlaceColumns& p) { return p.body == *number; });
    if (found == places_.end()) {
      KinematicsWorkspace<double> ws(m);
      calc_kinematics<double>(m, ws, m.neutral());
      const Transform<double> X = get_body_pose(m, ws, *number);
      const Quaternion<double> turn = to_quaternion(X.E);
      places_.push_back({*number, {-1, -1, -1, -1, -1, -1, -1}, {turn.w, turn.x, turn.y, turn.z, X.r.x, X.r.y, X.r.z}});
      found = std::prev(places_.end());
    }
    found->columns[k] = column;
    return true;
  }
  return false;
}

void ControlTrack::move(double time, MocapBodies& bodies) const {
  const auto next = std::upper_bound(table_.time.begin(), table_.time.end(), time);
  const auto after = static_cast<std::size_t>(next - table_.time.begin());
  const std::size_t row = after == 0 ? 0 : after - 1, end = std::min(after, table_.time.size() - 1);
  const double share = end == row ? 0 : (time - table_.time[row]) / (table_.time[end] - table_.time[row]);
  for (const PlaceColumns& p : places_) {
    std::array<double, 7> x = p.rest, y = p.rest;
    for (std::size_t k = 0; k < 7; ++k) {
      if (p.columns[k] < 0) continue;
      const std::size_t column = at(p.columns[k]);
      x[k] = table_.values[row * targets_.size() + column], y[k] = table_.values[end * targets_.size() + column];
    }
    // Both signs of a quaternion are the same turn: take the nearer.
    const bool flip = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] < 0;
    for (std::size_t k = 0; k < 7; ++k) x[k] += share * ((flip && k < 4 ? -y[k] : y[k]) - x[k]);
    const Quaternion<double> turn{x[0], x[1], x[2], x[3]};
    if (!(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 1e-20))
      refuse_table("row " + std::to_string(row) + ": the quaternion of a mocap body has no length");
    bodies.move(p.body, {to_rotation(normalized(turn)), {x[4], x[5], x[6]}});
  }
}

}  // namespace sinew
