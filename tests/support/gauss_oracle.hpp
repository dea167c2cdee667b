// tests/support/gauss_oracle.hpp - constrained accelerations by singular values in long double, for every rank
//   H x = f + K^T lambda,   K x = k,   H = U U^T,   B = U^-1 K^T S = sum of u_i s_i v_i^T
// S are the scales of the rows. With the r largest s_i kept, x_r = U^-T (U^-1 f + sum of u_i (v_i^T S b) / s_i) with
// b = k - K H^-1 f: exact where r is the rank, least squares where k contradicts itself. Shares no code with the
// library: Cholesky from the last coordinate to the first, and one-sided Jacobi rotations.
#pragma once
#include <vector>

namespace sinew::test {

class GaussOracle {
 public:
  using Real = long double;
  // H: n x n, K: m x n, by rows.
  GaussOracle(const std::vector<double>& H, const std::vector<double>& K, const std::vector<double>& f,
              const std::vector<double>& k, const std::vector<double>& row_scale);
  // The least pivot of H as a part of its diagonal; below 0.1 eps or so there is no answer.
  double least_inertia() const { return least_inertia_; }
  int least_coordinate() const { return least_coordinate_; }
  const std::vector<Real>& singular_values() const { return s_; }  // descending
  std::vector<double> acceleration(int rank) const;
  // How far (S k) is from what some acceleration gives, with that rank.
  double contradiction(int rank) const;

 private:
  int n_, m_;
  std::vector<Real> U_, B_, V_, s_, z_, Sb_;  // B by columns: u_i s_i; V by columns
  double least_inertia_ = 1;
  int least_coordinate_ = -1;
};

}  // namespace sinew::test
