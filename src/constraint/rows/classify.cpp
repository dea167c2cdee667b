// src/constraint/rows/classify.cpp
#include "sinew/constraint/rows/classify.hpp"

#include <algorithm>
#include <cmath>

#include "linear/matrix.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew {
namespace {

using linear::Matrix;

// [K, -k] at z = (q, t) and its derivative along dz.
struct Forms {
  Matrix A, dA;
};

Forms calc_forms(const VelocityConstraint& c, VectorView<const double> q, double t, const std::vector<double>& dz) {
  const int n = c.coordinates(), m = c.rows();
  std::vector<Dual> qd, K(at(n) * at(m)), k(at(m));
  for (int i = 0; i < n; ++i) qd.emplace_back(q[i], dz[i]);
  c.calc(qd.data(), Dual(t, dz[n]), K.data(), k.data());
  Forms f{Matrix(m, n + 1), Matrix(m, n + 1)};
  for (int r = 0; r < m; ++r) {
    for (int i = 0; i < n; ++i) f.A(r, i) = K[r * n + i].value, f.dA(r, i) = K[r * n + i].slope;
    f.A(r, n) = -k[r].value, f.dA(r, n) = -k[r].slope;
  }
  return f;
}

double largest_of(const Matrix& a) { return linear::largest_entry(a.data(), static_cast<int>(a.size())); }

// The motions of (q, t) that A takes to zero.
std::vector<std::vector<double>> find_allowed(const Matrix& A, double tolerance) {
  const linear::PivotedElimination e = linear::eliminate(A, tolerance);
  std::vector<std::vector<double>> out;
  std::vector<double> x(at(e.cols));
  for (int j = 0; j < e.cols - e.rank; ++j) {
    calc_null_column(e, j, x.data());
    std::vector<double>& motion = out.emplace_back(at(e.cols));
    for (int p = 0; p < e.rank; ++p) motion[e.col[p]] = x[p];
    motion[e.col[e.rank + j]] = 1;
  }
  return out;
}

}  // namespace

ConstraintClass classify(const VelocityConstraint& c, VectorView<const double> q, double t, double tolerance) {
  check_size("classify", "q", q.size(), static_cast<std::size_t>(c.coordinates()));
  const int n = c.coordinates();
  std::vector<double> along_time(at(n + 1));
  along_time[n] = 1;
  const Forms in_time = calc_forms(c, q, t, along_time);
  const Matrix& A = in_time.A;

  ConstraintClass out;
  out.equality = c.equality();
  out.rank = linear::eliminate({A.data(), at(A.rows()), at(n), at(n + 1)}, tolerance).rank;
  double scale = std::max(1.0, largest_of(A));

  // dA(u) w - dA(w) u for every two allowed motions u, w of (q, t).
  const std::vector<std::vector<double>> allowed = find_allowed(A, tolerance);
  std::vector<Matrix> dA;
  for (const std::vector<double>& u : allowed) {
    dA.push_back(calc_forms(c, q, t, u).dA);
    scale = std::max(scale, largest_of(dA.back()));
  }
  for (std::size_t i = 0; i < dA.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::vector<double> a = multiply(dA[i], allowed[j]), b = multiply(dA[j], allowed[i]);
      for (std::size_t r = 0; r < a.size(); ++r) out.curl = std::max(out.curl, std::abs(a[r] - b[r]));
    }
  out.holonomic = out.curl <= tolerance * scale;
  double in_k = 0;
  for (int r = 0; r < A.rows(); ++r) in_k = std::max(in_k, std::abs(A(r, n)));
  out.scleronomic = std::max(largest_of(in_time.dA), in_k) <= tolerance * scale;
  return out;
}

}  // namespace sinew
