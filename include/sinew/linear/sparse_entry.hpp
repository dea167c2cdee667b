// sinew/linear/sparse_entry.hpp - one number of a sparse matrix and its place, counted from 0
#pragma once

namespace sinew::linear {

struct SparseEntry {
  int row = 0, col = 0;
  double value = 0;
};

}  // namespace sinew::linear
