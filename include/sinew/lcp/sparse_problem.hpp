// sinew/lcp/sparse_problem.hpp - a contact problem of many trees, without its matrix W
//   w = W z + q,   W = J M^-1 J^T + softness
// M has one dense block per tree, and a block of rows (a free row, a unilateral row, the three rows of a contact) acts
// on few trees: both are far smaller than W. The laws are those of lcp::FrictionProblem, and so is the order of rows.
//   SparseProblem p;
//   p.begin({0, 0, 2});                                  // two contacts
//   const int box = p.add_tree(6);  ... p.mass_of(box) ...
//   double* J = p.add_term(block, box);  ...             // 3 x 6, by rows; at most one term per block and tree
//   p.finish();
//   solver.solve(p, z);
#pragma once
#include <cstddef>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/lcp/problem.hpp"

namespace sinew::lcp {

// How large a problem may become.
struct SparseRoom {
  RowLayout rows;
  int trees = 0, velocities = 0;
  int widest = 0;        // velocities of the largest tree
  std::size_t mass = 0;  // numbers in all mass matrices
  int blocks() const { return rows.free + rows.unilateral + rows.contacts; }
  std::size_t jacobian() const { return 2 * at(rows.rows()) * at(widest); }  // a block acts on two trees
};

class SparseProblem {
 public:
  void reserve(const SparseRoom&);  // memory for problems of that size
  // Forgets everything but its memory. All vectors get their sizes: q zero, bounds 0 and infinity, mu, preload and
  // softness zero.
  void begin(const RowLayout&);
  int add_tree(int velocities);
  MatrixView<double> mass_of(int tree);  // symmetric; the caller fills it
  // Blocks in ascending order: free rows, unilateral rows, contacts. rows of the block x velocities of the tree, zero.
  // The pointer holds until the next call.
  double* add_term(int block, int tree);
  double* find_term(int block, int tree);  // of the last block; added where there is none
  // Factors the mass matrices, and finds the diagonal blocks of W. Rows of contacts and free rows along which nothing
  // can move become zero. False: a mass matrix is not positive definite.
  bool finish();

  std::vector<double> q, mu, preload, lower, upper, softness;  // softness: (unilateral) added to the diagonal of W
  int free = 0, unilateral = 0;
  int contacts() const { return static_cast<int>(mu.size()); }
  int size() const { return static_cast<int>(q.size()); }
  RowLayout layout() const { return {free, unilateral, contacts()}; }

  // (velocities) what M^-1 J^T z is about, where the caller knows; or empty. Solvers may start there.
  std::vector<double> expected;

  // Blocks of rows.
  int ones() const { return free + unilateral; }  // blocks of one row
  int blocks() const { return ones() + contacts(); }
  int start(int block) const { return block < ones() ? block : ones() + 3 * (block - ones()); }
  int width(int block) const { return block < ones() ? 1 : 3; }
  struct Term {
    int tree = 0;
    std::size_t first = 0;  // of its numbers in J
  };
  std::vector<Term> terms;
  std::vector<int> first_term;  // (blocks + 1)
  std::vector<double> J;
  // After finish().
  std::vector<double> response;  // M^-1 J^T at the places of J: row by row
  std::vector<double> diagonal;  // (9 per block) of W, with softness; one number where the block has one row

  // Trees.
  int trees() const { return static_cast<int>(sizes.size()); }
  int velocities() const { return velocities_; }
  std::vector<int> sizes, first_velocity;
  const double* mass(int tree) const { return mass_.data() + mass_first_[at(tree)]; }

  double diagonal_of(int row) const;  // of W
  // w = W z + q, in memory of the problem: valid until the next call, and not for two threads at once.
  VectorView<const double> calc_velocity(VectorView<const double> z) const;
  VectorView<const double> motion() const { return v_; }  // M^-1 J^T z of that call
  // The sums of the absolute values of its terms: how much cancels.
  void calc_motion_terms(VectorView<const double> z, VectorView<double> out) const;
  // Parts of it: f += J^T z;  v = M^-1 f in place;  u = J v.
  void add_impulses(VectorView<const double> z, VectorView<double> f) const;
  void solve_mass(VectorView<double> f) const;
  void calc_rows(VectorView<const double> v, VectorView<double> u) const;
  // W itself, size x size: for those who want to see it.
  void calc_matrix(MatrixView<double> W) const;

 private:
  double get_diagonal(int row) const {
    const int k = row < ones() ? row : ones() + (row - ones()) / 3;
    return diagonal[9 * at(k) + at(k < ones() ? 0 : 4 * ((row - ones()) % 3))];
  }
  void clear_immovable_rows();
  void solve_mass(int tree, const double* f, double* v) const;
  int velocities_ = 0;
  std::vector<double> mass_, factor_;
  mutable std::vector<double> v_, w_;
  std::vector<std::size_t> mass_first_;
};

}  // namespace sinew::lcp
