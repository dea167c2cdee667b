// sinew/tree/aba.hpp - forward dynamics by the articulated-body algorithm
// Given q, v, tau finds a with  M(q) a + h(q, v) = tau + sum of J^T f_external.   O(n).
// Reference: [F08 Table 7.1], eqs 7.32-7.50.
// Differs from [F08]: accelerations are those of points, so velocities are angular only; inertias travel by axial
//   screws [F08 A.4]; gravity enters as a_0 = -g.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/aba_steps.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

template <class T>
struct AbaWorkspace {
  explicit AbaWorkspace(const Model&);
  MadeFor made_for;
  std::vector<T> angles, zeros;
  std::vector<Turn<T>> turns;
  std::vector<AbaLink<T>> links;
  std::vector<Vec3<T>> slot_rates;
  std::vector<AbaLoad<T>> slot_loads;
  std::vector<Motion<T>> slot_motions;
  std::vector<GeneralJoint<T>> general;
  std::vector<AbaJoint<T>> joints;
  std::vector<Force<T>> external;
};

// For every scalar of the closed set. A coordinate that moves no inertia gives infinities or NaN, never a guess;
// compile() refuses such models.
template <class T>
void aba(const Model&, AbaWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& = {});
// M^-1 x without M: the part of aba that is linear in the force.
template <class T>
void multiply_by_mass_inverse(const Model&, AbaWorkspace<T>&, In<T> q, In<T> x, Out<T> y, double time = 0);

}  // namespace sinew
