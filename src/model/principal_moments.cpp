// src/model/principal_moments.cpp
#include <Eigen/Eigenvalues>

#include "validate.hpp"

namespace sinew {

Vec3<double> principal_moments(const Sym3<double>& a) {
  Eigen::Matrix3d m;
  m << a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz;
  const Eigen::Vector3d e = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
  return {e[0], e[1], e[2]};
}

}  // namespace sinew
