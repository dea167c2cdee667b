// src/delassus/responses.cpp
#include "responses.hpp"

#include "base/scalar_pass.hpp"
#include "sinew/delassus/plan.hpp"

namespace sinew::delassus {

template <class T>
ResponseWorkspace<T>::ResponseWorkspace(const Model& m, const Problem& problem_in)
    : problem(problem_in),
      inertias(m),
      stride(problem.columns() + 16),
      forces(6 * at(stride)),
      kept_at(node_count(m), -1),
      rows(at(m.nv() + 1) * at(stride)),
      depth(node_count(m)),
      Lambda(at(problem.columns() + 1) * at(stride)) {
  int kept_nodes = 0, deepest = 0;
  for (int i = 1; i < static_cast<int>(node_count(m)); ++i) {
    depth[i] = depth[m.nodes()[i].parent] + 1;
    deepest = std::max(deepest, depth[i]);
    int arrivals = 0;
    for (const int child : m.topology().children(i)) arrivals += problem.supports(child) ? 1 : 0;
    if (problem.end_on(i) >= 0 || arrivals > 1) kept_at[i] = kept_nodes++;
  }
  kept.resize(6 * at(stride) * at(kept_nodes));
  accelerations.resize(6 * at(stride) * at(deepest + 1));
}

#define SINEW_INSTANTIATE(T) template struct ResponseWorkspace<T>;
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
