// tests/support/delassus_case.hpp - random Delassus problems on random trees, and their answer from the definition
#pragma once
#include <vector>

#include "sinew/delassus/problem.hpp"
#include "support/naive_dynamics.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

struct DelassusCase {
  Model model;
  delassus::Problem problem;
  std::vector<double> q;
  std::vector<Force<double>> K;  // one per entry
};

// Seed by seed through: fixed and floating bases, every kind of joint, several trees on the world, end-effectors on
// inner nodes, several sets on one link, leaves of up to 14 rows, rows on two and three bodies, rows on the world, no
// rows at all.
DelassusCase random_delassus_case(int seed);

// J from the naive motions, W = J M^-1 J^T with dense matrices.
Eigen::MatrixXd naive_constraint_jacobian(const DelassusCase&);
Eigen::MatrixXd naive_delassus(const DelassusCase&);
// Largest over smallest pivot of M: how many digits any of the algorithms may lose.
double conditioning(const DelassusCase&);

// Rows x rows numbers of one algorithm: run(W).
template <class T, class Run>
std::vector<T> delassus_numbers(const delassus::Problem& p, Run run) {
  const auto n = static_cast<std::size_t>(p.rows());
  std::vector<T> W(n * n, lit<T>(7));  // everything must be written
  run(MatrixView<T>(W.data(), n, n));
  return W;
}

}  // namespace sinew::test
