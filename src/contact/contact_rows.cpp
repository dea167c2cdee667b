// src/contact/contact_rows.cpp
#include "sinew/contact/contact_rows.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/contact/cone.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse(const char* call, std::size_t contact, const std::string& why) {
  throw std::invalid_argument(std::string(call) + ": contact " + std::to_string(contact) + " " + why);
}
bool is_finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

Vec3<double> velocity_of(const VelocityWorkspace<double>& motion, int node, const Vec3<double>& p) {
  check_index("calc_contact_velocities", "node", node, motion.v.size());
  if (node == 0) return {};
  return point_velocity(motion.v[node], p - motion.kinematics.X[node].r);
}

}  // namespace

void check_contacts(const char* call, const Model& m, std::span<const ContactPoint> contacts) {
  const int nodes = static_cast<int>(m.nodes().size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactPoint& p = contacts[c];
    for (const int node : {p.node_a, p.node_b})
      if (node < 0 || node >= nodes)
        refuse(call, c,
               "is on node " + std::to_string(node) + "; the model has " + std::to_string(nodes) +
                   " nodes, of which 0 is the world");
    if (p.node_a == p.node_b)
      refuse(call, c, "has node " + std::to_string(p.node_a) + " on both sides; node_a and node_b must differ");
    if (!is_finite(p.point) || !is_finite(p.normal))
      refuse(call, c, "has a point or a normal that is not finite; the geometry that made it failed");
    const double length = norm(p.normal);
    if (!(std::abs(length - 1) <= 1e-6))
      refuse(call, c,
             "has a normal of length " + std::to_string(length) + "; divide it by that to make it a unit vector");
    if (!(p.friction >= 0) || !std::isfinite(p.friction))
      refuse(call, c, "has the friction " + std::to_string(p.friction) + "; Coulomb's mu must be finite and 0 or more");
    if (!(p.restitution >= 0 && p.restitution <= 1))
      refuse(call, c, "has the restitution " + std::to_string(p.restitution) + "; it must be between 0 and 1");
  }
}

ContactRows::ContactRows(const Model& m) : made_for(m), f(m.nodes().size()), u(m.nodes().size()) {}

void add_contact_entries(std::span<const ContactPoint> contacts, int first, std::vector<delassus::Entry>& entries,
                         int rows_each) {
  for (const ContactPoint& c : contacts) {
    for (const int node : {c.node_a, c.node_b})
      for (int k = 0; k < rows_each; ++k)
        if (node != 0) entries.push_back({first + k, node});
    first += rows_each;
  }
}

void calc_contact_forces(std::span<const ContactPoint> contacts, const KinematicsWorkspace<double>& at_q,
                         Force<double>* K, int rows_each) {
  for (const ContactPoint& c : contacts) {
    const auto [t1, t2] = contact_tangents(c.normal);
    const std::array<Vec3<double>, 3> axes{c.normal, t1, t2};
    for (const bool a : {true, false}) {
      const int node = a ? c.node_a : c.node_b;
      check_index("calc_contact_forces", "node", node, at_q.X.size());
      if (node == 0) continue;
      const Transform<double>& X = at_q.X[node];
      Vec3<double> arm = apply_to_point(X, c.point);
      for (int k = 0; k < rows_each; ++k) {
        const Vec3<double> l = apply(X.E, a ? axes[k] : -axes[k]);  // action and reaction [J14 23]
        *K++ = {cross(arm, l), l};
        if (k == 0) arm = apply_to_point(X, c.point + c.friction_offset);
      }
    }
  }
}

void calc_contact_velocities(std::span<const ContactPoint> contacts, const VelocityWorkspace<double>& motion,
                             Out<double> u) {
  check_size("calc_contact_velocities", "u", u.size(), 3 * contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactPoint& p = contacts[c];
    const auto at_point = [&](const Vec3<double>& x) {
      return velocity_of(motion, p.node_a, x) - velocity_of(motion, p.node_b, x);
    };
    const Vec3<double> v = at_point(p.point), offset = p.friction_offset;
    const bool apart = offset.x != 0 || offset.y != 0 || offset.z != 0;
    const Vec3<double> slip = apart ? at_point(p.point + offset) : v;
    const auto [t1, t2] = contact_tangents(p.normal);
    u[3 * c] = dot(p.normal, v), u[3 * c + 1] = dot(t1, slip), u[3 * c + 2] = dot(t2, slip);  // [J14 22]
  }
}

void add_step_entries(const StepRows& rows, int first, std::vector<delassus::Entry>& entries) {
  add_joint_row_entries(rows.joints, first, entries);
  add_contact_entries(rows.contacts, first + rows.layout().first_contact(), entries);
}
void calc_step_forces(const StepRows& rows, const KinematicsWorkspace<double>& at_q, Force<double>* K) {
  calc_contact_forces(rows.contacts, at_q, calc_joint_row_forces(rows.joints, at_q, K));
}
void calc_step_velocities(const StepRows& rows, const VelocityWorkspace<double>& motion, Out<double> u) {
  const lcp::RowLayout layout = rows.layout();
  check_size("calc_step_velocities", "u", u.size(), at(layout.rows()));
  calc_joint_row_velocities(rows.joints, motion, {u.data(), rows.joints.size()});
  calc_contact_velocities(rows.contacts, motion,
                          {u.data() + layout.first_contact(), at(layout.size(lcp::RowBlock::contacts))});
}

void calc_contact_rows(const StepRows& from, const KinematicsWorkspace<double>& at_q, ContactRows& rows) {
  rows.made_for.check("calc_contact_rows", at_q.made_for, "ContactRows");
  // Checked before anything is written: a refused call leaves the rows as they were.
  for (const ContactPoint& c : from.contacts)
    for (const int node : {c.node_a, c.node_b}) check_index("calc_contact_rows", "node", node, at_q.X.size());
  for (const JointRow& r : from.joints) {
    for (const int node : {r.node, r.parent}) check_index("calc_contact_rows", "node", node, at_q.X.size());
    for (const int node : r.forces.nodes) check_index("calc_contact_rows", "node", node, at_q.X.size());
  }
  rows.entries.clear();
  add_step_entries(from, 0, rows.entries);
  rows.rows = from.layout().rows();
  rows.K.resize(rows.entries.size());
  calc_step_forces(from, at_q, rows.K.data());
}

void get_contact_jacobian(const Model& m, const ConstraintRows& here, const ContactRows& rows, OutMatrix<double> J) {
  rows.made_for.check("get_contact_jacobian", m, "ContactRows");
  here.motion.kinematics.made_for.check("get_contact_jacobian", m, "ConstraintRows");
  check_shape("get_contact_jacobian", "J", J, at(rows.rows), at(m.nv()));
  for (std::size_t r = 0; r < J.rows(); ++r)
    for (std::size_t c = 0; c < J.cols(); ++c) J(r, c) = 0;
  const auto& X = here.motion.kinematics.X;
  for (std::size_t e = 0; e < rows.entries.size(); ++e) {
    Force<double> f = in_world_axes(rows.K[e], X[rows.entries[e].node]);
    for (int i = rows.entries[e].node; i > 0;) {
      const Node& n = m.nodes()[i];
      for (int k = n.v; k < n.v + n.nv; ++k) J(at(rows.entries[e].row), at(k)) += dot(f, here.S[k]);
      f = carried_back(f, X[i].r - X[n.parent].r);
      i = n.parent;
    }
  }
}

void multiply_by_contact_jacobian(const Model& m, const ConstraintRows& here, ContactRows& rows, In<double> x,
                                  Out<double> y) {
  rows.made_for.check("multiply_by_contact_jacobian", m, "ContactRows");
  here.motion.kinematics.made_for.check("multiply_by_contact_jacobian", m, "ConstraintRows");
  check_size("multiply_by_contact_jacobian", "x", x.size(), at(m.nv()));
  check_size("multiply_by_contact_jacobian", "y", y.size(), at(rows.rows));
  const auto& X = here.motion.kinematics.X;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const Motion<double>& p = rows.u[n.parent];
    rows.u[i] = {p.ang, p.lin - cross(X[i].r - X[n.parent].r, p.ang)};
    for (int k = n.v; k < n.v + n.nv; ++k) rows.u[i] += x[k] * here.S[k];
  }
  for (double& sum : y) sum = 0;
  for (std::size_t e = 0; e < rows.entries.size(); ++e) {
    const auto node = at(rows.entries[e].node);
    y[rows.entries[e].row] += dot(in_world_axes(rows.K[e], X[node]), rows.u[node]);
  }
}

void multiply_by_contact_jacobian_transpose(const Model& m, const ConstraintRows& here, ContactRows& rows, In<double> r,
                                            Out<double> tau) {
  rows.made_for.check("multiply_by_contact_jacobian_transpose", m, "ContactRows");
  here.motion.kinematics.made_for.check("multiply_by_contact_jacobian_transpose", m, "ConstraintRows");
  check_size("multiply_by_contact_jacobian_transpose", "r", r.size(), at(rows.rows));
  check_size("multiply_by_contact_jacobian_transpose", "tau", tau.size(), at(m.nv()));
  const auto& X = here.motion.kinematics.X;
  for (Force<double>& f : rows.f) f = {};
  for (std::size_t e = 0; e < rows.entries.size(); ++e) {
    const auto node = at(rows.entries[e].node);
    rows.f[node] += r[rows.entries[e].row] * in_world_axes(rows.K[e], X[node]);  // [J14 35]
  }
  for (std::size_t i = m.nodes().size(); i-- > 1;) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) tau[k] = dot(rows.f[i], here.S[k]);
    rows.f[n.parent] += carried_back(rows.f[i], X[i].r - X[n.parent].r);
  }
}

}  // namespace sinew
