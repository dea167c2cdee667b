// src/tree/checks.hpp - sizes of what a call is given; each throws std::invalid_argument naming both sizes
#pragma once
#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

// The workspace is of this model, q and v fit.
inline void check_position(const char* call, const Model& m, const MadeFor& workspace, std::size_t q) {
  workspace.check(call, m);
  check_size(call, "q", q, static_cast<std::size_t>(m.nq()));
}
inline void check_state(const char* call, const Model& m, const MadeFor& workspace, std::size_t q, std::size_t v) {
  check_position(call, m, workspace, q);
  check_size(call, "v", v, static_cast<std::size_t>(m.nv()));
}
// "get_jacobian: J is 6 x 5, the model needs 6 x 7"
template <class T>
void check_shape(const char* call, const char* name, const MatrixView<T>& a, std::size_t rows, std::size_t cols) {
  if (a.rows() == rows && a.cols() == cols) return;
  const auto text = [](std::size_t r, std::size_t c) { return std::to_string(r) + " x " + std::to_string(c); };
  throw std::invalid_argument(std::string(call) + ": " + name + " is " + text(a.rows(), a.cols()) +
                              ", the model needs " + text(rows, cols));
}

}  // namespace sinew
