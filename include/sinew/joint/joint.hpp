// sinew/joint/joint.hpp - the closed dispatch over joint types (jcalc of [F08 section 4.4])
// A Joint is a kind with its parameters, in canonical axes (see joint/kind.hpp). Positions q, velocities v and the
// time t come in; the transform, motion subspace and bias go out, in F_s coordinates.
#pragma once
#include <memory>
#include <vector>

#include "sinew/joint/cylindrical.hpp"
#include "sinew/joint/fixed.hpp"
#include "sinew/joint/free.hpp"
#include "sinew/joint/helical.hpp"
#include "sinew/joint/kind.hpp"
#include "sinew/joint/planar.hpp"
#include "sinew/joint/prescribed.hpp"
#include "sinew/joint/prismatic.hpp"
#include "sinew/joint/rack_and_pinion.hpp"
#include "sinew/joint/revolute.hpp"
#include "sinew/joint/spherical.hpp"
#include "sinew/joint/spherical_ypr.hpp"
#include "sinew/joint/universal.hpp"

namespace sinew {

class UserJoint;
struct JointPart;

// A kind with its parameters.
struct Joint {
  JointKind kind = JointKind::fixed;
  double parameter = 0;   // pitch of a helical, radius of a rack-and-pinion joint
  bool reversed = false;  // the parent's motion seen from the child [F08 Table 4.2]
  JointKind prescribed_kind = JointKind::revolute;
  MotionLaw law;                          // prescribed
  std::shared_ptr<const UserJoint> user;  // user
  std::vector<JointPart> parts;           // composite, from parent to child

  int nq() const;
  int nv() const;
};

// One part of a composite: F_s(part) <- F_s(previous) is after * joint * before.
struct JointPart {
  Transform<double> before;
  Joint joint;
  Transform<double> after;
};

// Calls f with the joint class of a primitive kind: not prescribed, composite or user. False for those three.
SINEW_HD_CALLER
template <class F>
SINEW_HD bool visit_primitive(JointKind kind, F&& f) {
  switch (kind) {
    case JointKind::fixed: f(FixedJoint{}); return true;
    case JointKind::revolute: f(RevoluteJoint{}); return true;
    case JointKind::prismatic: f(PrismaticJoint{}); return true;
    case JointKind::helical: f(HelicalJoint{}); return true;
    case JointKind::cylindrical: f(CylindricalJoint{}); return true;
    case JointKind::planar: f(PlanarJoint{}); return true;
    case JointKind::spherical: f(SphericalJoint{}); return true;
    case JointKind::spherical_ypr: f(SphericalYprJoint{}); return true;
    case JointKind::universal: f(UniversalJoint{}); return true;
    case JointKind::free: f(FreeJoint{}); return true;
    case JointKind::rack_and_pinion: f(RackAndPinionJoint{}); return true;
    case JointKind::prescribed:
    case JointKind::composite:
    case JointKind::user: break;
  }
  return false;
}

// For every scalar of the closed set. Pointers hold nq or nv numbers.
template <class T>
void calc_joint(const Joint&, const T* q, const T* v, double t, JointMotion<T>& out);
template <class T>
void calc_rate(const Joint&, const T* q, const T* v, T* qdot);  // qdot(q, v) [F08 3.7]
// On the joint's manifold: q after the constant velocity dv for unit time, and the dv from q0 to q1.
template <class T>
void integrate(const Joint&, const T* q, const T* dv, T* out);
template <class T>
void difference(const Joint&, const T* q0, const T* q1, T* dv);
template <class T>
void normalize(const Joint&, T* q);

// T and Ta at q [F08 section 3.5]. Closed forms for primitive kinds, elimination for composite and user joints.
void calc_complements(const Joint&, const double* q, double t, JointComplements<double>& out);

void neutral(const Joint&, double* q);
// lower and upper: one finite bound per velocity coordinate; those of a turn by quaternion are not read.
void random(const Joint&, Random&, const double* lower, const double* upper, double* q);

}  // namespace sinew
