// tests/base/nearest_name_test.cpp
#include "sinew/base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sinew::test {
namespace {

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(count_edits("", ""), 0);
  EXPECT_EQ(count_edits("knee", "knee"), 0);
  EXPECT_EQ(count_edits("", "knee"), 4);
  EXPECT_EQ(count_edits("kne", "knee"), 1);
  EXPECT_EQ(count_edits("kenne", "knee"), 2);
  EXPECT_EQ(count_edits("nkee", "knee"), 1);  // neighbours swapped
  EXPECT_EQ(count_edits("kitten", "sitting"), 3);
  EXPECT_EQ(count_edits("sitting", "kitten"), 3);
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"left_knee", "right_knee", "hip", "--floor", "--force", "compare", "count"};
  EXPECT_EQ(find_nearest_name("left_kne", known), "left_knee");
  EXPECT_EQ(find_nearest_name("Left-Knee", known), "left_knee");
  EXPECT_EQ(find_nearest_name("--flor", known), "--floor");
  EXPECT_EQ(find_nearest_name("comp", known), "compare");  // its beginning
  EXPECT_EQ(find_nearest_name("elbow", known), "");
  EXPECT_EQ(find_nearest_name("", known), "");
  EXPECT_EQ(find_nearest_name("co", std::vector<std::string>{"compare", "count"}), "");  // of two
  EXPECT_EQ(suggest_name("hpi", known), "; did you mean 'hip'?");
  EXPECT_EQ(suggest_name("elbow", known), "");
  EXPECT_EQ(find_nearest_name(std::string(100000, 'x'), known), "");
}

}  // namespace
}  // namespace sinew::test
