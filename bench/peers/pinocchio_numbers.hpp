// bench/peers/pinocchio_numbers.hpp - states and results between peer.hpp and Eigen
#pragma once
#include "peer.hpp"
#include "pinocchio_calls.hpp"

namespace peers {

using Numbers = std::vector<double>;

template <class M>
Numbers by_rows(const M& m) {
  Numbers out;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) out.push_back(m(i, j));
  return out;
}

// Where only the upper triangle is filled.
template <class M>
Numbers symmetric(const M& m) {
  return by_rows(Eigen::MatrixXd(m.template selfadjointView<Eigen::Upper>()));
}

inline std::vector<EigenState> to_eigen(const std::vector<State>& states) {
  const auto vector = [](const Numbers& x) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  std::vector<EigenState> out;
  for (const State& s : states) out.push_back({vector(s.q), vector(s.v), vector(s.a), vector(s.tau)});
  return out;
}

}  // namespace peers
