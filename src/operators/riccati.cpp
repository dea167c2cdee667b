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
  r.P.copy_values(model.M());
  for (std::size_t i = s.sweep().size(); i-- > 0;) {
    const SweepNode& x = s.sweep()[i];
    with_sizes(x, [&](int m, int n, int parent) SINEW_INLINE_LAMBDA {
      const int k = x.node;
      const T *H = model.H()[k], *P = r.P[k];
      T *G = r.G[k], *plus = r.P_plus[k];
      if (n == 1)
        multiply_transposed<false>(m, m, 1, P, H, U);  // P H^*; P is symmetric
      else
        multiply_by_transposed<false>(m, m, n, P, H, U);
      multiply<false>(n, m, n, H, U, r.D[k]);  // D = H P H^*
      if (!linear::invert_symmetric(n, r.D[k], r.D_inverse[k], r.pivots.data() + x.freedom_begin, W, linear::kNoInertia,
                                    is_above) &&
          bad < 0)
        bad = k;
      multiply<false>(m, n, n, U, r.D_inverse[k], G);  // G = P H^* D^-1
      for (int a = 0; a < m; ++a)                      // P+ = P - G D G^* = P - G U^*
        for (int b = 0; b < m; ++b) {
          T sum = P[a * m + b];
          for (int c = 0; c < n; ++c) sum = sum - G[a * n + c] * U[b * n + c];
          plus[a * m + b] = sum;
        }
      if (parent > 0) add_congruence(parent, m, model.A()[k], plus, W, r.P[x.parent]);  // [J11 33]
    });
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
