// src/batch/check_rows.hpp - sizes of arrays with one row per sample
#pragma once
#include <stdexcept>
#include <string>

#include "sinew/base/view.hpp"

namespace sinew {

// Throws std::invalid_argument naming both sizes.
template <class R>
void check_rows(const char* call, const char* name, const MatrixView<R>& m, std::size_t samples, std::size_t width) {
  if (m.rows() == samples && m.cols() == width) return;
  throw std::invalid_argument(std::string(call) + ": " + name + " is " + std::to_string(m.rows()) + " x " +
                              std::to_string(m.cols()) + ", the call needs " + std::to_string(samples) + " x " +
                              std::to_string(width));
}

template <class R>
VectorView<R> get_row(const MatrixView<R>& m, std::size_t i) {
  return {m.data() + i * m.stride(), m.cols()};
}

}  // namespace sinew
