// src/contact/maximal.cpp
#include "maximal.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/linear/tolerance.hpp"
#include "tree/columns.hpp"

namespace sinew::contact {

MaximalSystem::MaximalSystem(const Model& m, const ConstraintSet& set)
    : bodies(static_cast<int>(m.nodes().size()) - 1),
      hinge_rows(6 * bodies - m.nv()),  // n_b = 6 n - N [J14 section 8]
      layout{hinge_rows + set.rows(), 0, 0},
      V(m.nodes().size()),
      impulse(m.nodes().size()),
      in_joints(m),
      active(at(m.nv())),
      reaction(at(m.nv())) {
  int row = 0;
  for (int i = 1; i <= bodies; ++i) {
    const Node& n = m.nodes()[i];
    for (int k = n.nv; k < 6; ++k, ++row) {
      entries.push_back({row, i});
      if (n.parent != 0) entries.push_back({row, n.parent});
    }
  }
  for (const delassus::Entry& e : set.problem().entries()) entries.push_back({hinge_rows + e.row, e.node});
  fixed_entries = entries.size();
  for (const double a : m.armature()) has_armature = has_armature || a != 0;
}

namespace {

// Rows of the hinges, and how joint forces push. Returns where the next forces go.
Force<double>* calc_hinges(const StepData& d, MaximalSystem& s) {
  Force<double>* K = s.K.data();
  const ContactStep& step = *d.step;
  for (int i = 1; i <= s.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    JointMotion<double> motion;
    JointComplements<double> forces;
    calc_joint(n.joint, step.q.data() + n.q, step.v.data() + n.v, step.time, motion);
    calc_complements(n.joint, step.q.data() + n.q, step.time, forces);
    const Transform<double> X = motion.X * n.placement;
    for (int k = 0; k < 6 - n.nv; ++k) {
      *K++ = forces.constraint[k];  // T^T (V_i - X V_parent) = T^T v_J [J14 17]
      if (n.parent != 0) *K++ = -apply_inverse(X, forces.constraint[k]);
    }
    for (int k = 0; k < n.nv; ++k) {
      s.active[n.v + k] = forces.active[k];
      s.reaction[n.v + k] = -apply_inverse(X, forces.active[k]);
    }
  }
  return K;
}

// F dt of each body. [J14 18]
void calc_impulses(const StepData& d, MaximalSystem& s) {
  const ContactStep& step = *d.step;
  std::fill(s.impulse.begin(), s.impulse.end(), Force<double>{});
  if (step.dt == 0) return;
  for (int i = 1; i <= s.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    const Transform<double>& X = d.rows.motion.kinematics.X[i];
    const Motion<double>& V = s.V[i];
    Motion<double> a = in_node_axes(d.rows.motion.a[i], X);
    a.lin = a.lin - apply(X.E, d.model.gravity());
    s.impulse[i] -= step.dt * (n.inertia * a + cross(V, n.inertia * V));
    for (int k = n.v; k < n.v + n.nv; ++k) {
      s.impulse[i] += step.dt * d.tau[k] * s.active[k];
      s.impulse[n.parent] += step.dt * d.tau[k] * s.reaction[k];
    }
  }
  for (std::size_t b = 1; b < step.external.size(); ++b) {
    const BodyEntry& body = d.model.bodies()[b];
    s.impulse[body.node] += step.dt * apply_inverse(body.in_node, step.external[b]);
  }
}

// A contact row along which no joint can move, such as friction across the plane of a planar mechanism, only loads the
// hinges. After elimination of the hinges its entries would be rounding errors, so they are set to zero.
void clear_immovable_rows(const StepData& d, MaximalSystem& s) {
  const auto n = at(d.model.nv());
  calc_contact_rows(d.pushing(), d.rows.motion.kinematics, s.in_joints);
  s.J.resize(at(s.in_joints.rows) * n);
  get_contact_jacobian(d.model, d.rows, s.in_joints, {s.J.data(), at(s.in_joints.rows), n});
  double largest = 0;
  for (const double x : s.J) largest = std::max(largest, std::abs(x));
  for (std::size_t e = s.fixed_entries; e < s.entries.size(); ++e) {
    const double* row = s.J.data() + at(s.entries[e].row - s.layout.free) * n;
    if (std::all_of(row, row + n, [&](double x) { return std::abs(x) <= linear::kCancelledEntry * largest; }))
      s.K[e] = {};
  }
}

}  // namespace

void assemble(StepData& d, MaximalSystem& s) {
  const auto& motion = d.rows.motion;
  for (int i = 1; i <= s.bodies; ++i) s.V[i] = in_node_axes(motion.v[i], motion.kinematics.X[i]);
  s.layout.unilateral = d.layout().unilateral, s.layout.contacts = d.layout().contacts;
  s.entries.resize(s.fixed_entries);
  add_step_entries(d.pushing(), s.layout.free, s.entries);
  s.K.resize(s.entries.size());
  Force<double>* K = std::copy(d.rows.K.begin(), d.rows.K.end(), calc_hinges(d, s));
  calc_step_forces(d.pushing(), motion.kinematics, K);
  clear_immovable_rows(d, s);

  s.error.assign(at(s.rows()), 0.0);  // hinges have no error: joint coordinates keep them exact
  std::copy(d.loop_error.begin(), d.loop_error.end(), s.error.begin() + s.hinge_rows);
  std::copy(d.approach.begin(), d.approach.end(), s.error.begin() + s.layout.free);
  calc_joint_forces(d);
  calc_impulses(d, s);
  const In<double> given = d.step->impulse;
  const int first = s.layout.first_contact();
  for (std::size_t e = s.fixed_entries; e < s.entries.size() && given.size() != 0; ++e)
    if (s.entries[e].row >= first) s.impulse[s.entries[e].node] += given[s.entries[e].row - first] * s.K[e];
}

void multiply_by_rows(const MaximalSystem& s, const std::vector<Motion<double>>& U, double* y) {
  std::fill_n(y, s.rows(), 0.0);
  for (std::size_t e = 0; e < s.entries.size(); ++e)
    if (s.entries[e].node != 0) y[s.entries[e].row] += dot(s.K[e], U[s.entries[e].node]);
}

void add_row_impulses(const MaximalSystem& s, const double* p, std::vector<Force<double>>& out) {
  for (std::size_t e = 0; e < s.entries.size(); ++e) out[s.entries[e].node] += p[s.entries[e].row] * s.K[e];
}

void to_joint_velocities(const StepData& d, const MaximalSystem& s, const std::vector<Motion<double>>& U,
                         Out<double> v) {
  for (int i = 1; i <= s.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    const Motion<double> dV = U[i] - s.V[i], dV_parent = U[n.parent] - s.V[n.parent];
    for (int k = n.v; k < n.v + n.nv; ++k) v[k] = d.step->v[k] + dot(s.active[k], dV) + dot(s.reaction[k], dV_parent);
  }
}

}  // namespace sinew::contact
