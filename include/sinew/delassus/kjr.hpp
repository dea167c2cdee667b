// sinew/delassus/kjr.hpp - the recursion of Kreutz-Delgado, Jain and Rodriguez [S23 Table I]
// O(n + m^2 d): Omega of every node from that of its parent, base to tip; the block of two end-effectors is Omega of
// the node where their paths meet, carried along both paths for each pair anew.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct KjrWorkspace {
  KjrWorkspace(const Model&, const Problem&);
  Problem problem;
  ArticulatedWorkspace<T> inertias;
  std::vector<T> Omega;    // (nodes) 6 rows
  std::vector<T> work;     // twice 6 rows
  std::vector<T> rows;     // 6 x columns of an end-effector
  std::vector<T> Lambda;   // columns x columns
  std::vector<int> meets;  // (ends x ends) the node where two paths meet
  std::vector<int> path;   // (nodes)
  int stride;
};

// As efpa().
template <class T>
void kjr(const Model&, KjrWorkspace<T>&, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

}  // namespace sinew::delassus
