// src/constraint/rank/symmetric_factor.cpp
#include "sinew/constraint/rank/symmetric_factor.hpp"

#include "delassus/dense_ldl.hpp"

namespace sinew {

SymmetricFactor::SymmetricFactor(int most)
    : size(most),
      stride(delassus::ldl_stride(most)),
      a(static_cast<std::size_t>(most) * static_cast<std::size_t>(stride)),
      work(2 * static_cast<std::size_t>(most)) {}

void SymmetricFactor::resize(int new_size) {
  size = new_size;
  stride = delassus::ldl_stride(new_size);
}

bool factor(SymmetricFactor& f, double tolerance) {
  return delassus::factor_ldl(f.a.data(), f.size, tolerance, f.work.data(), f.work.data() + f.size).singular_row < 0;
}

void solve(const SymmetricFactor& f, double* x) { delassus::solve_ldl(f.a.data(), f.size, x); }

}  // namespace sinew
