// sinew/tree/dca.hpp - forward dynamics by divide and conquer: articulated bodies with several handles
// Given q, v, tau finds a with  M(q) a + h(q, v) = tau + sum of J^T f_external. The tree is cut in two at a joint, each
// half again, down to single bodies; pairs are then assembled upwards,
//   a_i = sum of Phi_ij f_j + b_i  over the handles, the bodies where later joints attach,
// and the joint forces are found on the way down. Assemblies of one level are independent: O(log n) on n
// processors for a chain. A link costs about 2000m + 1700a, so on one processor aba is several times quicker; this is
// for comparison and for machines with many.
// Reference: [F08 section 7.5], eqs 7.57-7.63 (7.59 prints Phi_1^A for Phi_14^A, 7.63 has b_1^A twice).
// Differs from [F08]: handles are bodies, so joints on one body share one; W comes from S instead of T, which allows
//   joint forces and armature: with R = (Phi_2 + Phi_3)^-1,
//   W = R - R S (S^T R S + A)^-1 S^T R = T (T^T (Phi_2 + Phi_3) T)^-1 T^T for A = 0.
// Requires that every body has an inverse inertia. Massless bodies with one child (inside composite joints) count as
//   part of the joint; other massless bodies, point masses and thin rods are refused.
#pragma once
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/articulated_steps.hpp"
#include "sinew/tree/kernel/node_motions.hpp"

namespace sinew {

// What is cut where; the same for all states.
struct DcaPlan {
  // Throws std::invalid_argument naming the body that has no inverse inertia.
  explicit DcaPlan(const Model&);

  struct Body {
    int node = 0;
    int parent = -1;          // body, -1: the world
    std::vector<int> path;    // nodes from below the parent's to its own; all but the last are massless
    std::vector<int> coords;  // velocity coordinates of the path, from parent to child
  };
  struct Handle {
    int body = 0;
    int part = 0, place = 0;  // it was handle `place` of the upper (0) or lower (1) part
  };
  struct Assembly {
    int upper = -1, lower = -1;      // assemblies; -1, -1: a single body
    int body = 0;                    // that body; else the body of the lower part whose joint is made
    int upper_place = 0;             // handle of the upper part that it hangs on
    int lower_place = 0;             // and its own place among those of the lower part
    int level = 0;                   // 0 for single bodies
    std::vector<Handle> handles;     // bodies where later joints attach
    std::size_t phi = 0, first = 0;  // where its handles x handles matrices and its handles begin
  };
  std::vector<Body> bodies;
  std::vector<Assembly> assemblies;  // parts before wholes
  std::vector<int> roots;            // assemblies that hang on the world, one handle each
  std::size_t phi_size = 0, handle_count = 0, most_handles = 0;

  int depth() const;  // levels of assembly: ceil(log2 n) for a chain
};

template <class T>
struct DcaWorkspace {
  explicit DcaWorkspace(const Model&);
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
  std::vector<Mat6<T>> G, GW;            // (handles of one assembly) Phi_ix, and times W       up
  std::vector<Motion<T>> b;              // by plan: Assembly::first                            up
  std::vector<Force<T>> f;               // by plan: forces on handles from outside             down
};

// For every scalar of the closed set.
template <class T>
void dca(const Model&, DcaWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
