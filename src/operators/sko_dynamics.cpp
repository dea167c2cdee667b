// src/operators/sko_dynamics.cpp
#include "sinew/operators/sko_dynamics.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/base/counted.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {

template <class T>
SkoDynamics<T>::SkoDynamics(const SkoModel<T>& model)
    : riccati(model),
      alpha(at(model.shape().size())),
      f(alpha),
      z(alpha),
      nu(at(model.shape().freedoms())),
      epsilon(nu),
      work(riccati.work.size()) {
  for (int k = 0; k < model.shape().nodes(); ++k) {
    composite.add(model.shape().size(k), model.shape().size(k));
    upsilon.add(model.shape().size(k), model.shape().size(k));
    hinge_compliance.add(model.shape().size(k), model.shape().size(k));
  }
}

template <class T>
void inverse_dynamics(const SkoModel<T>& model, SkoDynamics<T>& ws, In<T> qdd, Out<T> tau) {
  const Shape& s = model.shape();
  check_size("inverse_dynamics", "the accelerations", qdd.size(), at(s.freedoms()));
  check_size("inverse_dynamics", "the forces", tau.size(), at(s.freedoms()));
  ws.riccati.made_for.check("inverse_dynamics", model);
  for (const SweepNode& x : s.sweep()) {  // [J11 10]
    T *alpha = ws.alpha.data() + x.begin, *f = ws.f.data() + x.begin;
    std::copy_n(model.a().data() + x.begin, x.size, alpha);
    multiply_transposed<true>(x.size, x.freedoms, 1, model.H()[x.node], qdd.data() + x.freedom_begin, alpha);
    if (x.parent != kInertial)
      multiply_transposed<true>(x.size, x.parent_size, 1, model.A()[x.node], ws.alpha.data() + x.parent_begin, alpha);
    std::copy_n(model.b().data() + x.begin, x.size, f);
    multiply<true>(x.size, x.size, 1, model.M()[x.node], alpha, f);
  }
  for (std::size_t i = s.sweep().size(); i-- > 0;) {
    const SweepNode& x = s.sweep()[i];
    const T* f = ws.f.data() + x.begin;
    multiply<false>(x.freedoms, x.size, 1, model.H()[x.node], f, tau.data() + x.freedom_begin);
    if (x.parent != kInertial)
      multiply<true>(x.parent_size, x.size, 1, model.A()[x.node], f, ws.f.data() + x.parent_begin);
  }
}

template <class T>
void forward_dynamics(const SkoModel<T>& model, SkoDynamics<T>& ws, In<T> tau, Out<T> qdd) {
  const Shape& s = model.shape();
  check_size("forward_dynamics", "the forces", tau.size(), at(s.freedoms()));
  check_size("forward_dynamics", "the accelerations", qdd.size(), at(s.freedoms()));
  ws.riccati.made_for.check("forward_dynamics", model);
  const Riccati<T>& r = ws.riccati;
  if (const int bad = solve_riccati(model, ws.riccati); bad >= 0)
    throw std::invalid_argument("forward_dynamics: the hinge of " + s.describe(bad) +
                                " meets no inertia, or its hinge map has dependent rows; give M(k) inertia along it");
  std::copy(model.b().begin(), model.b().end(), ws.z.begin());
  for (std::size_t i = s.sweep().size(); i-- > 0;) {  // [J11 58a-58d]
    const SweepNode& x = s.sweep()[i];
    with_sizes(x, [&](int m, int n, int parent) SINEW_INLINE_LAMBDA {
      const T* T_k = tau.data() + x.freedom_begin;
      T *z = ws.z.data() + x.begin, *epsilon = ws.epsilon.data() + x.freedom_begin;
      multiply_transposed<true>(m, m, 1, r.P[x.node], model.a().data() + x.begin, z);  // P is symmetric
      multiply<false>(n, m, 1, model.H()[x.node], z, epsilon);
      for (int c = 0; c < n; ++c) epsilon[c] = T_k[c] - epsilon[c];
      multiply<false>(n, n, 1, r.D_inverse[x.node], epsilon, ws.nu.data() + x.freedom_begin);
      if (parent == 0) return;
      multiply<true>(m, n, 1, r.G[x.node], epsilon, z);  // z+
      multiply<true>(parent, m, 1, model.A()[x.node], z, ws.z.data() + x.parent_begin);
    });
  }
  for (const SweepNode& x : s.sweep()) {  // [J11 58e-58g]
    with_sizes(x, [&](int m, int n, int parent) SINEW_INLINE_LAMBDA {
      const T *nu = ws.nu.data() + x.freedom_begin, *bias = model.a().data() + x.begin;
      T *alpha = ws.alpha.data() + x.begin, *out = qdd.data() + x.freedom_begin;
      if (parent == 0)
        std::fill_n(alpha, m, lit<T>(0));
      else
        multiply_transposed<false>(m, parent, 1, model.A()[x.node], ws.alpha.data() + x.parent_begin, alpha);
      multiply_transposed<false>(n, m, 1, r.G[x.node], alpha, out);
      for (int c = 0; c < n; ++c) out[c] = nu[c] - out[c];
      multiply_transposed<true>(m, n, 1, model.H()[x.node], out, alpha);
      for (int c = 0; c < m; ++c) alpha[c] = alpha[c] + bias[c];
    });
  }
}

template <class T>
void calc_mass_matrix(const SkoModel<T>& model, SkoDynamics<T>& ws, OutMatrix<T> mass) {
  const Shape& s = model.shape();
  ws.riccati.made_for.check("calc_mass_matrix", model);
  check_size("calc_mass_matrix", "rows of the mass matrix", mass.rows(), at(s.freedoms()));
  check_size("calc_mass_matrix", "columns of the mass matrix", mass.cols(), at(s.freedoms()));
  solve_forward_lyapunov(s, model.A(), model.A(), model.M(), ws.composite);  // [J11 20]
  for (int i = 0; i < s.freedoms(); ++i)
    for (int j = 0; j < s.freedoms(); ++j) mass(at(i), at(j)) = lit<T>(0);
  for (int k = 0; k < s.nodes(); ++k) {
    const int n = s.freedoms(k);
    T *X = ws.work.data(), *next = X + ws.work.size() / 2;
    multiply_by_transposed<false>(s.size(k), s.size(k), n, ws.composite[k], model.H()[k], X);  // R H^*
    for (int j = k;; j = s.parent(j)) {
      for (int a = 0; a < s.freedoms(j); ++a)
        for (int b = 0; b < n; ++b) {
          T sum = lit<T>(0);
          for (int c = 0; c < s.size(j); ++c) sum = sum + model.H()[j][a * s.size(j) + c] * X[c * n + b];
          mass(at(s.freedom_begin(j) + a), at(s.freedom_begin(k) + b)) = sum;
          mass(at(s.freedom_begin(k) + b), at(s.freedom_begin(j) + a)) = sum;
        }
      if (s.parent(j) == kInertial) break;
      multiply<false>(s.size(s.parent(j)), s.size(j), n, model.A()[j], X, next);
      std::swap(X, next);
    }
  }
}

template <class T>
void calc_upsilon(const SkoModel<T>& model, SkoDynamics<T>& ws) {
  ws.riccati.made_for.check("calc_upsilon", model);
  const Shape& s = model.shape();
  const Riccati<T>& r = ws.riccati;
  for (int k = 0; k < s.nodes(); ++k) {
    multiply<false>(s.freedoms(k), s.freedoms(k), s.size(k), r.D_inverse[k], model.H()[k], ws.work.data());
    multiply_transposed<false>(s.size(k), s.freedoms(k), s.size(k), model.H()[k], ws.work.data(),
                               ws.hinge_compliance[k]);
  }
  solve_backward_lyapunov(s, r.psi, r.psi, ws.hinge_compliance, ws.upsilon);
}

void calc_compliance(const SkoModel<double>& model, SkoDynamics<double>& ws, const std::vector<PickOff>& points,
                     OutMatrix<double> Lambda) {
  const Shape& s = model.shape();
  const Riccati<double>& r = ws.riccati;
  ws.riccati.made_for.check("calc_compliance", model);
  int columns = 0;
  for (const PickOff& b : points) {
    check_index("calc_compliance", "node", b.node, at(s.nodes()));
    check_size("calc_compliance", "a block of B", b.block.size(), at(s.size(b.node) * b.columns));
    columns += b.columns;
  }
  check_size("calc_compliance", "rows of Lambda", Lambda.rows(), at(columns));
  check_size("calc_compliance", "columns of Lambda", Lambda.cols(), at(columns));
  calc_upsilon(model, ws);
  for (std::size_t i = 0, row = 0; i < points.size(); row += at(points[i].columns), ++i)
    for (std::size_t j = 0, col = 0; j <= i; col += at(points[j].columns), ++j) {
      const PickOff &a = points[i], &b = points[j];
      const std::vector<double> omega = calc_backward_block(s, r.psi, r.psi, ws.upsilon, a.node, b.node);
      for (int x = 0; x < a.columns; ++x)
        for (int y = 0; y < b.columns; ++y) {
          double sum = 0;
          for (int u = 0; u < s.size(a.node); ++u)
            for (int v = 0; v < s.size(b.node); ++v)
              sum +=
                  a.block[at(u * a.columns + x)] * omega[at(u * s.size(b.node) + v)] * b.block[at(v * b.columns + y)];
          Lambda(row + at(x), col + at(y)) = Lambda(col + at(y), row + at(x)) = sum;
        }
    }
}

#define SINEW_INSTANTIATE(T)                                                          \
  template struct SkoDynamics<T>;                                                     \
  template void inverse_dynamics(const SkoModel<T>&, SkoDynamics<T>&, In<T>, Out<T>); \
  template void forward_dynamics(const SkoModel<T>&, SkoDynamics<T>&, In<T>, Out<T>); \
  template void calc_mass_matrix(const SkoModel<T>&, SkoDynamics<T>&, OutMatrix<T>);  \
  template void calc_upsilon(const SkoModel<T>&, SkoDynamics<T>&);
SINEW_INSTANTIATE(double)
SINEW_INSTANTIATE(Counted)
#undef SINEW_INSTANTIATE

}  // namespace sinew::sko
