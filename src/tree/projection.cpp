// src/tree/projection.cpp
#include "sinew/tree/projection.hpp"

#include <algorithm>

#include "base/scalar_pass.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// Six rows of J, in the order of the tree's freedoms: the joint motions on the path, seen from the handle.
template <class T>
void set_jacobian(const Model& m, const ProjectionWorkspace<T>& ws, const Place& place, T* rows) {
  const std::size_t nv = at(m.nv());
  std::fill(rows, rows + 6 * nv, lit<T>(0));
  Transform<T> X = cast<T>(place.in_node);
  for (std::size_t i = at(place.node); i != 0; i = at(m.nodes()[i].parent)) {
    const Node& n = m.nodes()[i];
    for (int v = n.v; v < n.v + n.nv; ++v) {
      const std::array<T, 6> column = to_array(apply(X, ws.dynamics.motions.S[v]));
      for (std::size_t r = 0; r < 6; ++r) rows[r * nv + at(ws.freedom[v])] = column[r];
    }
    X = X * ws.dynamics.motions.X[i];
  }
}

}  // namespace

template <class T>
ProjectionWorkspace<T>::ProjectionWorkspace(const Model& m, std::vector<Place> on)
    : handles(std::move(on)),
      dynamics(m, HybridSplit(m, {})),
      freedom(at(m.nv())),
      a(at(m.nv())),
      tau(at(m.nv())),
      Y(6 * handles.size() * at(m.nv())) {
  const DofTree& tree = dynamics.split.forward_tree();
  for (int k = 0; k < tree.size(); ++k) freedom[tree.velocity(k)] = k;
}

template <class T>
void project(const Model& m, ProjectionWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, OutMatrix<T> Phi, Out<T> b,
             const std::type_identity_t<Surroundings<T>>& around) {
  const std::size_t rows = 6 * ws.handles.size(), nv = at(m.nv());
  check_shape("project", "Phi", Phi, rows, rows);
  check_size("project", "b", b.size(), rows);
  check_size("project", "tau", tau.size(), nv);
  HybridCrbaWorkspace<T>& d = ws.dynamics;
  const DofTree& tree = d.split.forward_tree();
  std::copy(tau.begin(), tau.end(), ws.tau.begin());
  hybrid_crba(m, d, q, v, ws.a, ws.tau, around);
  // b: accelerations of the nodes [F08 7.7, 7.10]
  d.a[0] = {};
  for (std::size_t i = 1; i < d.a.size(); ++i) {
    const Node& n = m.nodes()[i];
    d.a[i] = apply(d.motions.X[i], d.a[n.parent]) + d.motions.c[i];
    for (int j = n.v; j < n.v + n.nv; ++j) d.a[i] += ws.a[j] * d.motions.S[j];
  }
  for (std::size_t h = 0; h < ws.handles.size(); ++h) {
    const Place& place = ws.handles[h];
    const std::array<T, 6> e = to_array(apply(cast<T>(place.in_node), d.a[place.node]));
    for (std::size_t i = 0; i < 6; ++i) b[6 * h + i] = e[i];
    // Y = L^-T J^T
    T* Y = ws.Y.data() + 6 * h * nv;
    set_jacobian(m, ws, place, Y);
    for (std::size_t i = 0; i < 6; ++i) kernel::solve_l_transpose<true>(tree, d.H.data(), Y + i * nv);
  }
  // Phi = Y^T D^-1 Y [F08 7.9]
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      T sum{};
      for (std::size_t k = 0; k < nv; ++k) {
        const T w = d.H[tree.row(int(k)) + at(tree.depth(int(k)))];
        sum += ws.Y[i * nv + k] * w * ws.Y[j * nv + k];
      }
      Phi(i, j) = Phi(j, i) = sum;
    }
}

#define SINEW_INSTANTIATE(T)                                                                              \
  template struct ProjectionWorkspace<T>;                                                                 \
  template void project(const Model&, ProjectionWorkspace<T>&, In<T>, In<T>, In<T>, OutMatrix<T>, Out<T>, \
                        const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
