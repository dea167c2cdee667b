// src/sim/contact_row_slopes.cpp
#include "contact_row_slopes.hpp"

#include "sinew/contact/cone.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/derivative/joint_slopes.hpp"
#include "sinew/joint/joint.hpp"

namespace sinew::stepping {
namespace {

Motion<double> turned(const Rotation<double>& E, const Motion<double>& m) {
  return {apply_inverse(E, m.ang), apply_inverse(E, m.lin)};
}

}  // namespace

ContactRowSlopes::ContactRowSlopes(const Model& m)
    : model_(m), motion_(m), S_(at(m.nv())), psi_(at(m.nv())), column_of_(at(m.nv()), -1) {
  for (const ShapeSpec& s : m.spec().shapes) {
    OfShape out;
    out.placed.kind = s.kind, out.placed.size = s.size;
    const int body = m.find_body(s.body).value_or(0);
    out.body_in_node = m.bodies()[at(body)].in_node, out.in_node = s.pose * out.body_in_node;
    out.node = m.bodies()[at(body)].node;
    shapes_.push_back(out);
  }
}

void ContactRowSlopes::place(In<double> q, In<double> u, double time) {
  calc_velocities(model_, motion_, q, u, time);
  for (std::size_t i = 1; i < model_.nodes().size(); ++i) {
    const Node& n = model_.nodes()[i];
    if (n.nv == 0) continue;
    const Transform<double>& X = motion_.kinematics.X[i];
    const Vec3<double> arm = X.r - motion_.kinematics.X[at(n.parent)].r;
    const Motion<double>& p = motion_.v[at(n.parent)];
    const Motion<double> above{p.ang, p.lin + cross(p.ang, arm)};  // the parent's velocity, about this origin
    const bool plain = !n.joint.reversed;
    if (plain && n.joint.kind == JointKind::revolute) {
      S_[at(n.v)] = Motion<double>{apply_inverse(X.E, Vec3<double>{0, 0, 1}), Vec3<double>{}};
    } else if (plain && n.joint.kind == JointKind::prismatic) {
      S_[at(n.v)] = Motion<double>{Vec3<double>{}, apply_inverse(X.E, Vec3<double>{0, 0, 1})};
    } else {
      JointMotion<double> m;
      calc_joint(n.joint, q.data() + n.q, u.data() + n.v, time, m);
      for (int k = 0; k < n.nv; ++k) S_[at(n.v + k)] = turned(X.E, m.S[k]);
    }
    for (int k = 0; k < n.nv; ++k) psi_[at(n.v + k)] = cross(above, S_[at(n.v + k)]);
    if (!has_moving_subspace(n.joint)) continue;
    JointSlopes<double> slopes;
    calc_joint_slopes(n.joint, q.data() + n.q, u.data() + n.v, time, slopes);
    for (int k = 0; k < n.nv; ++k)
      for (int l = 0; l < n.nv; ++l) psi_[at(n.v + k)] += u[at(n.v + l)] * turned(X.E, slopes.S[k][l]);
  }
}

void ContactRowSlopes::find_velocities(std::span<const ContactPoint> contacts, std::vector<double>& out) const {
  out.resize(3 * contacts.size());
  calc_contact_velocities(contacts, motion_, out);
}

double ContactRowSlopes::project(int node, int k, const Force<double>& direction) const {
  const Motion<double>& s = S_[at(model_.nodes()[at(node)].v + k)];
  const Rotation<double>& E = pose(node).E;
  return dot(direction.ang, apply(E, s.ang)) + dot(direction.lin, apply(E, s.lin));
}

Motion<double> ContactRowSlopes::motion_at(int node, const Vec3<double>& point) const {
  const Motion<double>& v = motion_.v[at(node)];
  return {v.ang, v.lin + cross(v.ang, point - pose(node).r)};
}

void ContactRowSlopes::add_columns(int node, const Vec3<double>& point, bool of_a) {
  for (; node > 0; node = model_.nodes()[at(node)].parent) {
    const Node& n = model_.nodes()[at(node)];
    const Vec3<double> arm = point - pose(node).r;
    for (int k = n.v; k < n.v + n.nv; ++k) {
      int& column = column_of_[at(k)];
      if (column < 0) column = static_cast<int>(columns_.size()), columns_.emplace_back(), coordinates_.push_back(k);
      const Motion<double>& s = S_[at(k)];
      const Motion<double> at_point{s.ang, s.lin + cross(s.ang, arm)};
      if (of_a)
        columns_[at(column)].a = at_point, columns_[at(column)].moves_a = true;
      else
        columns_[at(column)].b = at_point, columns_[at(column)].moves_b = true;
    }
  }
}

bool ContactRowSlopes::find_touch(const ContactShapes& shapes, const ContactPoint& c, TouchSlopes& out) {
  const auto [number_a, number_b] = shapes.shapes_of(c);
  OfShape &a = shapes_[at(number_a)], &b = shapes_[at(number_b)];
  for (OfShape* s : {&a, &b}) s->placed.X = s->in_node * pose(s->node);
  return calc_touch_slopes(a.placed, b.placed, {c.point, c.normal, c.gap}, out);
}

void ContactRowSlopes::find_columns(const ContactPoint& c) {
  for (const int k : coordinates_) column_of_[at(k)] = -1;
  coordinates_.clear(), columns_.clear();
  add_columns(c.node_a, c.point, true);
  add_columns(c.node_b, c.point, false);
}

ContactRowSlopes::TouchChange ContactRowSlopes::calc_touch_change(const ContactPoint& c, const TouchSlopes& touch,
                                                                  const Motion<double>& xi) {
  TouchChange out;
  Vec3<double> dn{};
  const double rates[] = {xi.ang.x, xi.ang.y, xi.ang.z, xi.lin.x, xi.lin.y, xi.lin.z};
  for (std::size_t k = 0; k < 6; ++k)
    out.point += rates[k] * touch.point[k], dn += rates[k] * touch.normal[k], out.gap += rates[k] * touch.gap[k];
  out.turn = cross(c.normal, dn);
  return out;
}

ContactRowSlopes::Change ContactRowSlopes::calc_change(const ContactPoint& c, const TouchSlopes& touch,
                                                       const Motion<double>& a, const Motion<double>& b,
                                                       const Motion<double>& va, const Motion<double>& vb,
                                                       const Vec3<double>& F) const {
  Change out;
  const Motion<double> xi = a - b, vr = va - vb;
  const auto [gap, dx, t] = calc_touch_change(c, touch, xi);
  const Vec3<double> turn = b.ang + t;  // of the contact's axes
  out.gap = gap;
  // Velocities of points fixed in space, then of the point that moves.
  const auto carried = [](const Motion<double>& s, const Motion<double>& v) {
    return cross(s.ang, v.lin) + cross(s.lin, v.ang);
  };
  out.velocity = carried(a, va) - carried(b, vb);
  out.velocity += cross(vr.ang, b.lin + dx) - cross(turn, vr.lin);
  out.on_a = {cross(dx - xi.lin, F), cross(t - xi.ang, F)}, out.on_b = {cross(dx, F), cross(t, F)};
  return out;
}

bool ContactRowSlopes::add_placement(const ContactShapes& shapes, const ContactPoint& c, const Vec3<double>& F,
                                     bool of_a, const Result& out) {
  TouchSlopes touch;
  if (!find_touch(shapes, c, touch)) return false;
  find_columns(c);
  const std::array<Vec3<double>, 2> tangents = contact_tangents(c.normal);
  const std::array<Vec3<double>, 3> axes{c.normal, tangents[0], tangents[1]};
  const Motion<double> vr = motion_at(c.node_a, c.point) - motion_at(c.node_b, c.point);
  const auto [number_a, number_b] = shapes.shapes_of(c);
  const OfShape& shape = shapes_[at(of_a ? number_a : number_b)];
  const Transform<double> body = shape.body_in_node * pose(shape.node);
  const auto stride = at(out.stride);
  for (std::size_t k = 0; k < 6; ++k) {
    const Vec3<double> axis =
        apply_inverse(body.E, Vec3<double>{k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0});
    const Motion<double> moved = k < 3 ? Motion<double>{axis, cross(axis, c.point - body.r)} : Motion<double>{{}, axis};
    const TouchChange x = calc_touch_change(c, touch, of_a ? moved : -moved);
    // The bodies stay, and so do their velocities: the point and the axes alone move.
    const Vec3<double> dx = of_a ? x.point : x.point + moved.lin, turn = of_a ? x.turn : x.turn + moved.ang;
    const Vec3<double> velocity = cross(vr.ang, dx) - cross(turn, vr.lin);
    const Force<double> force{cross(dx, F), cross(turn, F)};
    out.d_gap[k] = x.gap;
    for (int r = 0; r < out.rows; ++r) out.d_velocity[at(r) * stride + k] = dot(axes[at(r)], velocity);
    for (std::size_t h = 0; h < columns_.size(); ++h)
      out.d_force[at(coordinates_[h]) * stride + k] += dot(force, columns_[h].a) - dot(force, columns_[h].b);
  }
  return true;
}

bool ContactRowSlopes::add(const ContactShapes& shapes, const ContactPoint& c, const Vec3<double>& F, const Result& out,
                           bool& tie) {
  TouchSlopes touch;
  if (!find_touch(shapes, c, touch)) return false;
  tie = touch.tie;
  find_columns(c);
  const auto stride = at(out.stride);
  const std::array<Vec3<double>, 2> tangents = contact_tangents(c.normal);
  const std::array<Vec3<double>, 3> axes{c.normal, tangents[0], tangents[1]};
  const Motion<double> va = motion_at(c.node_a, c.point), vb = motion_at(c.node_b, c.point);
  on_a_.resize(columns_.size()), on_b_.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& x = columns_[i];
    const auto k_of = at(coordinates_[i]);
    const Vec3<double> along = x.a.lin - x.b.lin;
    const Change change = calc_change(c, touch, x.a, x.b, va, vb, F);
    out.d_gap[k_of] = change.gap;
    for (int r = 0; r < out.rows; ++r) {
      out.J[at(r) * stride + k_of] = dot(axes[at(r)], along);
      out.d_velocity[at(r) * stride + k_of] = dot(axes[at(r)], change.velocity);
    }
    on_a_[i] = change.on_a, on_b_[i] = change.on_b;
  }
  for (std::size_t h = 0; h < columns_.size(); ++h) {
    double* row = out.d_force + at(coordinates_[h]) * stride;
    const Column& of_row = columns_[h];
    for (std::size_t i = 0; i < columns_.size() && of_row.moves_a; ++i) row[coordinates_[i]] += dot(on_a_[i], of_row.a);
    for (std::size_t i = 0; i < columns_.size() && of_row.moves_b; ++i) row[coordinates_[i]] -= dot(on_b_[i], of_row.b);
  }
  // What the velocities of the bodies change besides being carried along: psi, of the freedoms that carry a or b.
  for (const bool of_a : {true, false})
    for (int node = of_a ? c.node_a : c.node_b; node > 0; node = model_.nodes()[at(node)].parent) {
      const Node& n = model_.nodes()[at(node)];
      const Vec3<double> arm = c.point - pose(node).r;
      for (int k = n.v; k < n.v + n.nv; ++k) {
        const Vec3<double> more = psi_[at(k)].lin + cross(psi_[at(k)].ang, arm);
        for (int r = 0; r < out.rows; ++r)
          out.d_velocity[at(r) * stride + at(k)] += (of_a ? 1 : -1) * dot(axes[at(r)], more);
      }
    }
  return true;
}

}  // namespace sinew::stepping
