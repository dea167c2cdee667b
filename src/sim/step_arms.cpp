// src/sim/step_arms.cpp
#include "step_arms.hpp"

#include <algorithm>
#include <cmath>

#include "contact/find_id.hpp"

namespace sinew::stepping {
namespace {

bool is_with_world(const ContactPoint& c) { return c.node_a == 0 || c.node_b == 0; }
}  // namespace

void Arms::reserve(std::size_t contacts) {
  last_.reserve(contacts), half_way_.reserve(contacts), arms_.reserve(contacts);
  points_.reserve(set_.view.nodes().size());
}

void Arms::keep(std::span<const ContactPoint> contacts, bool known) {
  last_.clear(), arms_.clear();
  for (std::size_t c = 0; c < contacts.size() && known; ++c)
    if (is_with_world(contacts[c])) last_.push_back({contacts[c].id, contacts[c].point});
}

void Arms::find(std::span<const ContactPoint> contacts, const VelocityWorkspace<double>& motion,
                const ContactShapes& shapes) {
  const double fall = norm(set_.model.gravity()) * set_.options.dt;  // [m/s]
  constexpr double kJump = 0.1;  // of the size of the shape: farther in a step, it is another place
  if (last_.empty()) return;
  std::size_t k = 0;
  points_.assign(set_.view.nodes().size(), 0);
  for (const ContactPoint& c : contacts)
    if (is_with_world(c)) ++points_[at(c.node_a + c.node_b)];
  for (const ContactPoint& c : contacts) {
    if (!is_with_world(c) || points_[at(c.node_a + c.node_b)] != 1) continue;
    if (!contact::find_id(last_, c.id, k)) continue;
    const int node = c.node_a != 0 ? c.node_a : c.node_b;
    const RigidInertia<double>& inertia = set_.view.nodes()[at(node)].inertia;
    if (!(inertia.m > 0)) continue;
    const Motion<double>& v = motion.v[at(node)];
    const Vec3<double> centre = apply_inverse(motion.kinematics.X[at(node)].E, (1 / inertia.m) * inertia.h);
    const Vec3<double> change = c.point - last_[k].point - set_.options.dt * point_velocity(v, centre);
    const auto [a, b] = shapes.shapes_of(c);
    const double size_a = shapes.bound(a), size_b = shapes.bound(b);  // 0: a plane
    const double size = size_a > 0 && size_b > 0 ? std::min(size_a, size_b) : std::max(size_a, size_b);
    if (norm(change) > kJump * size) continue;
    // The slip of the last step was zero half way along the last change, if it stuck: faster than friction stops in a
    // step, it slides; in between, a share, so that rounding decides nothing.
    const Vec3<double> u = point_velocity(v, c.point - 0.5 * change - motion.kinematics.X[at(node)].r);
    const double slip = norm(u - dot(u, c.normal) * c.normal), stops = std::max(kStill, c.friction * fall);
    const double hold = std::clamp(2 - slip / stops, 0.0, 1.0);
    if (hold > 0 && dot(change, change) > 0) arms_.push_back({c.id, 0.5 * hold * change});
  }
}

std::span<const ContactPoint> Arms::apply(std::span<const ContactPoint> contacts) {
  if (arms_.empty()) return contacts;
  half_way_.assign(contacts.begin(), contacts.end());
  std::size_t k = 0;
  for (ContactPoint& c : half_way_) {
    if (is_with_world(c) && contact::find_id(arms_, c.id, k)) c.friction_offset = arms_[k].change;
  }
  return half_way_;
}

}  // namespace sinew::stepping
