// src/tree/textbook/aba.cpp - the articulated-body algorithm [F08 Table 7.1]
#include "joint_matrices.hpp"
#include "sinew/tree/textbook.hpp"

namespace sinew::textbook {

std::vector<double> aba(const Model& model, In<double> q, In<double> qd, In<double> tau,
                        const Surroundings<double>& around) {
  check_size("textbook::aba", "q", q.size(), at(model.nq()));
  check_size("textbook::aba", "qd", qd.size(), at(model.nv()));
  check_size("textbook::aba", "tau", tau.size(), at(model.nv()));
  const std::vector<Force<double>> fx = external_forces("textbook::aba", model, around);
  const auto body = model.nodes();
  const int NB = static_cast<int>(body.size()) - 1;

  std::vector<Transform<double>> X(body.size());  // ^i X_lambda(i)
  std::vector<MotionSubspace> S(body.size());
  std::vector<Motion<double>> v(body.size()), c(body.size()), a(body.size());
  std::vector<ArticulatedInertia<double>> IA(body.size());
  std::vector<Force<double>> pA(body.size());
  std::vector<ForceSubspace> U(body.size());
  std::vector<JointMatrix> Dinv(body.size());
  std::vector<Coordinates> u(body.size());
  std::vector<double> qdd(tau.size());

  v[0] = {};
  for (int i = 1; i <= NB; ++i) {
    const auto [XJ, Si, vJ, cJ] = jcalc(body[i], q, qd, around.time);
    const RigidInertia<double>& I = body[i].inertia;
    S[i] = Si;
    X[i] = XJ * body[i].placement;
    v[i] = apply(X[i], v[body[i].parent]) + vJ;  // [F08 7.34]
    c[i] = cJ + cross(v[i], vJ);                 // [F08 7.35]
    IA[i] = to_articulated(I);
    pA[i] = cross(v[i], I * v[i]) - fx[i];  // [F08 7.36]
  }
  for (int i = NB; i >= 1; --i) {
    const int lambda = body[i].parent;
    U[i] = IA[i] * S[i];                                                              // [F08 7.43]
    const JointMatrix D = transpose_times(S[i], U[i]) + armature_of(model, body[i]);  // [F08 7.44]
    Dinv[i] = inverse(D, body[i].nv);
    u[i] = get_part(body[i], tau) - armature_bias_of(model, body[i], qd) - transpose_times(S[i], pA[i]);  // [F08 7.45]
    if (lambda == 0) continue;
    const ArticulatedInertia<double> Ia = IA[i] - times_transpose(U[i] * Dinv[i], U[i]);  // [F08 7.47]
    const Force<double> pa = pA[i] + Ia * c[i] + U[i] * (Dinv[i] * u[i]);                 // [F08 7.48]
    IA[lambda] += apply_inverse(X[i], Ia);                                                // [F08 7.37]
    pA[lambda] += apply_inverse(X[i], pa);                                                // [F08 7.38]
  }
  a[0] = {{}, -model.gravity()};
  for (int i = 1; i <= NB; ++i) {
    const Motion<double> ap = apply(X[i], a[body[i].parent]) + c[i];         // [F08 7.46]
    const Coordinates qdd_i = Dinv[i] * (u[i] - transpose_times(U[i], ap));  // [F08 7.49]
    a[i] = ap + S[i] * qdd_i;                                                // [F08 7.50]
    set_part(body[i], qdd, qdd_i);
  }
  return qdd;
}

}  // namespace sinew::textbook
