// apps/reproduce/dense.hpp - small dense matrices, to check operators against
#pragma once
#include <vector>

#include "sinew/operators/algebra.hpp"

namespace sinew::app {

struct Dense {
  Dense(int m, int n) : rows(m), cols(n), numbers(at(m * n)) {}
  double& operator()(int i, int j) { return numbers[at(i * cols + j)]; }
  double operator()(int i, int j) const { return numbers[at(i * cols + j)]; }
  int rows, cols;
  std::vector<double> numbers;
};

Dense identity_matrix(int n);
Dense operator*(const Dense&, const Dense&);
Dense operator*(double, Dense);
Dense operator+(Dense, const Dense&);
Dense operator-(Dense, const Dense&);
Dense operator~(const Dense&);
std::vector<double> operator*(const Dense&, const std::vector<double>&);
Dense inverse_matrix(const Dense&);
Dense cholesky(const Dense&);  // L of A = L L*, A positive definite
double largest(const std::vector<double>&);
double largest(const Dense&);
// |a - b| / |b|
double relative(const Dense& a, const Dense& b);
double relative(const std::vector<double>& a, const std::vector<double>& b);
std::vector<double> plus(std::vector<double> a, double s, const std::vector<double>& b);  // a + s b

template <class R, class C>
Dense dense_of(const sko::OperatorAlgebra<double>& o, const sko::Operator<R, C>& x) {
  const sko::Application<double> a(o, x);
  Dense out(a.rows(), a.cols());
  out.numbers = sko::materialise(o, x);
  return out;
}
// Where block (i, j) starts and ends is said by the offsets: X where a number differs from zero.
std::string find_pattern(const Dense&, const std::vector<int>& row_begin, const std::vector<int>& col_begin);

}  // namespace sinew::app
