// sinew/delassus/plan.hpp - how the rows of a problem travel to the base
// Forces travel in columns from their end-effectors towards the base. The columns that arrive at a *station* stop
// there, and six columns, one for each unit force on the station, travel on instead [S23 Alg. 3]. The coupling of two
// rows is calculated at the station where their paths meet.
//   PV-OSIM    no stations: columns add up on the way, m^2 d / 2 operations
//   mixed      stations where they pay
//   PV-OSIMr   every node where paths meet, and every end-effector of more than six rows: at most six columns travel
// A body that is free in the world is always a station. Nothing travels on from it; its six columns are known in closed
// form, as the inverse of its articulated inertia.
// Accessors by number are unchecked, like the operator[] of a vector: kernels loop over them.
#pragma once
#include <span>
#include <vector>

#include "sinew/delassus/problem.hpp"

namespace sinew::delassus {

// A node where six unit forces travel on in place of the rows below it.
struct Station {
  int node = 0;
  int above = -1;          // the next station towards the base, -1: the world
  int begin = 0, end = 0;  // columns of the problem on it and below it
  int basis = 0;           // the first of its six columns
  bool free = false;       // in the world: the six do not travel
  bool couples = true;     // rows meet here; false where all of them come from one station
  bool reached = true;     // its rows are needed here or at a station above
};

class Plan {
 public:
  // reduce: nodes that are to be stations. The stations above a station are added where paths meet.
  Plan(const Model&, const Problem&, std::span<const int> reduce);
  // Makes the plan of another problem of the same model; allocates nothing.
  void assign(const Model&, const Problem&, std::span<const int> reduce);

  // Throws std::invalid_argument unless the plan is for this model and for a problem with this number of columns.
  void check(const char* call, const Model&, const Problem&) const;

  std::span<const Station> stations() const { return stations_; }  // by node: parents first
  int station_on(int node) const { return station_on_[node]; }     // -1: none
  int travelling() const { return travelling_; }                   // columns in all: those of the problem come first
  // The columns that pass the joint of a node; none where the two are equal.
  int begin(int node) const { return begin_[node]; }
  int end(int node) const { return end_[node]; }
  // Columns whose path meets that of p below the station were coupled there. The station couples p with the columns
  // from skip(station, p) on, to the station's end.
  int skip(int station, int column) const;

 private:
  MadeFor made_for_;
  int columns_ = 0;  // of the problem
  std::vector<Station> stations_;
  std::vector<int> station_on_, begin_, end_;
  int travelling_ = 0;
  std::vector<char> kind_;            // (nodes) while planning: 1 a station, 2 passed by columns of a station below
  std::vector<int> above_, carries_;  // (nodes) while planning
};

// Nodes where the paths of two end-effectors meet; free bodies in the world are left out.
std::vector<int> find_meeting_nodes(const Model&, const Problem&);
// Those, and end-effectors of more than six rows. [S23 Alg. 3], with the repair for leaves
std::vector<int> find_pvr_stations(const Model&, const Problem&);
void find_pvr_stations(const Model&, const Problem&, std::vector<int>& out);

// Without stations [S23 Alg. 1], and with those of find_pvr_stations [S23 Alg. 3].
Plan make_pv_plan(const Model&, const Problem&);
Plan make_pvr_plan(const Model&, const Problem&);
// Starts from the stations of PV-OSIMr and drops, from the tips on, those without which fewer operations are counted
// (delassus/cost.hpp). At most `trials` plans are counted.
Plan make_mixed_plan(const Model&, const Problem&, std::span<const Force<double>> K = {}, int trials = 64);

}  // namespace sinew::delassus
