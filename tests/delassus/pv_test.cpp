// tests/delassus/pv_test.cpp - PV-OSIM and PV-OSIMr (OS-6, OS-7)
#include "sinew/delassus/pv.hpp"

#include <gtest/gtest.h>

#include "support/delassus_case.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

TEST(Pv, IsTheDefinition) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    const Eigen::MatrixXd want = naive_delassus(c);
    PvWorkspace<double> all = make_pv_workspace<double>(c.model, c.problem);
    PvWorkspace<double> six = make_pvr_workspace<double>(c.model, c.problem);
    for (PvWorkspace<double>* ws : {&all, &six})
      EXPECT_TRUE(near(delassus_numbers<double>(c.problem, [&](auto W) { pv(c.model, *ws, c.q, c.K, W); }),
                       numbers_of(want), 1e5));
  }
}

}  // namespace
}  // namespace sinew::test
