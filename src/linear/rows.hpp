// src/linear/rows.hpp - operations on rows of numbers: product, largest entry, finiteness
#pragma once
#include <cstddef>

#include "sinew/base/view.hpp"

namespace sinew::linear {

// a . b, in an order that does not depend on the machine
double dot(const double* a, const double* b, int n);
// out += A x, A symmetric, n rows without gaps
void add_symmetric_product(const double* A, const double* x, double* out, int n);
// largest |a_i|
double largest_entry(const double* a, int n);
inline double largest_entry(VectorView<const double> a) { return largest_entry(a.data(), static_cast<int>(a.size())); }
bool is_finite(const double* x, std::size_t n);

// n rows and columns without gaps, in the caller's memory.
template <class T>
MatrixView<T> square(T* a, int n) {
  return {a, at(n), at(n)};
}

// The same matrix, to be read only.
inline MatrixView<const double> constant(MatrixView<double> a) { return {a.data(), a.rows(), a.cols(), a.stride()}; }

}  // namespace sinew::linear
