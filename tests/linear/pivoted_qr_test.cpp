// tests/linear/pivoted_qr_test.cpp - orthogonal factors, pseudo-inverses, eigenvalues, products
#include "linear/pivoted_qr.hpp"

#include <gtest/gtest.h>

#include "linear/symmetric_eigenvalues.hpp"
#include "sinew/linear/tolerance.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_matrix.hpp"

namespace sinew::test {
namespace {

using Eigen::VectorXd;
using linear::Matrix;

Numbers entries_of(const Matrix& a) { return {a.data(), a.data() + a.size()}; }
RowMajor to_eigen(const Matrix& a) {
  RowMajor out(a.rows(), a.cols());
  std::copy_n(a.data(), a.size(), out.data());
  return out;
}

TEST(PivotedQr, GivesTheMatrixBack) {
  Random rng(1);
  for (const auto& [rows, cols] : kShapes)
    for (const auto pivoting : {linear::Pivoting::columns, linear::Pivoting::none}) {
      const RowMajor A = random_matrix(rng, rows, cols);
      const linear::PivotedQr qr(linear::make_matrix(view_of(A)), pivoting);
      Matrix R(rows, cols);
      for (int i = 0; i < qr.steps(); ++i)
        for (int j = i; j < cols; ++j) R(i, j) = qr.r(i, j);
      Matrix again = R;
      qr.multiply(again);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) EXPECT_NEAR(again(i, j), A(i, qr.order()[j]), 1e-14 * (rows + cols));
      qr.multiply_by_transpose(again);
      EXPECT_TRUE(near(entries_of(again), entries_of(R), 100));
      for (int k = 1; pivoting == linear::Pivoting::columns && k < qr.steps(); ++k)
        EXPECT_LE(std::abs(qr.r(k, k)), std::abs(qr.r(k - 1, k - 1)) * (1 + 1e-14));
    }
}

// A cliff at the rank, also where what is before it falls by six decades.
TEST(PivotedQr, FindsTheRank) {
  Random rng(2);
  for (const auto& [rows, cols] : kShapes)
    for (int rank = 0; rank <= std::min(rows, cols); ++rank) {
      const RowMajor A = matrix_of_singular_values(rng, rows, cols, graded(rank, 1e-6));
      EXPECT_EQ(linear::PivotedQr(linear::make_matrix(view_of(A))).find_rank(linear::kDependent), rank)
          << rows << " x " << cols;
    }
}

// The four conditions of Penrose, which only the pseudo-inverse obeys.
TEST(PseudoInverse, ObeysPenrose) {
  Random rng(3);
  for (const auto& [rows, cols] : kShapes)
    for (int rank = 0; rank <= std::min(rows, cols); ++rank) {
      const RowMajor A = matrix_of_singular_values(rng, rows, cols, graded(rank, 1e-2));
      const RowMajor P = to_eigen(linear::pseudo_inverse(linear::make_matrix(view_of(A)), linear::kSingular));
      ASSERT_TRUE(P.rows() == cols && P.cols() == rows);
      const RowMajor AP = A * P, PA = P * A, APA = AP * A, PAP = PA * P;
      EXPECT_TRUE(near(numbers_of(APA), numbers_of(A), 3, 100));
      EXPECT_TRUE(near(numbers_of(PAP), numbers_of(P), 3, 1e4));
      EXPECT_TRUE(near(numbers_of(RowMajor(AP.transpose())), numbers_of(AP), 30, 100));
      EXPECT_TRUE(near(numbers_of(RowMajor(PA.transpose())), numbers_of(PA), 30, 100));
    }
}

TEST(SymmetricEigenvalues, AreThoseOfEigen) {
  Random rng(4);
  for (const int n : {0, 1, 2, 3, 6, 20})
    for (const double least : {1.0, 1e-3, 1e-12}) {
      RowMajor A = symmetric_of_eigenvalues(rng, graded(n, least));
      if (n > 2) A -= 0.5 * RowMajor::Identity(n, n);  // of both signs
      const Numbers values = linear::symmetric_eigenvalues(linear::make_matrix(view_of(std::as_const(A))));
      if (n == 0) {
        EXPECT_TRUE(values.empty());
        continue;
      }
      const VectorXd oracle = symmetric_eigen(A).values;
      EXPECT_TRUE(near(values, Numbers(oracle.begin(), oracle.end()), 20)) << n;
    }
}

// A x = lambda B x, x^T B x = 1; B = 1 too.
TEST(SymmetricEigenvectors, DiagonalizeBothMatrices) {
  Random rng(6);
  for (const int n : {1, 2, 3, 6, 20})
    for (const bool metric : {false, true}) {
      RowMajor A = symmetric_of_eigenvalues(rng, graded(n, 1e-3)), B = RowMajor::Identity(n, n);
      A -= 0.5 * B;
      if (metric) B = symmetric_of_eigenvalues(rng, graded(n, 1e-2));
      const Matrix a = linear::make_matrix(view_of(std::as_const(A))),
                   b = linear::make_matrix(view_of(std::as_const(B)));
      const linear::SymmetricEigen e =
          metric ? linear::symmetric_eigenvectors(a, b) : linear::symmetric_eigenvectors(a);
      ASSERT_EQ(static_cast<int>(e.values.size()), n);
      EXPECT_TRUE(std::is_sorted(e.values.begin(), e.values.end()));
      const RowMajor X = to_eigen(e.vectors), XBX = X * B * X.transpose(), XAX = X * A * X.transpose();
      const RowMajor one = RowMajor::Identity(n, n), values = VectorXd::Map(e.values.data(), n).asDiagonal();
      EXPECT_TRUE(near(numbers_of(XBX), numbers_of(one), 10, 20)) << n;
      EXPECT_TRUE(near(numbers_of(XAX), numbers_of(values), 10, 100)) << n;
    }
  Matrix A(2, 2), B(2, 2);
  A(0, 0) = A(1, 1) = 1, B(0, 0) = 1;
  EXPECT_TRUE(linear::symmetric_eigenvectors(A, B).values.empty());  // B is singular
  B(1, 1) = 1, A(1, 0) = NAN;
  EXPECT_TRUE(linear::symmetric_eigenvectors(A, B).values.empty());
}

TEST(SymmetricEigenvalues, AreExactForADiagonalAndNeverHang) {
  Matrix A(3, 3);
  A(0, 0) = 3, A(1, 1) = 1e-300, A(2, 2) = 0.1;
  EXPECT_EQ(linear::symmetric_eigenvalues(A), (Numbers{1e-300, 0.1, 3}));
  EXPECT_EQ(linear::symmetric_eigenvalues(Matrix(3, 3)), (Numbers{0, 0, 0}));
  A(2, 0) = NAN;
  for (const double x : linear::symmetric_eigenvalues(A)) EXPECT_TRUE(std::isnan(x));
}

TEST(Matrix, ProductsAreThoseOfEigen) {
  Random rng(5);
  for (const auto& [rows, cols] : kShapes)
    for (const int inner : {0, 1, 3, 4, 9}) {
      const RowMajor A = random_matrix(rng, rows, inner), B = random_matrix(rng, inner, cols);
      const Matrix a = linear::make_matrix(view_of(A)), b = linear::make_matrix(view_of(B));
      EXPECT_TRUE(near(entries_of(multiply(a, b)), numbers_of(RowMajor(dense_product(A, B))), 10));
      EXPECT_EQ(entries_of(transpose(a)), numbers_of(RowMajor(A.transpose())));
      if (rows != cols) {
        EXPECT_THROW(multiply(transpose(a), transpose(b)), std::invalid_argument);
      }
    }
}

}  // namespace
}  // namespace sinew::test
