// sinew/tree/rnea.hpp - inverse dynamics by the recursive Newton-Euler algorithm
// Given q, v, a finds tau = M(q) a + h(q, v) - sum of J^T f_external.   O(n); at most 91m + 79a per revolute joint.
// Reference: [F08 Table 5.1], in the three-dimensional form of [F08 Table 5.2].
// Differs from [F08]: accelerations are those of points (no linear velocity is needed), angular motion enters as one
//   matrix U = dw x + w x w x, the inertia as its second moments (so 15m + 15a make the moment), links stand in
//   Denavit-Hartenberg frames.
// Gravity enters as an acceleration of the world, a_0 = -g. Armature counts as kinetic energy of its coordinate
// (joint/armature.hpp); damping, friction and springs of the model are not part of this function.
// Read first: tree/textbook.hpp, the algorithm as the book prints it. How it is done here: kernel/rnea_steps.hpp.
// Frames: q, v, a and tau are joint coordinates; external forces come in body frames (tree/surroundings.hpp).
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/rnea_steps.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct RneaWorkspace {
  explicit RneaWorkspace(const Model&);
  MadeFor made_for;                      // the model
  std::vector<T> angles;                 // (nodes, and a register more) of one-axis joints
  std::vector<T> zeros;                  // (nv) velocities or accelerations that a call leaves out
  std::vector<Turn<T>> turns;            // (nodes) cosine and sine of one-axis joints                   pass 1
  std::vector<Force<T>> f;               // (nodes) force that moves the node, less the external ones    pass 1
  std::vector<Force<T>> slot_loads;      // (branch slots) forces that the children hand over            pass 2
  std::vector<Force<T>> external;        // (nodes) external forces, in the node's frame
  std::vector<RneaState<T>> slots;       // (branch slots) motion of a node with many children           pass 1
  std::vector<GeneralJoint<T>> general;  // (general joints) X and S                                     pass 1
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void rnea(const Model&, RneaWorkspace<T>&, In<T> q, In<T> v, In<T> a, Out<T> tau,
          const std::type_identity_t<Surroundings<T>>& = {});
// h(q, v): Coriolis, centrifugal and gravity terms, less external forces.
template <class T>
void calc_bias(const Model&, RneaWorkspace<T>&, In<T> q, In<T> v, Out<T> h,
               const std::type_identity_t<Surroundings<T>>& = {});
// g(q): the joint forces that hold the mechanism still against gravity.
template <class T>
void calc_gravity(const Model&, RneaWorkspace<T>&, In<T> q, Out<T> g, double time = 0);
// M x without M: the part of rnea that is linear in the acceleration. [F08 Table 6.1]
template <class T>
void multiply_by_mass(const Model&, RneaWorkspace<T>&, In<T> q, In<T> x, Out<T> Mx, double time = 0);

}  // namespace sinew
