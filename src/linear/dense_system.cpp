// src/linear/dense_system.cpp
#include "linear/dense_system.hpp"

#include <utility>

namespace sinew::linear {

int eliminate(DenseMatrix& T, DenseMatrix& B, std::vector<int>& order, double full_rank) {
  const Eigen::Index m = T.rows();
  order.resize(static_cast<std::size_t>(m));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  double first = 0;
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Index r = 0, c = 0;
    const double most = T.bottomRightCorner(m - k, m - k).cwiseAbs().maxCoeff(&r, &c);
    if (k == 0) first = most;
    if (!(most > full_rank * first)) return static_cast<int>(k);
    r += k, c += k;
    if (r != k) T.row(r).swap(T.row(k)), B.row(r).swap(B.row(k));
    if (c != k) {
      T.col(c).swap(T.col(k));
      std::swap(order[static_cast<std::size_t>(c)], order[static_cast<std::size_t>(k)]);
    }
    for (Eigen::Index i = k + 1; i < m; ++i) {
      const double f = T(i, k) / T(k, k);
      if (f == 0) continue;
      T.row(i).tail(m - k - 1) -= f * T.row(k).tail(m - k - 1), B.row(i) -= f * B.row(k);
      T(i, k) = 0;
    }
  }
  return static_cast<int>(m);
}

}  // namespace sinew::linear
