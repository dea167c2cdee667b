// src/model/make_links.cpp
#include "make_links.hpp"

#include <cmath>

namespace sinew {
namespace {

// The sweeps skip a turn whose cosine is 1. If the cosine of a small turn rounds to 1, the next number below is taken.
template <class R>
R cosine_of_turn(R c, R s) {
  return c == 1 && s != 0 ? std::nextafter(c, R(0)) : c;
}

void set_axial(const Node& n, Link<double>& l) {
  const AxialPlacement& p = n.axial;
  l.twist = p.twist;
  l.branch = p.branch;
  l.theta = p.theta;
  l.c = p.theta == 0 ? 1 : std::cos(p.theta);
  l.s = std::sin(p.theta);
  l.d = p.d;
  l.ca = p.cos_alpha;
  l.sa = p.sin_alpha;
  l.a = p.a;
  l.ss = l.sa * l.sa, l.cs = l.ca * l.sa;
  l.cs2 = 2 * l.cs, l.c2 = 1 - 2 * l.ss;
  l.c0 = cosine_of_turn(p.cos_theta0, p.sin_theta0);
  l.s0 = p.sin_theta0;
  l.r0 = p.r0;
  l.has_a = p.a != 0;
  l.has_d = p.d != 0 || n.joint.kind != JointKind::revolute;
  l.step = n.joint.kind == JointKind::revolute ? Step::revolute : Step::axial;
  l.turns = n.joint.kind == JointKind::prismatic ? 0 : 1;
  l.slides = n.joint.kind == JointKind::prismatic ? 1 : n.joint.kind == JointKind::helical ? n.joint.parameter : 0;
  const Rotation<double> x{{1, 0, 0, 0, l.ca, l.sa, 0, -l.sa, l.ca}}, z0{{l.c0, l.s0, 0, -l.s0, l.c0, 0, 0, 0, 1}};
  l.E0 = x * z0;
}
bool moves_on_one_axis(const Node& n) {
  return (n.joint.kind == JointKind::revolute || n.joint.kind == JointKind::prismatic ||
          n.joint.kind == JointKind::helical) &&
         !n.joint.reversed;
}
bool is_free_root(const Node& n, const std::vector<DofSpec>& dofs) {
  if (n.joint.kind != JointKind::free || n.parent != 0 || n.joint.reversed) return false;
  for (int k = 0; k < n.nv; ++k)
    if (dofs[n.v + k].armature != 0) return false;
  return true;
}

}  // namespace

DofTree make_dof_tree(const std::vector<Node>& nodes) {
  std::vector<int> parent, velocity, last(nodes.size(), -1);  // last: the freedom that a node hangs on
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    last[i] = last[nodes[i].parent];
    for (int k = 0; k < nodes[i].nv; ++k) {
      parent.push_back(last[i]);
      velocity.push_back(nodes[i].v + k);
      last[i] = static_cast<int>(parent.size()) - 1;
    }
  }
  return {std::move(parent), std::move(velocity)};
}

std::vector<Link<double>> make_links(const std::vector<Node>& nodes, const Topology& topology,
                                     const std::vector<DofSpec>& dofs, const Vec3<double>& gravity) {
  std::vector<Link<double>> links(nodes.size());
  int dof = 0, slots = 0, extras = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Node& n = nodes[i];
    Link<double>& l = links[i];
    l.parent = n.parent;
    l.q = n.q, l.v = n.v, l.nq = n.nq, l.nv = n.nv;
    l.kind = n.joint.kind, l.reversed = n.joint.reversed, l.parameter = n.joint.parameter;
    l.dof = dof;
    dof += n.nv;
    const auto children = topology.children(static_cast<int>(i));
    l.has_next = !children.empty() && children.front() == static_cast<int>(i) + 1;
    if (children.size() > 1) l.keep = slots++;
    l.placement = n.placement;
    if (moves_on_one_axis(n)) {
      set_axial(n, l);
      l.armature = dofs[n.v].armature;
    } else {
      l.step = is_free_root(n, dofs) ? Step::free : Step::general;
      l.E0 = n.placement.E;
      l.extra = extras++;
    }
    l.up = -apply(l.E0, gravity);
    l.m = n.inertia.m;
    l.h = n.inertia.h;
    l.I = n.inertia.I;
    const double half = (l.I.xx + l.I.yy + l.I.zz) / 2;
    l.J = Sym3<double>::diagonal(half, half, half) - l.I;
    l.mc = n.inertia.m;
  }
  for (std::size_t i = nodes.size(); i-- > 1;) {
    Link<double>& l = links[i];
    Link<double>& p = links[l.parent];
    l.dof_end = std::max(l.dof_end, l.dof + l.nv);
    p.dof_end = std::max(p.dof_end, l.dof_end);
    p.mc += l.mc;
    l.mc_a = l.mc * l.a;
    l.mc_d = l.mc * l.d;
    l.second = p.parent == 0 && p.step == Step::revolute;
    if (l.parent > 0 && l.parent != static_cast<int>(i) - 1) {
      l.from = p.keep;
      l.opens = topology.children(l.parent).back() == static_cast<int>(i);
    }
  }
  return links;
}

std::vector<Link<float>> to_float(const std::vector<Link<double>>& links) {
  std::vector<Link<float>> out;
  out.reserve(links.size());
  for (const Link<double>& l : links) {
    Link<float> f;
    f.parent = l.parent, f.q = l.q, f.v = l.v, f.nq = l.nq, f.nv = l.nv;
    f.dof = l.dof, f.dof_end = l.dof_end, f.keep = l.keep, f.from = l.from, f.extra = l.extra;
    f.has_next = l.has_next, f.second = l.second, f.opens = l.opens, f.step = l.step, f.twist = l.twist;
    f.kind = l.kind, f.reversed = l.reversed, f.parameter = static_cast<float>(l.parameter);
    f.branch = l.branch, f.has_a = l.has_a, f.has_d = l.has_d;
    const auto to = [](double x) { return static_cast<float>(x); };
    f.theta = to(l.theta), f.c = to(l.c), f.s = to(l.s), f.d = to(l.d);
    f.ca = to(l.ca), f.sa = to(l.sa), f.a = to(l.a), f.s0 = to(l.s0), f.c0 = cosine_of_turn(to(l.c0), f.s0);
    f.ss = to(l.ss), f.cs = to(l.cs), f.cs2 = to(l.cs2), f.c2 = to(l.c2);
    f.turns = to(l.turns), f.slides = to(l.slides), f.armature = to(l.armature), f.m = to(l.m);
    f.mc = to(l.mc), f.mc_a = to(l.mc_a), f.mc_d = to(l.mc_d);
    f.r0 = cast<float>(l.r0), f.h = cast<float>(l.h), f.I = cast<float>(l.I), f.J = cast<float>(l.J);
    f.E0 = cast<float>(l.E0), f.up = cast<float>(l.up), f.placement = cast<float>(l.placement);
    out.push_back(f);
  }
  return out;
}

}  // namespace sinew
