// src/constraint/rows/classify.cpp
#include "sinew/constraint/rows/classify.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace sinew {
namespace {

// [K, -k] at z = (q, t) and its derivative along dz.
struct Forms {
  Eigen::MatrixXd A, dA;
};

Forms calc_forms(const VelocityConstraint& c, VectorView<const double> q, double t, const Eigen::VectorXd& dz) {
  const int n = c.coordinates(), m = c.rows();
  std::vector<Dual> qd, K(static_cast<std::size_t>(n * m)), k(static_cast<std::size_t>(m));
  for (int i = 0; i < n; ++i) qd.emplace_back(q[i], dz[i]);
  c.calc(qd.data(), Dual(t, dz[n]), K.data(), k.data());
  Forms f{Eigen::MatrixXd(m, n + 1), Eigen::MatrixXd(m, n + 1)};
  for (int r = 0; r < m; ++r) {
    for (int i = 0; i < n; ++i) {
      const Dual& x = K[static_cast<std::size_t>(r * n + i)];
      f.A(r, i) = x.value;
      f.dA(r, i) = x.slope;
    }
    f.A(r, n) = -k[r].value;
    f.dA(r, n) = -k[r].slope;
  }
  return f;
}

}  // namespace

ConstraintClass classify(const VelocityConstraint& c, VectorView<const double> q, double t, double tolerance) {
  check_size("classify", "q", q.size(), static_cast<std::size_t>(c.coordinates()));
  const int n = c.coordinates();
  const Forms in_time = calc_forms(c, q, t, Eigen::VectorXd::Unit(n + 1, n));
  const Eigen::MatrixXd& A = in_time.A;
  Eigen::FullPivLU<Eigen::MatrixXd> lu(A), lu_K(A.leftCols(n));
  lu.setThreshold(tolerance);
  lu_K.setThreshold(tolerance);

  ConstraintClass out;
  out.equality = c.equality();
  out.rank = c.rows() == 0 ? 0 : static_cast<int>(lu_K.rank());
  double scale = std::max(1.0, A.size() ? A.cwiseAbs().maxCoeff() : 0.0);

  // dA(u) w - dA(w) u for every two allowed motions u, w of (q, t).
  const Eigen::MatrixXd allowed =
      A.rows() == 0 ? Eigen::MatrixXd::Identity(n + 1, n + 1) : Eigen::MatrixXd(lu.kernel());
  std::vector<Eigen::MatrixXd> dA;
  for (Eigen::Index i = 0; i < allowed.cols(); ++i) {
    dA.push_back(calc_forms(c, q, t, allowed.col(i)).dA);
    if (dA.back().size()) scale = std::max(scale, dA.back().cwiseAbs().maxCoeff());
  }
  for (std::size_t i = 0; i < dA.size(); ++i)
    for (std::size_t j = 0; j < i && A.rows() > 0; ++j) {
      const Eigen::VectorXd curl =
          dA[i] * allowed.col(static_cast<Eigen::Index>(j)) - dA[j] * allowed.col(static_cast<Eigen::Index>(i));
      out.curl = std::max(out.curl, curl.cwiseAbs().maxCoeff());
    }
  out.holonomic = out.curl <= tolerance * scale;
  if (A.rows() > 0)
    out.scleronomic =
        in_time.dA.cwiseAbs().maxCoeff() <= tolerance * scale && A.col(n).cwiseAbs().maxCoeff() <= tolerance * scale;
  return out;
}

}  // namespace sinew
