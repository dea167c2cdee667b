// tests/support/enumerate_lcp.cpp
#include "support/enumerate_lcp.hpp"

#include <limits>

#include "support/dense_algebra.hpp"

namespace sinew::test {

std::vector<Eigen::VectorXd> find_all_solutions(const LcpCase& c, double tolerance) {
  const double infinity = std::numeric_limits<double>::infinity();
  const int n = static_cast<int>(c.q.size());
  const Eigen::VectorXd low = c.lower.size() ? c.lower : Eigen::VectorXd::Zero(n);
  const Eigen::VectorXd high = c.upper.size() ? c.upper : Eigen::VectorXd::Constant(n, infinity);
  std::vector<Eigen::VectorXd> out;
  int all = 1;
  for (int i = 0; i < n; ++i) all *= 3;
  for (int code = 0; code < all; ++code) {
    std::vector<int> basic;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    bool possible = true;
    for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
      if (rest % 3 == 0) basic.push_back(i);
      if (rest % 3 == 1) z[i] = low[i];
      if (rest % 3 == 2) z[i] = high[i];
      possible = possible && std::isfinite(z[i]);
    }
    if (!possible) continue;
    const Eigen::VectorXd known = c.M * z + c.q;
    const auto k = static_cast<Eigen::Index>(basic.size());
    Eigen::MatrixXd A(k, k);
    Eigen::VectorXd b(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      b[i] = -known[basic[i]];
      for (Eigen::Index j = 0; j < k; ++j) A(i, j) = c.M(basic[i], basic[j]);
    }
    if (k > 0) {
      if (dense_rank(A, static_cast<double>(k) * std::numeric_limits<double>::epsilon()) < k) continue;
      const Eigen::VectorXd x = dense_solve(A, b);
      for (Eigen::Index i = 0; i < k; ++i) z[basic[i]] = x[i];
    }
    const Eigen::VectorXd w = c.M * z + c.q;
    for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
      if (rest % 3 == 0) possible = possible && z[i] >= low[i] - tolerance && z[i] <= high[i] + tolerance;
      if (rest % 3 == 1) possible = possible && (w[i] >= -tolerance || low[i] == high[i]);
      if (rest % 3 == 2) possible = possible && (w[i] <= tolerance || low[i] == high[i]);
    }
    if (possible) out.push_back(z);
  }
  return out;
}
double distance_to_nearest(const std::vector<Eigen::VectorXd>& all, const std::vector<double>& z) {
  double best = std::numeric_limits<double>::infinity();
  for (const Eigen::VectorXd& s : all) {
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) worst = std::max(worst, std::abs(z[i] - s[static_cast<int>(i)]));
    best = std::min(best, worst);
  }
  return best;
}

LcpCase random_lcp(Random& random, int n, bool symmetric) {
  Eigen::MatrixXd A(n, n), B(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = random.normal(), B(i, j) = random.normal();
  LcpCase out;
  out.M = dense_product(A, A.transpose()) / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
  if (!symmetric) out.M += B - B.transpose();
  out.q = Eigen::VectorXd(n);
  for (int i = 0; i < n; ++i) out.q[i] = random.normal();
  return out;
}

}  // namespace sinew::test
