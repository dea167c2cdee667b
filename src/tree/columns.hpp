// src/tree/columns.hpp - joint motions in the axes of the world, about a chosen point o
// Column k of node i is the motion that its k-th velocity coordinate gives to the node and all below it.
// Y = node <- (world axes at o) is {X.E, X.r - o}: apply_inverse(Y, .) takes a node's quantities there.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// Along the axes of the node instead of the world's. X: node <- world.
template <class T>
Motion<T> in_node_axes(const Motion<T>& m, const Transform<T>& X) {
  return {apply(X.E, m.ang), apply(X.E, m.lin)};
}

// Along the axes of the world. X: node <- world.
template <class T>
Force<T> in_world_axes(const Force<T>& f, const Transform<T>& X) {
  return {apply_inverse(X.E, f.ang), apply_inverse(X.E, f.lin)};
}
// A force about one point, about another that lies -d from it.
template <class T>
Force<T> carried_back(const Force<T>& f, const Vec3<T>& d) {
  return {f.ang + cross(d, f.lin), f.lin};
}

// How the columns of S change, as the joint's own frame F_s sees them.
enum class SubspaceRule : unsigned char {
  constant,    // not at all
  integrable,  // the coordinates' rates are the velocities, so c says how
};
// One per node. Throws std::invalid_argument, naming the call and the joint, for a user's joint of two or more freedoms
// whose S changes and whose velocities are not the rates of its positions: the rate of such an S cannot be found.
std::vector<SubspaceRule> find_subspace_rules(const Model&, const char* call);

// (nv) the next coordinate on the way to the world: of the same node or of the next one above that has any; -1: none.
std::vector<int> find_coordinates_above(const Model&);

// J[0 .. nv - 1]. Plain kinds read their axes off the rows of E; the others ask the joint.
template <class T>
void calc_columns(const Node& n, const Transform<T>& Y, const T* q, double time, Motion<T>* J);

// The velocity across the joint from its columns, and c, the acceleration of the joint where dv/dt = 0.
template <class T>
struct JointRates {
  Motion<T> v, c;
};
template <class T>
JointRates<T> calc_joint_rates(const Node& n, const Transform<T>& Y, const T* q, const T* v, double time,
                               const Motion<T>* J);

// dJ = v_i x J + the apparent rate of S, where v_i is the node's velocity in the same coordinates.
//   constant S, seen from the other side (reversed):  S_k x v_J
//   integrable:  c = sum of Gamma_ij v_i v_j with symmetric Gamma, and d_i S_k - d_k S_i = S_k x S_i, so that
//                rate of S_k = sum of Gamma_ik v_i + (S_k x v_J) / 2
template <class T>
void calc_column_rates(const Node& n, SubspaceRule rule, const Transform<T>& Y, const T* q, const T* v, double time,
                       const Motion<T>& v_node, const Motion<T>& v_joint, const Motion<T>* J, Motion<T>* dJ);

}  // namespace sinew
