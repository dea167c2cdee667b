// src/joint/joint.cpp
#include "sinew/joint/joint.hpp"

#include <algorithm>

#include "base/traced_pass.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/subspace.hpp"

namespace sinew {
namespace {

// Calls f(part, q offset, v offset) for each part of a composite.
template <class F>
void for_each_part(const Joint& joint, F&& f) {
  int q = 0, v = 0;
  for (const JointPart& part : joint.parts) {
    f(part, q, v);
    q += part.joint.nq();
    v += part.joint.nv();
  }
}

// The three kinds whose motion can be prescribed.
template <class F>
void visit_one_axis(JointKind kind, F&& f) {
  if (kind == JointKind::prismatic)
    f(PrismaticJoint{});
  else if (kind == JointKind::helical)
    f(HelicalJoint{});
  else
    f(RevoluteJoint{});
}

// The one-axis motion that the law prescribes: no columns of S are left free.
template <class T>
void calc_prescribed(const Joint& joint, double t, JointMotion<T>& out) {
  const MotionSample s = joint.law(t);
  const T q = lit<T>(s.position), v = lit<T>(s.velocity);
  visit_one_axis(joint.prescribed_kind, [&](auto kind) { kind.calc(lit<T>(joint.parameter), &q, &v, out); });
  out.c += lit<T>(s.acceleration) * out.S[0];
}

// Parts one after the other, as bodies of a chain: v_k = X v_{k-1} + v_J, a_k = X a_{k-1} + c_J + v_k x v_J. The
// acceleration at rest of the coordinates is c, since the apparent and the true rate of v differ by v x v = 0.
template <class T>
void calc_composite(const Joint& joint, const T* q, const T* v, double t, JointMotion<T>& out) {
  out.X = {};
  out.v = {};
  out.c = {};
  JointMotion<T> m;
  int columns = 0;
  for_each_part(joint, [&](const JointPart& part, int iq, int iv) {
    const Transform<T> before = cast<T>(part.before), after = cast<T>(part.after);
    calc_joint(part.joint, q + iq, v + iv, t, m);
    const Transform<T> X = after * (m.X * before);
    const Motion<T> vJ = apply(after, m.v);
    out.X = X * out.X;
    out.v = apply(X, out.v) + vJ;
    out.c = apply(X, out.c) + apply(after, m.c) + cross(out.v, vJ);
    for (int k = 0; k < columns; ++k) out.S[k] = apply(X, out.S[k]);
    for (int k = 0; k < part.joint.nv(); ++k) out.S[columns++] = apply(after, m.S[k]);
  });
}

// Seen from the other side [F08 Table 4.2].
template <class T>
void reverse(int nv, JointMotion<T>& m) {
  for (int k = 0; k < nv; ++k) m.S[k] = -apply_inverse(m.X, m.S[k]);
  m.v = -apply_inverse(m.X, m.v);
  m.c = -apply_inverse(m.X, m.c);
  m.X = inverse(m.X);
}

template <class F>
int count(const Joint& joint, F&& of_joint) {
  int n = 0;
  for (const JointPart& part : joint.parts) n += of_joint(part.joint);
  return n;
}

}  // namespace

#if SINEW_FIRST_PASS
int Joint::nq() const {
  int n = 0;
  if (kind == JointKind::user) return user->nq();
  if (!visit_primitive(kind, [&n](auto k) { n = k.kNq; })) n = count(*this, [](const Joint& j) { return j.nq(); });
  return n;
}

int Joint::nv() const {
  int n = 0;
  if (kind == JointKind::user) return user->nv();
  if (!visit_primitive(kind, [&n](auto k) { n = k.kNv; })) n = count(*this, [](const Joint& j) { return j.nv(); });
  return n;
}
#endif

template <class T>
void calc_joint(const Joint& joint, const T* q, const T* v, double t, JointMotion<T>& out) {
  switch (joint.kind) {
    case JointKind::prescribed: calc_prescribed(joint, t, out); break;
    case JointKind::composite: calc_composite(joint, q, v, t, out); break;
    case JointKind::user: joint.user->calc(q, v, out); break;
    default: visit_primitive(joint.kind, [&](auto kind) { kind.calc(lit<T>(joint.parameter), q, v, out); });
  }
  if (joint.reversed) reverse(joint.nv(), out);
}

template <class T>
void calc_rate(const Joint& joint, const T* q, const T* v, T* qdot) {
  if (joint.kind == JointKind::user) return joint.user->rate(q, v, qdot);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.rate(q, v, qdot); }))
    for_each_part(joint, [&](const JointPart& p, int iq, int iv) { calc_rate(p.joint, q + iq, v + iv, qdot + iq); });
}

template <class T>
void integrate(const Joint& joint, const T* q, const T* dv, T* out) {
  if (joint.kind == JointKind::user) return joint.user->integrate(q, dv, out);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.integrate(q, dv, out); }))
    for_each_part(joint, [&](const JointPart& p, int iq, int iv) { integrate(p.joint, q + iq, dv + iv, out + iq); });
}

template <class T>
void difference(const Joint& joint, const T* q0, const T* q1, T* dv) {
  if (joint.kind == JointKind::user) return joint.user->difference(q0, q1, dv);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.difference(q0, q1, dv); }))
    for_each_part(joint, [&](const JointPart& p, int iq, int iv) { difference(p.joint, q0 + iq, q1 + iq, dv + iv); });
}

template <class T>
void normalize(const Joint& joint, T* q) {
  if (joint.kind == JointKind::user) return joint.user->normalize(q);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.normalize(q); }))
    for_each_part(joint, [&](const JointPart& p, int iq, int) { normalize(p.joint, q + iq); });
}

#if SINEW_FIRST_PASS
void calc_complements(const Joint& joint, const double* q, double t, JointComplements<double>& out) {
  const int nv = joint.nv();
  JointMotion<double> m;
  Joint forward = joint;
  forward.reversed = false;
  const double rest[kMaxJointDofs] = {};
  calc_joint(forward, q, rest, t, m);
  if (joint.kind == JointKind::prescribed) {
    FixedJoint::complements(0.0, q, out);  // it transmits every force
  } else if (!visit_primitive(joint.kind, [&](auto kind) { kind.complements(joint.parameter, q, out); })) {
    MotionSubspace S;
    for (int k = 0; k < nv; ++k) S.push_back(m.S[k]);
    const DualForces forces = dual_forces(S);
    std::copy(forces.constraint.begin(), forces.constraint.end(), out.constraint);
    std::copy(forces.active.begin(), forces.active.end(), out.active);
  }
  if (!joint.reversed) return;
  // As forces, not as motions, which is what [F08 Table 4.2] prints.
  for (int k = 0; k < 6 - nv; ++k) out.constraint[k] = -apply_inverse(m.X, out.constraint[k]);
  for (int k = 0; k < nv; ++k) out.active[k] = -apply_inverse(m.X, out.active[k]);
}

void neutral(const Joint& joint, double* q) {
  if (joint.kind == JointKind::user) return joint.user->neutral(q);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.neutral(q); }))
    for_each_part(joint, [&](const JointPart& p, int iq, int) { neutral(p.joint, q + iq); });
}

void random(const Joint& joint, Random& rng, const double* lower, const double* upper, double* q) {
  if (joint.kind == JointKind::user) return joint.user->random(rng, lower, upper, q);
  if (!visit_primitive(joint.kind, [&](auto kind) { kind.random(rng, lower, upper, q); }))
    for_each_part(joint,
                  [&](const JointPart& p, int iq, int iv) { random(p.joint, rng, lower + iv, upper + iv, q + iq); });
}
#endif

#define SINEW_INSTANTIATE(T)                                                           \
  template void calc_joint(const Joint&, const T*, const T*, double, JointMotion<T>&); \
  template void calc_rate(const Joint&, const T*, const T*, T*);                       \
  template void integrate(const Joint&, const T*, const T*, T*);                       \
  template void difference(const Joint&, const T*, const T*, T*);                      \
  template void normalize(const Joint&, T*);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE
#define SINEW_INSTANTIATE(T) template void calc_joint(const Joint&, const T*, const T*, double, JointMotion<T>&);
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
