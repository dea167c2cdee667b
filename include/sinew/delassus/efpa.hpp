// sinew/delassus/efpa.hpp - the extended-force-propagator algorithm [S23 Alg. 2]
// O(n + m d + m^2): rows travel to the base as forces, their accelerations are followed back along their own paths, and
// the coupling of two rows is calculated where their paths meet. Three sweeps.
// Differs from [S23]: line 7 with its indices in order, line 12 with the stacked Omega K^T.
#pragma once
#include "sinew/delassus/kernel/responses.hpp"

namespace sinew::delassus {

template <class T>
struct EfpaWorkspace : ResponseWorkspace<T> {
  using ResponseWorkspace<T>::ResponseWorkspace;
};

// W = J M^-1 J^T, rows x rows. K: one force per entry of the problem, in the node's coordinates. For double, float,
// counted and dual scalars.
template <class T>
void efpa(const Model&, EfpaWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
