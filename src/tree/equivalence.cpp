// src/tree/equivalence.cpp
#include "sinew/tree/equivalence.hpp"

#include "base/scalar_pass.hpp"
#include "model/validate.hpp"
#include "move_inertias.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
namespace {

#if SINEW_FIRST_PASS
int count_zeros(std::span<const RigidInertia<double>> inertias) {
  int zeros = 0;
  for (const RigidInertia<double>& i : inertias.subspan(1))
    for (const double x : {i.m, i.h.x, i.h.y, i.h.z, i.I.xx, i.I.xy, i.I.xz, i.I.yy, i.I.yz, i.I.zz}) zeros += x == 0;
  return zeros;
}

OperationCount count_rnea(const Model& m, std::span<const RigidInertia<double>> inertias) {
  Random rng(1);
  const std::vector<double> q = random_configuration(m, rng);
  std::vector<Counted> cq, v, a, tau(at(m.nv()));
  for (const double x : q) cq.emplace_back(x);
  for (int i = 0; i < m.nv(); ++i) v.emplace_back(rng.uniform(1.1, 2)), a.emplace_back(rng.uniform(1.1, 2));
  InertiasRneaWorkspace<Counted> ws(m);
  const Tally tally;
  rnea_with_inertias(m, ws, inertias, cq, v, a, tau);
  return tally.count();
}
#endif

// I a + v x* I v by three-vectors, so that each number of the inertia enters as few products as it can:
//   F = m dv + U h,   N = I dw + w x I w + h x dv,   U = dw x + w x w x,   dv = a.lin + w x v.lin
template <class T>
Force<T> newton_euler(const RigidInertia<T>& I, const Motion<T>& v, const Motion<T>& a) {
  const Vec3<T>& w = v.ang;
  const Vec3<T> dv = a.lin + cross(w, v.lin);
  return {I.I * a.ang + cross(w, I.I * w) + cross(I.h, dv), I.m * dv + cross(a.ang, I.h) + cross(w, cross(w, I.h))};
}

}  // namespace

#if SINEW_FIRST_PASS
RigidInertia<double> best_match(const Joint& joint, const RigidInertia<double>& i, ThirdZero third) {
  const JointKind kind = joint.kind == JointKind::prescribed ? joint.prescribed_kind : joint.kind;
  const double k = third == ThirdZero::moment_yy ? i.I.yy : (i.I.xx + i.I.yy - i.I.zz) / 2;
  const Sym3<double> about_z = Sym3<double>::diagonal(k, k, 0);
  switch (kind) {
    case JointKind::revolute: return {i.m, {0, 0, i.h.z}, about_z};
    case JointKind::prismatic: return {0, {}, i.I};
    case JointKind::spherical:
    case JointKind::spherical_ypr:
    case JointKind::universal: return {i.m, {}, {}};
    case JointKind::cylindrical:
    case JointKind::helical:
    case JointKind::planar:
    case JointKind::rack_and_pinion: return {0, {}, about_z};
    case JointKind::fixed: return i;
    case JointKind::free:
    case JointKind::prescribed:
    case JointKind::composite:
    case JointKind::user: break;
  }
  return {};
}

bool is_of_a_body(const RigidInertia<double>& i) {
  const auto no_moment = [&] { return i.h == Vec3<double>{}; };
  if (i.m < 0 || (i.m == 0 && !no_moment())) return false;
  const Sym3<double> c = i.m == 0 ? i.I : inertia_about_centre(i);
  const Vec3<double> p = principal_moments(c);  // from the smallest up
  const double slack = 1e-12 * std::max(std::abs(p.x), std::abs(p.z));
  return p.x >= -slack && p.x + p.y >= p.z - slack;
}

void move_inertias(const Model& m, ThirdZero third, std::vector<RigidInertia<double>>& inertias) {
  for (std::size_t i = inertias.size() - 1; i > 0; --i) {
    const Node& n = m.nodes()[i];
    const RigidInertia<double> passed = best_match(n.joint, inertias[i], third);
    inertias[i] = inertias[i] + -1.0 * passed;
    // the parent sees the same inertia at every q, so X_J = 1 is used
    if (n.parent != 0) inertias[n.parent] = inertias[n.parent] + apply_inverse(n.placement, passed);
  }
}

Equivalence find_equivalent_inertias(const Model& m) {
  Equivalence out;
  for (const Node& n : m.nodes()) out.inertias.push_back(n.inertia);
  out.zeros_before = count_zeros(out.inertias);
  out.cost_before = count_rnea(m, out.inertias);
  move_inertias(m, ThirdZero::moment_yy, out.inertias);
  for (std::size_t i = out.inertias.size() - 1; i > 0; --i)
    if (!is_of_a_body(out.inertias[i])) out.not_a_body.push_back(static_cast<int>(i));
  out.zeros_after = count_zeros(out.inertias);
  out.cost_after = count_rnea(m, out.inertias);
  return out;
}
#endif

template <class T>
InertiasRneaWorkspace<T>::InertiasRneaWorkspace(const Model& m)
    : motions(m), a(m.nodes().size()), f(m.nodes().size()) {}

template <class T>
void rnea_with_inertias(const Model& m, InertiasRneaWorkspace<T>& ws, std::span<const RigidInertia<double>> inertias,
                        In<T> q, In<T> v, In<T> a, Out<T> tau, const std::type_identity_t<Surroundings<T>>& around) {
  ws.motions.made_for.check("rnea_with_inertias", m);
  check_size("rnea_with_inertias", "inertias", inertias.size(), m.nodes().size());
  check_size("rnea_with_inertias", "a", a.size(), at(m.nv()));
  check_size("rnea_with_inertias", "tau", tau.size(), at(m.nv()));
  calc_node_motions("rnea_with_inertias", m, ws.motions, q, v, around);
  const NodeMotions<T>& k = ws.motions;
  ws.a[0] = {{}, -cast<T>(m.gravity())};
  for (std::size_t i = 1; i < ws.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    ws.a[i] = apply(k.X[i], ws.a[n.parent]) + k.c[i];
    for (int j = n.v; j < n.v + n.nv; ++j) ws.a[i] += a[j] * k.S[j];
    ws.f[i] = newton_euler(cast<T>(inertias[i]), k.v[i], ws.a[i]) - k.external[i];
  }
  for (std::size_t i = ws.a.size() - 1; i > 0; --i) {
    const Node& n = m.nodes()[i];
    for (int j = n.v; j < n.v + n.nv; ++j) tau[j] = dot(k.S[j], ws.f[i]) + lit<T>(m.dofs()[j].armature) * a[j];
    if (n.parent != 0) ws.f[n.parent] += apply_inverse(k.X[i], ws.f[i]);
  }
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template struct InertiasRneaWorkspace<T>;                                                                        \
  template void rnea_with_inertias(const Model&, InertiasRneaWorkspace<T>&, std::span<const RigidInertia<double>>, \
                                   In<T>, In<T>, In<T>, Out<T>, const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
