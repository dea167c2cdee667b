// src/derivative/kinematics_derivatives.cpp
#include "sinew/derivative/kinematics_derivatives.hpp"

#include "base/scalar_pass.hpp"
#include "slope_driver.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// How a place moves, and the motions of one freedom above it, all as the place sees them.
template <class T>
struct PlaceMotion {
  Motion<T> V, A;
};
template <class T>
struct FreedomMotion {
  Motion<T> s, psi, phi, chi;
};

template <class T>
Motion<T> turn_both(const Vec3<T>& w, const Motion<T>& x) {
  return {cross(w, x.ang), cross(w, x.lin)};
}
// d of the place's x by q, once its slope in the place's own frame is known; still along that frame's axes.
template <class T>
Motion<T> add_turn(ReferenceFrame reference, const Motion<T>& s, const Motion<T>& x, const Motion<T>& slope) {
  if (reference == ReferenceFrame::world) return cross(s, x) + slope;
  if (reference == ReferenceFrame::mixed) return turn_both(s.ang, x) + slope;
  return slope;
}

template <class T>
void set_column(const MatrixView<T>& to, int k, const Motion<T>& x) {
  const T numbers[] = {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
  for (std::size_t i = 0; i < 6; ++i) to(i, at(k)) = numbers[i];
}

// column(place, freedom) gives the two columns of each freedom above the place; those of others are zero.
template <class T, class F>
void fill_columns(const char* call, const Model& m, const KinematicsDerivativesWorkspace<T>& ws, const Place& place,
                  ReferenceFrame reference, const MatrixView<T>& dq, const MatrixView<T>& dv, F&& column) {
  ws.kinematics.made_for.check(call, m);
  check_index(call, "node", place.node, ws.kinematics.X.size());
  check_shape(call, "dq", dq, 6, at(m.nv()));
  check_shape(call, "dv", dv, 6, at(m.nv()));
  for (const MatrixView<T>* x : {&dq, &dv})
    for (std::size_t i = 0; i < 6; ++i) std::fill_n(x->data() + i * x->stride(), m.nv(), T{});

  const auto links = links_of<T>(m);
  int node = place.node;
  while (node > 0 && links[at(node)].nv == 0) node = links[at(node)].parent;
  if (node == 0) return;
  const SlopeNode<T>& here = ws.slopes.nodes[at(place.node)];
  const Transform<T> P = cast<T>(place.in_node) * Transform<T>{inverse(here.E), here.r};  // place <- common
  const Transform<T> W = cast<T>(place.in_node) * ws.kinematics.X[at(place.node)];        // place <- world
  const PlaceMotion<T> motion{apply(P, here.v), apply(P, here.a)};
  const auto express = [&](const Motion<T>& x) -> Motion<T> {
    if (reference == ReferenceFrame::body) return x;
    if (reference == ReferenceFrame::world) return apply_inverse(W, x);
    return {apply_inverse(W.E, x.ang), apply_inverse(W.E, x.lin)};
  };
  const int stride = padded_columns(m);
  const DofTree& tree = m.dof_tree();
  for (int k = links[at(node)].dof + links[at(node)].nv - 1; k >= 0; k = tree.parent(k)) {
    const auto get = [&](int which) {  // in the order of slope_scratch_of
      const T* x = ws.slopes.columns.data() + 6 * stride * which + k;
      return apply(P, Motion<T>{{x[0], x[stride], x[2 * stride]}, {x[3 * stride], x[4 * stride], x[5 * stride]}});
    };
    const auto [by_q, by_v] = column(motion, FreedomMotion<T>{get(0), get(1), get(2), get(3)});
    set_column(dq, tree.velocity(k), express(by_q));
    set_column(dv, tree.velocity(k), express(by_v));
  }
}

}  // namespace

template <class T>
KinematicsDerivativesWorkspace<T>::KinematicsDerivativesWorkspace(const Model& m) : slopes(m), kinematics(m) {}

template <class T>
void calc_kinematics_derivatives(const Model& m, KinematicsDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                 double time) {
  const char* call = "calc_kinematics_derivatives";
  check_state(call, m, ws.kinematics.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  calc_kinematics(m, ws.kinematics, q, time);
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.slopes, static_cast<Force<T>*>(nullptr));
  const auto acc = [a = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return a[k]; };
  place_nodes(m, ws.slopes, scratch, q.data(), v.data(), time);
  for (int i = 1; i < n; ++i)
    if (links[at(i)].parent == 0) scratch.nodes[i].up = {};  // no gravity
  sum_slope_nodes(links.data(), n, scratch, v.data(), acc);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);
}

template <class T>
void get_velocity_derivatives(const Model& m, const KinematicsDerivativesWorkspace<T>& ws, const Place& place,
                              ReferenceFrame reference, OutMatrix<T> dq, OutMatrix<T> dv) {
  fill_columns("get_velocity_derivatives", m, ws, place, reference, dq, dv,
               [&](const PlaceMotion<T>& p, const FreedomMotion<T>& k) {
                 return std::pair{add_turn(reference, k.s, p.V, k.psi), k.s};
               });
}

template <class T>
void get_acceleration_derivatives(const Model& m, const KinematicsDerivativesWorkspace<T>& ws, const Place& place,
                                  ReferenceFrame reference, OutMatrix<T> dq, OutMatrix<T> dv) {
  fill_columns("get_acceleration_derivatives", m, ws, place, reference, dq, dv,
               [&](const PlaceMotion<T>& p, const FreedomMotion<T>& k) {
                 return std::pair{add_turn(reference, k.s, p.A, cross(k.psi, p.V) + k.chi), cross(k.s, p.V) + k.phi};
               });
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template struct KinematicsDerivativesWorkspace<T>;                                                               \
  template void calc_kinematics_derivatives(const Model&, KinematicsDerivativesWorkspace<T>&, In<T>, In<T>, In<T>, \
                                            double);                                                               \
  template void get_velocity_derivatives(const Model&, const KinematicsDerivativesWorkspace<T>&, const Place&,     \
                                         ReferenceFrame, OutMatrix<T>, OutMatrix<T>);                              \
  template void get_acceleration_derivatives(const Model&, const KinematicsDerivativesWorkspace<T>&, const Place&, \
                                             ReferenceFrame, OutMatrix<T>, OutMatrix<T>);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
