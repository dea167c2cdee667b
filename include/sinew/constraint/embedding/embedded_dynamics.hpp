// sinew/constraint/embedding/embedded_dynamics.hpp - dynamics of closed loops in O(N), without multipliers
// Each group of bodies that loops tie is one node of a tree, with the independent coordinates y for its freedoms
// [J11 section 8.1]. With alpha_k the accelerations of its bodies, p the body that it hangs on, T_k the shift from p,
//   alpha_k = T_k alpha_p + Y_k y'' + b_k,   Y_k = T Y_parent(k) + S_k X_k,   b_k = T b_parent(k) + S_k g_k
// What hangs on a group hangs on one of its bodies, so its articulated inertia P is one 6 x 6 block per body, and
//   D = sum of Y_k^T P_k Y_k,   W = sum of T_k^T P_k Y_k,   y'' = D^-1 (u - W^T alpha_p)            [J11 32, 58f]
//   I_p gets  sum of T_k^T P_k T_k - W D^-1 W^T                                                        [J11 33]
// by sweeps inside the group: O(bodies (6 + n)^2) with n freedoms, nothing of the size of the group is formed. A group
// of one body is the articulated-body algorithm. Velocity products and gravity are taken out first, so that no bias
// accelerations travel. Coordinates: axes of the world, about each node's origin.
// The state must obey the constraints (close_loops). Allocates nothing, except where coordinates are chosen.
#pragma once
#include "sinew/constraint/embedding/embedding.hpp"
#include "sinew/tree/kernel/articulated_steps.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

// The embedding of the loops, and scratch of the calls below.
struct EmbeddedWorkspace {
  EmbeddedWorkspace(const Model&, const ConstraintSet&, const EmbeddingOptions& = {});
  EmbeddingWorkspace embedding;
  RneaWorkspace<double> rnea;
  std::vector<Force<double>> external;         // (nodes) in the node's frame
  std::vector<ArticulatedInertia<double>> IA;  // (nodes) with all that hangs on the node outside its group
  std::vector<Force<double>> pA;               // (nodes) force at alpha = 0
  std::vector<Motion<double>> alpha;           // (nodes) acceleration beyond velocity products and gravity
  std::vector<CoordinateStep<double>> steps;   // (nv) of nodes in no group
  std::vector<int> order;                      // nodes in no group, and -1 - group; parents first
  std::vector<int> place;                      // (nodes) place in its group, of nodes in a group
  // Of one group at a time; n of its freedoms.
  std::vector<Motion<double>> b;              // (nodes of the largest group)
  std::vector<Force<double>> F, h;            // (nodes x n) P Y; (nodes) P b + p
  std::vector<ArticulatedInertia<double>> R;  // (nodes) composite
  // Of all groups, kept from the sweep to the base for the sweep to the tips.
  std::vector<std::vector<double>> D, u;       // n x n, eliminated; (n)
  std::vector<std::vector<Force<double>>> W;   // (n)
  std::vector<std::vector<Motion<double>>> Y;  // (nodes x n)
  std::vector<double> tau, x;                  // (nv) forces and velocities of the tree
  std::vector<double> column;                  // (freedoms) of the mass matrix
};

// dv/dt of the whole tree; y'' are its entries at ws.embedding.independent. NaN where the report says why.
const EmbeddingReport& embedded_forward_dynamics(const Model&, const ConstraintSet&, EmbeddedWorkspace&, In<double> q,
                                                 In<double> v, In<double> tau, Out<double> qdd,
                                                 const Surroundings<double>& = {});
// The same after prepare_embedding or close_loops of ws.embedding at (q, v).
const EmbeddingReport& embedded_forward_dynamics_prepared(const Model&, EmbeddedWorkspace&, In<double> v,
                                                          In<double> tau, Out<double> qdd,
                                                          const Surroundings<double>& = {});
// x = X (X^T H X)^-1 X^T f: how impulses f along the tree's coordinates change v. With the inertias of the last
// embedded_forward_dynamics; that of a twin (with_armature) counts its armature too. O(N) for each f.
void solve_embedded_mass(const Model&, EmbeddedWorkspace&, In<double> f, Out<double> x);
// T = X^T ID(q, v, X y'' + g): the forces along y that give y''. O(N).
const EmbeddingReport& embedded_inverse_dynamics(const Model&, const ConstraintSet&, EmbeddedWorkspace&, In<double> q,
                                                 In<double> v, In<double> ydd, Out<double> T,
                                                 const Surroundings<double>& = {});
// X^T H X, freedoms x freedoms: the mass matrix of y. O(N freedoms).
const EmbeddingReport& calc_embedded_mass_matrix(const Model&, const ConstraintSet&, EmbeddedWorkspace&, In<double> q,
                                                 OutMatrix<double> M, double time = 0);
// What the constraints do: lambda with H qdd + C = tau + K^T lambda, after embedded_forward_dynamics at the same state.
// Rows that others imply get 0, so lambda is one of several where rows are redundant. O(N).
void calc_embedded_forces(const Model&, const ConstraintSet&, EmbeddedWorkspace&, In<double> q, In<double> v,
                          In<double> tau, In<double> qdd, Out<double> lambda, const Surroundings<double>& = {});

}  // namespace sinew
