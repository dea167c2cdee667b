// src/contact/pseudo_inverse.cpp - apart from its only user, for Eigen takes its time to compile
#include "pseudo_inverse.hpp"

#include <Eigen/QR>

namespace sinew::contact {

RowMatrix pseudo_inverse(const RowMatrix& a, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<RowMatrix> factor;
  factor.setThreshold(threshold);
  factor.compute(a);
  const RowMatrix one = RowMatrix::Identity(a.rows(), a.rows());
  return factor.solve(one);
}

}  // namespace sinew::contact
