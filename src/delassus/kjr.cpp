// src/delassus/kjr.cpp
#include "sinew/delassus/kjr.hpp"

#include <algorithm>
#include <array>

#include "base/scalar_pass.hpp"
#include "responses.hpp"

namespace sinew::delassus {
namespace {

constexpr int kStride = 16;  // of six columns, with room for one more register

template <class T>
void transpose(const SpatialColumns<T>& A) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < r; ++c) std::swap(A.row(r)[c], A.row(c)[r]);
}
template <class T>
std::array<T, 6> numbers_of(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}

// Omega = (1 - S k^T) Omega (1 - k S^T) + S S^T / D for one freedom.
template <class T>
void let_move(const SpatialColumns<T>& Omega, const Motion<T>& S, const Force<T>& k, const T& Dinv) {
  const std::array<T, 6> s = numbers_of(S.ang, S.lin), f = numbers_of(k.ang, k.lin);
  T w[6], sum = Dinv;
  for (int r = 0; r < 6; ++r) {
    w[r] = lit<T>(0);
    for (int c = 0; c < 6; ++c) w[r] += Omega.row(r)[c] * f[c];
  }
  for (int c = 0; c < 6; ++c) sum += f[c] * w[c];
  for (int r = 0; r < 6; ++r) {
    const T along = s[r] * sum - w[r];
    for (int c = 0; c <= r; ++c) {
      T& x = Omega.row(r)[c];
      x = x + along * s[c] - s[r] * w[c];
      Omega.row(c)[r] = x;
    }
  }
}

}  // namespace

template <class T>
KjrWorkspace<T>::KjrWorkspace(const Model& m, const Problem& problem_in)
    : problem(problem_in),
      inertias(m),
      Omega(node_count(m) * 6 * kStride),
      work(2 * 6 * kStride),
      rows(6 * at(problem.columns() + kStride)),
      Lambda(at(problem.columns() + 1) * at(problem.columns() + kStride)),
      path(node_count(m)),
      stride(problem.columns() + kStride) {
  problem.made_for().check("KjrWorkspace", m, "the problem");
  for (const EndEffector& a : problem.ends())
    for (const EndEffector& b : problem.ends()) meets.push_back(m.topology().closest_common_ancestor(a.node, b.node));
}

template <class T>
void kjr(const Model& m, KjrWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  const Problem& p = ws.problem;
  check_call<T>("kjr", m, p, q, K, W);
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  prepare(m, ws.inertias, q.data(), time, true);
  articulated_sweep<T>(links.data(), n, scratch_of(ws.inertias), m.dof_tree().velocities().data(), m.armature().data(),
                       StoredTurns<T>{ws.inertias.turns.data()}, ShiftOf<T>{q.data()}, CarryNothing{});

  // Omega of every node that carries rows, base to tip
  const auto omega_of = [&](int i) { return SpatialColumns<T>{ws.Omega.data() + i * 6 * kStride, kStride}; };
  const SpatialColumns<T> A{ws.work.data(), kStride}, B{ws.work.data() + 6 * kStride, kStride};
  std::fill(ws.Omega.begin(), ws.Omega.begin() + 6 * kStride, lit<T>(0));
  for (int i = 1; i < n; ++i) {
    if (!p.supports(i)) continue;
    const auto& l = links[i];
    const JointView<T, ConstantOf<T>> joint = joint_of(l, ws.inertias, i, q.data());
    push_out(joint, omega_of(l.parent), A, 0, 6);
    transpose(A);
    push_out(joint, A, omega_of(i), 0, 6);
    for (int k = 0; k < l.nv; ++k)
      let_move(omega_of(i), joint.axis(k), ws.inertias.k[l.dof + k], ws.inertias.Dinv[l.dof + k]);
  }

  // A = Omega of `from`, seen from `to` on its left side
  const auto carry_out = [&](int from, int to) {
    int length = 0;
    for (int i = to; i != from; i = links[i].parent) ws.path[length++] = i;
    while (length > 0) {
      const int i = ws.path[--length];
      const auto& l = links[i];
      const JointView<T, ConstantOf<T>> joint = joint_of(l, ws.inertias, i, q.data());
      push_out(joint, A, B, 0, 6);
      for (int c = 0; c < 6; ++c) std::copy_n(B.row(c), 6, A.row(c));
      for (int k = 0; k < l.nv; ++k) follow<T>(joint.axis(k), ws.inertias.k[l.dof + k], nullptr, A, 0, 6);
    }
  };
  const std::size_t ends = p.ends().size();
  const SpatialColumns<T> response{ws.rows.data(), ws.stride};
  std::fill(ws.Lambda.begin(), ws.Lambda.end(), lit<T>(0));
  for (std::size_t e = 0; e < ends; ++e)
    for (std::size_t f = e; f < ends; ++f) {
      const EndEffector &a = p.ends()[e], &b = p.ends()[f];
      const int c = ws.meets[e * ends + f];
      if (c == 0) continue;
      for (int r = 0; r < 6; ++r) std::copy_n(omega_of(c).row(r), 6, A.row(r));
      carry_out(c, b.node);
      transpose(A);
      carry_out(c, a.node);
      for (int j = b.begin; j < b.end; ++j) {  // A K of end-effector b
        const Force<T>& k = K[p.entry_of(j)];
        const std::array<T, 6> x = numbers_of(k.ang, k.lin);
        for (int r = 0; r < 6; ++r) {
          T sum = A.row(r)[0] * x[0];
          for (int s = 1; s < 6; ++s) sum += A.row(r)[s] * x[s];
          response.row(r)[j] = sum;
        }
      }
      for (int i = a.begin; i < a.end; ++i) {
        const Force<T>& k = K[p.entry_of(i)];
        const std::array<T, 6> x = numbers_of(k.ang, k.lin);
        for (int j = std::max(i, b.begin); j < b.end; ++j) {
          T sum = x[0] * response.row(0)[j];
          for (int s = 1; s < 6; ++s) sum += x[s] * response.row(s)[j];
          ws.Lambda[at(i) * at(ws.stride) + at(j)] = sum;
        }
      }
    }
  to_rows(p, ws.Lambda.data(), ws.stride, W);
}

#define SINEW_INSTANTIATE(T)       \
  template struct KjrWorkspace<T>; \
  template void kjr(const Model&, KjrWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
