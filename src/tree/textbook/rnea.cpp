// src/tree/textbook/rnea.cpp - the recursive Newton-Euler algorithm [F08 Table 5.1]
#include "joint_matrices.hpp"
#include "sinew/tree/textbook.hpp"

namespace sinew::textbook {

std::vector<double> rnea(const Model& model, In<double> q, In<double> qd, In<double> qdd,
                         const Surroundings<double>& around) {
  check_size("textbook::rnea", "q", q.size(), at(model.nq()));
  check_size("textbook::rnea", "qd", qd.size(), at(model.nv()));
  check_size("textbook::rnea", "qdd", qdd.size(), at(model.nv()));
  const std::vector<Force<double>> fx = external_forces("textbook::rnea", model, around);
  const auto body = model.nodes();
  const int NB = static_cast<int>(body.size()) - 1;

  std::vector<Transform<double>> X(body.size());  // ^i X_lambda(i)
  std::vector<MotionSubspace> S(body.size());
  std::vector<Motion<double>> v(body.size()), a(body.size());
  std::vector<Force<double>> f(body.size());
  std::vector<double> tau(at(model.nv()));

  v[0] = {};
  a[0] = {{}, -model.gravity()};
  for (int i = 1; i <= NB; ++i) {
    const int lambda = body[i].parent;
    const auto [XJ, Si, vJ, cJ] = jcalc(body[i], q, qd, around.time);
    const RigidInertia<double>& I = body[i].inertia;
    S[i] = Si;
    X[i] = XJ * body[i].placement;
    v[i] = apply(X[i], v[lambda]) + vJ;                                                    // [F08 5.18]
    a[i] = apply(X[i], a[lambda]) + S[i] * get_part(body[i], qdd) + cJ + cross(v[i], vJ);  // [F08 5.19]
    f[i] = I * a[i] + cross(v[i], I * v[i]) - fx[i];                                       // [F08 5.9, 5.20]
  }
  for (int i = NB; i >= 1; --i) {
    const int lambda = body[i].parent;
    const Coordinates rotors =
        armature_of(model, body[i]) * get_part(body[i], qdd) + armature_bias_of(model, body[i], qd);
    set_part(body[i], tau, transpose_times(S[i], f[i]) + rotors);  // [F08 5.11]
    if (lambda != 0) f[lambda] += apply_inverse(X[i], f[i]);       // [F08 5.20]
  }
  return tau;
}

}  // namespace sinew::textbook
