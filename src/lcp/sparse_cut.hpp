// src/lcp/sparse_cut.hpp - part of a large problem without W, around what is not solved, as a problem with its W
// Impulses outside stay: w = W z + (q + what they do). What is proved of the part holds for the whole: impulses of the
// part that change no velocity of its rows change none at all, since W is positive semidefinite, and so the others do
// not count.
#pragma once
#include <vector>

#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::lcp {

class SparseCut {
 public:
  // From the block that z violates most, over the trees that blocks act on, up to so many rows.
  void make(const SparseProblem&, VectorView<const double> z, int most_rows);
  FrictionProblem problem() const;  // until the next call
  // Of all blocks but those with an entry in `without`, whose impulses stay. It has no W.
  void make_rest(const SparseProblem&, VectorView<const double> z, VectorView<const double> without);
  const SparseProblem& rest() const { return part_; }
  std::vector<double> z;  // of its rows
  // Writes values of its rows to those of the whole.
  void put(VectorView<const double> from, VectorView<double> to) const;

 private:
  void choose(const SparseProblem&, VectorView<const double> z, int most_rows);
  void copy(const SparseProblem&, VectorView<const double> z);
  SparseProblem part_;
  std::vector<double> W_, residuals_, outside_;
  std::vector<int> chosen_, rows_, tree_of_;  // blocks, in order; their rows; (trees) in the part, or -1
  std::vector<std::vector<int>> blocks_of_;   // (trees)
  std::vector<bool> seen_;                    // (blocks)
};

}  // namespace sinew::lcp
