// src/contact/os.hpp - the operational space form; see os.cpp
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "row_structures.hpp"
#include "sinew/model/parts.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "step_data.hpp"

namespace sinew::contact {

struct OsTree {
  OsTree(const Model& m, int v) : model(&m), structures(m), x(at(v)) {}
  const Model* model;
  int shift = 0;                // of node numbers
  int first_v = 0;              // of its coordinates, tree after tree
  std::span<const int> qs, vs;  // its coordinates in the whole model; empty if it is the whole model
  bool keeps = false;           // W is kept while the tree and its rows stay where they are
  RowStructures structures;
  const RowStructure* assembled = nullptr;    // whose W is in `W`
  std::vector<double> q, f, x, W;             // x: change of velocity
  std::vector<int> rows;                      // of the step, one per row of the tree
  int last_row = -1;                          // the largest of them
  std::vector<std::size_t> places;            // of these rows in the island
  std::vector<delassus::Entry> entries;       // in the numbers of the tree
  std::vector<int> sources;                   // (entries) index of their force in K_
  int above = 0;                              // another tree of its island, or itself
  int problem = -1;                           // its island
  ProblemData* island = nullptr;              // its island's problem; none: no row acts on it
  int sparse_tree = -1;                       // its number there, where that is without W
  std::optional<CrbaWorkspace<double>> crba;  // made when it is first needed
};

class Os : public Method {
 public:
  Os(const Model& m, const ConstraintSet& set);
  bool needs_axes() const override { return false; }
  void reserve(const lcp::RowLayout& most, Islands&) override;
  void set_armature(int v, double armature) override;
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  void find_rows(const StepData&);
  void find_islands(StepData&, Islands&);
  void add_tree(StepData&, OsTree&);
  void recover_tree(const StepData&, OsTree&, In<double> z);
  int root_of(int tree) const;
  // In v of the whole model.
  std::size_t coordinate_of(const OsTree& t, std::size_t i) const { return parts_.empty() ? i : at(t.vs[i]); }
  // Problems without W (os_sparse.cpp).
  void add_sparse_tree(StepData&, OsTree&, ProblemData&);
  void add_force(const StepData&, const OsTree&, int node, Force<double>, double* row) const;
  void sort_entries(int rows);
  void add_sparse_rows(const StepData&, ProblemData&);
  void expect_motion(const ContactStep&, const OsTree&, lcp::SparseProblem&) const;
  lcp::SparseRoom find_sparse_room(const lcp::RowLayout& most) const;
  void reserve_sparse(const lcp::RowLayout& most, Islands&);
  void recover_sparse_tree(const ContactStep&, const OsTree&);

  std::vector<ModelPart> parts_;
  std::vector<OsTree> trees_;
  std::vector<int> tree_of_;                   // (nodes) -1: the world
  std::vector<delassus::Entry> loop_entries_;  // of the set
  std::vector<delassus::Entry> entries_;       // of all rows
  std::vector<Force<double>> K_;               // (entries_)
  std::vector<int> velocities_;                // (islands)
  std::vector<int> first_tree_, place_;        // (rows) a tree that it acts on; its place in its island
  AbaWorkspace<double> aba_;
  std::vector<double> x_, given_;
  bool no_rows_ = false;  // in this step
  // Of problems without W.
  std::vector<Motion<double>> columns_;                  // (nv) how each coordinate moves its node, in the world's axes
  std::vector<int> first_entry_, entry_order_, cursor_;  // entries by row
  std::vector<double> impulse_;                          // (nv) of forces and given impulses, of one problem
};

}  // namespace sinew::contact
