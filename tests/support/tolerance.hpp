// tests/support/tolerance.hpp - what a comparison allows, and the largest error that it has seen
// EXPECT_NEAR, ASSERT_NEAR       as GoogleTest's, but what they allow and see is noted
// EXPECT_TRUE(is_small(x, max))  an error or a residual of at most max
// slack(allowed, "why")          in the place of the number allowed: far above what is seen, and why that is right
// SINEW_TOLERANCES names a folder where each process leaves its notes; tools/check_tolerances.py reads them.
// SINEW_TOL_SCALE multiplies every tolerance; 0 makes every comparison fail and show its residual.
#pragma once
#include <gtest/gtest.h>

#include <source_location>

namespace sinew::test {

struct Allowed {
  Allowed(double value_, const char* reason_ = nullptr) : value(value_), reason(reason_) {}  // NOLINT: a number will do
  double value;
  const char* reason;
};
inline Allowed slack(double value, const char* reason) { return {value, reason}; }

// Notes the comparison and says whether it holds: seen <= allowed * SINEW_TOL_SCALE. An error below `rounding` is not
// worth a sharper bound. The same line is noted apart for each eps.
bool holds(double seen, double allowed, const char* reason, double rounding, double eps,
           const std::source_location& where);

::testing::AssertionResult is_small(double x, const Allowed& most,
                                    const std::source_location& where = std::source_location::current());

struct NearAt {
  std::source_location where;
  ::testing::AssertionResult operator()(const char* a_text, const char* b_text, const char* allowed_text, double a,
                                        double b, const Allowed&) const;
};

}  // namespace sinew::test

// NOLINTBEGIN(readability-identifier-naming): the names that everybody knows
#undef EXPECT_NEAR
#undef ASSERT_NEAR
#define EXPECT_NEAR(a, b, allowed) \
  EXPECT_PRED_FORMAT3(::sinew::test::NearAt{std::source_location::current()}, a, b, allowed)
#define ASSERT_NEAR(a, b, allowed) \
  ASSERT_PRED_FORMAT3(::sinew::test::NearAt{std::source_location::current()}, a, b, allowed)
// NOLINTEND(readability-identifier-naming)
