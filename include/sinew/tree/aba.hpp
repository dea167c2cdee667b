// sinew/tree/aba.hpp - forward dynamics by the articulated-body algorithm
// Given q, v, tau finds a with  M(q) a + h(q, v) = tau + sum of J^T f_external.   O(n).
// Reference: [F08 Table 7.1], eqs 7.32-7.50.
// Differs from [F08]: accelerations are those of points, so velocities are angular only; inertias travel by axial
//   screws [F08 A.4]; gravity enters as a_0 = -g.
// Read first: tree/textbook.hpp, the algorithm as the book prints it. How it is done here: kernel/aba_sweeps.hpp.
// Frames: q, v, tau and a are joint coordinates; external forces come in body frames (tree/surroundings.hpp).
// Armature counts as inertia of its coordinate; damping, friction and springs of the model are not part of this.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/aba_steps.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct AbaWorkspace {
  explicit AbaWorkspace(const Model&);
  MadeFor made_for;                      // the model
  std::vector<T> angles;                 // (nodes, and a register more) of one-axis joints
  std::vector<T> zeros;                  // (nv) velocities of multiply_by_mass_inverse
  std::vector<Turn<T>> turns;            // (nodes) cosine and sine of one-axis joints                   pass 1
  std::vector<AbaLink<T>> links;         // (nodes) what a one-axis joint remembers                      passes 1, 2
  std::vector<Vec3<T>> slot_rates;       // (branch slots) angular velocity of a node with many children  pass 1
  std::vector<AbaLoad<T>> slot_loads;    // (branch slots) I^A and p^A that its children hand over        pass 2
  std::vector<Motion<T>> slot_motions;   // (branch slots) its acceleration                               pass 3
  std::vector<GeneralJoint<T>> general;  // (general joints) X and S                                     pass 1
  std::vector<AbaJoint<T>> joints;       // (general joints) what a joint remembers                      passes 1, 2
  std::vector<Force<T>> external;        // (nodes) external forces, in the node's frame
};

// For every scalar of the closed set. A coordinate that moves no inertia gives infinities or NaN; compile() warns of
// it. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void aba(const Model&, AbaWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& = {});
// M^-1 x without M: the part of aba that is linear in the force.
template <class T>
void multiply_by_mass_inverse(const Model&, AbaWorkspace<T>&, In<T> q, In<T> x, Out<T> y, double time = 0);

}  // namespace sinew
