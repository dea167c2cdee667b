// src/contact/pseudo_inverse.hpp - of a matrix that may have dependent rows
#pragma once
#include <Eigen/Core>

namespace sinew::contact {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// By a complete orthogonal decomposition; threshold: of the largest pivot, less counts as zero.
RowMatrix pseudo_inverse(const RowMatrix&, double threshold);

}  // namespace sinew::contact
