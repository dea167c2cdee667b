// sinew/joint/mocap.hpp - a joint without freedoms whose place is an input (the mocap bodies of MuJoCo)
// q: unit quaternion and position of F_s in F_p, as of a free joint; then angular and linear velocity of F_s, and their
// rates, in F_s coordinates. All 19 are inputs: X, v and c of [F08 section 3.5]. A simulation moves them
// (sim/mocap.hpp); anywhere else they stay as they are given.
#pragma once
#include <memory>

#include "sinew/joint/free.hpp"

namespace sinew {

class UserJoint;

struct MocapJoint {
  static constexpr int kNq = 19, kNv = 0;
  static constexpr int kVelocity = 7, kRate = 13;  // where they begin

  template <class T>
  void calc(const T* q, const T*, JointMotion<T>& out) const {
    FreeJoint::calc(T{}, q, q + kVelocity, out);
    const T* c = q + kRate;
    out.c = {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
  template <class T>
  void rate(const T* q, const T*, T* qdot) const {
    FreeJoint::rate(q, q + kVelocity, qdot);
    for (int k = 0; k < 6; ++k) qdot[kVelocity + k] = q[kRate + k], qdot[kRate + k] = T{};
  }
  template <class T>
  void integrate(const T* q, const T*, T* out) const {
    for (int k = 0; k < kNq; ++k) out[k] = q[k];
  }
  template <class T>
  void difference(const T*, const T*, T*) const {}
  template <class T>
  void normalize(T* q) const {
    FreeJoint::normalize(q);
  }
  void neutral(double* q) const {
    for (int k = 0; k < kNq; ++k) q[k] = k == 0 ? 1 : 0;
  }
  void random(Random&, const double*, const double*, double* q) const { neutral(q); }
};

// The one that models share, for JointSpec::user; a joint that has it is a mocap joint.
const std::shared_ptr<const UserJoint>& get_mocap_joint();

}  // namespace sinew
