// tests/base/traced_test.cpp - the scalar that records
#include "sinew/base/traced.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "sinew/base/index.hpp"

namespace sinew::test {
namespace {

TEST(Traced, RecordsWhatDependsOnInputs) {
  Recording r;
  const Traced x = r.make_input(), y = r.make_input();
  const Traced z = sin(x) * lit<Traced>(2) - y;
  ASSERT_FALSE(z.is_constant());
  const TracedOp want[] = {TracedOp::input,    TracedOp::input, TracedOp::sin,
                           TracedOp::constant, TracedOp::mul,   TracedOp::sub};
  ASSERT_EQ(r.steps().size(), std::size(want));
  for (std::size_t i = 0; i < std::size(want); ++i) EXPECT_EQ(r.steps()[i].op, want[i]) << i;
  EXPECT_EQ(r.steps().back().a, 4);
  EXPECT_EQ(r.steps().back().b, 1);
}

TEST(Traced, CalculatesConstantsAndRecordsNothing) {
  const Recording r;
  const Traced x = sqrt(lit<Traced>(9)) + lit<Traced>(1) / lit<Traced>(4);
  EXPECT_TRUE(x.is_constant());
  EXPECT_EQ(x.value, 3.25);
  EXPECT_TRUE(static_cast<bool>(x < lit<Traced>(4)));
  EXPECT_EQ(select(x < lit<Traced>(4), x, lit<Traced>(0)).value, 3.25);
  EXPECT_TRUE(r.steps().empty());
}

TEST(Traced, ChoosesByConditions) {
  Recording r;
  const Traced x = r.make_input();
  const Traced y = select(x > lit<Traced>(0), x, -x);
  EXPECT_EQ(r.steps()[at(y.step)].op, TracedOp::select);
  static_assert(!std::is_convertible_v<TracedCondition, bool>);
}

TEST(Traced, NamesTheLineOfABranch) {
  Recording r;
  const Traced x = r.make_input();
  const int line = __LINE__ + 2;
  try {
    if (x < lit<Traced>(1)) FAIL();
    FAIL() << "no error";
  } catch (const TraceError& e) {
    const std::string want = "traced_test.cpp:" + std::to_string(line);
    EXPECT_NE(std::string(e.what()).find(want), std::string::npos) << e.what();
  }
  EXPECT_THROW(static_cast<void>(any(lit<Traced>(2) >= x)), TraceError);
}

TEST(Traced, IsRecordedByTheInnermostRecording) {
  Recording outer;
  const Traced x = outer.make_input();
  {
    Recording inner;
    const Traced y = inner.make_input();
    static_cast<void>(y + y);
    EXPECT_EQ(inner.steps().size(), 2u);
  }
  static_cast<void>(x + x);
  EXPECT_EQ(outer.steps().size(), 2u);
}

TEST(Traced, RefusesNumbersWithoutARecording) {
  Traced x;
  {
    Recording r;
    x = r.make_input();
  }
  EXPECT_THROW(static_cast<void>(x + x), std::logic_error);
}

}  // namespace
}  // namespace sinew::test
