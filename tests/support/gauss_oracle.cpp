// tests/support/gauss_oracle.cpp
#include "support/gauss_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/index.hpp"

namespace sinew::test {
namespace {

using Real = GaussOracle::Real;

// x = U^-1 x and x = U^-T x, U upper triangular, n x n.
void solve_upper(const std::vector<Real>& U, int n, Real* x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= U[at(i * n + j)] * x[j];
    x[i] /= U[at(i * n + i)];
  }
}
void solve_upper_transpose(const std::vector<Real>& U, int n, Real* x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= U[at(j * n + i)] * x[j];
    x[i] /= U[at(i * n + i)];
  }
}
Real dot(const Real* a, const Real* b, int n) { return std::inner_product(a, a + n, b, Real{0}); }

}  // namespace

GaussOracle::GaussOracle(const std::vector<double>& H, const std::vector<double>& K, const std::vector<double>& f,
                         const std::vector<double>& k, const std::vector<double>& row_scale)
    : n_(static_cast<int>(f.size())), m_(static_cast<int>(k.size())), U_(H.begin(), H.end()), z_(f.begin(), f.end()) {
  // H = U U^T, from the last coordinate to the first.
  for (int j = n_ - 1; j >= 0; --j) {
    const Real own = U_[at(j * n_ + j)];
    Real pivot = own;
    for (int p = j + 1; p < n_; ++p) pivot -= U_[at(j * n_ + p)] * U_[at(j * n_ + p)];
    const double part = own > 0 ? static_cast<double>(pivot / own) : 0;
    if (part < least_inertia_) least_inertia_ = part, least_coordinate_ = j;
    if (!(part > 1e-17)) return;
    U_[at(j * n_ + j)] = std::sqrt(pivot);
    for (int i = 0; i < j; ++i) {
      Real& u = U_[at(i * n_ + j)];
      for (int p = j + 1; p < n_; ++p) u -= U_[at(i * n_ + p)] * U_[at(j * n_ + p)];
      u /= U_[at(j * n_ + j)];
    }
  }
  solve_upper(U_, n_, z_.data());
  B_.resize(at(m_ * n_));
  V_.assign(at(m_ * m_), 0);
  for (int r = 0; r < m_; ++r) {
    Real* column = B_.data() + r * n_;
    for (int j = 0; j < n_; ++j) column[j] = static_cast<Real>(K[at(r * n_ + j)]) * row_scale[at(r)];
    solve_upper(U_, n_, column);
    Sb_.push_back(static_cast<Real>(k[at(r)]) * row_scale[at(r)] - dot(column, z_.data(), n_));
    V_[at(r * m_ + r)] = 1;
  }
  // Turn pairs of columns until all are orthogonal.
  for (bool turned = true; turned;) {
    turned = false;
    for (int a = 0; a < m_; ++a)
      for (int b = a + 1; b < m_; ++b) {
        Real *x = B_.data() + a * n_, *y = B_.data() + b * n_;
        const Real xx = dot(x, x, n_), yy = dot(y, y, n_), xy = dot(x, y, n_);
        if (std::abs(xy) <= 1e-18L * std::sqrt(xx * yy) || std::abs(xy) <= 1e-36L) continue;
        turned = true;
        const Real angle = 0.5L * std::atan2(2 * xy, xx - yy), c = std::cos(angle), s = std::sin(angle);
        const auto turn = [&](Real* p, Real* q, int count) {
          for (int i = 0; i < count; ++i) {
            const Real old = p[i];
            p[i] = c * old + s * q[i];
            q[i] = c * q[i] - s * old;
          }
        };
        turn(x, y, n_);
        turn(V_.data() + a * m_, V_.data() + b * m_, m_);
      }
  }
  // Largest first.
  std::vector<int> order(at(m_));
  std::iota(order.begin(), order.end(), 0);
  std::vector<Real> size;
  for (int i = 0; i < m_; ++i) size.push_back(std::sqrt(dot(B_.data() + i * n_, B_.data() + i * n_, n_)));
  std::sort(order.begin(), order.end(), [&](int a, int b) { return size[at(a)] > size[at(b)]; });
  const std::vector<Real> B = B_, V = V_;
  for (int i = 0; i < m_; ++i) {
    std::copy_n(B.begin() + order[at(i)] * n_, n_, B_.begin() + i * n_);
    std::copy_n(V.begin() + order[at(i)] * m_, m_, V_.begin() + i * m_);
    s_.push_back(size[at(order[at(i)])]);
  }
}

std::vector<double> GaussOracle::acceleration(int rank) const {
  std::vector<Real> x = z_;
  for (int i = 0; i < rank; ++i) {
    const Real part = dot(V_.data() + i * m_, Sb_.data(), m_) / (s_[at(i)] * s_[at(i)]);
    for (int j = 0; j < n_; ++j) x[at(j)] += part * B_[at(i * n_ + j)];
  }
  solve_upper_transpose(U_, n_, x.data());
  return {x.begin(), x.end()};
}

double GaussOracle::contradiction(int rank) const {
  Real sum = 0;
  for (int i = rank; i < m_; ++i) {
    const Real part = dot(V_.data() + i * m_, Sb_.data(), m_);
    sum += part * part;
  }
  return static_cast<double>(std::sqrt(sum));
}

}  // namespace sinew::test
