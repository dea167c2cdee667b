// src/tree/base_parameters.cpp
#include "sinew/tree/base_parameters.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <stdexcept>

#include "sinew/model/configuration.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Regressors of random states, one below the other.
Eigen::MatrixXd sample_regressor(const Model& m, const BaseParameterOptions& options) {
  const auto rows = static_cast<std::size_t>(m.nv()), cols = inertial_parameter_count(m);
  const std::size_t samples = options.samples > 0 ? static_cast<std::size_t>(options.samples) : 1 + 4 * cols / rows;
  Matrix all(samples * rows, cols);
  RegressorWorkspace<double> ws(m);
  Random rng(options.seed);
  Eigen::VectorXd v(m.nv()), a(m.nv());
  for (std::size_t s = 0; s < samples; ++s) {
    const std::vector<double> q = random_configuration(m, rng);
    for (double& x : v) x = rng.uniform(-options.speed, options.speed);
    for (double& x : a) x = rng.uniform(-options.speed, options.speed);
    const double time = rng.uniform(0, 10);
    calc_regressor(m, ws, q, v, a, MatrixView<double>(all.data() + s * rows * cols, rows, cols), time);
  }
  return all;
}

}  // namespace

BaseParameters find_base_parameters(const Model& m, const BaseParameterOptions& options) {
  if (options.samples < 0 || !(options.speed > 0) || !(options.tolerance > 0) || !(options.tolerance < 1))
    throw std::invalid_argument(
        "find_base_parameters: samples must not be negative, speed must be positive, "
        "tolerance between 0 and 1");
  BaseParameters out;
  const auto parameters = static_cast<int>(inertial_parameter_count(m));
  if (m.nv() == 0 || parameters == 0) {  // nothing to factor
    for (int j = 0; j < parameters; ++j) out.unseen.push_back(j);
    return out;
  }
  const Eigen::MatrixXd Y = sample_regressor(m, options);

  // Columns of equal length, so that units do not matter; those that are rounding errors only are unseen.
  const Eigen::VectorXd length = Y.colwise().norm();
  std::vector<int> seen;
  for (int j = 0; j < parameters; ++j) (length[j] > 1e-13 * length.maxCoeff() ? seen : out.unseen).push_back(j);
  if (seen.empty()) return out;
  Eigen::MatrixXd A(Y.rows(), static_cast<Eigen::Index>(seen.size()));
  for (std::size_t j = 0; j < seen.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = Y.col(seen[j]) / length[seen[j]];

  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  const Eigen::VectorXd diagonal = qr.matrixQR().diagonal().cwiseAbs();
  const Eigen::VectorXi order = qr.colsPermutation().indices();
  Eigen::Index rank = 0;
  while (rank < diagonal.size() && diagonal[rank] > options.tolerance) ++rank;
  out.last_kept = diagonal[rank - 1];
  out.first_left = rank < diagonal.size() ? diagonal[rank] : 0;

  // A P = Q R with R = (R11 R12; 0 0): the dependent columns are the independent ones times R11^-1 R12.
  const Eigen::MatrixXd R = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  Eigen::MatrixXd K(rank, R.cols() - rank);
  if (K.cols() > 0) K = R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(K.cols()));
  const auto column = [&](Eigen::Index j) { return seen[order[j]]; };
  std::vector<std::pair<int, Eigen::Index>> kept, left;  // column of Y, place in K
  for (Eigen::Index j = 0; j < rank; ++j) kept.emplace_back(column(j), j);
  for (Eigen::Index j = rank; j < R.cols(); ++j) left.emplace_back(column(j), j - rank);
  std::sort(kept.begin(), kept.end());
  std::sort(left.begin(), left.end());
  for (const auto& [i, row] : kept) out.independent.push_back(i);
  for (const auto& [j, col] : left) out.dependent.push_back(j);
  for (const auto& [i, row] : kept)
    for (const auto& [j, col] : left) out.K.push_back(K(row, col) * length[j] / length[i]);
  return out;
}

void calc_base_parameters(const BaseParameters& base, VectorView<const double> pi, VectorView<double> beta) {
  const std::size_t parameters = base.independent.size() + base.dependent.size() + base.unseen.size();
  check_size("calc_base_parameters", "pi", pi.size(), parameters);
  check_size("calc_base_parameters", "beta", beta.size(), base.independent.size());
  for (std::size_t i = 0; i < base.independent.size(); ++i) {
    double sum = pi[base.independent[i]];
    for (std::size_t j = 0; j < base.dependent.size(); ++j)
      sum += base.K[i * base.dependent.size() + j] * pi[base.dependent[j]];
    beta[i] = sum;
  }
}

}  // namespace sinew
