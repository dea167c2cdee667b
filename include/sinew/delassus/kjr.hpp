// sinew/delassus/kjr.hpp - the recursion of Kreutz-Delgado, Jain and Rodriguez [S23 Table I]
// O(n + m^2 d): Omega of every node from that of its parent, base to tip; the block of two end-effectors is Omega of
// the node where their paths meet, carried along both paths, for each pair separately.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct KjrWorkspace {
  KjrWorkspace(const Model&, const Problem&);
  Problem problem;                   // as given
  ArticulatedWorkspace<T> inertias;  // k and 1 / D of each freedom
  std::vector<T> Omega;              // (nodes) 6 x 6: the acceleration of a node by a force on it
  std::vector<T> work;               // twice 6 rows: Omega, while it is carried along a path
  std::vector<T> rows;               // 6 x columns of an end-effector
  std::vector<T> Lambda;             // columns x columns
  std::vector<int> meets;            // (ends x ends) the node where two paths meet
  std::vector<int> path;             // (nodes) of one path, while it is walked
  int stride;                        // numbers from one row to the next in `rows` and `Lambda`
};

// As efpa().
template <class T>
void kjr(const Model&, KjrWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
