// sinew/tree/equivalence.hpp - dynamic equivalence: other inertias, the same equation of motion [F08 section 9.7]
// Inertia I_D may be taken from a body and given to its parent where this changes nothing for the joint between them:
//   I_D S = 0,   X_J^T I_D X_J = I_D,   S^T (v x* I_D v) = 0   for all q and v            [F08 9.30]
//   revolute                          two particles on the axis: m, c_z, Ixx = Iyy         [F08 Table 9.7]
//   prismatic                         any rotational inertia
//   spherical, spherical_ypr, universal   a particle at the centre
//   cylindrical, helical, planar, rack_and_pinion   Ixx = Iyy with no mass   (ours, by the same conditions)
//   free and user joints              nothing
// Moving inertia so that as many parameters as possible become zero, from the tips to the base, leaves 7 of 10 on a
// revolute link, and torques cost less to calculate. What is left are base inertial parameters: those that motion can
// reveal.
//
// WARNING: what is left is in general NOT the inertia of a body: masses are zero or negative, inertias indefinite. It
// serves tau = rnea(q, v, a), M, h and what follows from them. It must not be used where a body's own inertia
// matters: its inverse (dca, assembly variant 1), its kinetic energy or momentum alone, contact, validation. No
// algorithm of Sinew uses these inertias unless the caller asks for it: with rnea_with_inertias here, which follows the
// book, or with an EquivalentModel (tree/equivalent_model.hpp), which the fast algorithms take.
#pragma once
#include <span>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/tree/kernel/node_motions.hpp"

namespace sinew {

struct Equivalence {
  std::vector<RigidInertia<double>> inertias;  // one per node, in the node's frame; the world's is not used
  int zeros_before = 0, zeros_after = 0;       // parameters that are exactly 0, of 10 per node
  std::vector<int> not_a_body;                 // nodes whose new inertia is not that of any rigid body
  OperationCount cost_before, cost_after;      // of rnea_with_inertias, at a state without special numbers
};
// The procedure of [F08 section 9.7] with its best_match.
Equivalence find_equivalent_inertias(const Model&);

// Which number becomes zero beside the mass and c_z: the book's Iyy, or Jzz = (Ixx + Iyy - Izz) / 2, the second moment
// along the axis, which appears in two products of `rnea` more.
enum class ThirdZero { moment_yy, second_moment_zz };
// The part of `inertia`, in the frame of the joint, that may move to the parent and leaves the most zeros.
RigidInertia<double> best_match(const Joint&, const RigidInertia<double>& inertia,
                                ThirdZero third = ThirdZero::moment_yy);

// True where a rigid body, or a massless one, can have it: m >= 0, and its principal moments obey the triangle rule.
bool is_of_a_body(const RigidInertia<double>&);

// Scratch of one call.
template <class T>
struct InertiasRneaWorkspace {
  explicit InertiasRneaWorkspace(const Model&);
  NodeMotions<T> motions;    // X, S, v and c of the nodes
  std::vector<Motion<T>> a;  // (nodes) acceleration, less gravity
  std::vector<Force<T>> f;   // (nodes) force that the joint transmits
};
// rnea with the caller's inertias: one per node, Equivalence::inertias or any other. O(n). Numbers that are zero
// cost nothing with the counting scalar; code made for the model would leave them out. For every scalar of the closed
// set.
template <class T>
void rnea_with_inertias(const Model&, InertiasRneaWorkspace<T>&, std::span<const RigidInertia<double>> inertias,
                        In<T> q, In<T> v, In<T> a, Out<T> tau, const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
