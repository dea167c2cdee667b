// src/base/polynomial.hpp - a polynomial without constant term, and three derivatives
#pragma once
#include <cstddef>
#include <vector>

namespace sinew {

struct PolynomialSlopes {
  double value = 0, first = 0, second = 0, third = 0;
};

// coefficients[0] x + coefficients[1] x^2 + ..., by Horner's rule.
inline PolynomialSlopes evaluate_polynomial(const std::vector<double>& coefficients, double x) {
  PolynomialSlopes p;
  for (std::size_t k = coefficients.size() + 1; k-- > 0;) {
    p.third = p.third * x + 3 * p.second;
    p.second = p.second * x + 2 * p.first;
    p.first = p.first * x + p.value;
    p.value = p.value * x + (k > 0 ? coefficients[k - 1] : 0);
  }
  return p;
}

}  // namespace sinew
