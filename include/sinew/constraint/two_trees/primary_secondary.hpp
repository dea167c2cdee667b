// sinew/constraint/two_trees/primary_secondary.hpp - two trees coupled at closure points; the coupling may change at
// any time
//   M_P nu_P' + J_P^* A_P^* f = T_P,   M_S nu_S' + J_S^* A_S^* f = T_S,   A_P J_P nu_P' + A_S J_S nu_S' = U
// Reference: [R92 0.19-0.23], steps A to F. Closure points are places on the trees; V^ stacks their
// velocities, angular above linear, along the axes of the world, of the point itself. A_P and A_S select the coupled
// components: rigidly coupled points have A_P = 1 and A_S = -1. For constant A, U is -(A_P bias_P + A_S bias_S).
//   prepare(model_p, p, q, v, tau);  prepare(model_s, s, q, v, tau);      // A, B, C: once per state
//   couple(model_p, p, model_s, s, ws, A_P, A_S, U, a_p, a_s, f);         // D, E, F: for every coupling
// Differs from [R92]: 0.20 has "Q_P = I and Q_S = I", one of them is -I; M is formed and factored, O(n^3) on a chain;
//   step D is rank-revealing, so redundant couplings get the shortest f, and contradictions are named.
#pragma once
#include "sinew/constraint/solve/force_equation.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"

namespace sinew {

struct CoupledTree {
  CoupledTree(const Model&, std::vector<Place> closure_points);
  int points() const { return static_cast<int>(places.size()); }
  std::vector<Place> places;
  AbaWorkspace<double> aba;
  CrbaWorkspace<double> crba;
  JacobianWorkspace<double> jacobian;
  ConstrainedSystem system;    // its rows are J, its Y is L^-T J^*
  std::vector<double> free;    // (nv) nu'^f: without coupling                      step A
  std::vector<double> alpha;   // (6 points) J nu'^f                                step B
  std::vector<double> Lambda;  // (6 points)^2 J M^-1 J^*, admittance at the points  step C
  std::vector<double> bias;    // (6 points) J' nu
  std::vector<double> force;   // (6 points) A^* f
  std::vector<double> column;  // (6 points)
};
void prepare(const Model&, CoupledTree&, In<double> q, In<double> v, In<double> tau, const Surroundings<double>& = {});

struct CouplingWorkspace {
  explicit CouplingWorkspace(int most_rows);  // rows of A_P and A_S
  int most;                                   // largest number of rows
  ForceEquation equation;                     // A = A_P Lambda_P A_P^* + A_S Lambda_S A_S^*
  SolveCertificate certificate;               // rank, redundant and contradicting rows, status
};
// After both prepare(). nu_P', nu_S' and f; f acts on the primary as -A_P^* f.
const SolveCertificate& couple(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                               CouplingWorkspace&, MatrixView<const double> A_P, MatrixView<const double> A_S,
                               In<double> U, Out<double> a_P, Out<double> a_S, Out<double> f, const RankOptions& = {});

// Step D through the inverse of P: with P = A_P Lambda_P A_P^*,
//   [M_S + (A_S J_S)^* P^-1 A_S J_S] nu_S' = T_S - (A_S J_S)^* P^-1 (A_P alpha_P - U),   f = P^-1 (A_P alpha_P + A_S
//   J_S nu_S' - U): for a secondary with fewer freedoms than there are rows. [R92 0.35]
struct PrimaryFirstWorkspace {
  PrimaryFirstWorkspace(const Model& secondary, int most_rows);
  linear::SymmetricFactor P, S;       // (rows), (nv of the secondary)
  std::vector<double> M, AJ, PAJ, r;  // nv x nv; AJ, PAJ: A_S J_S and P^-1 of it, by columns
  SolveCertificate certificate;       // not_reached, and answers of NaN, where P is singular
};
const SolveCertificate& couple_primary_first(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                                             PrimaryFirstWorkspace&, MatrixView<const double> A_P,
                                             MatrixView<const double> A_S, In<double> U, Out<double> a_P,
                                             Out<double> a_S, Out<double> f, const RankOptions& = {});

}  // namespace sinew
