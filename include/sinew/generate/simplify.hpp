// sinew/generate/simplify.hpp - fewer operations for the same results [F08 section 10.4]
// The book's rules, applied until nothing changes:
//   results that nobody uses are dropped; a = b is replaced; x 0, x 1, x + 0; constants are evaluated
// and more than those:
//   what is calculated twice is calculated once, x y and y x, x - y and y - x too
//   signs move to the results and vanish where they meet a sum
//   constants move out of products; like terms of a sum are put together: 1.6 x y - 1.5 y x -> 0.1 x y
//   common factors leave a sum: x y + x z -> x (y + z)
//   sin^2 + cos^2 = 1
//   cos a cos b - sin a sin b -> cos(a + b) and its like (parallel axes), where that is cheaper in all
// Sums are put together in another order, so results change by rounding errors; 0 x is 0 even for infinite x.
#pragma once
#include "sinew/generate/graph.hpp"

namespace sinew::generate {

// Which rules are applied.
enum class Rules {
  book,  // those of F08 alone
  all,
};

Graph simplify(const Graph&, Rules = Rules::all);

// Additions and multiplications count 1, divisions and square roots 4, sines and their like 10.
long calc_cost(const Graph&);

}  // namespace sinew::generate
