// sinew/operators/lyapunov.hpp - the products A X B^* and A^* X B of a block-diagonal X, by their Lyapunov equations
//   Z = A X B^*:  X = Y - E_A Y E_B^*,           Z = Y + A~ Y + Y B~^*              [J11 11, 12]  (A~ = A - 1)
//   Z = A^* X B:  X = Y - diagOf(E_A^* Y E_B),   Z = Y + A~^* Y + Y B~ + R          [J11 21, 22]
// R holds the pairs of nodes that are not related; it vanishes on a serial chain only. Lemma .5 of R92 leaves it out,
// which is wrong for trees. Y, the block diagonal of Z, costs O(N); any other block of Z follows from Y along the path.
// A and B are given by their weights, one block per node: A(p(k), k).
#pragma once
#include "sinew/operators/sko_model.hpp"

namespace sinew::sko {

// Y of the forward equation, tips to base [J11 14].
template <class T>
void solve_forward_lyapunov(const Shape&, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& X, Blocks<T>& Y);
// Y of the backward equation, base to tips [J11 24]. ([J11 29] prints the loop of a serial chain in the wrong order.)
template <class T>
void solve_backward_lyapunov(const Shape&, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& X, Blocks<T>& Y);

// Block (i, j) of Z, row by row [J11 15, 25], O(depth). Allocates.
template <class T>
std::vector<T> calc_forward_block(const Shape&, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& Y, int i,
                                  int j);
template <class T>
std::vector<T> calc_backward_block(const Shape&, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& Y, int i,
                                   int j);

}  // namespace sinew::sko
