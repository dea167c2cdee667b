// src/sim/impulse_slopes.hpp - how the velocity at the end of a step changes while its impulses obey their laws
//   (1) mass du - J^T dp = -dF        (2) for each row that presses: its law in dp and d(J u) = J du + Uq dq
// in the notation of sinew/sim/step_derivatives.hpp. By q, by v, and by a force. mass^-1 comes from the factors of the
// tree, and products leave out what is zero.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "linear/matrix.hpp"
#include "sinew/tree/kernel/freedom_chains.hpp"

namespace sinew::stepping {

class ImpulseSlopes {
 public:
  using Matrix = linear::Matrix;

  // The tree must outlive it.
  explicit ImpulseSlopes(const DofTree&);

  // A row of (2). Of a contact that slides: this row and the next are its tangents, the one before its normal. A law
  // that is relaxed (relaxed_laws.hpp) has slopes by the impulses and velocities of the rows that were added with it.
  struct Row {
    enum class Law { keeps, slides, relaxed } law = Law::keeps;
    double s1 = 0, s2 = 0;    // the direction of its slip
    double mu = 0, gain = 0;  // gain: mu p_n / |u_t|; infinite: at the change from sticking
    std::array<double, 3> by_impulse{}, by_velocity{};
  };
  // All matrices here have rows of this many numbers: those of nv columns, then zeros.
  int width() const { return width_; }
  // To be filled, after clear: J and Uq are zero, with room for so many rows.
  void clear(int most);
  Matrix J, Uq;
  std::vector<Row> laws;
  // The next `count` rows are there; coordinates: where their J is not zero.
  void add_rows(int count, std::span<const int> coordinates);
  int rows() const { return rows_; }

  // mass: the derivative of (1) by u, with the zeros of the tree. False if it is not positive definite.
  bool solve(const Matrix& mass, const Matrix& Fq, const Matrix& Fv);
  // Without laws: W = J mass^-1 J^T, (rows x rows). False as above.
  bool calc_response(const Matrix& mass, Matrix& W);
  // After calc_response: adds the change of u by impulses of the rows.
  void add_by_impulses(In<double> impulses, Out<double> u) const;
  Matrix u_by_q, u_by_v, u_by_force;
  // After solve: adds the change of u where d(J u) of the rows has the columns of `offsets` besides. Both have eight.
  void add_by_offsets(const Matrix& offsets, Matrix& u);
  int rank = 0;              // less than rows: some share a load in many ways
  bool unique = true;        // u_by_... do not depend on how
  double inconsistency = 0;  // relative: rows that cannot all keep their laws

 private:
  bool invert(const Matrix& mass);
  void build();
  void let_slide();
  void relax();
  void eliminate();
  void subtract_product(const Matrix& A, const Matrix& F, Matrix& out);

  struct RowGroup {
    int first = 0, count = 0;
    std::size_t begin = 0, end = 0;  // of coordinates_
  };

  const DofTree& tree_;
  std::vector<FreedomChain> chains_;
  std::vector<int> above_;  // those of the blocks
  std::vector<FreedomBlock> blocks_;
  int nv_, width_, stride_, rows_ = 0;
  std::vector<RowGroup> groups_;
  std::vector<int> coordinates_;
  Matrix inverse_, C_;                    // mass^-1, and J mass^-1
  Matrix turned_;                         // C^T
  Matrix T_, B_;                          // of the rows, in their units: T dp = -B; columns of B: by force, by q
  Matrix pivots_, free_, idle_;           // J mass^-1 of the pivots; impulses that change nothing in the rows
  Matrix moves_;                          // what the idle impulses change in u
  std::vector<double> unit_;              // of the impulse of each row
  std::vector<double> tangents_, right_;  // scratch of laws
  std::vector<double> packed_, Z_, N_;    // mass and its factors; FactorInverse::Z and N
  std::vector<int> order_, some_;
};

}  // namespace sinew::stepping
