// sinew/tree/kernel/freedom_chains.hpp - the freedoms of a tree in chains that do not branch, whose rows a solver
// keeps in registers together
#pragma once
#include <type_traits>
#include <vector>

#include "sinew/model/dof_tree.hpp"

namespace sinew {

// Freedoms begin .. end - 1, each but the first the only child of the one before.
struct FreedomChain {
  int begin, end;
};
// The longest one: so many rows of a strip fit into registers.
inline constexpr int kMostChain = 6;
// All freedoms in chains; a long one is cut into chains of like lengths.
inline std::vector<FreedomChain> make_freedom_chains(const DofTree& tree) {
  std::vector<FreedomChain> out;
  for (int begin = 0, end = 0; begin < tree.size(); begin = end) {
    end = begin + 1;
    while (end < tree.size() && tree.parent(end) == end - 1 && tree.end(end) == tree.end(end - 1)) ++end;
    const int pieces = (end - begin + kMostChain - 1) / kMostChain;
    for (int k = 0, from = begin; k < pieces; ++k) {
      const int to = begin + (end - begin) * (k + 1) / pieces;
      out.push_back({from, to});
      from = to;
    }
  }
  return out;
}

// Consecutive freedoms, and all that are above any of them or among them: above[first] .. above[last - 1], in order.
struct FreedomBlock {
  FreedomChain rows;
  int first, last;
};
// All freedoms in blocks of at most kMostChain that have most of what is above them in common: chains, and short limbs
// side by side.
inline std::vector<FreedomBlock> make_freedom_blocks(const DofTree& tree, std::vector<int>& above) {
  const auto count_outside = [&](int k, int begin) {
    while (k >= begin) k = tree.parent(k);
    return k < 0 ? 0 : tree.depth(k) + 1;
  };
  constexpr int kFewer = 2;
  std::vector<FreedomBlock> out;
  for (int begin = 0, end = 0; begin < tree.size(); begin = end) {
    const int most = count_outside(begin, begin);
    end = begin + 1;
    while (end < tree.size() && end - begin < kMostChain && tree.parent(end) >= 0 &&
           count_outside(end, begin) + kFewer >= most)
      ++end;
    const int first = static_cast<int>(above.size());
    for (int k = tree.parent(begin); k >= 0; k = tree.parent(k)) above.insert(above.begin() + first, k);
    for (int k = begin; k < end; ++k) above.push_back(k);
    out.push_back({{begin, end}, first, static_cast<int>(above.size())});
  }
  return out;
}

// f(length) with the length of the chain as a constant.
template <class F>
void dispatch_chain(const FreedomChain& chain, F&& f) {
  static_assert(kMostChain == 6);
  switch (chain.end - chain.begin) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    default: return f(std::integral_constant<int, 6>{});
  }
}

}  // namespace sinew
