// src/operators/riccati.cpp
#include "sinew/operators/riccati.hpp"

#include <algorithm>
#include <cmath>

#include "operators/plain_number.hpp"
#include "sinew/linear/kernel/symmetric_inverse.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {
template <class T>
Riccati<T>::Riccati(const SkoModel<T>& model) : made_for(model) {
  const Shape& s = model.shape();
  int most = 0;
  for (int k = 0; k < s.nodes(); ++k) {
    const int m = s.size(k), r = s.freedoms(k), p = s.parent(k) == kInertial ? 0 : s.size(s.parent(k));
    P.add(m, m), P_plus.add(m, m), tau.add(m, m), tau_bar.add(m, m);
    D.add(r, r), D_inverse.add(r, r), G.add(m, r);
    psi.add(p, m), K.add(p, r);
    most = std::max(most, m);
  }
  pivots.resize(at(s.freedoms()));
  work.resize(at(2 * most * most));
}

template <class T>
int solve_riccati(const SkoModel<T>& model, Riccati<T>& r) {
  r.made_for.check("solve_riccati", model);
  const Shape& s = model.shape();
  T *U = r.work.data(), *W = U + r.work.size() / 2;
  const auto is_above = [](const T& a, const T& b) { return plain_number(a) > plain_number(b); };
  int bad = -1;
  for (const SweepNode& x : s.sweep()) std::copy(model.M()[x.node], model.M()[x.node] + x.size * x.size, r.P[x.node]);
  for (std::size_t i = s.sweep().size(); i-- > 0;) {
    const SweepNode& x = s.sweep()[i];
    const int k = x.node, m = x.size, n = x.freedoms;
    T *P = r.P[k], *G = r.G[k], *plus = r.P_plus[k];
    multiply_by_transposed<false>(m, m, n, P, model.H()[k], U);  // P H^*
    multiply<false>(n, m, n, model.H()[k], U, r.D[k]);           // D = H P H^*
    if (!linear::invert_symmetric(n, r.D[k], r.D_inverse[k], r.pivots.data() + x.freedom_begin, W, linear::kNoInertia,
                                  is_above) &&
        bad < 0)
      bad = k;
    multiply<false>(m, n, n, U, r.D_inverse[k], G);  // G = P H^* D^-1
    if (n == 1) {                                    // P+ = P - G D G^* = P - G U^*
      for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) plus[a * m + b] = P[a * m + b] - G[a] * U[b];
    } else {
      for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) {
          plus[a * m + b] = P[a * m + b];
          for (int c = 0; c < n; ++c) plus[a * m + b] = plus[a * m + b] - G[a * n + c] * U[b * n + c];
        }
    }
    if (x.parent == kInertial) continue;
    multiply<false>(x.parent_size, m, m, model.A()[k], plus, W);
    multiply_by_transposed<true>(x.parent_size, m, x.parent_size, W, model.A()[k], r.P[x.parent]);  // [J11 33]
  }
  return bad;
}

template <class T>
void calc_propagators(const SkoModel<T>& model, Riccati<T>& r) {
  r.made_for.check("calc_propagators", model);
  const Shape& s = model.shape();
  for (int k = 0; k < s.nodes(); ++k) {
    const int m = s.size(k), f = s.freedoms(k), p = r.psi.rows(k);
    multiply<false>(m, f, m, r.G[k], model.H()[k], r.tau[k]);
    for (int i = 0; i < m * m; ++i) r.tau_bar[k][i] = lit<T>(i % (m + 1) == 0 ? 1 : 0) - r.tau[k][i];
    multiply<false>(p, m, m, model.A()[k], r.tau_bar[k], r.psi[k]);  // [J11 35]
    multiply<false>(p, m, f, model.A()[k], r.G[k], r.K[k]);          // [J11 37], corrected
  }
}

double calc_log_determinant(const SkoModel<double>& model, const Riccati<double>& r) {
  r.made_for.check("calc_log_determinant", model);
  double sum = 0;
  for (const double d : r.pivots) sum += std::log(d);  // [J11 53]
  return sum;
}

template struct Riccati<double>;
template struct Riccati<Counted>;
template int solve_riccati(const SkoModel<double>&, Riccati<double>&);
template int solve_riccati(const SkoModel<Counted>&, Riccati<Counted>&);
template void calc_propagators(const SkoModel<double>&, Riccati<double>&);
template void calc_propagators(const SkoModel<Counted>&, Riccati<Counted>&);

}  // namespace sinew::sko
