// src/generate/schedule.cpp
#include "sinew/generate/schedule.hpp"

#include <algorithm>

namespace sinew::generate {
namespace {

using Operands = std::vector<int>;

bool is_leaf(const TracedStep& s) { return s.op == TracedOp::constant || s.op == TracedOp::input; }

// The operands of every step, the one that needs more registers first, as if the graph were a tree.
std::vector<Operands> order_operands(const Graph& g) {
  std::vector<int> need(g.steps.size());
  std::vector<Operands> out(g.steps.size());
  for (std::size_t i = 0; i < g.steps.size(); ++i) {
    const TracedStep& s = g.steps[i];
    if (is_leaf(s)) continue;
    for (const int x : {s.a, s.b, s.c})
      if (x >= 0) out[i].push_back(x);
    std::stable_sort(out[i].begin(), out[i].end(), [&](int x, int y) { return need[at(x)] > need[at(y)]; });
    need[i] = 1;
    for (std::size_t k = 0; k < out[i].size(); ++k)
      need[i] = std::max(need[i], need[at(out[i][k])] + static_cast<int>(k));
  }
  return out;
}

std::vector<int> go_depth_first(const std::vector<Operands>& operands, const std::vector<int>& results) {
  std::vector<int> order;
  std::vector<char> done(operands.size());
  std::vector<std::pair<int, std::size_t>> path;  // step, and how many of its operands were visited
  for (const int r : results) {
    path.emplace_back(r, 0);
    while (!path.empty()) {
      auto& [step, visited] = path.back();
      if (done[at(step)]) {
        path.pop_back();
      } else if (visited < operands[at(step)].size()) {
        path.emplace_back(operands[at(step)][visited++], 0);
      } else {
        done[at(step)] = 1;
        order.push_back(step);
        path.pop_back();
      }
    }
  }
  return order;
}

// Of the steps whose operands are there, the one that frees most operands; among equals the first recorded.
std::vector<int> go_greedy(const Graph& g, const std::vector<Operands>& operands) {
  std::vector<int> missing(operands.size()), left = count_uses(g), order, ready;
  std::vector<std::vector<int>> users(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (const int x : operands[i]) {
      if (is_leaf(g.steps[at(x)])) continue;
      users[at(x)].push_back(static_cast<int>(i));
      ++missing[i];
    }
    if (is_leaf(g.steps[i]))
      order.push_back(static_cast<int>(i));
    else if (missing[i] == 0)
      ready.push_back(static_cast<int>(i));
  }
  const auto count_freed = [&](int step) {
    int n = 0;
    for (const int x : operands[at(step)]) n += left[at(x)] == 1 && !is_leaf(g.steps[at(x)]);
    return n;
  };
  while (!ready.empty()) {
    std::size_t best = 0;
    int most = -1;
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const int freed = count_freed(ready[k]);
      if (freed > most || (freed == most && ready[k] < ready[best])) most = freed, best = k;
    }
    const int step = ready[best];
    ready[best] = ready.back();
    ready.pop_back();
    order.push_back(step);
    for (const int x : operands[at(step)]) --left[at(x)];
    for (const int user : users[at(step)])
      if (--missing[at(user)] == 0) ready.push_back(user);
  }
  return order;
}

}  // namespace

Graph schedule(const Graph& g) {
  const std::vector<Operands> operands = order_operands(g);
  std::vector<int> backwards = g.results;
  std::reverse(backwards.begin(), backwards.end());
  Graph best = g;
  int fewest = count_live_values(g);
  for (const std::vector<int>& order :
       {go_depth_first(operands, g.results), go_depth_first(operands, backwards), go_greedy(g, operands)}) {
    Graph next = reorder(g, order);
    if (const int live = count_live_values(next); live < fewest) best = std::move(next), fewest = live;
  }
  return best;
}

}  // namespace sinew::generate
