// src/tree/tendon.cpp
#include "sinew/tree/tendon.hpp"

#include <algorithm>

#include "tree/tendon_row.hpp"
#include "tree/tendon_wrap.hpp"

namespace sinew {
namespace {

using tendon::Jet, tendon::Wrap, tendon::WrapShape;
using Part = TendonEntry::Part;

// Calls straight(a, b, divisor) for sites that follow each other, and around(a, shape, b, divisor) for sites with a
// shape between them.
template <class Straight, class Around>
void walk_string(const TendonEntry& t, Straight straight, Around around) {
  double divisor = 1;
  for (std::size_t i = 0; i + 1 < t.parts.size(); ++i) {
    const Part &a = t.parts[i], &next = t.parts[i + 1];
    if (a.kind == TendonPartKind::pulley) divisor = a.factor;
    if (a.kind != TendonPartKind::site) continue;
    if (next.kind == TendonPartKind::site) straight(a, next, divisor);
    if (next.kind == TendonPartKind::wrap) around(a, next, t.parts[i + 2], divisor);
  }
}

// In the world.
Vec3<double> place_of(const KinematicsWorkspace<double>& at_q, int node, const Vec3<double>& point) {
  return apply_inverse_to_point(at_q.X[node], point);
}

// How the string goes around the shape; p0 and p1 are in its frame, X: shape <- world.
Wrap find_way(const KinematicsWorkspace<double>& at_q, const Part& shape, const Transform<double>& X,
              const Vec3<double>& p0, const Vec3<double>& p1) {
  if (shape.side_node < 0) return tendon::find_wrap({shape.radius, shape.cylinder}, p0, p1, nullptr);
  const Vec3<double> side = apply_to_point(X, place_of(at_q, shape.side_node, shape.side));
  return tendon::find_wrap({shape.radius, shape.cylinder}, p0, p1, &side);
}

// A row as it is made: forces[k] on nodes[k], ascending.
struct RowInWork {
  std::span<const int> nodes;
  std::span<Force<double>> forces;
  Force<double>* find(int node) const {  // null: the world
    if (node <= 0) return nullptr;
    return &forces[at(static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin()))];
  }
};

// Adds the unit force along a string from a on node_a to b on node_b; returns the distance.
double add_segment(const KinematicsWorkspace<double>& at_q, int node_a, const Vec3<double>& a, int node_b,
                   const Vec3<double>& b, double share, const RowInWork& row) {
  const double length = norm(b - a);
  if (length == 0 || node_a == node_b) return length;
  const Vec3<double> pull = (share / length) * (b - a);
  const auto add = [&](int node, const Vec3<double>& point, const Vec3<double>& force) {
    Force<double>* to = row.find(node);
    if (!to) return;
    const Transform<double>& X = at_q.X[node];
    const Vec3<double> f = apply(X.E, force);
    *to += {cross(apply_to_point(X, point), f), f};
  };
  add(node_b, b, pull), add(node_a, a, -pull);
  return length;
}

// A point of a node as it moves, from its place in the node.
Vec3<Jet> follow_point(const VelocityWorkspace<double>& motion, int node, const Vec3<double>& in_node) {
  const Transform<double>& X = motion.kinematics.X[node];
  const Vec3<double> arm = apply_inverse(X.E, in_node), p = X.r + arm;
  const Vec3<double> v = point_velocity(motion.v[node], arm);
  const Vec3<double> a = point_acceleration(motion.a[node], motion.v[node], arm);
  return {Jet{p.x, v.x, a.x}, Jet{p.y, v.y, a.y}, Jet{p.z, v.z, a.z}};
}
// A direction of a node as it turns, given in the world.
Vec3<Jet> follow_direction(const VelocityWorkspace<double>& motion, int node, const Vec3<double>& e) {
  const Vec3<double> w = motion.v[node].ang, v = cross(w, e), a = cross(motion.a[node].ang, e) + cross(w, v);
  return {Jet{e.x, v.x, a.x}, Jet{e.y, v.y, a.y}, Jet{e.z, v.z, a.z}};
}
Vec3<double> values(const Vec3<Jet>& p) { return {p.x.x, p.y.x, p.z.x}; }

}  // namespace

double calc_tendon_row(const Model& m, const TendonEntry& t, const KinematicsWorkspace<double>& at_q, In<double> q,
                       double time, std::span<Force<double>> row) {
  const RowInWork work{t.nodes, row};
  std::fill(row.begin(), row.end(), Force<double>{});
  double length = 0;
  for (const Part& p : t.parts) {
    if (p.kind != TendonPartKind::joint) break;
    length += p.factor * q[p.q];
    if (p.node == 0) continue;
    const Node& n = m.nodes()[p.node];
    JointComplements<double> force;
    calc_complements(n.joint, q.data() + n.q, time, force);
    const Force<double> f = p.factor * force.active[0];
    *work.find(p.node) += f;
    const Transform<double>&X = at_q.X[p.node], &X_p = at_q.X[n.parent];
    if (Force<double>* reaction = work.find(n.parent))
      *reaction -= apply_inverse(Transform<double>{X.E * inverse(X_p.E), apply(X_p.E, X.r - X_p.r)}, f);
  }
  walk_string(
      t,
      [&](const Part& a, const Part& b, double divisor) {
        length += add_segment(at_q, a.node, place_of(at_q, a.node, a.in_node.r), b.node,
                              place_of(at_q, b.node, b.in_node.r), 1 / divisor, work) /
                  divisor;
      },
      [&](const Part& a, const Part& shape, const Part& b, double divisor) {
        const Vec3<double> p0 = place_of(at_q, a.node, a.in_node.r), p1 = place_of(at_q, b.node, b.in_node.r);
        const Transform<double> X = shape.in_node * at_q.X[shape.node];
        const Vec3<double> l0 = apply_to_point(X, p0), l1 = apply_to_point(X, p1);
        const Wrap way = find_way(at_q, shape, X, l0, l1);
        if (way == Wrap::none) {
          length += add_segment(at_q, a.node, p0, b.node, p1, 1 / divisor, work) / divisor;
          return;
        }
        const WrapShape s{shape.radius, shape.cylinder};
        const auto touch = find_touching_points(s, way, l0, l1);
        add_segment(at_q, a.node, p0, shape.node, apply_inverse_to_point(X, touch[0]), 1 / divisor, work);
        add_segment(at_q, shape.node, apply_inverse_to_point(X, touch[1]), b.node, p1, 1 / divisor, work);
        length += calc_wrapped_length(s, way, l0, l1) / divisor;
      });
  return length;
}

double calc_tendon_acceleration(const TendonEntry& t, const VelocityWorkspace<double>& motion) {
  const KinematicsWorkspace<double>& at_q = motion.kinematics;
  double sum = 0;
  walk_string(
      t,
      [&](const Part& a, const Part& b, double divisor) {
        if (a.node == b.node) return;
        const Vec3<Jet> way = follow_point(motion, b.node, b.in_node.r) - follow_point(motion, a.node, a.in_node.r);
        sum += norm(way).dd / divisor;
      },
      [&](const Part& a, const Part& shape, const Part& b, double divisor) {
        const Vec3<Jet> p0 = follow_point(motion, a.node, a.in_node.r), p1 = follow_point(motion, b.node, b.in_node.r);
        const Transform<double> X = shape.in_node * at_q.X[shape.node];
        const Wrap way = find_way(at_q, shape, X, apply_to_point(X, values(p0)), apply_to_point(X, values(p1)));
        if (way == Wrap::none) {
          if (a.node != b.node) sum += norm(p1 - p0).dd / divisor;
          return;
        }
        const Vec3<Jet> centre = follow_point(motion, shape.node, shape.in_node.r);
        const auto axis = [&](const Vec3<double>& e) {
          return follow_direction(motion, shape.node, apply_inverse(X.E, e));
        };
        const Vec3<Jet> x = axis({1, 0, 0}), y = axis({0, 1, 0}), z = axis({0, 0, 1});
        const auto local = [&](const Vec3<Jet>& p) {
          const Vec3<Jet> d = p - centre;
          return Vec3<Jet>{dot(x, d), dot(y, d), dot(z, d)};
        };
        sum += calc_wrapped_length({shape.radius, shape.cylinder}, way, local(p0), local(p1)).dd / divisor;
      });
  return sum;
}

TendonWorkspace::TendonWorkspace(const Model& m) : made_for(m), first{0} {
  const std::size_t count = m.tendons().size();
  for (const TendonEntry& t : m.tendons()) first.push_back(first.back() + static_cast<int>(t.nodes.size()));
  forces.resize(at(first.back()));
  for (auto* x : {&length, &velocity, &acceleration}) x->resize(count);
  if (count == 0) return;
  KinematicsWorkspace<double> at_q(m);
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  const auto find = [&](std::vector<double>& out) {
    calc_kinematics<double>(m, at_q, q, 0);
    calc_tendons(m, *this, at_q, q);
    out = length;
  };
  find(neutral);
  for (const Node& n : m.nodes())
    for (int k = 0; k < n.nv && n.nq == n.nv; ++k) q[n.q + k] = m.dofs()[n.v + k].rest;
  find(rest);
}

void calc_tendons(const Model& m, TendonWorkspace& ws, const KinematicsWorkspace<double>& at_q, In<double> q,
                  double time) {
  const char* call = "calc_tendons";
  ws.made_for.check(call, m, "TendonWorkspace");
  at_q.made_for.check(call, m, "KinematicsWorkspace");
  check_size(call, "q", q.size(), at(m.nq()));
  for (std::size_t i = 0; i < ws.length.size(); ++i)
    ws.length[i] = calc_tendon_row(m, m.tendons()[i], at_q, q, time,
                                   {ws.forces.data() + ws.first[i], ws.forces.data() + ws.first[i + 1]});
}

void calc_tendon_rates(const Model& m, TendonWorkspace& ws, const VelocityWorkspace<double>& motion, In<double> q,
                       double time) {
  calc_tendons(m, ws, motion.kinematics, q, time);
  for (std::size_t i = 0; i < ws.length.size(); ++i) {
    ws.velocity[i] = calc_row_velocity(ws.row(m, static_cast<int>(i)), motion);
    ws.acceleration[i] = calc_tendon_acceleration(m.tendons()[i], motion);
  }
}

}  // namespace sinew
