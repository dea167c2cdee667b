// src/sim/impulse_slopes.hpp - how the velocity at the end of a step changes while its impulses obey their laws
//   (1) mass du - J^T dp = -dF        (2) for each row that presses: its law in dp and d(J u) = J du + Uq dq
// in the notation of sinew/sim/step_derivatives.hpp. By q, by v, and by a force.
#pragma once
#include <vector>

#include "linear/dense_system.hpp"

namespace sinew::stepping {

class ImpulseSlopes {
 public:
  using Matrix = linear::DenseMatrix;

  // A row of (2). Of a contact that slides: this row and the next are its tangents, the one before its normal.
  struct Row {
    enum class Law { keeps, slides } law = Law::keeps;
    double s1 = 0, s2 = 0;    // the direction of its slip
    double mu = 0, gain = 0;  // gain: mu p_n / |u_t|; infinite: at the change from sticking
  };
  // To be filled, after clear: J and Uq are zero, with room for so many rows.
  void clear(Eigen::Index most, Eigen::Index nv);
  Matrix J, Uq;
  int rows = 0;  // of both that are used
  std::vector<Row> laws;

  // mass: the derivative of (1) by u. False if it is not positive definite.
  bool solve(const Matrix& mass, const Matrix& Fq, const Matrix& Fv);
  Matrix u_by_q, u_by_v, u_by_force;
  int rank = 0;              // less than rows: some share a load in many ways
  bool unique = true;        // u_by_... do not depend on how
  double inconsistency = 0;  // relative: rows that cannot all keep their laws

 private:
  void build(const Matrix& inverse);
  void let_slide();
  void eliminate();

  Matrix inverse_, C_;           // mass^-1, and J mass^-1
  Matrix T_, B_;                 // of the rows, in their units: T dp = -B; columns of B: by force, by q
  Matrix pivots_, free_, idle_;  // J mass^-1 of the pivots; impulses that change nothing in the rows
  Matrix tangents_, right_;      // scratch of let_slide
  Eigen::VectorXd unit_;         // of the impulse of each row
  std::vector<int> order_;
};

}  // namespace sinew::stepping
