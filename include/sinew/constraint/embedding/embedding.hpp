// sinew/constraint/embedding/embedding.hpp - closed loops in minimal coordinates: choice, closing, change
//   v = X y + w,   dv/dt = X dy/dt + g,   K X = 0,   K w = target,   K g = k             [F08 section 8.11]
// y is a choice of velocity coordinates of the tree, the independent ones: X holds an identity in their rows. The
// others follow from them, in positions too, so a mechanism that moves in y cannot drift out of its loops. X is found
// loop by loop (constraint/embedding/loop_elimination.hpp), or taken from formulae of the user.
// Coordinates are chosen at the first position by complete pivoting. As the mechanism moves they become worse, and near
// positions where they stop determining the others they must be replaced: renew_coordinates does it, and the report
// names and counts the changes. Positions where the rows lose rank, so that no choice determines the motion, are
// refused: the report names the constraint.
//   EmbeddingWorkspace ws(model, set);
//   close_loops(model, set, ws, q, v);      // moves the dependent coordinates only
//   ws.independent                          // what y is
// Constraints must hold positions: rolling and other nonholonomic ones throw std::invalid_argument.
// The model and the set must outlive the workspace's use. Allocates only where coordinates are chosen.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sinew/constraint/closure/closure.hpp"
#include "sinew/constraint/embedding/loop_elimination.hpp"

namespace sinew {

struct EmbeddingOptions {
  // Velocity coordinates wanted in y at the first choice. One that the others determine is left out.
  std::vector<int> independent;
  // Formulae for the whole model; y_j is then the position of the joint whose only velocity coordinate is
  // independent[j]. Checked at the neutral position against the constraints.
  std::shared_ptr<const ClosureFunction> closure;
  double position_tolerance = 1e-13;  // [m or rad] largest position error that counts as closed
  int max_iterations = 30;            // of Newton's method
  // A row counts as implied if the others leave less of it: this decides ranks, and where a position is singular.
  double rank_tolerance = linear::kImplied;
  // Coordinates are replaced where the least pivot falls below this part of what it was when they were chosen.
  double change_below = 0.3;
};

// How an embedding ended.
enum class EmbeddingStatus {
  ready,          // X and g are right
  singular,       // the rows lose or gain rank here: no choice of coordinates determines the motion
  contradiction,  // rows that imply each other demand different accelerations
  not_closed,     // positions cannot be closed by moving the dependent coordinates
  no_inertia,     // a motion meets no inertia
  non_finite,     // a number is not finite
};
std::string_view to_string(EmbeddingStatus);

// Independent coordinates were exchanged: when, and for which.
struct CoordinateChange {
  double time = 0;                // [s]
  std::vector<int> left, joined;  // velocity coordinates that were, and that became independent
};

struct EmbeddingReport {
  EmbeddingStatus status = EmbeddingStatus::ready;
  int freedoms = 0;           // numbers in y
  int rank = 0;               // of K
  int rows = 0;               // of K
  double least_pivot = 0;     // of rows of size 1: 0 at a singular position
  double position_error = 0;  // largest entry of e0 [m or rad] at the last state
  double velocity_error = 0;  // largest entry of e1
  int iterations = 0;         // of Newton's method, last closing
  int row = -1;               // contradiction, not_closed: the worst row
  int constraint = -1;        // singular: where
  int coordinate = -1;        // no_inertia: velocity coordinate
  std::vector<CoordinateChange> changes;
};
// A sentence with the names of the model; empty where ready.
std::string describe(const EmbeddingReport&, const Model&, const ConstraintSet&);
// "at t = 0.2 s joint 'crank' takes over from joint 'rocker'"
std::string describe(const CoordinateChange&, const Model&);

// X of one group.
struct EmbeddedMap {
  std::vector<int> independent;  // velocity coordinates, ascending
  std::vector<double> X;         // coordinates of the group x independent, row-major
};

struct EmbeddingWorkspace {
  EmbeddingWorkspace(const Model&, const ConstraintSet&, const EmbeddingOptions& = {});
  EmbeddingOptions options;  // all but `independent` and `closure` may be changed at any time
  ConstraintRows rows;       // at the last state
  LoopElimination loops;
  std::vector<int> group_of;        // (nodes) -1: in no group
  std::vector<int> independent;     // (freedoms) velocity coordinates that y is, ascending
  std::vector<int> place_in_y;      // (nv) -1: dependent
  std::vector<int> place_in_group;  // (nv) row of its group's X; -1: in no group
  std::vector<EmbeddedMap> maps;    // one a group, by prepare_embedding
  std::vector<double> g;            // (nv) by prepare_embedding; 0 in independent coordinates
  EmbeddingReport report;           // of the last call
  // What the choice was made with.
  bool chosen = false;               // there is a choice
  double chosen_pivot = 0;           // least pivot when it was made
  std::vector<int> rank_of;          // (constraints) coordinates that each makes dependent
  std::vector<char> held;            // (nv) 1: wanted in y, and not replaced yet
  std::vector<double> factored_q;    // (nq) where the loops were factored last
  double factored_time = 0;          // [s] likewise
  bool factored = false;             // the two are valid
  std::vector<int> closed_by;        // what was independent while the last close_loops moved positions; empty: nothing
  std::vector<double> x, rhs, size;  // (nv) a step; (rows) its right side; (rows) size of the terms of k
  std::vector<double> y, yd;         // (freedoms) for the closure function
  std::vector<int> y_position;       // (freedoms) likewise: the position coordinates that y is
  std::vector<ClosedMotion> closed;  // none, or one: what the closure function gave
};

// X and g at a state that obeys the constraints.
const EmbeddingReport& prepare_embedding(const Model&, const ConstraintSet&, EmbeddingWorkspace&, In<double> q,
                                         In<double> v, double time = 0);
// Closes the loops near q to rounding: the dependent coordinates move, by Newton's method or by formulae, then the
// dependent velocities. Ends with X and g of that state.
const EmbeddingReport& close_loops(const Model&, const ConstraintSet&, EmbeddingWorkspace&, Out<double> q,
                                   Out<double> v, double time = 0);
// At a closed position: chooses coordinates anew where the last choice has become bad. True if others were chosen. Call
// it between steps: a step of an integrator keeps its order only with the same coordinates in all its stages.
bool renew_coordinates(const Model&, const ConstraintSet&, EmbeddingWorkspace&, In<double> q, In<double> v,
                       double time = 0);

// After prepare_embedding. x = X y: velocities of the tree; y = X^T f: forces of the tree on the independent ones.
void expand_velocities(const Model&, const EmbeddingWorkspace&, In<double> y, Out<double> x);
void reduce_forces(const Model&, const EmbeddingWorkspace&, In<double> f, Out<double> y);

}  // namespace sinew
