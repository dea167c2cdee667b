// sinew/linear/symmetric_factor.hpp - A = U^T D U of a dense positive definite matrix, in place
#pragma once
#include <vector>

namespace sinew::linear {

struct SymmetricFactor {
  explicit SymmetricFactor(int most);  // the most rows it will hold
  void resize(int new_size);           // at most that; entries are undefined afterwards
  double& operator()(int i, int j) { return a[static_cast<std::size_t>(i * stride + j)]; }  // i <= j
  double operator()(int i, int j) const { return a[static_cast<std::size_t>(i * stride + j)]; }

  int size = 0, stride = 0;
  std::vector<double> a;     // the upper triangle of A, then U, with 1 / D on its diagonal; rows `stride` apart
  std::vector<double> work;  // (2 most)
};

// False where a pivot is at most `tolerance` times the diagonal entry of A; the factor is then not usable.
bool factor(SymmetricFactor&, double tolerance = 0);
// x = A^-1 x, after factor.
void solve(const SymmetricFactor&, double* x);

}  // namespace sinew::linear
