// src/linear/symmetric_factor.cpp
#include "sinew/linear/symmetric_factor.hpp"

#include "linear/ldl.hpp"

namespace sinew::linear {

SymmetricFactor::SymmetricFactor(int most)
    : size(most),
      stride(ldl_stride(most)),
      a(static_cast<std::size_t>(most) * static_cast<std::size_t>(stride)),
      work(2 * static_cast<std::size_t>(most)) {}

void SymmetricFactor::resize(int new_size) {
  size = new_size;
  stride = ldl_stride(new_size);
}

bool factor(SymmetricFactor& f, double tolerance) {
  return factor_ldl(f.a.data(), f.size, tolerance, f.work.data(), f.work.data() + f.size).singular_row < 0;
}

void solve(const SymmetricFactor& f, double* x) { solve_ldl(f.a.data(), f.size, x); }

}  // namespace sinew::linear
