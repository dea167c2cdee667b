// apps/eval/exchange.hpp - states and results in the coordinates of another program
// With R(q) the map of velocities, v' = R v, and R orthogonal, the primed quantities are those of the other program:
//   a' = R a + dR/dt v,   tau' = R tau,   M' = R M R^T,   J' = J R^T,   h' = tau' where a' = 0,
//   C' = R C R^T + R M d(R^T)/dt,  for which  C' v' + g' = h'  and  dM'/dt - 2 C' is skew again.
// Every q, v here is ours. Matrices are row-major.
#pragma once
#include "sinew/model/convention.hpp"

namespace sinew::app {

using Numbers = std::vector<double>;

class Exchange {
 public:
  Exchange(const Model&, Convention);

  Convention convention() const { return convention_; }
  const ConventionMap& map() const { return map_; }
  // Of lists of six numbers: Pinocchio writes the linear part first.
  bool is_linear_first() const { return convention_ == Convention::pinocchio; }

  Numbers force(const Numbers& q, const Numbers& tau) const;
  Numbers acceleration(const Numbers& q, const Numbers& v, const Numbers& a) const;
  // Our acceleration where theirs is zero: d(R^T)/dt v'.
  Numbers acceleration_at_zero(const Numbers& q, const Numbers& v) const;
  Numbers square(const Numbers& q, const Numbers& M) const;   // R M R^T
  Numbers columns(const Numbers& q, const Numbers& J) const;  // J R^T, any number of rows
  Numbers rows(const Numbers& q, const Numbers& Y) const;     // R Y, any number of columns
  Numbers coriolis(const Numbers& q, const Numbers& v, const Numbers& C, const Numbers& M) const;

 private:
  void find_free(const JointEntry&);

  Convention convention_;
  ConventionMap map_;
  std::size_t nv_;
  std::vector<std::size_t> free_;  // first velocity coordinate of each free joint
};

}  // namespace sinew::app
