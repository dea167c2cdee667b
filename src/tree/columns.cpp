// src/tree/columns.cpp
#include "tree/columns.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "base/scalar_pass.hpp"

namespace sinew {
namespace {

// True where the kind has a constant S.
bool has_plain_axes(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::universal:
    case JointKind::spherical_ypr:
    case JointKind::rack_and_pinion:
    case JointKind::user: return false;
    default: return !joint.reversed;
  }
}

#if SINEW_FIRST_PASS
std::string joint_name(const Model& m, int node) {
  for (const JointEntry& j : m.joints())
    if (std::find(j.nodes.begin(), j.nodes.end(), node) != j.nodes.end()) return j.name;
  return {};
}

// Tests a user's joint at a few random positions.
SubspaceRule rule_of_user_joint(const Model& m, int node, const char* call) {
  const Joint& joint = m.nodes()[node].joint;
  const int nv = joint.nv();
  if (nv < 2) return SubspaceRule::integrable;
  const std::vector<double> lower(static_cast<std::size_t>(nv), -1), upper(static_cast<std::size_t>(nv), 1);
  std::vector<double> q(static_cast<std::size_t>(joint.nq())), qdot(q.size());
  Joint forward = joint;
  forward.reversed = false;
  Random rng(1);
  bool integrable = joint.nq() == nv, constant = true;
  JointMotion<double> first, other;
  const std::array<double, kMaxJointDofs> rest{};
  for (int sample = 0; sample < 4; ++sample) {
    random(forward, rng, lower.data(), upper.data(), q.data());
    calc_joint(forward, q.data(), rest.data(), 0, sample == 0 ? first : other);
    for (int k = 0; k < nv; ++k) {
      std::array<double, kMaxJointDofs> unit{};
      unit[k] = 1;
      calc_rate(forward, q.data(), unit.data(), qdot.data());
      for (int i = 0; integrable && i < nv; ++i) integrable = qdot[i] == unit[i];
      if (sample != 0) constant = constant && first.S[k].ang == other.S[k].ang && first.S[k].lin == other.S[k].lin;
    }
  }
  if (integrable) return SubspaceRule::integrable;
  if (constant) return SubspaceRule::constant;
  throw std::invalid_argument(std::string(call) + ": the user's joint '" + joint_name(m, node) +
                              "' has an S that changes and velocities that are not the rates of its positions: the "
                              "rate of S cannot be found (make rate() return v, or S constant)");
}
#endif

}  // namespace

#if SINEW_FIRST_PASS
std::vector<SubspaceRule> find_subspace_rules(const Model& m, const char* call) {
  std::vector<SubspaceRule> rules(m.nodes().size(), SubspaceRule::constant);
  for (std::size_t i = 1; i < rules.size(); ++i) {
    const Joint& joint = m.nodes()[i].joint;
    switch (joint.kind) {
      case JointKind::universal:
      case JointKind::spherical_ypr:
      case JointKind::rack_and_pinion: rules[i] = SubspaceRule::integrable; break;
      case JointKind::user: rules[i] = rule_of_user_joint(m, static_cast<int>(i), call); break;
      default: break;
    }
  }
  return rules;
}

std::vector<int> find_coordinates_above(const Model& m) {
  std::vector<int> above(static_cast<std::size_t>(m.nv())), last(m.nodes().size(), -1);
  for (std::size_t i = 1; i < last.size(); ++i) {
    const Node& n = m.nodes()[i];
    last[i] = last[n.parent];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      above[k] = last[i];
      last[i] = k;
    }
  }
  return above;
}
#endif

template <class T>
void calc_columns(const Node& n, const Transform<T>& Y, const T* q, double time, Motion<T>* J) {
  const Mat3<T>& e = Y.E.m;
  const Vec3<T> x{e.xx, e.xy, e.xz}, y{e.yx, e.yy, e.yz}, z{e.zx, e.zy, e.zz};
  const auto turn = [&Y](const Vec3<T>& axis) { return Motion<T>{axis, cross(Y.r, axis)}; };
  const auto slide = [](const Vec3<T>& axis) { return Motion<T>{{}, axis}; };
  if (!n.joint.reversed) switch (n.joint.kind) {
      case JointKind::fixed:
      case JointKind::prescribed: return;
      case JointKind::revolute: J[0] = turn(z); return;
      case JointKind::prismatic: J[0] = slide(z); return;
      case JointKind::helical: J[0] = turn(z) + slide(lit<T>(n.joint.parameter) * z); return;
      case JointKind::cylindrical: J[0] = turn(z), J[1] = slide(z); return;
      case JointKind::planar: J[0] = turn(z), J[1] = slide(x), J[2] = slide(y); return;
      case JointKind::free: J[3] = slide(x), J[4] = slide(y), J[5] = slide(z); [[fallthrough]];
      case JointKind::spherical: J[0] = turn(x), J[1] = turn(y), J[2] = turn(z); return;
      default: break;
    }
  const T rest[kMaxJointDofs] = {};
  JointMotion<T> joint;
  calc_joint(n.joint, q, rest, time, joint);
  for (int k = 0; k < n.nv; ++k) J[k] = apply_inverse(Y, joint.S[k]);
}

template <class T>
JointRates<T> calc_joint_rates(const Node& n, const Transform<T>& Y, const T* q, const T* v, double time,
                               const Motion<T>* J) {
  if (n.joint.kind != JointKind::prescribed && has_plain_axes(n.joint)) {
    JointRates<T> out{};
    for (int k = 0; k < n.nv; ++k) out.v += v[k] * J[k];
    return out;
  }
  JointMotion<T> joint;
  calc_joint(n.joint, q, v, time, joint);
  return {apply_inverse(Y, joint.v), apply_inverse(Y, joint.c)};
}

template <class T>
void calc_column_rates(const Node& n, SubspaceRule rule, const Transform<T>& Y, const T* q, const T* v, double time,
                       const Motion<T>& v_node, const Motion<T>& v_joint, const Motion<T>* J, Motion<T>* dJ) {
  for (int k = 0; k < n.nv; ++k) dJ[k] = cross(v_node, J[k]);
  if (has_plain_axes(n.joint)) return;
  if (rule == SubspaceRule::constant) {
    if (n.joint.reversed)
      for (int k = 0; k < n.nv; ++k) dJ[k] += cross(J[k], v_joint);
    return;
  }
  const T one = lit<T>(1), half = lit<T>(0.5);
  JointMotion<T> joint;
  Motion<T> own[kMaxJointDofs];  // Gamma_kk
  const auto bias_of = [&](int i, int k) {
    T u[kMaxJointDofs] = {};
    u[i] = u[k] = one;
    calc_joint(n.joint, q, u, time, joint);
    return joint.c;
  };
  for (int k = 0; k < n.nv; ++k) own[k] = bias_of(k, k);
  for (int k = 0; k < n.nv; ++k) {
    Motion<T> rate = v[k] * own[k];
    for (int i = 0; i < n.nv; ++i)
      if (i != k) rate += (half * v[i]) * (bias_of(i, k) - own[i] - own[k]);
    dJ[k] += apply_inverse(Y, rate) + half * cross(J[k], v_joint);
  }
}

#define SINEW_INSTANTIATE(T)                                                                                  \
  template void calc_columns(const Node&, const Transform<T>&, const T*, double, Motion<T>*);                 \
  template JointRates<T> calc_joint_rates(const Node&, const Transform<T>&, const T*, const T*, double,       \
                                          const Motion<T>*);                                                  \
  template void calc_column_rates(const Node&, SubspaceRule, const Transform<T>&, const T*, const T*, double, \
                                  const Motion<T>&, const Motion<T>&, const Motion<T>*, Motion<T>*);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
