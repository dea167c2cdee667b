// sinew/lcp/free_rows.hpp - eliminates the unknowns of either sign; the remaining problem is smaller
//   [ A B ] [ z_free ]   [ q_f ]   [ 0 ]
//   [ C D ] [ z_rest ] + [ q_r ] = [ w ]     ->     w = (D - C A^-1 B) z_rest + (q_r - C A^-1 q_f)
// A singular A is eliminated up to its rank: unknowns without a pivot become zero, and equations without a pivot must
// be fulfilled anyway.
#pragma once
#include <optional>
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"
#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew::lcp {

class FreeRows {
 public:
  // What the equations allow.
  enum class Outcome {
    regular,
    deficient,       // A is singular, and the equations without a pivot are fulfilled
    contradictory,   // an equation without a pivot cannot be fulfilled
    not_eliminated,  // equations without a pivot involve the other unknowns: `shift` is needed
  };
  void reserve(std::size_t n);  // room for problems of n unknowns, any number of them free
  Interrupt interrupt;          // looked at every few rows
  // `shift` is added to the diagonal of A, and shift * centre taken from q_f.
  Outcome eliminate(MatrixView<const double> M, VectorView<const double> q, const std::vector<int>& free,
                    const std::vector<int>& rest, double shift, const double* centre);
  // `free` and `rest` must stay as they are until recover().
  Outcome eliminate(MatrixView<const double> M, VectorView<const double> q, const std::vector<int>&& free,
                    const std::vector<int>& rest, double shift, const double* centre) = delete;
  Outcome eliminate(MatrixView<const double> M, VectorView<const double> q, const std::vector<int>& free,
                    const std::vector<int>&& rest, double shift, const double* centre) = delete;
  // The remaining problem, row-major without gaps.
  void calc_rest(MatrixView<const double> M, VectorView<const double> q, double* reduced, double* reduced_q);
  // Entries `free` of z from the entries `rest`, refined on the original rows where A is regular.
  void recover(MatrixView<const double> M, VectorView<const double> q, VectorView<double> z);

 private:
  void solve(double* x);
  Outcome eliminate_by_rank(MatrixView<const double> M, VectorView<const double> q);

  const std::vector<int>*free_ = nullptr, *rest_ = nullptr;
  int f_ = 0, r_ = 0;
  bool regular_ = true, shifted_ = false;
  std::vector<double> A_, X_, work_, x_;  // X: a row for each column of [B q], A^-1 of it
  std::vector<int> order_;
  std::optional<linear::PivotedElimination> ranked_;
  int room_ = 0;
};

}  // namespace sinew::lcp
