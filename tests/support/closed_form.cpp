// tests/support/closed_form.cpp
#include "support/closed_form.hpp"

#include <stdexcept>

namespace sinew::test {
namespace {

// Node i of a chain, with its joint at q.
struct Link {
  const Node& node;
  Transform<double> X;  // node <- parent
  Motion<double> s;
};
std::vector<Link> links_of(const Model& m, In<double> q, bool only_revolute) {
  std::vector<Link> links;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const bool one_axis =
        n.joint.kind == JointKind::revolute ||
        (!only_revolute && n.nv == 1 && (n.joint.kind == JointKind::prismatic || n.joint.kind == JointKind::helical));
    if (!one_axis || n.joint.reversed || n.parent + 1 != static_cast<int>(i) || n.v != n.parent)
      throw std::invalid_argument("closed_form: node " + std::to_string(i) + " is not a link of a plain chain");
    const double rest = 0;
    JointMotion<double> joint;
    calc_joint(n.joint, q.data() + n.q, &rest, 0, joint);
    links.push_back({n, joint.X * n.placement, joint.S[0]});
  }
  return links;
}

}  // namespace

ChainInWorld<double> chain_in_world(const Model& m, In<double> q) {
  ChainInWorld<double> out;
  Transform<double> X;
  for (const Link& link : links_of(m, q, false)) {
    X = link.X * X;
    out.s.push_back(apply_inverse(X, link.s));
    out.I.push_back(apply_inverse(X, link.node.inertia));
  }
  return out;
}

Original3d original_rnea(const Model& m, In<double> q, In<double> qd, In<double> qdd) {
  const std::vector<Link> links = links_of(m, q, true);
  const Vec3<double> z{0, 0, 1};
  const std::size_t count = links.size();
  Original3d o;
  Vec3<double> w, v, dw, dv = -m.gravity();
  for (std::size_t i = 0; i < count; ++i) {
    const Rotation<double>& E = links[i].X.E;
    const Vec3<double>& r = links[i].X.r;
    v = apply(E, v + cross(w, r));
    dv = apply(E, dv + cross(dw, r) + cross(w, cross(w, r)));
    dw = apply(E, dw) + qdd[i] * z + cross(apply(E, w), qd[i] * z);
    w = apply(E, w) + qd[i] * z;
    const RigidInertia<double>& I = links[i].node.inertia;
    const Vec3<double> c = centre_of_mass(I);
    const Sym3<double> Icm = inertia_about_centre(I);
    o.w.push_back(w), o.v.push_back(v), o.dw.push_back(dw), o.dv.push_back(dv);
    o.F.push_back(I.m * (dv + cross(dw, c) + cross(w, cross(w, c))));
    o.N.push_back(Icm * dw + cross(w, Icm * w));
  }
  o.f.resize(count), o.n.resize(count), o.tau.resize(count);
  for (std::size_t i = count; i-- > 0;) {
    o.f[i] = o.F[i];
    o.n[i] = o.N[i] + cross(centre_of_mass(links[i].node.inertia), o.F[i]);
    if (i + 1 < count) {
      const Transform<double>& X = links[i + 1].X;
      const Vec3<double> f = apply_inverse(X.E, o.f[i + 1]);
      o.f[i] += f;
      o.n[i] += apply_inverse(X.E, o.n[i + 1]) + cross(X.r, f);
    }
    o.tau[i] = dot(z, o.n[i]);
  }
  return o;
}

}  // namespace sinew::test
