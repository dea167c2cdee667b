// tests/sim/bends_test.cpp - contacts of turning bodies end nearer than their velocities say, and steps remember it
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sinew/sim/simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/falling_boxes.hpp"

namespace sinew::test {
namespace {

// A run that goes on from a snapshot knows them too: without them its next step differs.
TEST(Bends, AreKeptInSnapshots) {
  const Model m = make_falling_boxes(20);
  Simulation s(m), resumed(m), without(m);
  int tried = 0, differ = 0, refined = 0;
  for (int i = 0; i < 400 && tried < 60; ++i) {
    Snapshot shot = s.make_snapshot();
    const bool bends = !shot.words("bends/contacts").empty();
    if (bends) {
      resumed.restore(shot), resumed.step();
      shot.set("bends/contacts", std::vector<std::uint64_t>{}), shot.set("bends/by", std::vector<double>{});
      without.restore(shot), without.step();
    }
    s.step();
    if (!bends) continue;
    ++tried, refined += s.report().refinements > 0, differ += without.state.q != s.state.q;
    EXPECT_EQ(resumed.state.q, s.state.q) << i;
    EXPECT_EQ(resumed.state.v, s.state.v) << i;
  }
  EXPECT_GT(tried, 20);
  EXPECT_GT(differ, tried / 2);
  EXPECT_LT(refined, tried / 2);  // most of these steps need no correction
}

}  // namespace
}  // namespace sinew::test
