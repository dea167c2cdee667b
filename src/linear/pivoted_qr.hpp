// src/linear/pivoted_qr.hpp - A P = Q R by Householder's reflections, the longest remaining column first
// Reveals the rank: |R_kk| falls with k and is about the part of column k that the columns before it do not span.
// 2 m n^2 - 2/3 n^3 for m rows and n columns. [Golub, Van Loan: Matrix Computations, 5.4]
#pragma once
#include <vector>

#include "linear/matrix.hpp"

namespace sinew::linear {

enum class Pivoting { columns, none };

class PivotedQr {
 public:
  explicit PivotedQr(Matrix A, Pivoting = Pivoting::columns);
  int steps() const { return static_cast<int>(tau_.size()); }  // the smaller of rows and columns
  double r(int i, int j) const { return i <= j ? a_(i, j) : 0; }
  // Which column of A stands at each place.
  const std::vector<int>& order() const { return order_; }
  // How many |R_kk| exceed `tolerance` of the first, the largest of all where columns are pivoted.
  int find_rank(double tolerance) const;
  void multiply_by_transpose(Matrix& B) const;  // B = Q^T B
  void multiply(Matrix& B) const;               // B = Q B

 private:
  void reflect(int k, Matrix& B, int first, std::vector<double>& w) const;
  Matrix a_;  // R, and below it the reflections 1 - tau v v^T, v = (1, ..)
  std::vector<double> tau_;
  std::vector<int> order_;
};

// A^+ of Moore and Penrose, pivots of A below `tolerance` of the largest taken for zero: with A P = Q (R1; 0) and
// R1^T = Z S it is P Z S^-T Q^T.
Matrix pseudo_inverse(const Matrix& A, double tolerance);

}  // namespace sinew::linear
