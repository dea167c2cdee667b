// sinew/tree/dca.hpp - forward dynamics by divide and conquer: articulated bodies with several handles
// Given q, v, tau finds a with  M(q) a + h(q, v) = tau + sum of J^T f_external. The tree is cut in two at a joint, each
// half again, down to single bodies; pairs are then assembled upwards,
//   a_i = sum of Phi_ij f_j + b_i  over the handles, the bodies where later joints attach,
// and the joint forces are found on the way down. Assemblies of one level are independent: O(log n) on n
// processors for a chain (batch/parallel_dca.hpp uses the cores there are). A link costs about 2000m + 1700a, so on one
// processor aba is several times quicker; this is for comparison and for machines with many.
// Reference: [F08 section 7.5], eqs 7.57-7.63 (7.59 prints Phi_1^A for Phi_14^A, 7.63 has b_1^A twice).
// Differs from [F08]: handles are bodies, so joints on one body share one; W comes from S instead of T, which allows
//   joint forces and armature: with R = (Phi_2 + Phi_3)^-1,
//   W = R - R S (S^T R S + A)^-1 S^T R = T (T^T (Phi_2 + Phi_3) T)^-1 T^T for A = 0.
// Loops and other constraints are ties (DcaTie): rows F with  sum of F^T a = k  over their bodies. A tie is closed
// where
//   its bodies have come together: y = (F^T Phi F)^+ (k - F^T a), Phi - Phi F (F^T Phi F)^+ F^T Phi, and the like for
//   b. Rows that follow from others are left out.
// Points, thin rods and massless bodies have no inverse inertia. They borrow some, E = B B^T, and give it back
//   when their last joint has been made: y = (1 - B^T Phi B)^-1 B^T a, Phi + Phi B (1 - B^T Phi B)^-1 B^T Phi. This is
//   exact; the more is borrowed than the body feels of its neighbours, the more digits it costs.
//   Massless bodies with one child and six freedoms at most (inside composite joints) count as part of the joint.
#pragma once
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/articulated_steps.hpp"
#include "sinew/tree/kernel/node_motions.hpp"

namespace sinew {

// Rows of a constraint: forces on nodes. At most six rows.
struct DcaTie {
  // A row of the tie acts on a node.
  struct Entry {
    int row = 0;  // of the tie
    int node = 0;
  };
  int rows = 0;
  std::vector<Entry> entries;
  bool floats = false;  // the forces of each row cancel: no body is held by the world
};

// What is cut where; the same for all states.
struct DcaPlan {
  // Throws std::invalid_argument naming a body that can move without inertia, and for a tie that does not fit.
  explicit DcaPlan(const Model&, std::vector<DcaTie> with_ties = {});

  // A body with inertia, and the massless nodes above it.
  struct Body {
    int node = 0;
    int parent = -1;               // body, -1: the world
    std::vector<int> path;         // nodes from below the parent's to its own; all but the last are massless
    std::vector<int> coords;       // velocity coordinates of the path, from parent to child
    double turning = 0, mass = 0;  // borrowed moment of inertia [kg m^2] and mass [kg]
    bool borrows() const { return turning > 0; }
  };
  // A body of an assembly where something is attached later.
  struct Handle {
    int body = 0;
    int part = 0, place = 0;  // it was handle `place` of the upper (0) or lower (1) part
  };
  // What an assembly is made of.
  enum class Kind {
    body,    // a single body
    joint,   // the joint between two parts is made
    ground,  // the joint between a part and the world is made
    pair,    // two parts side by side
    tie,     // a tie is closed inside a part
    lent,    // a body gives back what it borrowed
  };
  // Two parts made one.
  struct Assembly {
    Kind kind = Kind::body;
    int upper = -1, lower = -1;      // parts; upper: of joints and pairs only
    int body = 0;                    // joint, ground: the body of the lower part whose joint is made; else the body
    int tie = -1;                    // the tie that is closed
    int upper_place = 0;             // handle of the upper part that the body hangs on
    int lower_place = 0;             // and its own place among those of the lower part
    int level = 0;                   // 0 for single bodies
    int closing = -1;                // place among ties and bodies that borrow
    std::vector<Handle> handles;     // bodies where later joints and ties attach
    std::vector<int> places;         // tie: the handle of the part that each entry acts on
    std::size_t phi = 0, first = 0;  // where its handles x handles matrices and its handles begin
    std::size_t g = 0;               // where its scratch begins
  };
  std::vector<Body> bodies;
  std::vector<Assembly> assemblies;  // parts before wholes
  std::vector<int> roots;            // assemblies that hang on the world, before that joint is made
  std::vector<int> leaves;           // (bodies) their single assemblies
  std::vector<DcaTie> ties;
  std::vector<std::size_t> first_entry, first_row;  // (ties) where their entries and rows begin
  std::size_t phi_size = 0, handle_count = 0, most_handles = 0, g_size = 0, closings = 0, entries = 0, rows = 0;
  // The same assemblies for several threads: runs that do not depend on each other, then the rest.
  std::vector<std::vector<int>> tasks;
  std::vector<int> rest;

  int depth() const;  // levels until the trees hang on the world: ceil(log2 n) for a chain
};

template <class T>
struct DcaWorkspace {
  explicit DcaWorkspace(const Model& m) : DcaWorkspace(m, DcaPlan(m)) {}
  DcaWorkspace(const Model&, DcaPlan);   // of this model
  DcaPlan plan;                          // what is cut where                                   constant
  NodeMotions<T> motions;                // X, S, v and c of the nodes                          leaves
  std::vector<Transform<T>> X;           // (bodies) body <- parent body                        leaves
  std::vector<Motion<T>> c, beta;        // (bodies) joint's own acceleration; c - b_3 + b_2    leaves; up
  std::vector<Motion<T>> S;              // (nv) in the frame of the body below                 leaves
  std::vector<T> tau;                    // (nv) joint force, with external forces inside it    leaves
  std::vector<CoordinateStep<T>> steps;  // (nv)                                                up
  std::vector<ArticulatedInertia<T>> W;  // (bodies)                                            up
  std::vector<Force<T>> active;          // (bodies) joint force where beta is 0                up
  std::vector<Force<T>> external;        // (bodies)                                            leaves
  std::vector<Mat6<T>> Phi;              // by plan: Assembly::phi                              up
  std::vector<Mat6<T>> G, GW;            // by plan: Assembly::g, Phi_ix, and times W           up
  std::vector<Motion<T>> b;              // by plan: Assembly::first                            up
  std::vector<Force<T>> f;               // by plan: forces on handles from outside             down
  std::vector<Mat6<T>> Z;                // (closings) inverse of F^T Phi F or 1 - B^T Phi B    up
  std::vector<std::array<T, 6>> y0, y;   // (closings) y where no forces act; y                 up; down
  std::vector<int> ranks;                // (closings) of ties: rows that do not follow         up
  std::vector<Force<T>> tie_forces;      // (entries of ties)                                   dca_with_ties
  std::vector<T> tie_k;                  // (rows of ties) what F^T a is to be                  dca_with_ties
  std::vector<Motion<T>> still;          // (nodes) accelerations where dv/dt = 0               dca_with_ties
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit, and for a
// plan with ties.
template <class T>
void dca(const Model&, DcaWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& = {});

// With ties: M a + h = tau + K^T y, K a = k. `forces`: one per entry of the ties, in the node's coordinates, tie after
// tie: the rows of K. `k` and `y`: one per row. Returns the rank of K. Where rows depend on each other y is one of
// many; k that contradicts itself is obeyed in the rows that were kept, and not in the others.
int dca_with_ties(const Model&, DcaWorkspace<double>&, In<double> q, In<double> v, In<double> tau,
                  VectorView<const Force<double>> forces, In<double> k, Out<double> a, Out<double> y,
                  const Surroundings<double>& = {});

}  // namespace sinew
