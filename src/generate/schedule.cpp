// src/generate/schedule.cpp
#include "sinew/generate/schedule.hpp"

#include <algorithm>
#include <array>
#include <set>

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
class Greedy {
 public:
  Greedy(const Graph& g, const std::vector<Operands>& operands)
      : g_(g), operands_(operands), left_(count_uses(g)), missing_(operands.size()), users_(operands.size()) {}

  std::vector<int> run() {
    std::vector<int> order;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const int step = static_cast<int>(i);
      for (const int x : operands_[i]) {
        if (is_leaf(g_.steps[at(x)])) continue;
        users_[at(x)].push_back(step);
        ++missing_[i];
      }
      if (is_leaf(g_.steps[i]))
        order.push_back(step);
      else if (missing_[i] == 0)
        ready_[count_freed(step)].insert(step);
    }
    for (int step = take(); step >= 0; step = take()) {
      order.push_back(step);
      for (const int x : operands_[at(step)])
        if (--left_[at(x)] == 1) raise_last_user(x);
      for (const int user : users_[at(step)])
        if (--missing_[at(user)] == 0) ready_[count_freed(user)].insert(user);
    }
    return order;
  }

 private:
  int take() {
    for (std::size_t freed = ready_.size(); freed-- > 0;)
      if (auto& steps = ready_[freed]; !steps.empty()) {
        const int step = *steps.begin();
        steps.erase(steps.begin());
        return step;
      }
    return -1;
  }
  std::size_t count_freed(int step) const {
    std::size_t n = 0;
    for (const int x : operands_[at(step)]) n += left_[at(x)] == 1 && !is_leaf(g_.steps[at(x)]);
    return n;
  }
  // One use of x is left: if its step is ready, it now frees one more.
  void raise_last_user(int x) {
    for (const int user : users_[at(x)]) {
      if (missing_[at(user)] > 0) continue;
      const std::size_t freed = count_freed(user);
      if (freed > 0 && ready_[freed - 1].erase(user) > 0) ready_[freed].insert(user);
    }
  }

  const Graph& g_;
  const std::vector<Operands>& operands_;
  std::vector<int> left_, missing_;  // uses that are still to come; operands that are not there yet
  std::vector<std::vector<int>> users_;
  std::array<std::set<int>, 4> ready_;  // [n] those that free n operands
};

}  // namespace

Graph schedule(const Graph& g) {
  const std::vector<Operands> operands = order_operands(g);
  std::vector<int> backwards = g.results;
  std::reverse(backwards.begin(), backwards.end());
  Graph best = g;
  int fewest = count_live_values(g);
  for (const std::vector<int>& order :
       {go_depth_first(operands, g.results), go_depth_first(operands, backwards), Greedy(g, operands).run()}) {
    Graph next = reorder(g, order);
    if (const int live = count_live_values(next); live < fewest) best = std::move(next), fewest = live;
  }
  return best;
}

}  // namespace sinew::generate
