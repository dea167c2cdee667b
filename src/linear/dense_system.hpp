// src/linear/dense_system.hpp - elimination with right-hand sides, for systems whose rank is to be found
#pragma once
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::linear {

// Complete pivoting, in place: T becomes upper triangular as far as its rank, which it returns; B goes along. order:
// the column of T that stands at each place. full_rank: of the first pivot; smaller ones count as zero.
int eliminate(MatrixView<double> T, MatrixView<double> B, std::vector<int>& order, double full_rank);

// The first `rank` rows of B become U^-1 of them, with the upper triangle U of T.
void divide_by_upper(MatrixView<const double> T, int rank, MatrixView<double> B);

}  // namespace sinew::linear
