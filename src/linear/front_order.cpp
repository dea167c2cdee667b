// src/linear/front_order.cpp
#include <algorithm>

#include "linear/fronts.hpp"

namespace sinew::linear {
namespace {

enum : char { kWaiting, kFront, kAbsorbed };  // of a group: not eliminated; its front is alive; it is part of another

// Two fronts become one if at most this share of it is zeros: small fronts cost more to handle than to fill.
double allowed_zeros(int columns) { return columns <= 24 ? 0.5 : columns <= 64 ? 0.2 : 0.05; }

}  // namespace

void FrontOrder::reserve(int groups, int edges) {
  const std::size_t n = at(groups), m = at(edges);
  for (auto* x : {&own_groups,    &front_of,      &position,         &order_,
                  &parent_,       &degree_,       &weight_,          &mark_,
                  &outside_,      &outside_mark_, &neighbour_first_, &neighbour_end_,
                  &member_first_, &member_end_,   &link_head_,       &own_,
                  &rest_,         &top_,          &child_first_,     &child_next_,
                  &walk_,         &count_})
    x->reserve(n + 1);
  for (auto* x : {&neighbours_, &members_, &link_front_, &link_next_, &rest_groups}) x->reserve(16 * (n + m));
  state_.reserve(n), zeros_.reserve(n), fronts.reserve(n);
}

void FrontOrder::find(const std::vector<int>& sizes, const std::vector<Edge>& edges) {
  eliminate(sizes, edges);
  join(sizes);
  number(sizes);
}

// Minimum degree on the quotient graph: a group knows its neighbours and the fronts that it is in.
void FrontOrder::eliminate(const std::vector<int>& sizes, const std::vector<Edge>& edges) {
  const std::size_t n = sizes.size();
  neighbour_first_.assign(n + 1, 0);
  for (const Edge& e : edges) ++neighbour_first_[at(e.high) + 1], ++neighbour_first_[at(e.low) + 1];
  for (std::size_t i = 0; i < n; ++i) neighbour_first_[i + 1] += neighbour_first_[i];
  neighbour_end_.assign(neighbour_first_.begin(), neighbour_first_.end() - 1);
  neighbours_.resize(2 * edges.size());
  for (const Edge& e : edges) {
    neighbours_[at(neighbour_end_[at(e.high)]++)] = e.low;
    neighbours_[at(neighbour_end_[at(e.low)]++)] = e.high;
  }
  for (auto* x : {&degree_, &weight_, &mark_, &outside_, &outside_mark_, &member_first_, &member_end_}) x->assign(n, 0);
  parent_.assign(n, -1), link_head_.assign(n, -1), state_.assign(n, kWaiting);
  members_.clear(), link_front_.clear(), link_next_.clear(), order_.clear();
  for (std::size_t i = 0; i < n; ++i)
    for (int k = neighbour_first_[i]; k < neighbour_end_[i]; ++k) degree_[i] += sizes[at(neighbours_[at(k)])];
  for (std::size_t step = 0; step < n; ++step) {
    int best = -1;
    for (std::size_t i = 0; i < n; ++i)
      if (state_[i] == kWaiting && (best < 0 || degree_[i] < degree_[at(best)])) best = static_cast<int>(i);
    take(best, sizes);
  }
}

// Eliminates group p: its front is all that it is connected with. Then the degrees of these.
void FrontOrder::take(int p, const std::vector<int>& sizes) {
  order_.push_back(p);
  const int stamp = static_cast<int>(order_.size());
  mark_[at(p)] = stamp;
  const int begin = member_first_[at(p)] = static_cast<int>(members_.size());
  const auto add = [&](int j) {
    if (state_[at(j)] != kWaiting || mark_[at(j)] == stamp) return;
    mark_[at(j)] = stamp, members_.push_back(j), weight_[at(p)] += sizes[at(j)];
  };
  for (int k = neighbour_first_[at(p)]; k < neighbour_end_[at(p)]; ++k) add(neighbours_[at(k)]);
  for (int l = link_head_[at(p)]; l >= 0; l = next_of(l)) {
    const int e = link_front_[at(l)];
    if (state_[at(e)] != kFront) continue;
    for (int k = member_first_[at(e)]; k < member_end_[at(e)]; ++k) add(members_[at(k)]);
    state_[at(e)] = kAbsorbed, parent_[at(e)] = p;
  }
  const int end = member_end_[at(p)] = static_cast<int>(members_.size());
  state_[at(p)] = kFront;

  // How much of every other front lies outside this one.
  for (int k = begin; k < end; ++k) {
    const int i = members_[at(k)];
    for (int l = link_head_[at(i)]; l >= 0; l = next_of(l)) {
      const int e = link_front_[at(l)];
      if (state_[at(e)] != kFront) continue;
      if (outside_mark_[at(e)] != stamp) outside_mark_[at(e)] = stamp, outside_[at(e)] = weight_[at(e)];
      outside_[at(e)] -= sizes[at(i)];
    }
  }
  for (int k = begin; k < end; ++k) {
    const int i = members_[at(k)];
    int degree = 0, kept = neighbour_first_[at(i)];
    for (int m = kept; m < neighbour_end_[at(i)]; ++m) {
      const int j = neighbours_[at(m)];
      if (state_[at(j)] != kWaiting || mark_[at(j)] == stamp) continue;  // the front stands for them
      neighbours_[at(kept++)] = j, degree += sizes[at(j)];
    }
    neighbour_end_[at(i)] = kept;
    int last = -1;
    for (int l = link_head_[at(i)]; l >= 0; l = next_of(l)) {
      const int e = link_front_[at(l)];
      if (state_[at(e)] == kFront && outside_[at(e)] == 0) state_[at(e)] = kAbsorbed, parent_[at(e)] = p;
      if (state_[at(e)] != kFront) continue;
      degree += outside_[at(e)];
      (last < 0 ? link_head_[at(i)] : next_of(last)) = l, last = l;
    }
    (last < 0 ? link_head_[at(i)] : next_of(last)) = static_cast<int>(link_front_.size());
    link_front_.push_back(p), link_next_.push_back(-1);
    const int others = weight_[at(p)] - sizes[at(i)];
    degree_[at(i)] = std::min(degree_[at(i)], degree) + others;
  }
}

// Children join their parents where that adds few zeros. top_: the group that stands for a front.
void FrontOrder::join(const std::vector<int>& sizes) {
  const std::size_t n = sizes.size();
  own_ = sizes, rest_ = weight_, zeros_.assign(n, 0.0), top_.assign(n, -1);
  for (const int c : order_) {
    const int q = parent_[at(c)];
    if (q < 0) continue;
    const int columns = own_[at(c)] + own_[at(q)], rest = rest_[at(q)];
    const double zeros = zeros_[at(c)] + zeros_[at(q)] + 2.0 * own_[at(c)] * (own_[at(q)] + rest - rest_[at(c)]),
                 all = static_cast<double>(columns) * (columns + 2.0 * rest);
    if (zeros > allowed_zeros(columns) * all) continue;
    own_[at(q)] = columns, zeros_[at(q)] = zeros, top_[at(c)] = q;
  }
  for (std::size_t k = n; k-- > 0;) {
    const std::size_t g = at(order_[k]);
    top_[g] = top_[g] < 0 ? order_[k] : top_[at(top_[g])];
  }
}

// Fronts in postorder, so that what children leave is on top of the stack when the parent comes.
void FrontOrder::number(const std::vector<int>& sizes) {
  const std::size_t n = sizes.size();
  child_first_.assign(n, -1), child_next_.assign(n, -1), front_of.assign(n, -1), walk_.clear(), fronts.clear();
  int roots = -1;
  for (std::size_t k = n; k-- > 0;) {
    const int g = order_[k];
    if (top_[at(g)] != g) continue;
    int& list = parent_[at(g)] < 0 ? roots : child_first_[at(top_[at(parent_[at(g)])])];
    child_next_[at(g)] = list, list = g;
  }
  for (int root = roots; root >= 0; root = child_next_[at(root)]) {
    walk_.push_back(root);
    while (!walk_.empty()) {
      const int g = walk_.back();
      if (const int c = child_first_[at(g)]; c >= 0) {
        child_first_[at(g)] = child_next_[at(c)];
        walk_.push_back(c);
        continue;
      }
      walk_.pop_back();
      front_of[at(g)] = static_cast<int>(fronts.size());
      fronts.push_back({.own = own_[at(g)], .rest = rest_[at(g)]});
      count_.resize(fronts.size()), count_.back() = g;  // the group on top
    }
  }
  for (const int g : order_) front_of[at(g)] = front_of[at(top_[at(g)])];

  // Own groups of each front in the order of elimination, then positions.
  own_groups.resize(n), position.resize(n);
  for (const int g : order_) ++fronts[at(front_of[at(g)])].own_end;
  int sum = 0, unknowns = 0;
  for (Front& f : fronts) f.own_first = sum, sum += f.own_end, f.own_end = f.own_first;
  for (const int g : order_) own_groups[at(fronts[at(front_of[at(g)])].own_end++)] = g;
  for (const int g : own_groups) position[at(g)] = unknowns, unknowns += sizes[at(g)];
  rest_groups.clear();
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const int g = count_[f];
    fronts[f].parent = parent_[at(g)] < 0 ? -1 : front_of[at(parent_[at(g)])];
    fronts[f].rest_first = rest_groups.size();
    rest_groups.insert(rest_groups.end(), members_.begin() + member_first_[at(g)],
                       members_.begin() + member_end_[at(g)]);
    fronts[f].rest_end = rest_groups.size();
    std::sort(rest_groups.begin() + static_cast<std::ptrdiff_t>(fronts[f].rest_first), rest_groups.end(),
              [&](int a, int b) { return position[at(a)] < position[at(b)]; });
  }
}

}  // namespace sinew::linear
