// tests/support/enumerate_lcp.hpp - every solution of a small linear complementarity problem, by trying all bases
// Independent of every solver: each row is at its lower bound, at its upper one, or w = 0 there.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/lcp/problem.hpp"

namespace sinew::test {

struct LcpCase {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M;
  Eigen::VectorXd q, lower, upper;  // bounds empty: 0 and infinity
  lcp::Problem problem() const {
    const auto n = static_cast<std::size_t>(q.size());
    lcp::Problem p;
    p.M = {M.data(), n, n}, p.q = q;
    if (lower.size()) p.lower = lower, p.upper = upper;
    return p;
  }
};

// The solutions that a regular basis gives; those on a singular one are left out.
std::vector<Eigen::VectorXd> find_all_solutions(const LcpCase&, double tolerance = 1e-9);
double distance_to_nearest(const std::vector<Eigen::VectorXd>& all, const std::vector<double>& z);

// A P-matrix: positive definite, and unsymmetric where asked.
LcpCase random_lcp(Random&, int n, bool symmetric);

}  // namespace sinew::test
