// sinew/delassus/kernel/row_jacobian.hpp - the Jacobian of the rows, for the algorithms that form it: dense and ltl
// Column by column from tip to base: a row starts as the force K on its node; each freedom that it passes stores
// S^T F.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew::delassus {

template <class T>
struct RowJacobian {
  RowJacobian(const Model&, const Problem&);
  int stride;                // numbers from one row to the next
  std::vector<T> forces;     // 6 x columns: F, while it travels
  std::vector<T> transpose;  // J^T, one row per freedom over the problem's columns; only those below its node are set
};
// After the turns and general joints of `ws` are known.
template <class T>
void calc_row_jacobian(const Model&, const Problem&, const CrbaWorkspace<T>& ws, RowJacobian<T>&, In<T> q,
                       In<Force<T>> K);

}  // namespace sinew::delassus
