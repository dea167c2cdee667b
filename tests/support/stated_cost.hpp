// tests/support/stated_cost.hpp - an expression's stated cost is the counted one
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/base/random.hpp"
#include "sinew/operators/algebra.hpp"

namespace sinew::test {

template <class Expression>
void expect_stated_cost(const sko::OperatorAlgebra<Counted>& o, const Expression& x, Random& rng) {
  sko::Application<Counted> a(o, x);
  std::vector<Counted> in(at(a.cols())), out(at(a.rows()));
  for (Counted& v : in) v = Counted(rng.normal());
  const Tally tally;
  a.apply(in, out);
  EXPECT_EQ(tally.count().mul, a.multiplications()) << a.describe();
  EXPECT_EQ(tally.count().add, a.additions()) << a.describe();
}

}  // namespace sinew::test
