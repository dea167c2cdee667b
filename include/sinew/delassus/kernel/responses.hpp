// sinew/delassus/kernel/responses.hpp - forces in, accelerations out: the sweeps that EFPA and Chang-Khatib share
//   (1) tip to base: rows travel as forces F; every freedom on their way keeps u / D = S^T F / D
//   (2) base to tip: accelerations A = X A + S (u / D - k^T X A)
// They differ in how far an acceleration is followed, and in where Lambda_pq = F_p . A_q is read.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew::delassus {

template <class T>
struct ResponseWorkspace {
  ResponseWorkspace(const Model&, const Problem&);
  Problem problem;                   // as given
  ArticulatedWorkspace<T> inertias;  // k and 1 / D of each freedom
  int stride;                        // numbers from one row to the next
  std::vector<T> forces;             // 6 x columns
  std::vector<T> kept;               // 6 x columns for each node in `meets`: F as it arrives there
  std::vector<int> kept_at;          // (nodes) place among them, -1: none
  std::vector<T> rows;               // (freedoms) u / D
  std::vector<T> accelerations;      // 6 x columns for each depth
  std::vector<int> depth;            // (nodes)
  std::vector<T> Lambda;             // W over the problem's columns, upper triangle
};

}  // namespace sinew::delassus
