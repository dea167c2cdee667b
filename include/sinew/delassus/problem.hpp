// sinew/delassus/problem.hpp - which nodes carry which rows of a constraint Jacobian, and how their paths meet
// A row is a force on one or more nodes; its velocity is the sum over its entries of  f . v_node. So a point, a weld,
// an axis mask, a loop joint (the force on one body, its reaction on the other) and a gear (couples on both sides of
// each joint) are all rows, and  W = J M^-1 J^T  is the Delassus matrix of any of them. [S23 section I-B]
//
// The numbers f come with each call, in the node's coordinates, one per entry; the structure is analysed here, once.
// Columns are the entries sorted by node: the columns below a node are a run. All entries on a node make one
// end-effector. An entry on the world (node 0) is allowed and moves nothing.
// Accessors by number are unchecked, like the operator[] of a vector: kernels loop over them.
#pragma once
#include <span>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew::delassus {

// A row acts on a node.
struct Entry {
  int row = 0;
  int node = 0;
};

// A node with entries.
struct EndEffector {
  int node = 0;
  int begin = 0, end = 0;  // its columns
};

class Problem {
 public:
  // Throws std::invalid_argument for a row or a node that does not exist. A row without entries is a row of zeros.
  Problem(const Model&, int rows, const std::vector<Entry>& entries);
  // Becomes the problem of other rows of the same model, within the memory that it has.
  void assign(const Model&, int rows, std::span<const Entry> entries);
  void reserve(int rows, int entries);

  const MadeFor& made_for() const { return made_for_; }
  int rows() const { return rows_; }
  std::span<const Entry> entries() const { return entries_; }  // as they were given

  int columns() const { return static_cast<int>(entry_of_.size()); }  // entries that are not on the world
  // Entry and row of a column.
  int entry_of(int column) const { return entry_of_[column]; }
  int row_of(int column) const { return row_of_[column]; }
  bool plain() const { return plain_; }  // column c is row c: one entry per row, in the order of the nodes
  bool one_entry_a_row() const { return one_entry_a_row_; }  // as many columns as rows, in any order
  int column_of(int row) const { return column_of_[row]; }   // the column of a row; for one_entry_a_row

  std::span<const EndEffector> ends() const { return ends_; }
  // Columns on the node or below it: begin(i) .. end(i) - 1; none where the two are equal.
  int begin(int node) const { return begin_[node]; }
  int end(int node) const { return end_[node]; }
  bool supports(int node) const { return begin(node) < end(node); }
  int end_on(int node) const { return end_on_[node]; }  // the end-effector on a node, -1: none

 private:
  MadeFor made_for_;
  int rows_ = 0;
  bool plain_ = true, one_entry_a_row_ = false;
  std::vector<Entry> entries_;
  std::vector<int> entry_of_, row_of_, column_of_, begin_, end_, end_on_;
  std::vector<EndEffector> ends_;
};

}  // namespace sinew::delassus
