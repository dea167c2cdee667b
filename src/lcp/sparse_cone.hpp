// src/lcp/sparse_cone.hpp - a sparse problem as the cone solvers see it: scaled as lcp/cone_form.hpp says, G unbuilt
//   G = J M^-1 J^T (+ softness of rows one wide);  free rows are rows without bounds
// Steps of Newton and of the interior point are solutions of  (1 + D G) dr = e  with D block diagonal. In velocities:
//   (M + J^T D J) dv = J^T e,   dr = e - D J dv
// which is a sparse matrix over trees (linear/fronts.hpp). Softness is the caller's: it goes into D.
#pragma once
#include <vector>

#include "linear/fronts.hpp"
#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::lcp {

class SparseCone {
 public:
  void reserve(const SparseRoom&, ConeForm&);
  // Fills all of the form but G.
  void scale(const SparseProblem&, ConeForm&);
  double softness(int block) const { return softness_[at(block)]; }  // of rows one wide, scaled

  // u = G r
  void multiply(const double* r, double* u);
  // The diagonal block of G: 3 x 3 by rows, or one number. With softness.
  const double* block(int k) const { return own_.data() + 9 * at(k); }

  // D: 9 numbers per block, 3 x 3 by rows, or one number. False: singular.
  bool factor(const double* D, Interrupt);
  // dr of (1 + D G) dr = e. refined: to 1e-10 of e, where D is so large that rounding matters.
  void solve(const double* e, double* dr, bool refined);

  // Motions v of the trees: M^-1 J^T r, J v, M v, and dv of (M + J^T D J) dv = f once D is factored.
  int velocities() const { return p_->velocities(); }
  const std::vector<double>& expected() const { return p_->expected; }  // not scaled
  void calc_motion(const double* r, double* v) const;
  void calc_rows(const double* v, double* u) const;
  void calc_momentum(const double* v, double* p) const;
  void solve_motion(const double* f, double* dv) { fronts_.solve(f, dv); }

  // Sweeps: velocities of a block are those that the impulses cause, without b.
  void begin_sweeps(const double* r);
  void get_velocity(int block, double* u) const;
  void push(int block, const double* change);

 private:
  void add_impulses(const double* r, double* f) const;  // f += J^T r
  void apply_blocks(const double* u, double* out) const;

  // Contacts that follow each other on the same body or two; or a block on anything else.
  struct Run {
    int block = 0, count = 1;
    int bodies = 0;               // 1 or 2; 0: anything else
    int tree[2] = {}, v[2] = {};  // and where their velocities begin
    int edge = 0;                 // of two bodies
    std::size_t first = 0;        // of its rows in J_ and response_
  };
  void find_runs();
  const Run& run_with(int block) const { return runs_[at(run_of_[at(block)])]; }
  void push_run(const Run&, int block, int count, const double* J, const double* r, double* f) const;
  void find_run(const Run&, int block, int count, const double* v, double* u) const;
  void push_all(const double* J, const double* r, double* f) const;
  void add_run(const Run&);
  void add_terms(int block);

  const SparseProblem* p_ = nullptr;
  linear::Fronts fronts_;
  std::vector<Run> runs_;
  std::vector<int> run_of_;      // (blocks)
  std::vector<int> first_pair_;  // (blocks) in edge_of_
  std::vector<linear::Edge> edges_, sorted_;
  std::vector<int> edge_of_;  // (pairs of terms of a block, in order)
  std::vector<double> J_, response_, own_, softness_, D_;
  std::vector<double> v_, f_, dv_, u_, left_, moved_, part_, rows_;
};

}  // namespace sinew::lcp
