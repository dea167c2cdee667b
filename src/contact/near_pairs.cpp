// src/contact/near_pairs.cpp
#include "contact/near_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace sinew::contact {
namespace {

constexpr double kSpare = 0.1;         // of the mean side of a box: how much wider its wide box is on every side
constexpr double kAhead = 8;           // steps for which a box that keeps its velocity stays in its wide box,
constexpr double kMostAhead = 1;       // but no more than this many mean sides
constexpr std::size_t kManyLeave = 4;  // if more than one box in so many leaves, all are made anew
constexpr long kVisits = 4;            // times n log2 n: nodes looked at before the tree is built again, about its cost

bool holds(const Bounds& outer, const Bounds& b) {
  return outer.low.x <= b.low.x && b.high.x <= outer.high.x && outer.low.y <= b.low.y && b.high.y <= outer.high.y &&
         outer.low.z <= b.low.z && b.high.z <= outer.high.z;
}

}  // namespace

void NearPairs::reserve(std::size_t boxes, std::size_t pairs) {
  for (auto* x : {&now_, &before_, &wide_}) x->reserve(boxes);
  left_.reserve(boxes), leavers_.reserve(boxes), tree_.reserve(boxes);
  for (auto* x : {&pairs_, &fresh_, &merged_}) x->reserve(pairs);
  for (auto* x : {&slots_, &merged_slots_, &free_}) x->reserve(pairs);
  starts_.reserve(pairs);
}

void NearPairs::forget() {
  wide_.clear(), pairs_.clear();
  slots_.clear(), starts_.clear(), free_.clear();
}

PairStart& NearPairs::start(std::size_t pair) {
  int& slot = slots_[pair];
  if (slot < 0 && !free_.empty()) {
    slot = free_.back(), free_.pop_back();
    starts_[slot] = {};
  } else if (slot < 0) {
    slot = static_cast<int>(starts_.size());
    starts_.emplace_back();
  }
  return starts_[slot];
}

std::span<Bounds> NearPairs::boxes(std::size_t count) {
  std::swap(now_, before_);
  now_.resize(count);
  return now_;
}

bool NearPairs::find_leavers() {
  const std::size_t n = now_.size();
  leavers_.clear();
  if (before_.size() != n) before_ = now_;
  if (wide_.size() != n) {
    forget();
    wide_ = now_, left_.assign(n, 1);
    for (std::size_t i = 0; i < n; ++i) leavers_.push_back(static_cast<int>(i));
  } else {
    for (std::size_t i = 0; i < n; ++i)
      if (!holds(wide_[i], now_[i])) leavers_.push_back(static_cast<int>(i));
    if (leavers_.empty()) return false;
    const bool all = kManyLeave * leavers_.size() > n;
    left_.assign(n, all ? 1 : 0);
    for (const int i : leavers_) left_[i] = 1;
    if (all) {
      leavers_.resize(n);
      for (std::size_t i = 0; i < n; ++i) leavers_[i] = static_cast<int>(i);
    }
  }
  for (const int i : leavers_) widen(i);
  const auto depth = static_cast<long>(std::bit_width(n));
  if (leavers_.size() == n || visited_ > kVisits * depth * static_cast<long>(n)) {
    tree_.build(wide_), visited_ = 0;
  } else {
    for (const int i : leavers_) tree_.move(wide_, i);
  }
  return true;
}

// Wider on all sides, and more on the side to which it moves.
void NearPairs::widen(int box) {
  const Bounds &b = now_[box], &was = before_[box];
  const Vec3<double> side = b.high - b.low;
  const double mean = (side.x + side.y + side.z) / 3, spare = kSpare * mean, most = kMostAhead * mean;
  const auto low = [&](double x, double then) { return x - spare + std::clamp(kAhead * (x - then), -most, 0.0); };
  const auto high = [&](double x, double then) { return x + spare + std::clamp(kAhead * (x - then), 0.0, most); };
  wide_[box] = {{low(b.low.x, was.low.x), low(b.low.y, was.low.y), low(b.low.z, was.low.z)},
                {high(b.high.x, was.high.x), high(b.high.y, was.high.y), high(b.high.z, was.high.z)}};
  if (!holds(wide_[box], b)) wide_[box] = b;  // not finite
}

// All pairs of those that left, by the tree.
void NearPairs::find_fresh() {
  fresh_.clear();
  bool sorted = true;
  for (const int i : leavers_) {
    const std::size_t first = fresh_.size();
    visited_ += tree_.visit_near(wide_[i], [&](int j) {
      if (j == i || (left_[j] && j < i) || !meet(wide_[i], wide_[j])) return;
      fresh_.push_back({std::min(i, j), std::max(i, j)});
      sorted = sorted && j > i;
    });
    if (sorted) std::sort(fresh_.begin() + static_cast<std::ptrdiff_t>(first), fresh_.end());
  }
  if (!sorted) std::sort(fresh_.begin(), fresh_.end());
}

// Pairs of those that left are the fresh ones; the others stay. A pair that was known keeps its start.
void NearPairs::merge_fresh() {
  merged_.clear(), merged_slots_.clear();
  const auto add = [&](const Pair& p, int slot) { merged_.push_back(p), merged_slots_.push_back(slot); };
  std::size_t old = 0;
  const auto keep_until = [&](const Pair* limit) {
    for (; old < pairs_.size() && (!limit || pairs_[old] < *limit); ++old)
      if (!left_[pairs_[old].a] && !left_[pairs_[old].b])
        add(pairs_[old], slots_[old]);
      else if (slots_[old] >= 0)
        free_.push_back(slots_[old]);
  };
  for (const Pair& p : fresh_) {
    keep_until(&p);
    const bool known = old < pairs_.size() && pairs_[old] == p;
    add(p, known ? slots_[old++] : -1);
  }
  keep_until(nullptr);
  std::swap(pairs_, merged_), std::swap(slots_, merged_slots_);
}

}  // namespace sinew::contact
