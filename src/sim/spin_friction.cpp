// src/sim/spin_friction.cpp
#include "sinew/sim/spin_friction.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"

namespace sinew {
using stepping::kSpinTolerance;
using stepping::kSpinTurn;
using stepping::kStill;
namespace {

// Ids of the rows, apart from those of stops and tendons.
constexpr std::uint64_t kIdMark = std::uint64_t{1} << 63;

// Sets both bounds; true if they were others.
bool set_bound(JointRow& row, double bound) {
  const bool changed = std::abs(bound - row.upper) > kSpinTolerance * std::max(bound, row.upper);
  row.upper = bound, row.lower = -bound;
  return changed;
}

}  // namespace

void SpinFriction::begin_step() {
  couples_.clear();
  next_ = 0, cursor_ = 0;
}

// The normal impulse of the same contact in the last step; contacts mostly come in the same order.
double SpinFriction::find_known(std::uint64_t id) {
  for (std::size_t tried = 0; tried < known_.size(); ++tried) {
    if (cursor_ >= known_.size()) cursor_ = 0;
    if (known_[cursor_++].id == id) return known_[cursor_ - 1].normal;
  }
  return 0;
}

// A unit couple about the axis on a, and its opposite on b.
void SpinFriction::turn(Couple& couple, const ContactPoint& c, const Vec3<double>& axis,
                        const VelocityWorkspace<double>& motion) {
  couple.axis = axis;
  couple.count = 0;
  for (const auto& [node, sign] : {std::pair{c.node_a, 1.0}, std::pair{c.node_b, -1.0}}) {
    if (node == 0) continue;
    couple.nodes[couple.count] = node;
    couple.forces[couple.count++] = {apply(motion.kinematics.X[node].E, sign * axis), {}};
  }
}

void SpinFriction::add_rows(std::span<const ContactPoint> contacts, const VelocityWorkspace<double>& motion,
                            std::vector<JointRow>& rows) {
  const auto add = [&](const ContactPoint& c, std::uint64_t kind, const Vec3<double>& axis, double bound) {
    Couple& couple = couples_.emplace_back();
    couple.contact = next_, couple.row = rows.size();
    turn(couple, c, axis, motion);
    JointRow row;
    row.of_contact = true;
    row.id = kIdMark | c.id << 2 | kind;
    set_bound(row, bound);
    rows.push_back(row);
  };
  const bool more = next_ < contacts.size();
  for (const ContactPoint& c : contacts)
    for (const int node : {c.node_a, c.node_b}) check_index("SpinFriction::add_rows", "node", node, motion.v.size());
  for (; next_ < contacts.size(); ++next_) {
    const ContactPoint& c = contacts[next_];
    if (c.torsional_friction == 0 && c.rolling_friction == 0) continue;
    const double n = find_known(c.id);
    if (c.torsional_friction > 0) add(c, 0, c.normal, c.torsional_friction * n);
    if (c.rolling_friction == 0) continue;
    const Vec3<double> w = motion.v[c.node_a].ang - motion.v[c.node_b].ang, across = w - dot(w, c.normal) * c.normal;
    const double speed = norm(across);
    const Vec3<double> first = speed > kStill ? (1 / speed) * across : contact_tangents(c.normal)[0];
    const double limit = c.rolling_friction * n;
    add(c, 1, first, limit);
    add(c, 2, cross(c.normal, first), limit);
    if (speed > kStill && limit > 0) rows.back().softness = speed / limit;
  }
  if (!more) return;
  for (const Couple& c : couples_)  // the list may have moved
    rows[c.row].forces = {{c.nodes, static_cast<std::size_t>(c.count)}, {c.forces, static_cast<std::size_t>(c.count)}};
}

bool SpinFriction::update(std::span<const ContactPoint> contacts, const ContactAnswer& answer,
                          const VelocityWorkspace<double>& motion, std::vector<JointRow>& rows) {
  constexpr const char* kCall = "SpinFriction::update";
  check_size(kCall, "contacts", contacts.size(), next_);
  check_size(kCall, "answer.contact", answer.contact.size(), 3 * contacts.size());
  check_size(kCall, "answer.joints", answer.joints.size(), rows.size());
  check_size(kCall, "answer.joint_velocity", answer.joint_velocity.size(), rows.size());
  for (const Couple& c : couples_) check_index(kCall, "row", c.row, rows.size());
  bool changed = false;
  for (std::size_t k = 0; k < couples_.size();) {
    const std::size_t contact = couples_[k].contact;
    const ContactPoint& c = contacts[contact];
    const double n = std::max(0.0, answer.contact[3 * contact]);
    if (c.torsional_friction > 0) changed |= set_bound(rows[couples_[k++].row], c.torsional_friction * n);
    if (c.rolling_friction == 0) continue;
    changed |= update_rolling(k, c.rolling_friction * n, c, answer, motion, rows);
    k += 2;
  }
  return changed;
}

// One step of Newton's method for c_t = -limit w / |w|, where bodies roll: the first row is along w, with the bounds of
// the law; across w its derivative is -limit / |w|, a damper. Where they stick both rows hold, within the disc.
// z: impulses of the two rows; u: speeds.
bool SpinFriction::update_rolling(std::size_t first, double limit, const ContactPoint& c, const ContactAnswer& answer,
                                  const VelocityWorkspace<double>& motion, std::vector<JointRow>& rows) {
  Couple &along = couples_[first], &across = couples_[first + 1];
  JointRow &row = rows[along.row], &other = rows[across.row];
  const double z1 = answer.joints[along.row], z2 = answer.joints[across.row];
  const double u1 = answer.joint_velocity[along.row], u2 = answer.joint_velocity[across.row];
  const bool changed = set_bound(row, limit), damped = other.softness > 0;
  set_bound(other, limit);
  if (limit == 0) {
    other.softness = 0;
    return changed;
  }
  // From now on the first row is along x, y of the two axes.
  const auto turn_to = [&](double x, double y) {
    const Vec3<double> axis = (1 / std::hypot(x, y)) * (x * along.axis + y * across.axis);
    turn(along, c, axis, motion), turn(across, c, cross(c.normal, axis), motion);
  };
  if (std::abs(u1) > kStill || (!damped && std::abs(u2) > kStill)) {
    const double speed = std::hypot(u1, u2);
    const bool turned = std::abs(u2) > kSpinTurn * speed;
    if (turned) turn_to(u1, u2);
    other.softness = speed / limit;
    return turned || changed;
  }
  if (std::abs(u2) > kStill) {  // only the damper moves: do both stick?
    other.softness = 0;
    return true;
  }
  if (std::hypot(z1, z2) <= (1 + kSpinTolerance) * limit) return changed;
  turn_to(-z1, -z2);  // they cannot: they will roll where they push
  other.softness = kStill / limit;
  return true;
}

Vec3<double> SpinFriction::calc_world_impulse(std::span<const ContactPoint> contacts,
                                              const ContactAnswer& answer) const {
  Vec3<double> sum{};
  for (const Couple& couple : couples_) {
    const ContactPoint& c = contacts[couple.contact];
    if (c.node_a != 0 && c.node_b != 0) continue;
    sum += (c.node_b == 0 ? answer.joints[couple.row] : -answer.joints[couple.row]) * couple.axis;
  }
  return sum;
}

void SpinFriction::learn(std::span<const ContactPoint> contacts, In<double> impulses) {
  check_size("SpinFriction::learn", "impulses", impulses.size(), 3 * contacts.size());
  known_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (contacts[c].torsional_friction > 0 || contacts[c].rolling_friction > 0)
      known_.push_back({contacts[c].id, impulses[3 * c]});
}

}  // namespace sinew
