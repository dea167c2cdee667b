// sinew/tree/textbook.hpp - the three basic algorithms as the book prints them: read these first
//   textbook::rnea   tau = H qdd + C - sum of J^T f_external     inverse dynamics, O(n)             [F08 Table 5.1]
//   textbook::crba   H(q)                                        joint-space inertia matrix, O(n d) [F08 Table 6.2]
//   textbook::aba    qdd with H qdd + C = tau + sum of J^T f     forward dynamics, O(n)             [F08 Table 7.1]
// One page each, in src/tree/textbook/: the book's letters, loops and equation tags, every kind of joint. Nothing is
// tuned: all quantities are spatial vectors in body coordinates, D of a joint is a matrix, memory is allocated at each
// call. The tuned rnea, crba and aba (tree/rnea.hpp, tree/crba.hpp, tree/aba.hpp) give the same numbers up to rounding
// and are tested against these; these are tested against dense 6x6 matrices.
// The bodies of the book are the nodes of the compiled model: node i has its parent lambda(i), its placement X_T(i),
// its inertia I_i and one joint, which jcalc [F08 section 4.4] (calc_joint of joint/joint.hpp) evaluates. Differs from
// [F08]: external forces come in body frames; armature is kinetic energy of its coordinate (joint/armature.hpp).
// Gravity enters as a_0 = -a_g. Vectors are in the order of the model's coordinates, as for the tuned algorithms.
// Throws std::invalid_argument naming both sizes where one does not fit the model. Nothing is kept after a call.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::textbook {

// [F08 Table 5.1], [F08 Table 6.2], [F08 Table 7.1].
std::vector<double> rnea(const Model&, In<double> q, In<double> qd, In<double> qdd, const Surroundings<double>& = {});
// nv x nv, row by row. `time` matters to prescribed joints only.
std::vector<double> crba(const Model&, In<double> q, double time = 0);
std::vector<double> aba(const Model&, In<double> q, In<double> qd, In<double> tau, const Surroundings<double>& = {});

}  // namespace sinew::textbook
