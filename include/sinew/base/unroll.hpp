// sinew/base/unroll.hpp - loops of constant length, written out
// GCC keeps an array in memory where a loop runs over it, even if the loop is unrolled later. Elements by constants
// stay in registers.
#pragma once
#include <type_traits>
#include <utility>

#include "sinew/base/config.hpp"

namespace sinew {

// f(0), .. f(n - 1), with integral constants.
SINEW_HD_CALLER
template <int n, class F>
SINEW_HD void unroll(F&& f) {
  [&]<int... k>(std::integer_sequence<int, k...>)
      SINEW_INLINE_LAMBDA { (f(std::integral_constant<int, k>{}), ...); }(std::make_integer_sequence<int, n>{});
}

}  // namespace sinew
