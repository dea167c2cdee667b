// src/tree/base_parameters.cpp
#include "sinew/tree/base_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linear/pivoted_qr.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew {
namespace {

using linear::Matrix;

// Regressors of random states, one below the other.
Matrix sample_regressor(const Model& m, const BaseParameterOptions& options) {
  const auto rows = static_cast<std::size_t>(m.nv()), cols = inertial_parameter_count(m);
  const std::size_t samples = options.samples > 0 ? static_cast<std::size_t>(options.samples) : 1 + 4 * cols / rows;
  Matrix all(static_cast<int>(samples * rows), static_cast<int>(cols));
  RegressorWorkspace<double> ws(m);
  Random rng(options.seed);
  std::vector<double> v(rows), a(rows);
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
  const Matrix Y = sample_regressor(m, options);

  // Columns of equal length, so that units do not matter; columns of rounding errors only are unseen.
  std::vector<double> length(at(parameters));
  for (int i = 0; i < Y.rows(); ++i)
    for (int j = 0; j < parameters; ++j) length[j] += Y(i, j) * Y(i, j);
  for (double& x : length) x = std::sqrt(x);
  const double longest = *std::max_element(length.begin(), length.end());
  std::vector<int> seen;
  for (int j = 0; j < parameters; ++j) (length[j] > linear::kUnseenSample * longest ? seen : out.unseen).push_back(j);
  if (seen.empty()) return out;
  const int count = static_cast<int>(seen.size());
  Matrix A(Y.rows(), count);
  for (int i = 0; i < Y.rows(); ++i)
    for (int j = 0; j < count; ++j) A(i, j) = Y(i, seen[j]) / length[seen[j]];

  const linear::PivotedQr qr(std::move(A));
  const auto diagonal = [&](int k) { return k < qr.steps() ? std::abs(qr.r(k, k)) : 0; };
  int rank = 0;
  while (diagonal(rank) > options.tolerance) ++rank;
  out.last_kept = diagonal(rank - 1);
  out.first_left = diagonal(rank);

  // A P = Q R with R = (R11 R12; 0 0): the dependent columns are the independent ones times R11^-1 R12.
  Matrix K(rank, count - rank);
  for (int i = rank; i-- > 0;)
    for (int j = 0; j < K.cols(); ++j) {
      double sum = qr.r(i, rank + j);
      for (int k = i + 1; k < rank; ++k) sum -= qr.r(i, k) * K(k, j);
      K(i, j) = sum / qr.r(i, i);
    }
  std::vector<std::pair<int, int>> kept, left;  // column of Y, place in K
  for (int j = 0; j < rank; ++j) kept.emplace_back(seen[qr.order()[j]], j);
  for (int j = rank; j < count; ++j) left.emplace_back(seen[qr.order()[j]], j - rank);
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
