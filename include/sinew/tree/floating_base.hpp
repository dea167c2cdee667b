// sinew/tree/floating_base.hpp - trees whose base moves freely; the pose of the base is not needed
// The model's one child of the world hangs on a free joint: that body is the base, body 0 of [F08 section 9.3]. With
// a0 the acceleration of the base and a the joint accelerations the equation of motion is
//   [ Ic0  F ] [ a0 ]   [ pc0 ]   [  0  ]                                                      [F08 9.13]
//   [ F^T  H ] [ a  ] + [  C  ] = [ tau ]
// Everything but gravity depends on the joints alone; the pose of the base only turns gravity into base coordinates.
// Reference: [F08 9.11-9.25], [F08 Tables 9.4, 9.5, 9.6], [F08 Examples 9.2, 9.3, 9.4].
// Differs from [F08]: forces on the base may be given as tau of its coordinates too; external forces are in body
//   frames. [F08 Table 9.6] prints a_lambda where a^r_lambda belongs.
// Vectors q, v, a, tau are the model's, base included, in the user's order: results are those of aba and rnea.
// "Joint coordinates" are the velocity coordinates without the six of the base, in that order.
#pragma once
#include <optional>

#include "sinew/tree/kernel/articulated_steps.hpp"
#include "sinew/tree/kernel/node_motions.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew {

// The node of the base. There is none if the world has no or several children, or if the joint of its child is not
// free, is reversed or has armature.
struct FloatingBase {
  int node = 0, v = 0;      // first of its six velocity coordinates
  std::vector<int> joints;  // velocity coordinate of each joint coordinate
};
std::optional<FloatingBase> find_floating_base(const Model&);

template <class T>
struct FloatingBaseWorkspace {
  // Throws std::invalid_argument unless find_floating_base finds one.
  explicit FloatingBaseWorkspace(const Model&);
  FloatingBase base;                      // constant
  NodeMotions<T> motions;                 // X, S, v and c of the nodes           all
  std::vector<ArticulatedInertia<T>> IA;  // (nodes)                              floating_aba
  std::vector<CoordinateStep<T>> steps;   // (nv)                                 floating_aba
  std::vector<RigidInertia<T>> Ic;        // (nodes) composite inertia            all others
  std::vector<Force<T>> p;                // (nodes) bias force: pA, f, pc
  std::vector<Motion<T>> a;               // (nodes) acceleration, less gravity in floating_aba; a^vp; a^r
  std::vector<T> packed;                  // H of the whole tree by model.dof_tree()      floating_crba
  std::vector<T> x;                       // (nv) right side, then the accelerations      floating_crba
};

// The coefficients of [F08 9.13], in base coordinates. n joint coordinates.
template <class T>
struct FloatingCoefficients {
  explicit FloatingCoefficients(const FloatingBase& b)
      : F(b.joints.size()), H(b.joints.size() * b.joints.size()), C(b.joints.size()) {}
  RigidInertia<T> Ic0;      // of the whole system
  Force<T> pc0;             // bias force of the whole system, gravity included
  std::vector<Force<T>> F;  // (n) force on the base due to a unit joint acceleration [F08 9.12]
  std::vector<T> H;         // (n x n) row-major
  std::vector<T> C;         // (n)
};

// All for every scalar of the closed set.

// Forward dynamics by articulated bodies, O(n). a of the base: its spatial acceleration. [F08 Table 9.4]
template <class T>
void floating_aba(const Model&, FloatingBaseWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
                  const std::type_identity_t<Surroundings<T>>& = {});
// [F08 Table 9.5]
template <class T>
void calc_floating_coefficients(const Model&, FloatingBaseWorkspace<T>&, In<T> q, In<T> v, FloatingCoefficients<T>& out,
                                const std::type_identity_t<Surroundings<T>>& = {});
// Forward dynamics from the coefficients, factored as L^T D L on the sparsity of the whole tree.
template <class T>
void floating_crba(const Model&, FloatingBaseWorkspace<T>&, const FloatingCoefficients<T>&, In<T> tau, Out<T> a);
// H^fl a + C^fl = tau: the base eliminated, and with it all sparsity. n x n and n, joint coordinates. [F08 9.14-9.16]
template <class T>
void calc_floating_equation(const FloatingCoefficients<T>&, OutMatrix<T> H_fl, Out<T> C_fl);
// The system's momentum in base coordinates, Ic0 v0 + F qd, prescribed joints at rest. [F08 Example 9.3]
template <class T>
Force<T> calc_floating_momentum(const FloatingBase&, const FloatingCoefficients<T>&, In<T> v);

// Inverse dynamics: joint accelerations in, joint forces and the base's acceleration out. Reads a at the joint
// coordinates, writes it at the base; tau of the base is set to 0. O(n), no matrix. [F08 Table 9.6]
template <class T>
void floating_rnea(const Model&, FloatingBaseWorkspace<T>&, In<T> q, In<T> v, Out<T> a, Out<T> tau,
                   const std::type_identity_t<Surroundings<T>>& = {});

// The change of a place's velocity when internal forces change the joint velocities and the system keeps its momentum:
// dv = J^fl dqd, J^fl = J - Ic0^-1 F. 6 x n, in the frame of the place. [F08 Example 9.4]
template <class T>
void calc_floating_jacobian(const Model&, FloatingBaseWorkspace<T>&, In<T> q, const Place&, OutMatrix<T> J,
                            double time = 0);

}  // namespace sinew
