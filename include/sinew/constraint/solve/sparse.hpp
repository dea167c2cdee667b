// sinew/constraint/solve/sparse.hpp - the equation of motion in maximal coordinates, as one large sparse system
//   [I  P T; T^T P^T  0] [a; -lambda] = [P Ta tau - v x* I v + f; - rate of T^T P^T times v]       [F08 8.64, 3.74]
// The unknowns are the six accelerations of every node and the constraint forces of every joint, tree or loop.
// O(n) for trees, ladders and other graphs with small separators, even where H is full.
// Differs from [F08]: 8.64 prints v x I v, it is v x* I v. Armature adds a term across its joint. The lower right block
//   is -mu, which gives the matrix an LDL^T factorization for every order of elimination, and rounds of refinement
//   against the true matrix remove its effect: redundant rows are allowed, and no rank is determined.
// The pattern is analysed once (AMD, Eigen's SimplicialLDLT); filling the matrix and factoring it allocate inside
// Eigen. lambda of redundant rows is shortest together with the forces of the tree's joints, not by itself.
#pragma once
#include <memory>

#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/constraint/solve/proximal.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

class SparseWorkspace {
 public:
  SparseWorkspace(const Model&, const ConstraintSet&);
  ~SparseWorkspace();
  SparseWorkspace(SparseWorkspace&&) noexcept;
  SparseWorkspace& operator=(SparseWorkspace&&) noexcept;

  MadeFor made_for;
  struct Matrix;  // src/constraint/solve/sparse.cpp
  std::unique_ptr<Matrix> matrix;
  long nonzeros() const;         // of the matrix, lower triangle
  long factor_nonzeros() const;  // of its factor, as the last call found it
};

// After calc_constraint_rows. made_of: as in ConstrainedSystem. K qdd = k, H qdd + C = tau + K^T lambda.
void solve_by_sparse(const Model&, const ConstraintSet&, const ConstraintRows&, SparseWorkspace&, In<double> q,
                     In<double> v, In<double> tau, In<double> k, In<double> made_of, const RankOptions&,
                     const ProximalOptions&, Out<double> qdd, Out<double> lambda, SolveCertificate&,
                     const Surroundings<double>& = {});
// H x = f + K^T lambda, K x = k: the same without velocities and gravity.
void solve_impulse_by_sparse(const Model&, const ConstraintSet&, const ConstraintRows&, SparseWorkspace&, In<double> q,
                             In<double> f, In<double> k, In<double> made_of, const RankOptions&, const ProximalOptions&,
                             Out<double> x, Out<double> lambda, SolveCertificate&, double time = 0);

}  // namespace sinew
