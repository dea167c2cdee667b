// src/lcp/alart_curnier_sparse.cpp - one step where G is not built
// The map  F = r - P(y),  y = r - weight u,  linearized where u changes by  du + shift dr:
//   (1 - P' (1 - weight shift)) dr + weight P' du = -F
// and so  dr = -e - D du  with  B = 1 - P' (1 - weight shift),  e = B^-1 F,  D = weight B^-1 P', block by block.
#include <cmath>

#include "lcp/sparse_cone.hpp"
#include "linear/rows.hpp"
#include "sinew/lcp/alart_curnier.hpp"

namespace sinew::lcp {
namespace {

constexpr double kRefineShift = 1e-5;  // shift: D is its inverse, and so many digits are lost

// A row within bounds. `soft` is part of du = J dv + soft dr.
void linearize_row(double r, double y, double bound, bool free, double weight, double shift, double soft, double* e,
                   double* D) {
  *e = free ? (r - y) / (weight * shift) : r - bound;
  *D = free ? 1 / shift : 0;
  const double stretch = 1 + *D * soft;
  *e /= stretch, *D /= stretch;
}

struct Contact {
  double mu, preload, weight, shift;
  // D by rows.
  void linearize(const double* r, const double* y, double* e, double* D) const {
    const double step = weight * shift, keep = 1 - step;
    const bool closed = y[0] > 0;
    const double normal = closed ? y[0] : 0, radius = mu * (normal + preload);
    const double length = std::sqrt(y[1] * y[1] + y[2] * y[2]);
    for (int i = 0; i < 9; ++i) D[i] = 0;
    e[0] = closed ? (r[0] - normal) / step : r[0];
    D[0] = closed ? weight / step : 0;
    if (radius <= 0) {
      e[1] = r[1], e[2] = r[2];
      return;
    }
    if (length <= radius) {
      for (int i = 1; i < 3; ++i) e[i] = (r[i] - y[i]) / step, D[4 * i] = weight / step;
      return;
    }
    // Sliding: along the slip 1, across it 1 - k keep; the normal's part of P' is mu d.
    const double d[2] = {y[1] / length, y[2] / length}, k = radius / length, across = 1 / (1 - k * keep);
    const auto invert = [&](double n, double x, double z, double* out) {  // n: the change of the normal, known already
      if (closed) x += keep * mu * d[0] * n, z += keep * mu * d[1] * n;
      const double along = x * d[0] + z * d[1], side = (z * d[0] - x * d[1]) * across;
      out[0] = along * d[0] - side * d[1], out[1] = along * d[1] + side * d[0];
    };
    invert(e[0], r[1] - radius * d[0], r[2] - radius * d[1], e + 1);
    const double slopes[3][2] = {{closed ? mu * d[0] : 0, closed ? mu * d[1] : 0},
                                 {k * d[1] * d[1], -k * d[0] * d[1]},
                                 {-k * d[0] * d[1], k * d[0] * d[0]}};
    for (int c = 0; c < 3; ++c) {
      double column[2];
      invert(c == 0 ? D[0] / weight : 0, slopes[c][0], slopes[c][1], column);
      D[3 + c] = weight * column[0], D[6 + c] = weight * column[1];
    }
  }
};

}  // namespace

bool AlartCurnier::step_sparse(const ConeForm& f, const double* r, const double* u, double shift, double* next) {
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    double *e = rhs_.data() + n, *D = D_.data() + 9 * at(k), y[3];
    for (int i = 0; i < f.width(k); ++i) y[i] = r[n + i] - weight_ * u[n + i];
    if (f.width(k) == 1) {
      const double bound = f.clamp(k, y[0]);
      linearize_row(r[n], y[0], bound, bound == y[0], weight_, shift, f.sparse->softness(k), e, D);
    } else {
      const std::size_t c = at(k - f.unilateral);
      Contact{f.mu[c], f.preload[c], weight_, shift}.linearize(r + n, y, e, D);
    }
  }
  for (int i = 0; i < f.size; ++i) rhs_[i] = -rhs_[i];
  if (!f.sparse->factor(D_.data(), f.interrupt)) return false;
  f.sparse->solve(rhs_.data(), next, shift < kRefineShift);
  for (int i = 0; i < f.size; ++i) next[i] += r[i];
  return linear::is_finite(next, at(f.size));
}

}  // namespace sinew::lcp
