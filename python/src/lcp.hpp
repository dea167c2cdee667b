// python/src/lcp.hpp - a friction problem with its numbers: what the views of lcp::FrictionProblem look at
#pragma once
#include "common.hpp"
#include "sinew/lcp/problem.hpp"

namespace sinew::py {

struct PyFrictionProblem {
  std::vector<double> W, q, mu, preload, lower, upper;
  int free = 0, unilateral = 0;
  lcp::FrictionProblem view() const {
    return {{W.data(), q.size(), q.size()}, q, mu, preload, free, unilateral, lower, upper};
  }
};

}  // namespace sinew::py
