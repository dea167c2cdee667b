// src/constraint/rank/row_scale.hpp - scales that make rows of different units comparable
#pragma once
#include <algorithm>
#include <vector>

#include "sinew/linear/tolerance.hpp"

namespace sinew {

inline constexpr double kOtherRows = 0.1;  // this part of the terms of other rows counts for each row

// norm: in, sqrt(A_ii); out, ConstrainedSystem::row_scale. full: as there.
inline void invert_row_norms(const std::vector<double>& full, std::vector<double>& norm) {
  const double largest = norm.empty() ? 0 : *std::max_element(norm.begin(), norm.end());
  for (std::size_t r = 0; r < norm.size(); ++r)
    norm[r] = norm[r] > linear::kCancelled * (full[r] > 0 ? full[r] : largest) ? 1 / std::max(norm[r], full[r]) : 0;
}

// Rounding in other rows also affects this one, so `size` includes a part of theirs, compared in the metric of H^-1.
inline void add_size_of_others(const std::vector<double>& row_scale, std::vector<double>& size) {
  double common = 0;
  for (std::size_t r = 0; r < size.size(); ++r) common = std::max(common, row_scale[r] * size[r]);
  for (std::size_t r = 0; r < size.size(); ++r)
    if (row_scale[r] > 0) size[r] = std::max(size[r], kOtherRows * common / row_scale[r]);
}

}  // namespace sinew
