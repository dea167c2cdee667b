// sinew/tree/assembly.hpp - two articulated bodies and a joint make one: the three sets of formulae of [F08 Table 7.2]
// Body 1 is the handle that stays; body 2 is carried by it through a joint with S, c and force tau. All quantities in
// one common coordinate system, any.
//   assemble             f = I^A a + p^A  from inertias and S          [F08 7.19, 7.20]; both handles have six freedoms
//   assemble_implicit    the same from inertias and T (variant 2)      both handles have six freedoms
//   assemble_inverse     a = Phi^A f + b^A from inverse inertias and T (variant 1)   the joint must not repeat
//                        a constraint of the bodies; one handle with six freedoms is enough, so a body may be grounded
// T spans the constraint forces, T_a the active ones: T^T S = 0, T_a^T S = 1 (joint/joint.hpp: calc_complements).
// Reference: [F08 section 7.2], [F08 section 7.4], eqs 7.15-7.20, 7.51-7.56. The text's b^A of variant 1 is illegible;
//   from its equations: b^A = b1 - Phi1 T_a tau - Phi1 T Y^-1 z.
// For teaching and checking: the algorithms of this folder use the same formulae inside their sweeps.
#pragma once
#include "sinew/joint/motion.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

namespace sinew {

template <class T>
struct ArticulatedBody {  // f = I a + p
  ArticulatedInertia<T> I;
  Force<T> p;
};
template <class T>
struct InverseBody {  // a = Phi f + b
  InverseInertia<T> Phi;
  Motion<T> b;
};
template <class T>
struct AssemblyJoint {
  int nv = 0;
  Motion<T> S[kMaxJointDofs];
  Motion<T> c;                // a2 = a1 + S qdd + c
  T tau[kMaxJointDofs] = {};  // S^T f2 = tau
  JointComplements<T> forces;
};

// For every scalar of the closed set.
template <class T>
ArticulatedBody<T> assemble(const ArticulatedBody<T>& body1, const ArticulatedBody<T>& body2, const AssemblyJoint<T>&);
template <class T>
ArticulatedBody<T> assemble_implicit(const ArticulatedBody<T>& body1, const ArticulatedBody<T>& body2,
                                     const AssemblyJoint<T>&);
template <class T>
InverseBody<T> assemble_inverse(const InverseBody<T>& body1, const InverseBody<T>& body2, const AssemblyJoint<T>&);

// Where a handle has six freedoms, each form follows from the other: Phi = I^-1, b = -Phi p.
template <class T>
InverseBody<T> to_inverse(const ArticulatedBody<T>&);
template <class T>
ArticulatedBody<T> to_articulated(const InverseBody<T>&);

// The variants do not find qdd by themselves: qdd = T_a^T (a2 - a1 - c).
template <class T>
void calc_joint_accelerations(const AssemblyJoint<T>&, const Motion<T>& a1, const Motion<T>& a2, T* qdd);

}  // namespace sinew
