// sinew/delassus/chang_khatib.hpp - all responses of all end-effectors (Chang and Khatib 2001; [S23 Table I])
// O(n + m n + m^2): the acceleration that each row causes is followed to every end-effector, even where
// their paths do not meet, and read there.
#pragma once
#include "sinew/delassus/kernel/responses.hpp"

namespace sinew::delassus {

template <class T>
struct ChangKhatibWorkspace : ResponseWorkspace<T> {
  using ResponseWorkspace<T>::ResponseWorkspace;
};

// As efpa().
template <class T>
void chang_khatib(const Model&, ChangKhatibWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
