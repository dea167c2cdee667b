// sinew/constraint/embedding/loop_elimination.hpp - the solutions of K x = k, loop by loop:  x = X y + g
// y is a choice of the entries of x. Each constraint is one step. Its rows reach the joints on its path; joints that
// earlier steps made dependent are replaced by what they depend on, and elimination with complete pivoting makes as
// many of the others dependent as the rows have rank. The constraint that reaches the fewest columns is next. Where
// loops are local a step has a few columns, whatever the length of the mechanism: n loops cost O(n), and no matrix of
// size rows x nv is formed. Rows are judged relative to the size that they would have if nothing in them cancelled,
// columns are scaled by the inertia that they move, so units do not matter.
// Reference: [F08 8.48-8.51], there with one matrix K.
#pragma once
#include <vector>

#include "sinew/constraint/embedding/groups.hpp"
#include "sinew/linear/pivoted_elimination.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {

// One constraint.
struct LoopStep {
  // A node that a row's force moves, on the way from the force to the base.
  struct Visit {
    int node = 0;
    int column = -1;  // place of its first velocity coordinate in `columns`; -1: forces of the row cancel there
  };
  struct Entry {
    int entry = 0, row = 0;  // of the set's problem; counted from this constraint's first row
    int begin = 0, end = 0;  // of `visits`
  };
  // A dependent column, and where the columns that it depends on stand.
  struct Replaced {
    int column = 0;           // place in `columns`
    int step = 0, place = 0;  // the step that made it dependent, and its place there
    std::vector<int> by;      // places in `columns` of that step's open ones
  };

  int constraint = 0, row = 0, rows = 0;
  std::vector<Entry> entries;
  std::vector<Visit> visits;
  std::vector<int> path;  // velocity coordinates on the constraint's path

  // Which coordinates depend on which; constant until others are chosen.
  std::vector<int> columns;          // velocity coordinates: the path's, then those that replace some of them
  std::vector<Replaced> replaced;    // in the order of their steps
  std::vector<int> dependent, open;  // places in `columns`: made dependent by this step, and on what
  // At one position.
  std::vector<double> K;                // rows x columns; the replaced columns hold what they were replaced with
  std::vector<double> natural;          // (rows) size of each row if nothing in it cancelled
  std::vector<double> shift;            // (rows) largest force of the row
  linear::PivotedElimination lu{0, 0};  // rows x dependent, scaled
  std::vector<double> G;                // dependent x open
  double least_pivot = 1;               // of a row of size 1
  double left = 0;                      // largest part of an implied row, of size 1, that the others do not imply
  // For one right side.
  std::vector<double> k;  // (rows) right side without the replaced columns
  std::vector<double> g;  // (dependent)
};

struct LoopElimination {
  LoopElimination(const Model&, const ConstraintSet&, std::vector<EmbeddedGroup>);

  std::vector<EmbeddedGroup> groups;
  std::vector<LoopStep> steps;         // group by group, in the order of elimination
  std::vector<int> first_step;         // (groups + 1)
  std::vector<int> step_of, place_of;  // (nv) the step that made a coordinate dependent; -1: independent
  std::vector<double> scale;           // (nv) unit of a coordinate: what kinetic energy 1/2 moves alone
  std::vector<double> work;            // (rows of the largest step)
  std::vector<double> force, carried;  // (nv) scratch of the transposed problem
};

}  // namespace sinew
