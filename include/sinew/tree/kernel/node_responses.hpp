// sinew/tree/kernel/node_responses.hpp - what forces on the nodes of a tree do to them and to its freedoms
// Omega is the acceleration of a node by forces on it, at rest and without weight: a symmetric 6 x 6 matrix. All
// vectors are in one frame. With k = U / D and D of the articulated bodies [F08 7.43, 7.44], across one freedom:
//   g = Omega k,   n = 1 / D + k^T g,   e = n S - g,   Omega - S g^T - g S^T + S n S^T
// e is what a unit force on the freedom does to its node, n to the freedom itself: n is its entry of M^-1. The last
// freedoms of a joint move the node too: e + S n', with n' = -k^T e their common entry.
#pragma once
#include "sinew/joint/motion.hpp"
#include "sinew/sweep/kernel/six_numbers.hpp"

namespace sinew {

// Of a freedom; aligned as registers are.
template <class T>
struct alignas(SINEW_PACK_BYTES) FreedomResponse {
  PaddedSix<T> S, e;
  T k[6], Dinv;
  T n[kMaxJointDofs];  // entries of M^-1 with the freedoms of the same joint
};

// Across freedom number k of a joint; W is Omega, row by row.
template <class T, class Freedom>
SINEW_HD void respond(Freedom* joint, int k, SixNumbers<T> (&W)[6]) {
  using Six = SixNumbers<T>;
  Freedom& f = joint[k];
  PaddedSix<T> g, b;
  const Six S = Six::load(f.S), G = detail::sum_rows(W, f.k);
  G.store(g);
  const T n = f.Dinv + detail::dot_six(f.k, g);
  f.n[k] = n;
  (n * S - G).store(f.e);
  const Six half = (lit<T>(0.5) * n) * S - G;
  half.store(b);
  unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { W[r] = W[r] + (f.S[r] * half + b[r] * S); });
  for (int h = 0; h < k; ++h) {
    Freedom& other = joint[h];
    f.n[h] = other.n[k] = -detail::dot_six(f.k, other.e);
    (Six::load(other.e) + f.n[h] * S).store(other.e);
  }
}

}  // namespace sinew
