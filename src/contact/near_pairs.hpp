// src/contact/near_pairs.hpp - which boxes meet, step after step
// Every box stands in a wider one; pairs whose wide boxes meet are kept in a list. While a box stays in its wide box
// the list is right for it. One that leaves gets a new wide box and its pairs are looked up in a tree: O(log n) for
// one, O(n log n) where all move. What is found depends on the boxes alone: the wide ones only decide how fast it is
// found.
#pragma once
#include <compare>
#include <span>
#include <vector>

#include "contact/box_tree.hpp"

namespace sinew::contact {

// Where the search for the contacts of a pair begins. It saves time and changes no result.
struct PairStart {
  Vec3<double> axis{};             // from b to a: a direction that parted them; zero: none
  int vertex_a = 0, vertex_b = 0;  // corners of hulls that were farthest along it
  bool touching = false;           // the last search found contacts
};

class NearPairs {
 public:
  struct Pair {
    int a, b;  // a < b
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  void reserve(std::size_t boxes, std::size_t pairs);
  void forget();                               // all pairs, as before the first search
  std::span<Bounds> boxes(std::size_t count);  // to be filled before update
  // Afterwards pairs() holds all that meet and may touch, in order, and some more. may_touch(a, b) must answer the same
  // until forget().
  template <class MayTouch>
  void update(MayTouch&& may_touch) {
    if (!find_leavers()) return;
    find_fresh();
    std::erase_if(fresh_, [&](const Pair& p) { return !may_touch(p.a, p.b); });
    merge_fresh();
  }
  const std::vector<Pair>& pairs() const { return pairs_; }
  PairStart& start(std::size_t pair);  // a new one at the first call
  bool meets(const Pair& p) const { return meet(now_[p.a], now_[p.b]); }

 private:
  bool find_leavers();  // of their wide boxes; false: there is none
  void widen(int box);
  void find_fresh();
  void merge_fresh();

  std::vector<Bounds> now_, before_;  // (boxes) of this update and of the one before
  std::vector<Bounds> wide_;          // (boxes)
  std::vector<char> left_;            // (boxes) its wide box is new
  std::vector<int> leavers_;
  BoxTree tree_;                              // of the wide boxes
  long visited_ = 0;                          // nodes of the tree, since it was built
  std::vector<Pair> pairs_, fresh_, merged_;  // sorted
  std::vector<int> slots_, merged_slots_;     // (pairs) of its start; -1: none
  std::vector<PairStart> starts_;
  std::vector<int> free_;  // slots of starts
};

}  // namespace sinew::contact
