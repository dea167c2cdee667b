// sinew/delassus/pv.hpp - PV-OSIM and PV-OSIMr: the Delassus matrix in two sweeps
//   pv    [S23 Alg. 1]  O(n + m^2 d): all rows travel to the base
//   pvr   [S23 Alg. 3]  O(n + m^2): at most six columns travel; the lowest order there is
//   mixed              O(n + m^2): as pvr, with stations only where they pay
// All are pv_sweeps.hpp with another plan (delassus/plan.hpp).
// Differs from [S23]: a free base is dealt with in closed form, and the repairs of Alg. 3: rows set out as K^T, a child
// without rows changes nothing, what arrives at a station is kept, a leaf of more than six rows is a station.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/kernel/pv_sweeps.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct PvWorkspace {
  PvWorkspace(const Model&, const Problem&, Plan);
  // After `problem` and `plan` became those of other rows: what depends on them, in the room that is there.
  void resize();
  void reserve(const Model&, int rows, int entries);  // room for any plan of so many
  Problem problem;
  Plan plan;
  ArticulatedWorkspace<T> inertias;
  std::vector<int> begin, end, first, last, entry_of, station_on, per_station;
  std::vector<T> travelling, Lambda, Omega, station_columns, u;
  std::vector<StationScratch<T>> stations;
  int stride = 0;
  PvWorkspace(const PvWorkspace&) = delete;  // stations point into it
  PvWorkspace& operator=(const PvWorkspace&) = delete;
};
template <class T>
PvWorkspace<T> make_pv_workspace(const Model& m, const Problem& p) {
  return {m, p, make_pv_plan(m, p)};
}
template <class T>
PvWorkspace<T> make_pvr_workspace(const Model& m, const Problem& p) {
  return {m, p, make_pvr_plan(m, p)};
}
template <class T>
PvWorkspace<T> make_mixed_workspace(const Model& m, const Problem& p) {
  return {m, p, make_mixed_plan(m, p)};
}

// W = J M^-1 J^T, rows x rows. K: one force an entry of the problem, in the node's coordinates. For every scalar of the
// closed set.
template <class T>
void pv(const Model&, PvWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
