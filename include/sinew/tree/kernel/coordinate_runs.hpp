// sinew/tree/kernel/coordinate_runs.hpp - matrices from the order of the freedoms of a tree to that of the coordinates
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/dof_tree.hpp"
#include "sinew/sweep/kernel/columns.hpp"

namespace sinew {

// Freedoms from .. from + count - 1 are the coordinates to .. to + count - 1.
struct CoordinateRun {
  int from, to, count;
};
// Adds the run of freedom k, coordinate v, to those from `first` on.
inline void add_to_runs(std::vector<CoordinateRun>& out, std::size_t first, int k, int v) {
  if (out.size() > first && out.back().from + out.back().count == k && out.back().to + out.back().count == v)
    ++out.back().count;
  else
    out.push_back({k, v, 1});
}
// All of them, by coordinates.
inline std::vector<CoordinateRun> make_coordinate_runs(const DofTree& tree) {
  std::vector<int> freedom(static_cast<std::size_t>(tree.size()));
  for (int k = 0; k < tree.size(); ++k) freedom[static_cast<std::size_t>(tree.velocity(k))] = k;
  std::vector<CoordinateRun> out;
  for (int v = 0; v < tree.size(); ++v) add_to_runs(out, 0, freedom[static_cast<std::size_t>(v)], v);
  return out;
}

// All rows of a matrix, a register of columns after the other. Runs go from left to right, by whole registers: what one
// of them writes beyond its end is overwritten by the next. from: rows of `stride`, with room for one register more.
template <class T>
void copy_rows(const DofTree& tree, const std::vector<CoordinateRun>& runs, const T* from, std::ptrdiff_t stride,
               const MatrixView<T>& to) {
  using P = ColumnPack<T>;
  const int n = tree.size();
  const int* v = tree.velocities().data();
  const auto each_row = [&](int j, int k, auto copy) SINEW_INLINE_LAMBDA {
    for (int i = 0; i < n; ++i)
      copy(from + i * stride + j, to.data() + static_cast<std::size_t>(v[i]) * to.stride() + k);
  };
  const auto copy_register = [&](const CoordinateRun& run, int j) SINEW_INLINE_LAMBDA {
    each_row(run.from + j, run.to + j, [](const T* x, T* y) SINEW_INLINE_LAMBDA { P::store(P::load(x), y); });
  };
  for (const CoordinateRun& run : runs) {
    int j = 0;
    for (; j < run.count && run.to + j + P::kLanes <= n; j += P::kLanes) copy_register(run, j);
    if (j < run.count && run.count >= P::kLanes) {
      copy_register(run, run.count - P::kLanes);  // the last of all: some numbers twice
      continue;
    }
    for (; j < run.count; ++j)
      each_row(run.from + j, run.to + j, [](const T* x, T* y) SINEW_INLINE_LAMBDA { *y = *x; });
  }
}

}  // namespace sinew
