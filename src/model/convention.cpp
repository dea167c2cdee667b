// src/model/convention.cpp
#include "sinew/model/convention.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/joint/mocap.hpp"

namespace sinew {
namespace {

// Joints depth first, the children of a body in the order of their joints' names.
std::vector<int> order_by_name(const Model& m) {
  std::vector<std::vector<int>> children(m.bodies().size());
  for (std::size_t k = 0; k < m.joints().size(); ++k) children[m.joints()[k].parent].push_back(static_cast<int>(k));
  const auto later_first = [&m](int a, int b) { return m.joints()[a].name > m.joints()[b].name; };
  for (auto& c : children) std::sort(c.begin(), c.end(), later_first);
  std::vector<int> order, stack = children[0];
  while (!stack.empty()) {
    const int k = stack.back();
    stack.pop_back();
    order.push_back(k);
    const auto& next = children[m.joints()[k].child];
    stack.insert(stack.end(), next.begin(), next.end());
  }
  return order;
}

Vec3<double> vec(const double* x) { return {x[0], x[1], x[2]}; }
void put(double* x, const Vec3<double>& a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }
Rotation<double> turn(const double* q) { return to_rotation(Quaternion<double>{q[0], q[1], q[2], q[3]}); }

// w x y z <-> x y z w
void scalar_last(const double* q, double* other) { other[0] = q[1], other[1] = q[2], other[2] = q[3], other[3] = q[0]; }
void scalar_first(const double* other, double* q) {
  q[0] = other[3], q[1] = other[0], q[2] = other[1], q[3] = other[2];
}

// The angle nearest to zero with this cosine and sine.
double angle(const double* cos_sin) { return std::atan2(cos_sin[1], cos_sin[0]); }

}  // namespace

std::string_view to_string(Convention c) {
  switch (c) {
    case Convention::sinew: return "sinew";
    case Convention::pinocchio: return "pinocchio";
    case Convention::mujoco: return "mujoco";
  }
  return "unknown";
}

ConventionMap::ConventionMap(const Model& m, Convention c)
    : convention_(c), our_nq_(m.nq()), neutral_(m.neutral().begin(), m.neutral().end()), v_index_(at(m.nv())) {
  std::vector<int> order;
  if (c == Convention::pinocchio) {
    order = order_by_name(m);
  } else {
    for (int k = 0; k < static_cast<int>(m.joints().size()); ++k) order.push_back(k);
  }
  for (const int k : order) add(m.joints()[k], m.spec().joints[k]);
}

void ConventionMap::add(const JointEntry& j, const JointSpec& spec) {
  if (j.kind == JointKind::composite) {
    for (std::size_t k = 0; k < j.parts.size(); ++k) add(j.parts[k], spec.parts[k]);
    return;
  }
  const bool pin = convention_ == Convention::pinocchio;
  const bool cos_sin = pin && ((j.kind == JointKind::revolute && spec.continuous) || j.kind == JointKind::planar);
  // A mocap body has no coordinates elsewhere: it stands where the model puts it.
  if (j.kind == JointKind::user && spec.user == get_mocap_joint() && convention_ != Convention::sinew) return;
  segments_.push_back({j.kind, cos_sin, j.q, j.v, nq_, nv_, j.nq, j.nv});
  // Where velocities are reordered: angular first here, linear first there.
  for (int k = 0; k < j.nv; ++k) {
    int other = k;
    if (j.kind == JointKind::free && convention_ != Convention::sinew) other = (k + 3) % 6;
    if (j.kind == JointKind::planar && pin) other = (k + 2) % 3;
    v_index_[j.v + k] = nv_ + other;
  }
  nq_ += j.nq + (cos_sin ? 1 : 0);
  nv_ += j.nv;
}

void ConventionMap::to_other_q(VectorView<const double> q, VectorView<double> other) const {
  check_size("to_other_q", "q", q.size(), at(our_nq_));
  check_size("to_other_q", "other", other.size(), at(nq_));
  for (const Segment& s : segments_) {
    const double* a = q.data() + s.q;
    double* b = other.data() + s.other_q;
    if (s.kind == JointKind::free && convention_ != Convention::sinew) {
      put(b, vec(a + 4));
      convention_ == Convention::pinocchio ? scalar_last(a, b + 3) : void(std::copy_n(a, 4, b + 3));
    } else if (s.kind == JointKind::spherical && convention_ == Convention::pinocchio) {
      scalar_last(a, b);
    } else if (s.cos_sin && s.kind == JointKind::planar) {
      b[0] = a[1], b[1] = a[2], b[2] = std::cos(a[0]), b[3] = std::sin(a[0]);
    } else if (s.cos_sin) {
      b[0] = std::cos(a[0]), b[1] = std::sin(a[0]);
    } else {
      std::copy_n(a, s.nq, b);
    }
  }
}

void ConventionMap::from_other_q(VectorView<const double> other, VectorView<double> q) const {
  check_size("from_other_q", "other", other.size(), at(nq_));
  check_size("from_other_q", "q", q.size(), at(our_nq_));
  std::copy(neutral_.begin(), neutral_.end(), q.begin());
  for (const Segment& s : segments_) {
    const double* b = other.data() + s.other_q;
    double* a = q.data() + s.q;
    if (s.kind == JointKind::free && convention_ != Convention::sinew) {
      put(a + 4, vec(b));
      convention_ == Convention::pinocchio ? scalar_first(b + 3, a) : void(std::copy_n(b + 3, 4, a));
    } else if (s.kind == JointKind::spherical && convention_ == Convention::pinocchio) {
      scalar_first(b, a);
    } else if (s.cos_sin && s.kind == JointKind::planar) {
      a[0] = angle(b + 2), a[1] = b[0], a[2] = b[1];
    } else if (s.cos_sin) {
      a[0] = angle(b);
    } else {
      std::copy_n(b, s.nq, a);
    }
  }
}

void ConventionMap::to_other_v(VectorView<const double> q, VectorView<const double> v, VectorView<double> other) const {
  check_size("to_other_v", "q", q.size(), at(our_nq_));
  check_size("to_other_v", "v", v.size(), at(nv_));
  check_size("to_other_v", "other", other.size(), at(nv_));
  for (std::size_t i = 0; i < v_index_.size(); ++i) other[v_index_[i]] = v[i];
  if (convention_ != Convention::mujoco) return;
  for (const Segment& s : segments_)
    if (s.kind == JointKind::free)
      put(other.data() + s.other_v, apply_inverse(turn(q.data() + s.q), vec(v.data() + s.v + 3)));
}

void ConventionMap::from_other_v(VectorView<const double> q, VectorView<const double> other,
                                 VectorView<double> v) const {
  check_size("from_other_v", "q", q.size(), at(our_nq_));
  check_size("from_other_v", "other", other.size(), at(nv_));
  check_size("from_other_v", "v", v.size(), at(nv_));
  for (std::size_t i = 0; i < v_index_.size(); ++i) v[i] = other[v_index_[i]];
  if (convention_ != Convention::mujoco) return;
  for (const Segment& s : segments_)
    if (s.kind == JointKind::free) put(v.data() + s.v + 3, apply(turn(q.data() + s.q), vec(other.data() + s.other_v)));
}

// d/dt (R v) = R (dv/dt + w x v)
void ConventionMap::to_other_a(VectorView<const double> q, VectorView<const double> v, VectorView<const double> a,
                               VectorView<double> other) const {
  check_size("to_other_a", "v", v.size(), at(nv_));
  to_other_v(q, a, other);
  if (convention_ != Convention::mujoco) return;
  for (const Segment& s : segments_)
    if (s.kind == JointKind::free) {
      const Vec3<double> turning = cross(vec(v.data() + s.v), vec(v.data() + s.v + 3));
      put(other.data() + s.other_v, apply_inverse(turn(q.data() + s.q), vec(a.data() + s.v + 3) + turning));
    }
}

void ConventionMap::from_other_a(VectorView<const double> q, VectorView<const double> v, VectorView<const double> other,
                                 VectorView<double> a) const {
  check_size("from_other_a", "v", v.size(), at(nv_));
  from_other_v(q, other, a);
  if (convention_ != Convention::mujoco) return;
  for (const Segment& s : segments_)
    if (s.kind == JointKind::free) {
      const Vec3<double> turning = cross(vec(v.data() + s.v), vec(v.data() + s.v + 3));
      put(a.data() + s.v + 3, vec(a.data() + s.v + 3) - turning);
    }
}

// The maps of v are orthogonal, so forces transform as velocities do.
void ConventionMap::to_other_tau(VectorView<const double> q, VectorView<const double> tau,
                                 VectorView<double> other) const {
  to_other_v(q, tau, other);
}
void ConventionMap::from_other_tau(VectorView<const double> q, VectorView<const double> other,
                                   VectorView<double> tau) const {
  from_other_v(q, other, tau);
}

}  // namespace sinew
