// sinew/constraint/rank/explicit_form.hpp - all solutions of  K x = k  as  x = G y + g [F08 8.48-8.51]
// Elimination with complete pivoting. y is a choice of the entries of x, so G holds an identity in their rows, and
// K G = 0, K g = k, G of full column rank n - r for any rank r of K. O(r m n).
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {

struct ExplicitFormOptions {
  double tolerance = linear::kDependent;  // a pivot below this part of K's largest entry is zero
  std::vector<int> independent;           // entries of x that must be among y; the others are chosen
};

struct ExplicitForm {
  int rank = 0;                  // of K
  std::vector<double> G;         // n x (n - rank), row-major
  std::vector<double> g;         // n
  std::vector<int> independent;  // (n - rank) the entries of x that are y, ascending
  std::vector<int> redundant;    // (m - rank) rows of K that the others imply, ascending
  double inconsistency = 0;      // largest |k| left in a redundant row: 0 where K x = k has solutions

  // G as a matrix.
  MatrixView<const double> basis() const { return {G.data(), g.size(), independent.size()}; }
};

// Throws std::invalid_argument where the entries in `independent` are not independent of each other.
ExplicitForm calc_explicit_form(MatrixView<const double> K, VectorView<const double> k,
                                const ExplicitFormOptions& = {});

}  // namespace sinew
