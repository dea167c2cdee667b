// src/model/principal_moments.cpp
#include "linear/symmetric_eigenvalues.hpp"
#include "validate.hpp"

namespace sinew {

Vec3<double> principal_moments(const Sym3<double>& a) {
  linear::Matrix m(3, 3);
  m(0, 0) = a.xx, m(1, 0) = a.xy, m(1, 1) = a.yy, m(2, 0) = a.xz, m(2, 1) = a.yz, m(2, 2) = a.zz;
  const std::vector<double> e = linear::symmetric_eigenvalues(std::move(m));
  return {e[0], e[1], e[2]};
}

}  // namespace sinew
