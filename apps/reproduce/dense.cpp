// apps/reproduce/dense.cpp
#include "reproduce/dense.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew::app {

Dense identity_matrix(int n) {
  Dense out(n, n);
  for (int i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}
Dense operator*(const Dense& a, const Dense& b) {
  Dense out(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.cols; ++k)
      for (int j = 0; j < b.cols; ++j) out(i, j) += a(i, k) * b(k, j);
  return out;
}
Dense operator*(double s, Dense a) {
  for (double& x : a.numbers) x *= s;
  return a;
}
Dense operator+(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] += b.numbers[i];
  return a;
}
Dense operator-(Dense a, const Dense& b) { return std::move(a) + -1.0 * b; }
Dense operator~(const Dense& a) {
  Dense out(a.cols, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) out(j, i) = a(i, j);
  return out;
}
std::vector<double> operator*(const Dense& a, const std::vector<double>& x) {
  std::vector<double> out(at(a.rows));
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.cols; ++j) out[at(i)] += a(i, j) * x[at(j)];
  return out;
}
Dense inverse_matrix(const Dense& a) {
  Dense out(a.rows, a.cols);
  for (int j = 0; j < a.cols; ++j) {
    std::vector<double> e(at(a.rows));
    e[at(j)] = 1;
    const std::vector<double> x = linear::solve({a.numbers.data(), at(a.rows), at(a.cols)}, e);
    for (int i = 0; i < a.rows; ++i) out(i, j) = x[at(i)];
  }
  return out;
}
Dense cholesky(const Dense& a) {
  Dense L(a.rows, a.cols);
  for (int j = 0; j < a.cols; ++j)
    for (int i = j; i < a.rows; ++i) {
      double sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = i == j ? std::sqrt(sum) : sum / L(j, j);
    }
  return L;
}
double largest(const std::vector<double>& x) {
  double out = 0;
  for (const double v : x) out = std::isnan(v) ? v : std::max(out, std::abs(v));
  return out;
}
double largest(const Dense& a) { return largest(a.numbers); }
double relative(const std::vector<double>& a, const std::vector<double>& b) {
  return largest(plus(a, -1, b)) / std::max(1e-300, largest(b));
}
double relative(const Dense& a, const Dense& b) { return relative(a.numbers, b.numbers); }
std::vector<double> plus(std::vector<double> a, double s, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += s * b[i];
  return a;
}

std::string find_pattern(const Dense& a, const std::vector<int>& row_begin, const std::vector<int>& col_begin) {
  std::string out;
  for (std::size_t i = 0; i + 1 < row_begin.size(); ++i, out += '\n')
    for (std::size_t j = 0; j + 1 < col_begin.size(); ++j) {
      bool some = false;
      for (int r = row_begin[i]; r < row_begin[i + 1]; ++r)
        for (int c = col_begin[j]; c < col_begin[j + 1]; ++c) some = some || a(r, c) != 0;
      out += some ? 'X' : '.';
    }
  return out;
}

}  // namespace sinew::app
