// sinew/delassus/pv.hpp - PV-OSIM and PV-OSIMr: the Delassus matrix in two sweeps
//   pv    [S23 Alg. 1]  O(n + m^2 d): all rows travel to the base
//   pvr   [S23 Alg. 3]  O(n + m^2): at most six columns travel; the lowest order there is
//   mixed              O(n + m^2): as pvr, with stations only where they pay
// All are kernel/pv_sweeps.hpp with another plan (delassus/plan.hpp): the sweep that is limited to six columns is that
// of make_pvr_plan. Differs from [S23]: a free base is dealt with in closed form, and the repairs of Alg. 3: rows set
// out as K^T, a child without rows changes nothing, what arrives at a station is kept, a leaf of more than six rows is
// a station.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/kernel/pv_stations.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct PvWorkspace {
  PvWorkspace(const Model&, const Problem&, Plan);
  // After `problem` and `plan` became those of other rows: what depends on them, in the room that is there.
  void resize();
  void reserve(const Model&, int rows, int entries);  // room for any plan of so many
  Problem problem;                                    // as given
  Plan plan;                                          // as given
  ArticulatedWorkspace<T> inertias;                   // k and 1 / D of each freedom
  std::vector<int> begin, end;                        // (nodes) the columns that pass a node's joint
  std::vector<int> first, last;                       // (nodes) the columns that set out from a node
  std::vector<int> entry_of;                          // (columns) entry of the problem
  std::vector<int> station_on;                        // (nodes) the station on a node, -1: none
  std::vector<int> per_station;             // for each station, two numbers per column: StationScratch::skip and direct
  std::vector<T> travelling;                // F: 6 rows, a column for each that travels
  std::vector<T> Lambda;                    // W over the problem's columns, upper triangle
  std::vector<T> Omega;                     // (stations) 6 x 6, padded
  std::vector<T> station_columns;           // for each station, 12 numbers per column: StationScratch::left and right
  std::vector<T> u;                         // (travelling columns) S^T F of one freedom
  std::vector<StationScratch<T>> stations;  // (stations) where each has its own of all that
  int stride = 0;                           // numbers from one row of Lambda to the next
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
