// src/tree/textbook/crba.cpp - the composite-rigid-body algorithm [F08 Table 6.2]
#include "joint_matrices.hpp"
#include "sinew/tree/textbook.hpp"

namespace sinew::textbook {

std::vector<double> crba(const Model& model, In<double> q, double time) {
  check_size("textbook::crba", "q", q.size(), at(model.nq()));
  const std::vector<double> rest(at(model.nv()));
  const auto body = model.nodes();
  const int NB = static_cast<int>(body.size()) - 1;

  std::vector<Transform<double>> X(body.size());  // ^i X_lambda(i)
  std::vector<MotionSubspace> S(body.size());
  std::vector<RigidInertia<double>> Ic(body.size());
  std::vector<double> H(rest.size() * rest.size());
  const auto set_block = [&](int i, int j, const JointMatrix& Hij) {  // and its transpose on the other side
    for (int r = 0; r < body[i].nv; ++r)
      for (int c = 0; c < body[j].nv; ++c) {
        const std::size_t row = at(body[i].v + r), column = at(body[j].v + c);
        H[row * rest.size() + column] = H[column * rest.size() + row] = Hij(r, c);
      }
  };

  for (int i = 1; i <= NB; ++i) {
    const JointValues joint = jcalc(body[i], q, rest, time);
    S[i] = joint.S;
    X[i] = joint.XJ * body[i].placement;
    Ic[i] = body[i].inertia;
  }
  for (int i = NB; i >= 1; --i) {
    const int lambda = body[i].parent;
    if (lambda != 0) Ic[lambda] = Ic[lambda] + apply_inverse(X[i], Ic[i]);    // [F08 6.17]
    ForceSubspace F = Ic[i] * S[i];                                           // [F08 6.19]
    set_block(i, i, transpose_times(F, S[i]) + armature_of(model, body[i]));  // [F08 6.20]
    for (int j = i; body[j].parent != 0;) {
      F = apply_inverse(X[j], F);  // [F08 6.19]
      j = body[j].parent;
      set_block(i, j, transpose_times(F, S[j]));  // [F08 6.20]
    }
  }
  return H;
}

}  // namespace sinew::textbook
