// src/sim/loop_slopes.hpp - loops and couplings in the derivatives of a step
// A step holds them in one of two ways (LoopMethod). With K their rows, e0 their position errors, U their targets and r
// their impulses:
//   rows    K(q) u - U + recovery e0(q) / dt = 0      r from the step
//   embed   K(q) a = k(q, v),  a = (u - v) / dt - turning      r is not known: whatever balances the forces
// Both are rows of the system of sim/step_derivatives.hpp that always hold, and K^T r is a force in it that changes
// with q. Rows that imply each other are found by its elimination; du does not depend on how they share r. Embedded
// loops are closed at the end of the step. The independent coordinates I stay, the dependent ones D follow:
//   K dq+ = 0,   K dv+ + d(K v+)/dq dq+ = 0      dq+ and dv+ as moved where they are independent
// all at the end. So with dq+ = A dq + B x, where x moves D only (A and B are 1 but for joints that turn about several
// axes),   K B x = -K A dq,   K_D dv_D = -K_I dv_I - d(K v+)/dq dq+.
#pragma once
#include <vector>

#include "constraint/rows/row_slopes.hpp"
#include "embedded_step.hpp"
#include "linear/matrix.hpp"

namespace sinew::stepping {

// T x = B of a symmetric T >= 0 whose rows may imply each other: x of implied rows is 0.
linear::Matrix solve_semidefinite(linear::Matrix T, linear::Matrix B);

class LoopSlopes {
 public:
  using Matrix = linear::Matrix;

  // Both must outlive it. Throws std::invalid_argument naming a constraint whose rows cannot be differentiated.
  LoopSlopes(const Model&, const ConstraintSet&);
  int rows() const { return set_.rows(); }
  // Constraint by constraint: its first row, and how many it has.
  struct Block {
    int first = 0, count = 0;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  // Everything at q. Rows of a step with multipliers, at its u; share: of the position errors, per second. Or of an
  // embedded one, at its v and a. Throws std::domain_error naming a loop that is too far open.
  void place_rows(In<double> q, In<double> u, double time, double share);
  void place_rates(In<double> q, In<double> v, In<double> a, double time);
  // (rows x nv) K; of the row's law: its slope by q; by v (of embedded ones, zero else).
  Matrix K, by_q, by_v;

  // With the impulses r: forces on bodies (over dt) and on coordinates; and d(K^T r)/dq, less what stays on its body.
  void add_forces(In<double> r, double dt, Out<Force<double>> external, Out<double> force, MatrixView<double> slopes);
  // r with K^T r = f, where there is one; rows that others imply get 0.
  void find_impulses(In<double> f, std::vector<double>& r) const;

  // How closing embedded loops changes a state:  dq+ = q_by_q dq,  dv+ = v_by_q dq + v_by_v dv.
  struct Closing {
    Matrix q_by_q, v_by_q, v_by_v;
    void apply_to_columns(MatrixView<double>) const;  // of (dq, dv), 2 nv numbers each
    void apply_to_rows(Matrix&) const;                // that are multiplied by (dq, dv)
  };
  // Of a state that it has changed to q and v.
  Closing find_closing(const EmbeddedStep&, In<double> q, In<double> v, double time);

 private:
  void find_turns(const Node&, In<double> from, In<double> to, Matrix& A, Matrix& B) const;

  const Model& model_;
  const ConstraintSet& set_;
  RowSlopes slopes_;
  ConstraintRows rows_;
  std::vector<Block> blocks_;
  std::vector<double> still_;
  std::vector<double> q_;  // of the last place
  std::vector<unsigned char> touched_;
  Matrix none_;
};

}  // namespace sinew::stepping
