// sinew/delassus/pv_dynamics.hpp - the Popov-Vereshchagin solver: constrained forward dynamics in O(n + m^2)
//   M qdd + h = tau + J^T lambda,   J qdd = k                [S23 1a, 1b], sign of lambda as in [F08 8.3]
//   (1) base to tip: the forces on the links that make h, and the accelerations without qdd (kernel/pv_bias.hpp)
//   (2) tip to base: articulated inertias, W (delassus/pv.hpp) and what the forces leave at each freedom, in one sweep
//   (3) base to tip: J qdd_free with M qdd_free = tau - h, for the nodes that support rows
//   (4) W lambda = k - J qdd_free, O(m^3)                      [S23 2]
//   (5) M qdd = tau - h + J^T lambda: tip to base for the nodes that support rows, base to tip for all
// W must be regular: otherwise solve_pv() returns the first row that others imply.
// constraint/solve/forward_dynamics.hpp has methods for redundant rows.
#pragma once
#include <vector>

#include "sinew/delassus/kernel/pv_bias.hpp"
#include "sinew/delassus/pv.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/kernel/aba_steps.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::delassus {

struct PvDynamicsWorkspace {
  PvDynamicsWorkspace(const Model&, const Problem&, Plan);
  PvDynamicsWorkspace(const Model&, const Problem&);  // with the plan of PV-OSIMr
  // Switches to other rows of the same model, with the plan of PV-OSIMr. Allocates nothing where there is room.
  void assign(const Model&, int rows, std::span<const Entry>);
  void reserve(const Model&, int rows, int entries);
  PvWorkspace<double> pv;                     // articulated inertias and W
  std::vector<Force<double>> external;        // (nodes) by pv_forward_dynamics
  std::vector<Force<double>> forces;          // (nodes) on a node; on those that support rows, from the others too
  std::vector<AbaLoad<double>> slot_loads;    // (branch slots) what the children hand over in (2)
  std::vector<BiasState<double>> slot_bias;   // (branch slots) motion of a node with many children, in (1)
  std::vector<Force<double>> slot_forces;     // (branch slots) forces that the children hand over in (5)
  std::vector<Motion<double>> slot_motions;   // (branch slots) acceleration of a node with many children
  std::vector<Motion<double>> accelerations;  // (nodes that support rows) of the last answer, by x alone: J x
  std::vector<double> u;                      // (freedoms) tau + S^T F, times 1 / D
  std::vector<double> f;                      // (nv) tau, less the bias of armatures
  std::vector<double> k;                      // (rows) J x = k
  std::vector<double> factor;                 // rows `stride` apart: U of W = U^T D U, 1 / D on the diagonal
  std::vector<double> pivots;                 // (2 x rows) D, and one row of the factorization
  int stride = 0;                             // numbers from one row of `factor` to the next
  // A row is implied by those before it if its pivot is below this part of W_ii,
  double least_pivot = linear::kImpliedPivot;
  std::vector<double> least_diagonal;  // (rows) or below this: for rows that are small because they cancel
  std::vector<double> rounding;        // (rows) by solve_pv: estimated rounding in W_ii

 private:
  void resize();
  std::vector<int> stations_;  // while planning
};

// Whether the rows were independent.
struct PvOutcome {
  // The first row that those before it imply, -1: none. If there is one, x is left at x_free, lambda at k - J x_free.
  int singular_row = -1;
  double least_pivot = 1;  // the smallest part of a row, in the metric of W, that the rows before it do not imply
  explicit operator bool() const { return singular_row < 0; }
};

// x with M x = f + J^T lambda and J x = k. K: one force per entry of the problem, in the node's coordinates.
PvOutcome solve_pv(const Model&, PvDynamicsWorkspace&, In<double> q, In<double> f, In<Force<double>> K, In<double> k,
                   Out<double> x, Out<double> lambda, double time = 0);

// After any solve: W of its position, rows x rows; and x = M^-1 (f + J^T lambda), O(n).
void get_delassus_matrix(PvDynamicsWorkspace&, OutMatrix<double> W);
void calc_response(const Model&, PvDynamicsWorkspace&, In<double> q, In<double> f, In<Force<double>> K,
                   In<double> lambda, Out<double> x);

// For rows that are fixed in their bodies: the spatial acceleration of the bodies along the rows becomes `target`, so
// dJ/dt is not needed. tau as in aba().
PvOutcome pv_forward_dynamics(const Model&, PvDynamicsWorkspace&, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<double> target, Out<double> qdd, Out<double> lambda,
                              const Surroundings<double>& = {});

}  // namespace sinew::delassus
