// src/linear/matrix.cpp
#include "linear/matrix.hpp"

#include "linear/rows.hpp"
#include "linear/wide.hpp"

namespace sinew::linear {
namespace {

// Adds four rows of B at once to two rows of a product: c += a[0] b0 + .. + a[3] b3.
[[gnu::always_inline]] inline void add_four(double* __restrict c, double* __restrict d, const double* a,
                                            const double* e, const double* __restrict b, std::size_t cols) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], e0 = e[0], e1 = e[1], e2 = e[2], e3 = e[3];
  const double *b1 = b + cols, *b2 = b1 + cols, *b3 = b2 + cols;
  for (std::size_t j = 0; j < cols; ++j) {
    c[j] += (a0 * b[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
    d[j] += (e0 * b[j] + e1 * b1[j]) + (e2 * b2[j] + e3 * b3[j]);
  }
}
[[gnu::always_inline]] inline void add_one(double* __restrict c, double a, const double* __restrict b,
                                           std::size_t cols) {
  for (std::size_t j = 0; j < cols; ++j) c[j] += a * b[j];
}

SINEW_WIDE void add_product(const double* A, const double* B, double* C, std::size_t rows, std::size_t inner,
                            std::size_t cols) {
  std::size_t i = 0;
  for (; i + 1 < rows; i += 2) {
    const double *a = A + i * inner, *e = a + inner;
    double *c = C + i * cols, *d = c + cols;
    std::size_t k = 0;
    for (; k + 3 < inner; k += 4) add_four(c, d, a + k, e + k, B + k * cols, cols);
    for (; k < inner; ++k) add_one(c, a[k], B + k * cols, cols), add_one(d, e[k], B + k * cols, cols);
  }
  for (; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k) add_one(C + i * cols, A[i * inner + k], B + k * cols, cols);
}

}  // namespace

Matrix make_matrix(MatrixView<const double> a) {
  Matrix out(static_cast<int>(a.rows()), static_cast<int>(a.cols()));
  for (int i = 0; i < out.rows(); ++i)
    for (int j = 0; j < out.cols(); ++j) out(i, j) = a(at(i), at(j));
  return out;
}

Matrix make_identity(int n) {
  Matrix out(n, n);
  for (int i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}

Matrix transpose(const Matrix& A) {
  Matrix out(A.cols(), A.rows());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) out(j, i) = A(i, j);
  return out;
}

Matrix multiply(const Matrix& A, const Matrix& B) {
  check_size("multiply", "B's rows", at(B.rows()), at(A.cols()));
  Matrix out(A.rows(), B.cols());
  add_product(A.data(), B.data(), out.data(), at(A.rows()), at(A.cols()), at(B.cols()));
  return out;
}

std::vector<double> multiply(const Matrix& A, VectorView<const double> x) {
  check_size("multiply", "x", x.size(), at(A.cols()));
  std::vector<double> out(at(A.rows()));
  for (int i = 0; i < A.rows(); ++i) out[i] = dot(A.row(i), x.data(), A.cols());
  return out;
}

void subtract(Matrix& A, const Matrix& B) {
  check_size("subtract", "B", B.size(), A.size());
  for (std::size_t i = 0; i < A.size(); ++i) A.data()[i] -= B.data()[i];
}

}  // namespace sinew::linear
