// src/linear/dense_system.hpp - dense matrices with their products (Eigen), and elimination with right-hand sides
// It costs seconds to compile: for the few files of src/ that multiply dense matrices.
#pragma once
#include <Eigen/Dense>
#include <vector>

namespace sinew::linear {

using DenseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Complete pivoting, in place: T becomes upper triangular as far as its rank, which it returns; B goes along. order:
// the column of T that stands at each place. full_rank: of the first pivot; smaller ones count as zero.
int eliminate(DenseMatrix& T, DenseMatrix& B, std::vector<int>& order, double full_rank);

}  // namespace sinew::linear
