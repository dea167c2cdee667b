// sinew/constraint/two_trees/primary_secondary.hpp - two trees coupled at closure points; the coupling may change at
// any time
//   M_P nu_P' + J_P^* A_P^* f = T_P,   M_S nu_S' + J_S^* A_S^* f = T_S,   A_P J_P nu_P' + A_S J_S nu_S' = U
// Reference: [R92 0.19-0.23], steps A to F. Closure points are places on the trees; V^ stacks their
// velocities, angular above linear, along the axes of the world, of the point itself. A_P and A_S select the coupled
// components: rigidly coupled points have A_P = 1 and A_S = -1. For constant A, U is -(A_P bias_P + A_S bias_S).
//   prepare(model_p, p, q, v, tau);  prepare(model_s, s, q, v, tau);      // A, B, C: once per state, each tree alone
//   couple(model_p, p, model_s, s, ws, A_P, A_S, U, a_p, a_s, f);         // D, E, F: for every coupling
// Cost: prepare O(n + c^2) with c bodies that carry closure points: `aba`, a pass to the points and one sweep of
// PV-OSIMr (delassus/pv.hpp). couple: one O(n) sweep for each tree, and g^3 / 6 for each group of g rows that are
// coupled with each other. No mass matrix is formed. prepare at an unchanged position keeps the admittance.
// A secondary that is one free rigid body is not swept: its admittance is the inverse of its inertia, found once.
// Several secondaries are one model with several bodies in the world.
// Differs from [R92]: 0.20 has "Q_P = I and Q_S = I", one of them is -I; .44 has K x^ and -H z, they are x^ and +H z;
//   .42 is wrong on trees, so Omega comes from PV-OSIMr; loops inside a tree may also be a ConstraintSet of the tree;
//   step D is rank-revealing, so redundant couplings get the shortest f, and contradictions are named.
#pragma once
#include <memory>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/constraint/solve/force_equation.hpp"
#include "sinew/delassus/pv_dynamics.hpp"
#include "sinew/tree/aba.hpp"

namespace sinew {

// One of the two trees, with the places where the other may be coupled.
struct CoupledTree {
  // loops: rows within this tree. They hold by forces of their own, whatever is coupled; the set must outlive the tree.
  CoupledTree(const Model&, std::vector<Place> closure_points, const ConstraintSet* loops = nullptr);
  int points() const { return static_cast<int>(places.size()); }
  int carriers() const { return static_cast<int>(nodes.size()); }

  std::vector<Place> places;  // closure points; where they are in their nodes may be changed before any prepare
  const ConstraintSet* loops;
  Baumgarte stabilization;  // of the loops; may be changed
  RankOptions loop_rank;    // of the loops; may be changed

  // Constant.
  bool is_free_body;            // one rigid body, free in the world, without loops
  std::vector<int> nodes;       // (carriers) nodes with closure points
  std::vector<int> carrier;     // (points) on which of them
  std::vector<int> group;       // (carriers) those of different groups do not move each other; -1: on the world
  std::vector<char> moves;      // (nodes) whether a node moves a closure point
  std::vector<int> carrier_on;  // (nodes) the carrier on a node, -1: none
  std::vector<double> nothing;  // (nv) zeros

  // By prepare. Points: along the axes of the world, angular first.
  std::vector<double> free;          // (nv) nu'^f: without coupling                                            step A
  std::vector<double> alpha;         // (6 points) J nu'^f                                                      step B
  std::vector<double> Omega;         // (6 carriers)^2 acceleration of the nodes by forces on them, in their
                                     // frames, with the loops obeyed                                           step C
  std::vector<double> velocity;      // (6 points) V^ = J nu
  std::vector<double> bias;          // (6 points) J' nu
  std::vector<double> q, v;          // of the last prepare
  std::vector<double> armature;      // (nv) likewise, of its model
  double time = 0;                   // likewise
  std::vector<Transform<double>> B;  // (points) the node's frame <- axes of the world, at the point
  SolveCertificate certificate;      // of the loops: rank, redundant and contradicting rows

  // By prepare and couple: how often each step was done.
  struct {
    long motion = 0, admittance = 0, correction = 0;  // A and B; C; E and F
  } count;
  std::vector<double> loop_free;   // (loop rows) multipliers of the loops without coupling
  std::vector<double> loop_force;  // and with it, by couple

  // Scratch.
  struct NodeMotion {
    Transform<double> X;            // node <- world
    Motion<double> v, bias, alpha;  // world axes, about the node's origin
  };
  AbaWorkspace<double> aba;
  std::vector<NodeMotion> slots, at_carriers;               // (branch slots), (carriers)
  std::unique_ptr<delassus::PvDynamicsWorkspace> dynamics;  // rows: the loops, then six for each carrier
  std::unique_ptr<ConstraintRows> rows;                     // of the loops
  ForceEquation loop_equation;                              // of the loops
  std::vector<Force<double>> K;                             // (entries) of the last sweep
  std::vector<double> W;                                    // (loop rows + 6 carriers)^2 without the loops' forces
  std::vector<double> Z;                                    // (6 carriers x loop rows) loop forces for unit forces
  std::vector<double> own;                                  // (6 carriers x 6) diagonal blocks of Omega without loops
  std::vector<double> forces, response;                     // (loop rows + 6 carriers), (nv)
  std::vector<Motion<double>> added;                        // (carriers) what the last correction adds, node's frame
};
// The certificate is that of the loops.
const SolveCertificate& prepare(const Model&, CoupledTree&, In<double> q, In<double> v, In<double> tau,
                                const Surroundings<double>& = {});
// After prepare: Lambda = J M^-1 J^* = B^* Omega B, (6 points)^2, the admittance at the closure points. [R92 0.34]
void get_admittance(const CoupledTree&, OutMatrix<double> Lambda);

// Scratch of couple, for at most so many rows.
struct CouplingWorkspace {
  CouplingWorkspace(const CoupledTree& primary, const CoupledTree& secondary, int most_rows);  // of A_P and A_S
  int most;                                                                                    // largest number of rows
  SolveCertificate certificate;  // rank, redundant and contradicting rows, status
  int groups = 0;                // of rows that were solved together
  // Scratch.
  struct Side {
    std::vector<double> A;       // (rows x 6 carriers) A B^*: the rows as forces on the carriers
    std::vector<char> touches;   // (rows x carriers) whether a block of A is not zero
    std::vector<double> column;  // (6 carriers)
    std::vector<int> first;      // (carriers) the first row that touches its group
  } p, s;
  ForceEquation equation;            // A = A_P Lambda_P A_P^* + A_S Lambda_S A_S^*, of one group
  SolveCertificate part;             // of one group
  std::vector<double> gap, size;     // (rows) right side of step D, and the sum of the sizes of its terms
  std::vector<double> answer;        // (rows) of one group
  std::vector<int> above, members;   // (rows) groups as trees of rows; the rows of one group
  ForceEquation root;                // Omega_S = F F^*, for couple_primary_first
  linear::SymmetricFactor P, small;  // A_P Lambda_P A_P^* of one group; 1 + C^* P^-1 C
  std::vector<double> C, PC, y;      // (rows x 6 carriers of the secondary) A_S F, P^-1 of it; one column
};
// After both prepare(). nu_P', nu_S' and f; f acts on the primary as -A_P^* f. There may be no rows.
const SolveCertificate& couple(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                               CouplingWorkspace&, MatrixView<const double> A_P, MatrixView<const double> A_S,
                               In<double> U, Out<double> a_P, Out<double> a_S, Out<double> f, const RankOptions& = {});

// Step D through the inverse of P = A_P Lambda_P A_P^*, [R92 0.35]: for arms that meet only in a small secondary. P is
// block-diagonal, one block for each arm, and with Omega_S = F F^*, C = A_S B_S^* F,
//   f = P^-1 r - P^-1 C (1 + C^* P^-1 C)^-1 C^* P^-1 r,   r = A_P alpha_P + A_S alpha_S - U.
// O(rows) for arms of equal rows, and O(r^3) for the rank r of Omega_S, at most the freedoms of the secondary.
// Where P is singular: not_reached, and answers of NaN.
// Differs from [R92]: F takes the place of M_S, which is not formed; the two are one by Woodbury's identity.
const SolveCertificate& couple_primary_first(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                                             CouplingWorkspace&, MatrixView<const double> A_P,
                                             MatrixView<const double> A_S, In<double> U, Out<double> a_P,
                                             Out<double> a_S, Out<double> f, const RankOptions& = {});

}  // namespace sinew
