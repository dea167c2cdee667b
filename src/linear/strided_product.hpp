// src/linear/strided_product.hpp - C += scale A B of small dense matrices, four rows and eight columns at a time
// The sum over k may be told which k matter: those where a row of A, or a column of B, is not zero. The order of the
// additions does not depend on the machine.
#pragma once
#include <cstddef>
#include <span>

namespace sinew::linear {

// Rows of these begin a multiple of this apart, and what lies between is zero, so that no product has a rest.
constexpr std::ptrdiff_t kColumnBlock = 8;
constexpr std::ptrdiff_t pad_columns(std::ptrdiff_t n) { return (n + kColumnBlock - 1) / kColumnBlock * kColumnBlock; }

// Entry (i, k) is data[i * down + k * right]: a matrix or its transpose.
struct StridedRows {
  const double* data;
  std::ptrdiff_t down, right;
};

// C += scale A B. C has `rows` rows and pad_columns(cols) columns. B and C are row-major.
void add_product(double scale, const StridedRows& A, const double* B, std::ptrdiff_t B_stride, double* C,
                 std::ptrdiff_t C_stride, int rows, int cols, std::span<const int> inner);

}  // namespace sinew::linear
