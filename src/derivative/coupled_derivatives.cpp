// src/derivative/coupled_derivatives.cpp
#include "sinew/derivative/coupled_derivatives.hpp"

#include <limits>
#include <string>

#include "base/polynomial.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

std::vector<int> order_couplings(const Model& m) {
  const auto refuse = [](const CouplingEntry& c, const char* why) {
    throw std::invalid_argument("CoupledDerivativesWorkspace: coupling '" + c.name + "' " + why);
  };
  std::vector<int> by(at(m.nv()), -1), out;  // (nv) the coupling that determines it
  for (std::size_t i = 0; i < m.couplings().size(); ++i) {
    const CouplingEntry& c = m.couplings()[i];
    if (!c.active) continue;
    if (by[at(c.v)] >= 0) refuse(c, "determines a coordinate that another one determines too");
    by[at(c.v)] = static_cast<int>(i);
  }
  std::vector<char> state(m.couplings().size());  // 1: under way, 2: in its place
  const auto visit = [&](auto&& self, int i) -> void {
    const CouplingEntry& c = m.couplings()[at(i)];
    if (state[at(i)] == 1) refuse(c, "depends on itself");
    if (state[at(i)] == 2) return;
    state[at(i)] = 1;
    for (const CouplingEntry::Term& t : c.terms)
      if (by[at(t.v)] >= 0) self(self, by[at(t.v)]);
    state[at(i)] = 2;
    out.push_back(i);
  };
  for (const int i : by)
    if (i >= 0) visit(visit, i);
  return out;
}
std::vector<int> find_independent(const Model& m) {
  std::vector<char> dependent(at(m.nv()));
  for (const CouplingEntry& c : m.couplings())
    if (c.active) dependent[at(c.v)] = 1;
  std::vector<int> out;
  for (int k = 0; k < m.nv(); ++k)
    if (!dependent[at(k)]) out.push_back(k);
  return out;
}

double* row_of(std::vector<double>& x, int i, std::size_t cols) { return x.data() + at(i) * cols; }

// q, v, a and G, V, A, B of the tree.
void expand_couplings(const Model& m, CoupledDerivativesWorkspace& ws, In<double> q, In<double> w, const double* dw) {
  const std::size_t n = ws.independent.size();
  std::copy(q.data(), q.data() + q.size(), ws.q.begin());
  for (std::vector<double>* x : {&ws.v, &ws.a, &ws.G, &ws.V, &ws.A, &ws.B}) std::fill(x->begin(), x->end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const int k = ws.independent[j];
    ws.v[at(k)] = w[j], ws.a[at(k)] = dw ? dw[j] : 0;
    row_of(ws.G, k, n)[j] = 1;
  }
  for (const int i : ws.order) {
    const CouplingEntry& c = m.couplings()[at(i)];
    double *G = row_of(ws.G, c.v, n), *V = row_of(ws.V, c.v, n), *A = row_of(ws.A, c.v, n), *B = row_of(ws.B, c.v, n);
    ws.q[at(c.q)] = c.offset;
    for (const CouplingEntry::Term& t : c.terms) {
      const PolynomialSlopes p = evaluate_polynomial(t.coefficients, ws.q[at(t.q)] - t.reference);
      const double v = ws.v[at(t.v)], a = ws.a[at(t.v)];
      ws.q[at(c.q)] += p.value;
      ws.v[at(c.v)] += p.first * v;
      ws.a[at(c.v)] += p.first * a + p.second * v * v;
      const double *g = row_of(ws.G, t.v, n), *by_v = row_of(ws.V, t.v, n), *by_a = row_of(ws.A, t.v, n),
                   *b = row_of(ws.B, t.v, n);
      for (std::size_t j = 0; j < n; ++j) {
        G[j] += p.first * g[j];
        V[j] += p.first * by_v[j] + p.second * v * g[j];
        A[j] += p.first * by_a[j] + 2 * p.second * v * by_v[j] + (p.second * a + p.third * v * v) * g[j];
        B[j] += p.first * b[j] + 2 * p.second * v * g[j];
      }
    }
  }
}

// out = G^T work.
void reduce(CoupledDerivativesWorkspace& ws, std::size_t nv, const MatrixView<double>& out) {
  const std::size_t n = ws.independent.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out(i, j) = 0;
  for (std::size_t k = 0; k < nv; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const double g = ws.G[k * n + i];
      if (g == 0) continue;
      for (std::size_t j = 0; j < n; ++j) out(i, j) += g * ws.work[k * n + j];
    }
}
// work += D X, with D (nv x nv) and X (nv x n_y).
void add_product(CoupledDerivativesWorkspace& ws, std::size_t nv, const std::vector<double>& D,
                 const std::vector<double>& X) {
  const std::size_t n = ws.independent.size();
  for (std::size_t i = 0; i < nv; ++i)
    for (std::size_t k = 0; k < nv; ++k) {
      const double d = D[i * nv + k];
      if (d == 0) continue;
      for (std::size_t j = 0; j < n; ++j) ws.work[i * n + j] += d * X[k * n + j];
    }
}
// K of (1): from the last coupling to the first, each hands its load on to what it depends on.
void add_curvature(const Model& m, CoupledDerivativesWorkspace& ws, const MatrixView<double>& out) {
  const std::size_t n = ws.independent.size();
  ws.load = ws.tau;
  for (std::size_t o = ws.order.size(); o-- > 0;) {
    const CouplingEntry& c = m.couplings()[at(ws.order[o])];
    for (const CouplingEntry::Term& t : c.terms) {
      const PolynomialSlopes p = evaluate_polynomial(t.coefficients, ws.q[at(t.q)] - t.reference);
      const double load = ws.load[at(c.v)];
      ws.load[at(t.v)] += p.first * load;
      if (p.second == 0) continue;
      const double* g = row_of(ws.G, t.v, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) out(i, j) += load * p.second * g[i] * g[j];
    }
  }
}

// (1) and (2) at the state of ws.
void calc_reduced(const Model& m, CoupledDerivativesWorkspace& ws, Out<double> T, const MatrixView<double>& dy,
                  const MatrixView<double>& dw, const MatrixView<double>& M_y, const Surroundings<double>& s) {
  const std::size_t nv = at(m.nv()), n = ws.independent.size();
  const auto square = [nv](std::vector<double>& x) { return MatrixView<double>(x.data(), nv, nv); };
  calc_rnea_derivatives<double>(m, ws.inverse, ws.q, ws.v, ws.a, ws.tau, square(ws.dq), square(ws.dv), square(ws.M), s);
  for (std::size_t j = 0; j < n; ++j) {
    T[j] = 0;
    for (std::size_t k = 0; k < nv; ++k) T[j] += ws.G[k * n + j] * ws.tau[k];
  }
  std::fill(ws.work.begin(), ws.work.end(), 0.0);
  add_product(ws, nv, ws.dq, ws.G), add_product(ws, nv, ws.dv, ws.V), add_product(ws, nv, ws.M, ws.A);
  reduce(ws, nv, dy);
  add_curvature(m, ws, dy);
  std::fill(ws.work.begin(), ws.work.end(), 0.0);
  add_product(ws, nv, ws.dv, ws.G), add_product(ws, nv, ws.M, ws.B);
  reduce(ws, nv, dw);
  std::fill(ws.work.begin(), ws.work.end(), 0.0);
  add_product(ws, nv, ws.M, ws.G);
  reduce(ws, nv, M_y);
}

struct NamedMatrix {
  const char* name;
  const MatrixView<double>& matrix;
};
// The sizes of what a call reads and fills.
void check_reduced(const char* call, const Model& m, const CoupledDerivativesWorkspace& ws, std::size_t q,
                   std::size_t w, std::size_t dw, std::size_t T, std::initializer_list<NamedMatrix> matrices) {
  const std::size_t n = ws.independent.size();
  check_position(call, m, ws.inverse.made_for, q);
  check_size(call, "w", w, n);
  check_size(call, "dw", dw, n);
  check_size(call, "T", T, n);
  for (const NamedMatrix& x : matrices) check_shape(call, x.name, x.matrix, n, n);
}

}  // namespace

CoupledDerivativesWorkspace::CoupledDerivativesWorkspace(const Model& m)
    : independent(find_independent(m)),
      inverse(m),
      order(order_couplings(m)),
      q(at(m.nq())),
      v(at(m.nv())),
      a(v),
      tau(v),
      G(v.size() * independent.size()),
      V(G),
      A(G),
      B(G),
      dq(v.size() * v.size()),
      dv(dq),
      M(dq),
      work(G),
      load(v),
      factor(static_cast<int>(independent.size())),
      column(independent.size()) {}

void set_dependent_positions(const Model& m, const CoupledDerivativesWorkspace& ws, Out<double> q) {
  check_position("set_dependent_positions", m, ws.inverse.made_for, q.size());
  for (const int i : ws.order) {
    const CouplingEntry& c = m.couplings()[at(i)];
    double x = c.offset;
    for (const CouplingEntry::Term& t : c.terms)
      x += evaluate_polynomial(t.coefficients, q[at(t.q)] - t.reference).value;
    q[at(c.q)] = x;
  }
}

void calc_coupled_rnea_derivatives(const Model& m, CoupledDerivativesWorkspace& ws, In<double> q, In<double> w,
                                   In<double> dw, Out<double> T, OutMatrix<double> dT_dy, OutMatrix<double> dT_dw,
                                   OutMatrix<double> M_y, const Surroundings<double>& s) {
  check_reduced("calc_coupled_rnea_derivatives", m, ws, q.size(), w.size(), dw.size(), T.size(),
                {{"dT_dy", dT_dy}, {"dT_dw", dT_dw}, {"M_y", M_y}});
  expand_couplings(m, ws, q, w, dw.data());
  calc_reduced(m, ws, T, dT_dy, dT_dw, M_y, s);
}

void calc_coupled_aba_derivatives(const Model& m, CoupledDerivativesWorkspace& ws, In<double> q, In<double> w,
                                  In<double> T, Out<double> dw, OutMatrix<double> ddw_dy, OutMatrix<double> ddw_dw,
                                  OutMatrix<double> M_y_inverse, const Surroundings<double>& s) {
  check_reduced("calc_coupled_aba_derivatives", m, ws, q.size(), w.size(), dw.size(), T.size(),
                {{"ddw_dy", ddw_dy}, {"ddw_dw", ddw_dw}, {"M_y_inverse", M_y_inverse}});
  const std::size_t n = ws.independent.size();

  // M_y dw = T - (T of dw = 0)
  expand_couplings(m, ws, q, w, nullptr);
  calc_reduced(m, ws, dw, ddw_dy, ddw_dw, M_y_inverse, s);
  ws.factor.resize(static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) ws.factor(static_cast<int>(i), static_cast<int>(j)) = M_y_inverse(i, j);
  if (!linear::factor(ws.factor)) {
    for (std::size_t i = 0; i < n; ++i) {
      dw[i] = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t j = 0; j < n; ++j) ddw_dy(i, j) = ddw_dw(i, j) = M_y_inverse(i, j) = dw[i];
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) ws.column[i] = T[i] - dw[i];
  linear::solve(ws.factor, ws.column.data());
  std::copy(ws.column.begin(), ws.column.end(), dw.data());

  // (3), at that dw
  expand_couplings(m, ws, q, w, dw.data());
  calc_reduced(m, ws, ws.column, ddw_dy, ddw_dw, M_y_inverse, s);
  const auto divide = [&](const MatrixView<double>& X, double sign) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) ws.column[i] = sign * X(i, j);
      linear::solve(ws.factor, ws.column.data());
      for (std::size_t i = 0; i < n; ++i) X(i, j) = ws.column[i];
    }
  };
  divide(ddw_dy, -1), divide(ddw_dw, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) M_y_inverse(i, j) = i == j ? 1 : 0;
  divide(M_y_inverse, 1);
}

}  // namespace sinew
