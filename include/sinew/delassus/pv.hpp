// sinew/delassus/pv.hpp - PV-OSIM and PV-OSIMr: the Delassus matrix in two sweeps
//   pv    [S23 Alg. 1]  O(n + m^2 d): all rows travel to the base
//   pvr   [S23 Alg. 3]  O(n + m^2): at most six columns travel; the lowest order known
//   mixed              O(n + m^2): as pvr, with stations only where they pay
// All three run kernel/pv_sweeps.hpp, each with its own plan (delassus/plan.hpp); make_pvr_plan limits the sweep to six
// columns. Differs from [S23]: a free base is solved in closed form, and Alg. 3 has these corrections: rows start as
// K^T, a child without rows changes nothing, what arrives at a station is kept, a leaf of more than six rows is
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
  // After `problem` and `plan` were changed: updates what depends on them, within the memory that there is.
  void resize();
  void reserve(const Model&, int rows, int entries);  // room for any plan of that size
  Problem problem;                                    // as given
  Plan plan;                                          // as given
  ArticulatedWorkspace<T> inertias;                   // k and 1 / D of each freedom
  std::vector<int> begin, end;                        // (nodes) the columns that pass a node's joint
  std::vector<int> first, last;                       // (nodes) the columns that start at a node
  std::vector<int> entry_of;                          // (columns) entry of the problem
  std::vector<int> station_on;                        // (nodes) the station on a node, -1: none
  std::vector<int> per_station;             // for each station, two numbers per column: StationScratch::skip and direct
  std::vector<T> travelling;                // F: 6 rows, one column per travelling column
  std::vector<T> Lambda;                    // W over the problem's columns, upper triangle
  std::vector<T> Omega;                     // (stations) 6 x 6, padded
  std::vector<T> station_columns;           // for each station, 12 numbers per column: StationScratch::left and right
  std::vector<T> u;                         // (travelling columns) S^T F of one freedom
  std::vector<StationScratch<T>> stations;  // (stations) pointers into the arrays above
  int stride = 0;                           // numbers from one row of Lambda to the next
  PvWorkspace(const PvWorkspace&) = delete;  // stations point into it
  PvWorkspace& operator=(const PvWorkspace&) = delete;
};
// Workspaces with the plan of each variant.
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

// W = J M^-1 J^T, rows x rows. K: one force per entry of the problem, in the node's coordinates. For every scalar of
// the closed set.
template <class T>
void pv(const Model&, PvWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
