// src/tree/dca_closings.hpp - divide and conquer: rows that are closed inside an assembly, ties and borrowed inertias
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sinew/joint/motion.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/dca.hpp"

namespace sinew::dca_steps {

// a b^T; b is transposed first, so that the inner loops run along rows
template <class T>
__attribute__((noinline)) void times_transpose(const Mat6<T>& a, const Mat6<T>& b, Mat6<T>& out) {
  T t[6][6];
  for (int k = 0; k < 36; ++k) t[k / 6][k % 6] = b(k % 6, k / 6);
  for (int i = 0; i < 6; ++i) {
    T sum[6];
    for (int j = 0; j < 6; ++j) sum[j] = a(i, 0) * t[0][j];
    for (int k = 1; k < 6; ++k)
      for (int j = 0; j < 6; ++j) sum[j] += a(i, k) * t[k][j];
    for (int j = 0; j < 6; ++j) out(i, j) = sum[j];
  }
}
template <class T>
void subtract(const Mat6<T>& b, Mat6<T>& a) {
  for (int k = 0; k < 36; ++k) a(k / 6, k % 6) -= b(k / 6, k % 6);
}
template <class T>
std::array<T, 6> multiply(const Mat6<T>& a, const std::array<T, 6>& x) {
  std::array<T, 6> out;
  for (int i = 0; i < 6; ++i) {
    out[i] = a(i, 0) * x[0];
    for (int k = 1; k < 6; ++k) out[i] += a(i, k) * x[k];
  }
  return out;
}
template <class T>
Motion<T> operator*(const Mat6<T>& a, const Force<T>& f) {
  return to_motion(multiply(a, to_array(f)));
}

// C^+ of a semidefinite C: the inverse on rows that do not depend on others, zero elsewhere. A row depends on others
// where the pivot is less than kImpliedPivot of its scale. Returns how many do not.
inline int invert_semidefinite(Mat6<double> C, int n, const std::array<double, 6>& scale, Mat6<double>& out) {
  out = {};
  int kept[6], rank = 0;
  bool used[6] = {};
  for (Mat6<double> left = C; rank < n; ++rank) {
    int best = -1;
    double most = linear::kImpliedPivot;
    for (int i = 0; i < n; ++i)
      if (!used[i] && scale[at(i)] > 0 && left(i, i) > most * scale[at(i)]) most = left(i, i) / scale[at(i)], best = i;
    if (best < 0) break;
    used[best] = true;
    kept[rank] = best;
    const Mat6<double> before = left;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) left(i, j) -= before(i, best) * before(best, j) / before(best, best);
  }
  linear::SmallLdl<double> ldl{rank, {}};
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j <= i; ++j) ldl.a[i][j] = C(kept[i], kept[j]);
  ldl.factor();
  for (int j = 0; j < rank; ++j) {
    double x[6] = {};
    x[j] = 1;
    ldl.solve(x);
    for (int i = 0; i < rank; ++i) out(kept[i], kept[j]) = x[i];
  }
  return rank;
}

// The workspace and arguments of one call.
template <class T>
struct Closings {
  const Model& m;
  DcaWorkspace<T>& ws;
  using Plan = DcaPlan;
  using Assembly = DcaPlan::Assembly;

  Mat6<T>& phi(const Assembly& a, int i, int j) const { return ws.Phi[a.phi + at(i) * a.handles.size() + at(j)]; }
  const Assembly& part(int i) const { return ws.plan.assemblies[i]; }

  void mirror(const Assembly& a, int i, int j) const {
    for (int k = 0; k < 36; ++k) phi(a, j, i)(k % 6, k / 6) = phi(a, i, j)(k / 6, k % 6);
  }

  // column(row, place, force) for each column of F or B: a force on a handle of the part.
  template <class Fn>
  void for_columns(const Assembly& a, Fn&& column) const {
    if (a.kind == Plan::Kind::tie) {
      const DcaTie& tie = ws.plan.ties[a.tie];
      for (std::size_t e = 0; e < tie.entries.size(); ++e)
        column(tie.entries[e].row, a.places[e], ws.tie_forces[ws.plan.first_entry[a.tie] + e]);
      return;
    }
    const DcaPlan::Body& body = ws.plan.bodies[a.body];
    for (int k = 0; k < (body.mass > 0 ? 6 : 3); ++k)
      column(k, a.lower_place, lit<T>(std::sqrt(k < 3 ? body.turning : body.mass)) * detail::unit_force<T>(k));
  }
  // y = Z (k + sign F^T a), Phi + sign G Z G^T, where G = Phi F.
  static T sign_of(const Assembly& a) { return lit<T>(a.kind == Plan::Kind::tie ? -1 : 1); }
  void close(const Assembly& a) const {
    const Assembly& P = part(a.lower);
    const T sign = sign_of(a);
    Mat6<T>*G = ws.G.data() + a.g, *GZ = ws.GW.data() + a.g;
    for (std::size_t i = 0; i < P.handles.size(); ++i) {
      G[i] = {};
      for_columns(a, [&](int r, int place, const Force<T>& F) {
        const std::array<T, 6> x = to_array(phi(P, int(i), place) * F);
        for (int k = 0; k < 6; ++k) G[i](k, r) += x[at(k)];
      });
    }
    Mat6<T> C{};
    std::array<T, 6> rest{};
    for_columns(a, [&](int r, int place, const Force<T>& F) {
      const std::array<T, 6> x = to_array(F);
      for (int s = 0; s < 6; ++s)
        for (int k = 0; k < 6; ++k) C(r, s) += x[at(k)] * G[place](k, s);
      rest[at(r)] += sign * dot(ws.b[P.first + at(place)], F);
    });
    Mat6<T>& Z = ws.Z[a.closing];
    if (a.kind == Plan::Kind::tie) {
      for (int r = 0; r < ws.plan.ties[a.tie].rows; ++r) rest[at(r)] += ws.tie_k[ws.plan.first_row[a.tie] + at(r)];
      invert_tie(a, C, Z);
    } else {
      for (int k = 0; k < 36; ++k) C(k / 6, k % 6) = lit<T>(k / 6 == k % 6 ? 1 : 0) - C(k / 6, k % 6);
      Z = linear::inverse_of(C);
    }
    const std::array<T, 6>& y0 = ws.y0[a.closing] = multiply(Z, rest);
    Mat6<T> more;
    for (std::size_t i = 0; i < a.handles.size(); ++i) {
      const int pi = a.handles[i].place;
      times_transpose(G[pi], Z, GZ[pi]);
      ws.b[a.first + i] = ws.b[P.first + at(pi)] + to_motion(multiply(G[pi], y0));
      for (std::size_t j = 0; j <= i; ++j) {
        const int pj = a.handles[j].place;
        times_transpose(GZ[pi], G[pj], more);
        Mat6<T>& ij = phi(a, int(i), int(j)) = phi(P, pi, pj);
        for (int k = 0; k < 36; ++k) ij(k / 6, k % 6) += sign * more(k / 6, k % 6);
        mirror(a, int(i), int(j));
      }
    }
  }
  // Rows are compared with what their bodies would give way alone.
  void invert_tie(const Assembly& a, const Mat6<T>& C, Mat6<T>& Z) const {
    if constexpr (std::is_same_v<T, double>) {
      std::array<double, 6> scale{};
      const DcaTie& tie = ws.plan.ties[a.tie];
      for (std::size_t e = 0; e < tie.entries.size(); ++e) {
        const Force<T>& F = ws.tie_forces[ws.plan.first_entry[a.tie] + e];
        const int body = part(a.lower).handles[at(a.places[e])].body;
        scale[at(tie.entries[e].row)] += dot(phi(part(ws.plan.leaves[body]), 0, 0) * F, F);
      }
      ws.ranks[a.closing] = invert_semidefinite(C, tie.rows, scale, Z);
    }
  }

  void open(const Assembly& a) const {
    const Assembly& P = part(a.lower);
    std::array<T, 6> sum{};  // G^T f
    for (std::size_t i = 0; i < P.handles.size(); ++i) {
      const std::array<T, 6> f = to_array(ws.f[P.first + i]);
      for (int r = 0; r < 6; ++r)
        for (int k = 0; k < 6; ++k) sum[at(r)] += ws.G[a.g + i](k, r) * f[at(k)];
    }
    std::array<T, 6>& y = ws.y[a.closing] = multiply(ws.Z[a.closing], sum);
    for (int r = 0; r < 6; ++r) y[at(r)] = ws.y0[a.closing][at(r)] + sign_of(a) * y[at(r)];
    for_columns(a, [&](int r, int place, const Force<T>& F) { ws.f[P.first + at(place)] += y[at(r)] * F; });
  }
};

}  // namespace sinew::dca_steps
