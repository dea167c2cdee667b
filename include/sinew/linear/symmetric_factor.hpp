// sinew/linear/symmetric_factor.hpp - A = U^T D U of a dense positive definite matrix, in place
#pragma once
#include <vector>

namespace sinew::linear {

struct SymmetricFactor {
  explicit SymmetricFactor(int most);  // rows that there is room for
  void resize(int new_size);           // within that; entries mean nothing afterwards
  double& operator()(int i, int j) { return a[static_cast<std::size_t>(i * stride + j)]; }  // i <= j
  double operator()(int i, int j) const { return a[static_cast<std::size_t>(i * stride + j)]; }

  int size = 0, stride = 0;
  std::vector<double> a;     // the upper triangle of A, then U, with 1 / D on its diagonal; rows `stride` apart
  std::vector<double> work;  // (2 most)
};

// False where a pivot is not more than `tolerance` of what stood on its diagonal; then it is of no use.
bool factor(SymmetricFactor&, double tolerance = 0);
// x = A^-1 x, after factor.
void solve(const SymmetricFactor&, double* x);

}  // namespace sinew::linear
