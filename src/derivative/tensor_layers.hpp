// src/derivative/tensor_layers.hpp - a tensor of n^3 numbers as n matrices, one below the other
#pragma once
#include "sinew/base/view.hpp"

namespace sinew {

// Layer i of (n n) x n numbers.
template <class T>
MatrixView<T> layer_of(const MatrixView<T>& x, std::size_t i) {
  return {x.data() + i * x.cols() * x.stride(), x.cols(), x.cols(), x.stride()};
}

}  // namespace sinew
