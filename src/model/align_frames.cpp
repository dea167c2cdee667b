// src/model/align_frames.cpp
#include "align_frames.hpp"

#include <cmath>

namespace sinew {
namespace {

constexpr double kSnap = 2e-15;  // a direction cosine below this is rounding
// A common normal further away than this many link lengths would cost digits [F08 section 10.1]: such a child is a
// branch.
constexpr double kReach = 4;
// Joints whose motion commutes with screws along z.
bool moves_along_z(const Node& n) {
  switch (n.joint.kind) {
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical:
    case JointKind::cylindrical: return !n.joint.reversed;
    default: return false;
  }
}
bool is_axial(const Node& n) { return moves_along_z(n) && n.nv == 1; }

struct Screw {
  double angle = 0, shift = 0;
};
Transform<double> along_z(const Screw& s) { return {rotation_z(s.angle), {0, 0, s.shift}}; }

double snapped(double x) {
  if (std::abs(x) < kSnap) return 0;
  if (std::abs(std::abs(x) - 1) < kSnap) return x > 0 ? 1 : -1;
  return x;
}

// Where the common normal of a node's axis and its child's meets the two: heights above the two origins.
struct Normal {
  bool good = false, parallel = false;
  double angle = 0;  // of the normal, from the node's x axis
  double height = 0, child_height = 0;
};
Normal find_normal(const Transform<double>& child) {
  const Vec3<double> u{child.E.m.zx, child.E.m.zy, child.E.m.zz}, &r = child.r;  // the child's axis, its origin
  const double flat = std::hypot(u.x, u.y), reach = kReach * norm(r) + 1e-9;
  Normal n;
  if (flat < kSnap) {
    n.parallel = n.good = true;
    n.angle = std::hypot(r.x, r.y) > 1e-12 * (1 + norm(r)) ? std::atan2(r.y, r.x) : 0;
    n.height = r.z;
    return n;
  }
  n.angle = std::atan2(u.x, -u.y);  // of z x u
  n.child_height = -(r.x * u.x + r.y * u.y) / (flat * flat);
  n.height = r.z + n.child_height * u.z;
  n.good = std::abs(n.child_height) <= reach && std::abs(n.height) <= reach;
  return n;
}

// Sets the angle between two axes; angles within rounding of 0 or 90 degrees become exactly that.
void set_alpha(double cosine, double sine, AxialPlacement& p) {
  if (std::abs(sine) < kSnap) cosine = cosine > 0 ? 1 : -1, sine = 0;
  if (std::abs(cosine) < kSnap) cosine = 0, sine = 1;
  p.cos_alpha = cosine;
  p.sin_alpha = sine;
  p.twist = cosine == 0 ? Twist::quarter : cosine == 1 && sine == 0 ? Twist::none : Twist::any;
}

AxialPlacement make_dh(const Transform<double>& X) {
  const Mat3<double>& E = X.E.m;
  AxialPlacement p;
  p.branch = false;
  set_alpha(E.zz, -E.zy, p);
  const double size = norm(X.r) * 1e-15, d = X.r.z * p.cos_alpha - X.r.y * p.sin_alpha;
  p.a = std::abs(X.r.x) <= size ? 0 : X.r.x;
  p.d = std::abs(d) <= size ? 0 : d;
  p.theta = std::atan2(-E.yx, E.xx);
  if (std::abs(p.theta) < kSnap) p.theta = 0;
  return p;
}

AxialPlacement make_branch(const Transform<double>& X) {
  const Mat3<double>& E = X.E.m;
  const double flat = std::hypot(E.zx, E.zy);
  AxialPlacement p;
  p.r0 = X.r;
  set_alpha(E.zz, flat, p);
  if (p.sin_alpha == 0) {
    p.theta = std::atan2(p.cos_alpha > 0 ? E.xy : -E.yx, E.xx);
  } else {
    p.cos_theta0 = snapped(-E.zy / flat);
    p.sin_theta0 = snapped(E.zx / flat);
    p.theta = std::atan2(E.xz, E.yz);
  }
  return p;
}

Transform<double> to_transform(const AxialPlacement& p) {
  const Rotation<double> x{{1, 0, 0, 0, p.cos_alpha, p.sin_alpha, 0, -p.sin_alpha, p.cos_alpha}};
  const Rotation<double> z0{{p.cos_theta0, p.sin_theta0, 0, -p.sin_theta0, p.cos_theta0, 0, 0, 0, 1}};
  const Transform<double> about_x{x, {p.a, 0, 0}};
  return along_z({p.theta, p.d}) * (about_x * Transform<double>{z0, p.r0});
}

}  // namespace

void align_frames(std::vector<Node>& nodes, std::vector<BodyEntry>& bodies) {
  // For each node, chooses the child that its x axis points at: the one with the most nodes in its subtree.
  std::vector<int> size(nodes.size(), 1), chosen(nodes.size(), -1);
  for (std::size_t i = nodes.size(); i-- > 1;) size[nodes[i].parent] += size[i];
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const int p = nodes[i].parent;
    if (p == 0 || !moves_along_z(nodes[p]) || !is_axial(nodes[i]) || !find_normal(nodes[i].placement).good) continue;
    int& c = chosen[p];
    if (c < 0 || size[i] > size[c]) c = static_cast<int>(i);
  }

  // Tip to base: each frame moves to the foot of its normal. Parallel axes have no definite foot; the child's height is
  // taken, which gives d = 0.
  std::vector<Screw> move(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 1;) {
    if (chosen[i] < 0) continue;
    const int c = chosen[i];
    const Transform<double>& child = nodes[c].placement;
    const Normal n = find_normal(child);
    move[i] = {n.angle, n.parallel ? n.height + child.E.m.zz * move[c].shift : n.height};
  }

  // Base to tip: the frames are moved, with inertias and bodies. A node without a chosen child takes the frame that
  // makes its own theta and d zero.
  std::vector<Transform<double>> Z(nodes.size());
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    Node& n = nodes[i];
    const bool dh = is_axial(n) && n.parent > 0 && chosen[n.parent] == static_cast<int>(i);
    n.placement = n.placement * inverse(Z[n.parent]);
    if (moves_along_z(n)) {
      Screw s = move[i];
      if (chosen[i] < 0 && is_axial(n)) {
        const AxialPlacement p = dh ? make_dh(n.placement) : make_branch(n.placement);
        s = {-p.theta, -p.d};
      }
      Z[i] = along_z(s);
      n.placement = Z[i] * n.placement;
      n.inertia = apply(Z[i], n.inertia);
    }
    if (is_axial(n)) {
      n.axial = dh ? make_dh(n.placement) : make_branch(n.placement);
      n.placement = to_transform(n.axial);
    }
  }
  for (BodyEntry& b : bodies) b.in_node = b.in_node * inverse(Z[b.node]);
}

}  // namespace sinew
