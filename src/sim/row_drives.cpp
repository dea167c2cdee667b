// src/sim/row_drives.cpp
#include "row_drives.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "contact/constants.hpp"
#include "sinew/spatial/orientation.hpp"
#include "tree/tendon_row.hpp"

namespace sinew {
namespace {

// Ids of these rows, apart from those of joint limits.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 62;
using contact::kPassed, contact::kReach, contact::kSpeeding;

// a x + b x^2 + c x^3 with its derivative.
struct Cubic {
  double value = 0, slope = 0;
};
Cubic cubic(double a, const std::array<double, 2>& more, double x) {
  return {x * (a + x * (more[0] + x * more[1])), a + x * (2 * more[0] + x * 3 * more[1])};
}
// The same odd in x: a x + b x |x| + c x^3.
Cubic odd_cubic(double a, const std::array<double, 2>& more, double x) {
  const Cubic c = cubic(a, more, std::abs(x));
  return {x < 0 ? -c.value : c.value, c.slope};
}

// The node that is above both, or both; 0: the world.
int find_common(const Model& m, int a, int b) {
  while (a != b) (a > b ? a : b) = m.nodes()[std::max(a, b)].parent;
  return a;
}

}  // namespace

std::array<double, 3> rotation_vector(const double* q) {
  const double sign = q[0] < 0 ? -1 : 1, sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = sine > 0 ? sign * 2 * std::atan2(sine, sign * q[0]) / sine : 2;
  return {scale * q[1], scale * q[2], scale * q[3]};
}

RowDrives::RowDrives(const Model& m, double dt)
    : model_(m),
      dt_(dt),
      tendons_(m),
      at_end_(m),
      motion_(m),
      zeros_(at(m.nv())),
      row_of_(m.spec().actuators.size(), -1) {
  for (std::size_t i = 0; i < m.tendons().size(); ++i) {
    const TendonSpec& t = m.spec().tendons[i];
    Row& r = rows_.emplace_back();
    r.tendon = &t;
    r.rest[0] = t.rest ? (*t.rest)[0] : tendons_.rest[i];
    r.rest[1] = t.rest ? (*t.rest)[1] : tendons_.rest[i];
    r.has_band = r.rest[0] < r.rest[1];
    r.opposite.resize(m.tendons()[i].nodes.size());
    has_armature_ = has_armature_ || t.armature > 0;
    has_stops_ = has_stops_ || std::isfinite(t.lower) || std::isfinite(t.upper);
  }
  for (std::size_t i = 0; i < m.spec().actuators.size(); ++i) {
    const ActuatorSpec& a = m.spec().actuators[i];
    const std::size_t before = rows_.size();
    if (a.transmission == Transmission::tendon)
      row_of_[i] = m.find_tendon(a.target).value();
    else
      add_own_row(a);
    if (rows_.size() > before) row_of_[i] = static_cast<int>(before);
  }
  for (Row& r : rows_) r.J.resize(at(m.nv()));
}

void RowDrives::add_own_row(const ActuatorSpec& a) {
  const JointEntry* joint = nullptr;
  if (a.transmission == Transmission::joint || a.transmission == Transmission::joint_in_parent)
    joint = model_.find_joint(a.target);
  const bool turned = a.transmission == Transmission::joint_in_parent;
  const bool on_joint = joint && (joint->kind == JointKind::free || (joint->kind == JointKind::spherical && turned));
  const bool crank = a.transmission == Transmission::slider_crank;
  if (!on_joint && !crank && !(a.transmission == Transmission::site && !a.reference.empty())) return;
  Row& r = rows_.emplace_back();
  r.actuator = &a;
  if (on_joint) {
    r.joint_node = joint->nodes.front();
    r.nodes = {r.joint_node, model_.nodes()[r.joint_node].parent};
  } else {
    for (const auto& [name, frame] : {std::pair{&a.target, &r.frame}, std::pair{&a.reference, &r.reference}}) {
      const auto found = model_.find_frame(*name);
      if (!found)
        throw std::invalid_argument("Simulation: actuator '" + a.name + "' acts on the frame '" + *name +
                                    "', which the model does not have");
      *frame = *found;
    }
    r.nodes = {r.frame.node, r.reference.node};
    // What moves both frames alike does not count: its forces there are taken away.
    if (!crank) r.nodes.push_back(find_common(model_, r.frame.node, r.reference.node));
  }
  std::sort(r.nodes.begin(), r.nodes.end());
  r.nodes.erase(std::unique(r.nodes.begin(), r.nodes.end()), r.nodes.end());
  std::erase(r.nodes, 0);
  r.forces.resize(r.nodes.size());
}

NodeForces RowDrives::forces_of(std::size_t row) const {
  const Row& r = rows_[row];
  return r.tendon ? tendons_.row(model_, static_cast<int>(row)) : NodeForces{r.nodes, r.forces};
}

// Length and forces of the row, gear included.
void RowDrives::calc_own_row(Row& r, In<double> q, const KinematicsWorkspace<double>& at_q) const {
  const ActuatorSpec& a = *r.actuator;
  const auto& gear = a.gear;
  const Vec3<double> lin{gear[0], gear[1], gear[2]}, ang{gear[3], gear[4], gear[5]};
  std::fill(r.forces.begin(), r.forces.end(), Force<double>{});
  // A force and couple of the world at a point of the world.
  const auto push = [&](int node, const Vec3<double>& point, const Vec3<double>& force, const Vec3<double>& couple) {
    if (node == 0) return;
    const Transform<double>& X = at_q.X[node];
    const Vec3<double> f = apply(X.E, force);
    const auto k = std::find(r.nodes.begin(), r.nodes.end(), node) - r.nodes.begin();
    r.forces[static_cast<std::size_t>(k)] += {apply(X.E, couple) + cross(apply_to_point(X, point), f), f};
  };
  if (r.joint_node > 0) {
    const Node& n = model_.nodes()[r.joint_node];
    const Transform<double>& X = at_q.X[r.joint_node];
    const Transform<double> F_p = n.placement * at_q.X[n.parent];
    const bool in_parent = a.transmission == Transmission::joint_in_parent, free = n.joint.kind == JointKind::free;
    const Vec3<double> axis = free ? ang : lin, couple = apply_inverse(in_parent ? F_p.E : X.E, axis);
    const Vec3<double> force = free ? apply_inverse(F_p.E, lin) : Vec3<double>{};
    push(r.joint_node, X.r, force, couple);
    push(n.parent, X.r, -force, -couple);
    const std::array<double, 3> turn = free ? std::array<double, 3>{} : rotation_vector(q.data() + n.q);
    r.length = axis.x * turn[0] + axis.y * turn[1] + axis.z * turn[2];
    return;
  }
  const Transform<double> X = get_frame_pose(at_q, r.frame), Y = get_frame_pose(at_q, r.reference);
  if (a.transmission == Transmission::slider_crank) {
    // The pin slides along the axis until the rod reaches the crank.
    const Vec3<double> axis = apply_inverse(X.E, Vec3<double>{0, 0, 1}), way = Y.r - X.r;
    const double along = dot(way, axis), rest = along * along + a.crank_length * a.crank_length - dot(way, way);
    const double root = rest > 0 ? std::sqrt(rest) : 0;
    r.length = gear[0] * (along - root);
    const double share = rest > 0 ? 1 - along / root : 1;
    const Vec3<double> by_way = rest > 0 ? share * axis + (1 / root) * way : axis;
    const Vec3<double> force = gear[0] * by_way, by_axis = (gear[0] * share) * way;
    push(r.reference.node, Y.r, force, {});
    push(r.frame.node, X.r, -force, cross(axis, by_axis));
    return;
  }
  const Vec3<double> force = apply_inverse(Y.E, lin), couple = apply_inverse(Y.E, ang), shift = apply(Y.E, X.r - Y.r);
  const Quaternion<double> turned = to_quaternion(X.E * inverse(Y.E));
  const double numbers[4] = {turned.w, turned.x, turned.y, turned.z};
  const std::array<double, 3> turn = rotation_vector(numbers);
  r.length = dot(lin, shift) + ang.x * turn[0] + ang.y * turn[1] + ang.z * turn[2];
  push(r.frame.node, X.r, force, couple), push(r.reference.node, Y.r, -force, -couple);
  const int common = find_common(model_, r.frame.node, r.reference.node);
  push(common, X.r, -force, -couple), push(common, Y.r, force, couple);
}

void RowDrives::calc(In<double> q, In<double> v, const VelocityWorkspace<double>& motion) {
  v_.assign(v.begin(), v.end());
  calc_tendons(model_, tendons_, motion.kinematics, q);
  if (has_armature_ && dt_ > 0) calc_accelerations(model_, motion_, q, v, In<double>(zeros_));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& r = rows_[i];
    if (r.tendon) {
      r.length = tendons_.length[i];
      const auto forces = forces_of(i).forces;
      std::transform(forces.begin(), forces.end(), r.opposite.begin(), [](const Force<double>& f) { return -f; });
      if (r.tendon->armature > 0 && dt_ > 0) r.drift = calc_tendon_acceleration(model_.tendons()[i], motion_);
    } else {
      calc_own_row(r, q, motion.kinematics);
    }
    r.speed = calc_row_velocity(forces_of(i), motion);
    calc_row_jacobian(model_, motion.kinematics, q, forces_of(i), r.J);
  }
}

void RowDrives::calc_passive() {
  for (Row& r : rows_) {
    r.spring = r.damper = r.actuators = {};
    r.effort = 0, r.effort_share = 1;
    if (!r.tendon) continue;
    const TendonSpec& t = *r.tendon;
    const double x = r.length > r.rest[1] ? r.length - r.rest[1] : std::min(0.0, r.length - r.rest[0]);
    const Cubic spring = cubic(t.stiffness, t.stiffness_terms, x),
                damper = odd_cubic(t.damping, t.damping_terms, r.speed);
    r.spring = {-spring.value, std::max(0.0, spring.slope), 0};
    r.damper = {-damper.value, 0, std::max(0.0, damper.slope)};
  }
}

void RowDrives::push(int row, double gear, const ActuatorForce& f) {
  Part& a = rows_[row].actuators;
  a.force += gear * f.force;
  a.K += std::max(0.0, -gear * gear * f.per_length), a.D += std::max(0.0, -gear * gear * f.per_speed);
  rows_[row].effort += f.force;
}

void RowDrives::limit() {
  for (Row& r : rows_) {
    if (!r.tendon) continue;
    const double effort = std::clamp(r.effort, r.tendon->effort_lower, r.tendon->effort_upper);
    if (effort == r.effort) continue;
    r.effort_share = effort / r.effort;
    r.actuators = {r.effort_share * r.actuators.force, 0, 0};
  }
}

bool RowDrives::has_one_sided_springs(const Row& r) const {
  return dt_ > 0 && r.has_band && r.tendon->stiffness > 0 && r.tendon->stiffness_terms == std::array<double, 2>{};
}

double RowDrives::stiffness_of_row(const Row& r) const {
  const double K = r.actuators.K + (has_one_sided_springs(r) ? 0 : r.spring.K), D = r.actuators.D + r.damper.D;
  return dt_ > 0 ? armature(r) + dt_ * D + dt_ * dt_ * K : 0;
}

void RowDrives::add_forces(Out<double> tau) const {
  for (const Row& r : rows_) {
    if (stiffness_of_row(r) > 0) continue;
    const double force = (has_one_sided_springs(r) ? 0 : r.spring.force) + r.damper.force + r.actuators.force;
    if (force == 0) continue;
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += force * r.J[k];
  }
}

void RowDrives::add_soft_rows(std::vector<JointRow>& rows) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& r = rows_[i];
    const auto add = [&](double S, double c, double lower, double upper, RowId id) {
      JointRow row;
      row.softness = 1 / S, row.bias = -c / S, row.lower = lower, row.upper = upper;
      row.id = kFirstId + ids_per_row * i + id, row.forces = forces_of(i);
      rows.push_back(row);
    };
    const double S = stiffness_of_row(r), a = armature(r);
    if (S > 0) {
      const double F = (has_one_sided_springs(r) ? 0 : r.spring.force) + r.damper.force + r.actuators.force;
      const double D = r.damper.D + r.actuators.D;
      add(S, dt_ * (F + D * r.speed) + a * (r.speed - dt_ * r.drift), -kNone, kNone, soft);
    }
    if (!has_one_sided_springs(r)) continue;
    // z = -dt K (L + dt u - rest) where that has the right sign, else 0
    const double K = r.tendon->stiffness;
    add(dt_ * dt_ * K, -dt_ * K * (r.length - r.rest[1]), -kNone, 0, pulled);
    add(dt_ * dt_ * K, -dt_ * K * (r.length - r.rest[0]), 0, kNone, pushed);
  }
}

JointRow RowDrives::make_stop(std::size_t i, RowId side, double recovery) const {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  const Row& r = rows_[i];
  double gap = gap_of(r, side);
  if (std::abs(gap) <= kRounding * std::abs(side == lower_stop ? r.tendon->lower : r.tendon->upper)) gap = 0;
  JointRow row;
  row.forces = forces_of(i);
  if (side == upper_stop) row.forces.forces = r.opposite;
  row.bias = (gap > 0 ? gap : recovery * gap) / dt_, row.id = kFirstId + ids_per_row * i + side;
  return row;
}

std::string RowDrives::name_row(const JointRow& row) const {
  const std::size_t i = (row.id - kFirstId) / ids_per_row;
  if (row.id < kFirstId || i >= rows_.size()) return "an actuator";
  return rows_[i].tendon ? "tendon '" + rows_[i].tendon->name + "'" : "actuator '" + rows_[i].actuator->name + "'";
}

double RowDrives::gap_of(const Row& r, RowId side) {
  return side == lower_stop ? r.length - r.tendon->lower : r.tendon->upper - r.length;
}

void RowDrives::add_stops(double recovery, std::vector<JointRow>& rows) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& r = rows_[i];
    if (!r.tendon) continue;
    if (r.tendon->friction > 0) {
      JointRow row;
      row.forces = forces_of(i);
      row.upper = r.tendon->friction * dt_, row.lower = -row.upper;
      row.id = kFirstId + ids_per_row * i + rubbed;
      rows.push_back(row);
    }
    for (const RowId side : {lower_stop, upper_stop}) {
      const double approach = side == lower_stop ? -r.speed : r.speed;
      if (gap_of(r, side) <= kReach * dt_ * (std::max(0.0, approach) + kSpeeding * dt_))
        rows.push_back(make_stop(i, side, recovery));
    }
  }
}

bool RowDrives::add_passed(In<double> v_after, double recovery, std::vector<JointRow>& rows) const {
  const std::size_t before = rows.size();
  for (std::size_t i = 0; i < rows_.size() && has_stops_; ++i) {
    const Row& r = rows_[i];
    if (!r.tendon) continue;
    double speed = r.speed;
    for (std::size_t k = 0; k < v_after.size(); ++k) speed += r.J[k] * (v_after[k] - v_[k]);
    for (const RowId side : {lower_stop, upper_stop}) {
      if (gap_of(r, side) + dt_ * (side == lower_stop ? speed : -speed) >= -kPassed) continue;
      const std::uint64_t id = kFirstId + ids_per_row * i + side;
      if (std::none_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before),
                       [&](const JointRow& x) { return x.id == id; }))
        rows.push_back(make_stop(i, side, recovery));
    }
  }
  return rows.size() > before;
}

double RowDrives::calc_violation(const KinematicsWorkspace<double>& at_q, In<double> q) {
  double worst = 0;
  if (has_stops_) calc_tendons(model_, at_end_, at_q, q);
  for (std::size_t i = 0; i < model_.tendons().size() && has_stops_; ++i)
    worst = std::max({worst, rows_[i].tendon->lower - at_end_.length[i], at_end_.length[i] - rows_[i].tendon->upper});
  return worst;
}

DriveWork RowDrives::calc_work(In<double> v, In<double> v_after) const {
  DriveWork w;
  for (const Row& r : rows_) {
    double change = 0;
    for (std::size_t k = 0; k < v.size(); ++k) change += r.J[k] * (v_after[k] - v[k]);
    const double after = r.speed + change, mean = (r.speed + after) / 2;
    const bool is_row = stiffness_of_row(r) > 0;
    const auto impulse = [&](const Part& p) {
      return dt_ * (is_row ? p.force - p.D * change - p.K * dt_ * after : p.force);
    };
    w.actuators += impulse(r.actuators) * mean, w.dampers += impulse(r.damper) * mean;
    if (!r.tendon) continue;
    w.springs -= armature(r) * (change + dt_ * r.drift) * mean;
    if (!has_one_sided_springs(r)) {
      w.springs += impulse(r.spring) * mean;
      continue;
    }
    const double there = r.length + dt_ * after;
    const double out = std::max(0.0, there - r.rest[1]) + std::min(0.0, there - r.rest[0]);
    w.springs -= dt_ * r.tendon->stiffness * out * mean;
  }
  return w;
}

DriveWork RowDrives::calc_power() const {
  DriveWork w;
  for (const Row& r : rows_) {
    w.actuators += r.actuators.force * r.speed, w.springs += r.spring.force * r.speed;
    w.dampers += r.damper.force * r.speed;
  }
  return w;
}

}  // namespace sinew
