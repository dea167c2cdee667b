// tests/delassus/cost_test.cpp - operations counted, S23's study in small, and the choice by cost
#include "sinew/delassus/cost.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sinew/model/mechanisms.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

struct Held {
  const Model& model;
  std::vector<Entry> entries;
  std::vector<Force<double>> K;
  int rows = 0;
  Held& hold(const std::string& frame, int first = 0) {
    const FrameEntry f = model.find_frame(frame).value();
    for (int axis = first; axis < 6; ++axis) {
      entries.push_back({rows++, f.node});
      K.push_back(apply_inverse(f.in_node, sinew::detail::unit_force<double>(axis)));
    }
    return *this;
  }
  Problem problem() const { return {model, rows, entries}; }
};
std::map<Algorithm, double> totals(const Held& h) {
  std::map<Algorithm, double> out;
  for (const Cost& c : calc_costs(h.model, h.problem(), h.K)) out[c.algorithm] = static_cast<double>(c.total());
  return out;
}

// S23 Fig. 3: PV-OSIMr's slope does not know the number of branches, EFPA's is linear in it, PV-OSIM's quadratic.
TEST(DelassusCost, SlopesOfTheStems) {
  std::map<int, std::map<Algorithm, double>> slope;  // least squares through four lengths
  for (const int k : {1, 2, 4, 10}) {
    for (const int length : {10, 20, 30, 40}) {
      const Model m = compile(mechanisms::stem_with_branches(length, k)).value();
      Held held{m, {}, {}};
      for (int tip = 1; tip <= 2 * k; ++tip) held.hold("tip" + std::to_string(tip));
      auto operations = totals(held);
      for (const Algorithm a : kAlgorithms) slope[k][a] += (length - 25) * operations[a] / 500;
      if (k == 1) {
        EXPECT_EQ(operations[Algorithm::pv], operations[Algorithm::pvr]);
      }
    }
  }
  const auto of = [&](int k, Algorithm a) { return slope[k][a]; };
  EXPECT_NEAR(of(10, Algorithm::pvr) / of(2, Algorithm::pvr), 1, 0.05);
  EXPECT_NEAR(of(4, Algorithm::pvr) / of(2, Algorithm::pvr), 1, 0.05);
  // differences of slopes between 2, 4 and 10 branches: in the ratio 3 if linear, 7 and a bit if quadratic
  EXPECT_NEAR((of(10, Algorithm::efpa) - of(4, Algorithm::efpa)) / (of(4, Algorithm::efpa) - of(2, Algorithm::efpa)), 3,
              0.3);
  const double growth = (of(10, Algorithm::pv) - of(4, Algorithm::pv)) / (of(4, Algorithm::pv) - of(2, Algorithm::pv));
  EXPECT_GT(growth, 4.5);
  EXPECT_LT(growth, 7.5);
}

// S23 Figs. 4 and 5.
TEST(DelassusCost, OrderOfTheRobots) {
  const Model humanoid = compile(mechanisms::humanoid()).value();
  auto o = totals(Held{humanoid, {}, {}}.hold("left_sole").hold("right_sole"));
  EXPECT_EQ(o[Algorithm::pv], o[Algorithm::pvr]);
  EXPECT_GT(o[Algorithm::efpa], 1.2 * o[Algorithm::pvr]);
  EXPECT_GT(o[Algorithm::ltl], 1.2 * o[Algorithm::pvr]);

  Held corners{humanoid, {}, {}};
  for (const char* side : {"left", "right"})
    for (const char* corner : {"front_inner", "front_outer", "back_inner", "back_outer"})
      corners.hold(std::string(side) + "_sole_" + corner, 3);
  o = totals(corners);
  EXPECT_NEAR(o[Algorithm::pv] / o[Algorithm::pvr], 1.199, 0.05);

  o = totals(Held{humanoid, {}, {}}.hold("left_sole").hold("right_sole").hold("left_palm").hold("right_palm"));
  EXPECT_LT(o[Algorithm::pv], o[Algorithm::pvr]);

  const Model with_hand = compile(mechanisms::humanoid_with_hands(1)).value();
  Held fingers{with_hand, {}, {}};
  for (const char* finger : {"thumb", "first", "middle", "ring", "little"})
    fingers.hold(std::string("left_hand_") + finger + "_tip", 3);
  o = totals(fingers);
  EXPECT_NEAR((o[Algorithm::pv] - o[Algorithm::pvr]) / o[Algorithm::pv], 0.34, 0.05);

  const Model hand = compile(mechanisms::hand()).value();
  Held tips{hand, {}, {}};
  for (const char* finger : {"thumb", "first", "middle", "ring", "little"}) tips.hold(std::string(finger) + "_tip", 3);
  o = totals(tips);
  EXPECT_LT(o[Algorithm::ltl], o[Algorithm::efpa]);
}

TEST(DelassusCost, MixedIsNeverDearerThanEither) {
  const Model m = compile(mechanisms::humanoid_with_hands(2)).value();
  const std::vector<std::vector<const char*>> sets{{"left_sole", "right_sole"},
                                                   {"left_hand_thumb_tip", "left_hand_first_tip"},
                                                   {"left_sole", "left_hand_thumb_tip", "right_hand_ring_tip"}};
  for (const auto& frames : sets) {
    Held held{m, {}, {}};
    for (const char* frame : frames) held.hold(frame);
    auto o = totals(held);
    EXPECT_LE(o[Algorithm::mixed], std::min(o[Algorithm::pv], o[Algorithm::pvr]));
  }
}

// The choice is the cheapest by the cost model, and says so.
TEST(DelassusCost, BestSaysWhatAndWhy) {
  const Model m = compile(mechanisms::humanoid()).value();
  const Held held = Held{m, {}, {}}.hold("left_sole").hold("right_sole");
  const Choice choice = best(m, held.problem(), held.K);
  ASSERT_EQ(choice.costs.size(), kAlgorithms.size());
  EXPECT_EQ(choice.algorithm, choice.costs.front().algorithm);
  for (std::size_t i = 1; i < choice.costs.size(); ++i)
    EXPECT_LE(choice.costs[i - 1].nanoseconds, choice.costs[i].nanoseconds);
  EXPECT_EQ(choice.reason.find(to_string(choice.algorithm)), 0u) << choice.reason;
  EXPECT_NE(choice.reason.find("12 rows on 36 freedoms"), std::string::npos) << choice.reason;
  EXPECT_THROW(calc_costs(m, held.problem(), {held.K.data(), 3}), std::invalid_argument);
  // nothing to do
  EXPECT_EQ(best(m, Problem(m, 0, {})).costs.size(), kAlgorithms.size());
}

}  // namespace
}  // namespace sinew::test
