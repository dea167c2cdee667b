// src/derivative/placement_derivatives.cpp
#include "sinew/derivative/placement_derivatives.hpp"

#include <algorithm>

#include "base/scalar_pass.hpp"
#include "first_nodes.hpp"
#include "slope_driver.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

std::vector<PlacedJoint> find_placed_joints(const Model& m) {
  std::vector<PlacedJoint> out;
  for (std::size_t j = 0; j < m.joints().size(); ++j) {
    const JointEntry& joint = m.joints()[j];
    const BodyEntry& parent = m.bodies()[at(joint.parent)];
    PlacedJoint& p = out.emplace_back();
    p.node = parent.node, p.frame = m.spec().joints[j].placement * parent.in_node;
    if (!joint.nodes.empty()) {
      p.nodes = {joint.nodes.front()};
      continue;
    }
    // Bodies of the same node, and the nodes that hang on them.
    p.bodies = {joint.child};
    for (std::size_t k = 0; k < p.bodies.size(); ++k)
      for (const JointEntry& next : m.joints()) {
        if (next.parent != p.bodies[k]) continue;
        if (next.nodes.empty())
          p.bodies.push_back(next.child);
        else
          p.nodes.push_back(next.nodes.front());
      }
  }
  return out;
}

// A motion s of all that a joint carries, and what it does to velocities and accelerations.
template <class T>
struct PlacementSlope {
  Motion<T> s, psi, chi;
};
// (1); v, a: of the parent.
template <class T>
PlacementSlope<T> make_placement_slope(const Motion<T>& s, const Motion<T>& v, const Motion<T>& a) {
  const Motion<T> psi = cross(v, s);
  return {s, psi, cross(a, s) + cross(v, psi)};
}

// (2) of a subtree.
template <class T>
Force<T> calc_change(const T& mass, const SubtreeSum<T>& sum, const PlacementSlope<T>& x) {
  const Force<T> turned = cross(x.s, sum.f), pushed = detail::to_inertia(mass, sum) * x.chi;
  const Mat3<T> N = sum.N + sum.N;
  return {turned.ang + pushed.ang - N * x.psi.ang, turned.lin + pushed.lin - cross(sum.l + sum.l, x.psi.ang)};
}
// (2) of a body that is part of a node, whose motion it has. external: on the body, in its frame.
template <class T>
Force<T> calc_change(const BodyEntry& body, const SlopeNode<T>& node, const Force<T>& external,
                     const PlacementSlope<T>& x) {
  const Transform<T> X = cast<T>(body.in_node) * Transform<T>{inverse(node.E), node.r};
  const RigidInertia<T> I = cast<T>(body.inertia);
  const Motion<T> v = apply(X, node.v), a = apply(X, node.a), psi = apply(X, x.psi), chi = apply(X, x.chi);
  const Force<T> f = I * a + cross(v, I * v) - external;
  return apply_inverse(X,
                       cross(apply(X, x.s), f) + I * chi + cross(psi, I * v) + cross(v, I * psi) - I * cross(v, psi));
}

template <class T>
Motion<T> make_axis_motion(int k) {
  const auto one = [k](int i) { return lit<T>(i == k ? 1 : 0); };
  return {{one(0), one(1), one(2)}, {one(3), one(4), one(5)}};
}

// After calc_slope_columns.
template <class T>
void fill_placements(const Model& m, const PlacementDerivativesWorkspace<T>& ws, const SlopeScratch<T>& scratch,
                     const VectorView<const Force<T>>& external, const MatrixView<T>& out) {
  const auto links = links_of<T>(m);
  const DofTree& tree = m.dof_tree();
  for (std::size_t i = 0; i < out.rows(); ++i) std::fill_n(&out(i, 0), out.cols(), T{});
  const auto fill_below = [&](int node, std::size_t column, const PlacementSlope<T>& x) {
    const auto& l = links[at(node)];
    for (int k = l.dof; k < l.dof_end; ++k) {  // (3)
      const Vec3<T> w{scratch.w.row(0)[k], scratch.w.row(1)[k], scratch.w.row(2)[k]};
      out(at(tree.velocity(k)), column) = dot(x.chi, detail::get_force(scratch.u, k)) + dot(w, x.psi.ang);
    }
  };
  for (std::size_t j = 0; j < ws.joints.size(); ++j) {
    const PlacedJoint& joint = ws.joints[j];
    const Transform<T> X = cast<T>(joint.frame) * ws.kinematics.X[at(joint.node)];  // F_p <- world
    for (int c = 0; c < 6; ++c) {
      const std::size_t column = 6 * j + at(c);
      const Motion<T> along = apply_inverse(X, make_axis_motion<T>(c));
      if (joint.node == 0) {
        // The first node of each tree that moves has the tree's frame.
        for (const int i : joint.nodes) {
          const Motion<T> still{}, up{{}, scratch.nodes[i].up};
          fill_below(i, column, make_placement_slope(apply(ws.kinematics.X[at(i)], along), still, up));
        }
        continue;
      }
      const SlopeNode<T>& node = scratch.nodes[joint.node];
      const auto x = make_placement_slope(apply(ws.kinematics.X[at(ws.first[at(joint.node)])], along), node.v, node.a);
      Force<T> z{};
      for (const int i : joint.nodes) {
        z += calc_change(lit<T>(links[at(i)].mc), scratch.nodes[i].sum, x);
        fill_below(i, column, x);
      }
      for (const int b : joint.bodies)
        z += calc_change(m.bodies()[at(b)], node, external.size() > 0 ? external[at(b)] : Force<T>{}, x);
      for (int i = joint.node; i > 0; i = links[at(i)].parent)
        for (int k = 0; k < links[at(i)].nv; ++k)
          out(at(links[at(i)].v + k), column) = dot(detail::get_motion(scratch.S, links[at(i)].dof + k), z);
    }
  }
}

}  // namespace

template <class T>
PlacementDerivativesWorkspace<T>::PlacementDerivativesWorkspace(const Model& m)
    : dynamics(m),
      kinematics(m),
      first(find_first_nodes(m)),
      joints(find_placed_joints(m)),
      matrices(at(m.nv()) * (3 * at(m.nv()) + 6 * m.joints().size())) {}

template <class T>
void calc_rnea_placement_derivatives(const Model& m, PlacementDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                     OutMatrix<T> dtau, const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_rnea_placement_derivatives";
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  check_shape(call, "dtau", dtau, at(m.nv()), 6 * m.joints().size());
  calc_kinematics(m, ws.kinematics, q, s.time);
  RneaDerivativesWorkspace<T>& inverse = ws.dynamics.inverse;
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const SlopeScratch<T> scratch = slope_scratch_of(m, inverse, gather_external(call, m, s, inverse.external));
  const auto acc = [x = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return x[k]; };
  place_nodes(m, inverse, scratch, q.data(), v.data(), s.time);
  sum_slope_nodes(links.data(), n, scratch, v.data(), acc);
  calc_slope_momenta(links.data(), n, scratch);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);
  fill_placements<T>(m, ws, scratch, s.external, dtau);
}

template <class T>
void calc_aba_placement_derivatives(const Model& m, PlacementDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau,
                                    Out<T> a, OutMatrix<T> da, const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_aba_placement_derivatives";
  const std::size_t n = at(m.nv()), columns = 6 * m.joints().size();
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_coordinates(call, "tau", m, tau.size());
  check_coordinates(call, "a", m, a.size());
  check_shape(call, "da", da, n, columns);
  T* x = ws.matrices.data();
  const MatrixView<T> dq{x, n, n}, dv{x + n * n, n, n}, inverse{x + 2 * n * n, n, n}, dtau{x + 3 * n * n, n, columns};
  calc_aba_derivatives<T>(m, ws.dynamics, q, v, tau, a, dq, dv, inverse, s);
  calc_rnea_placement_derivatives<T>(m, ws, q, v, a, dtau, s);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      T sum{};
      for (std::size_t h = 0; h < n; ++h) sum += inverse(i, h) * dtau(h, k);
      da(i, k) = -sum;
    }
}

#define SINEW_INSTANTIATE(T)                                                                                          \
  template struct PlacementDerivativesWorkspace<T>;                                                                   \
  template void calc_rnea_placement_derivatives(const Model&, PlacementDerivativesWorkspace<T>&, In<T>, In<T>, In<T>, \
                                                OutMatrix<T>, const std::type_identity_t<Surroundings<T>>&);          \
  template void calc_aba_placement_derivatives(const Model&, PlacementDerivativesWorkspace<T>&, In<T>, In<T>, In<T>,  \
                                               Out<T>, OutMatrix<T>, const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
