// sinew/derivative/joint_slopes.hpp - how the motion subspace of a joint changes with its position, seen from F_s
// d_k is the derivative along unit velocity k of the joint: q moves by rate(q, e_k), v is held. Zero for joints whose S
// is constant. What a joint says by itself (joint/motion.hpp) is  c = sum over k, l of v_k v_l d_k S_l.
// Seen from the other side (reversed), with S and c as that joint says them and X of the joint as it was [F08
// Table 4.2]:
//   d_k S_l = S_l x S_k - X^-1 (d_k S_l),   d_k c = - S_k x c - X^-1 (d_k c)
#pragma once
#include "sinew/derivative/kernel/primitive_slopes.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

// Position coordinates of a user's joint that can be differentiated.
inline constexpr int kMaxUserPositions = 32;

// False where S is constant, so that every slope is zero.
bool has_moving_subspace(const Joint&);

// For every scalar of the closed set. Joints of users are differentiated by dual numbers, so in Dual they cannot be.
template <class T>
void calc_joint_slopes(const Joint&, const T* q, const T* v, double time, JointSlopes<T>& out);

}  // namespace sinew
