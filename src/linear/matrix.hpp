// src/linear/matrix.hpp - a dense matrix with memory of its own, row-major, and its products
#pragma once
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::linear {

class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int cols) { resize(rows, cols); }  // zeros
  void resize(int rows, int cols) {
    rows_ = rows, cols_ = cols;
    a_.assign(at(rows) * at(cols), 0.0);
  }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  double& operator()(int i, int j) { return a_[at(i) * at(cols_) + at(j)]; }
  double operator()(int i, int j) const { return a_[at(i) * at(cols_) + at(j)]; }
  double* row(int i) { return a_.data() + at(i) * at(cols_); }
  const double* row(int i) const { return a_.data() + at(i) * at(cols_); }
  double* data() { return a_.data(); }
  const double* data() const { return a_.data(); }
  std::size_t size() const { return a_.size(); }
  operator MatrixView<double>() { return {a_.data(), at(rows_), at(cols_)}; }              // NOLINT
  operator MatrixView<const double>() const { return {a_.data(), at(rows_), at(cols_)}; }  // NOLINT

 private:
  int rows_ = 0, cols_ = 0;
  std::vector<double> a_;
};

Matrix make_matrix(MatrixView<const double>);
Matrix make_identity(int n);
Matrix transpose(const Matrix&);
Matrix multiply(const Matrix& A, const Matrix& B);                          // A B
std::vector<double> multiply(const Matrix& A, VectorView<const double> x);  // A x
void subtract(Matrix& A, const Matrix& B);                                  // A -= B

}  // namespace sinew::linear
