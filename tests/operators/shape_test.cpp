// tests/operators/shape_test.cpp
#include "sinew/operators/shape.hpp"

#include <gtest/gtest.h>

#include "sinew/operators/sko_model.hpp"

namespace sinew::test {
namespace {

using sko::kInertial;
using sko::Shape;

std::string complaint_of(const std::vector<sko::Edge>& edges) {
  try {
    Shape({{"a", 3, 1}, {"b", 4, 2}, {"c", 2, 1}}, edges);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Shape, TakesTreesInAnyOrder) {
  const Shape s({{"tip", 2, 1}, {"base", 6, 1}, {"arm", 4, 2}}, {{2, 0}, {kInertial, 1}, {1, 2}});
  EXPECT_EQ(s.outward(), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(s.size(), 12);
  EXPECT_EQ(s.freedoms(), 4);
  EXPECT_EQ(s.begin(2), 8);
  EXPECT_TRUE(s.is_ancestor(1, 0));
  EXPECT_FALSE(s.is_ancestor(0, 1));
  EXPECT_EQ(s.common_ancestor(0, 1), 1);
  EXPECT_THROW(s.parent(3), std::invalid_argument);
}

TEST(Shape, RefusesWhatIsNoTreeWithTheReason) {  // [J11 section 8.2]
  const std::string cycle = complaint_of({{2, 0}, {0, 1}, {1, 2}});
  EXPECT_NE(cycle.find("cycle"), std::string::npos) << cycle;
  EXPECT_NE(cycle.find("not nilpotent"), std::string::npos) << cycle;
  EXPECT_NE(cycle.find("'a'"), std::string::npos) << cycle;
  const std::string two = complaint_of({{kInertial, 0}, {kInertial, 1}, {0, 2}, {1, 2}});
  EXPECT_NE(two.find("node 2 'c' has two parents, node 0 'a' and node 1 'b'"), std::string::npos) << two;
  EXPECT_NE(two.find("not independent"), std::string::npos) << two;
  EXPECT_NE(complaint_of({{kInertial, 0}, {0, 1}}).find("node 2 'c' has no parent"), std::string::npos);
  EXPECT_NE(complaint_of({{kInertial, 0}, {0, 1}, {7, 2}}).find("there is no parent 7"), std::string::npos);
  EXPECT_THROW(Shape({{"x", 2, 3}}, {{kInertial, 0}}), std::invalid_argument);
}

TEST(Shape, BlocksOfTheWrongShapeAreNamed) {
  sko::SkoModel<double> m(Shape({{"base", 6, 1}, {"tip", 3, 2}}, {{kInertial, 0}, {0, 1}}));
  const std::vector<double> numbers(36, 1.0);
  const auto complaint = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(complaint([&] {
              m.set_weight(1, {numbers.data(), 3, 6});
            }),
            "SkoModel: the weight A of node 1 'tip' is 3 x 6, it must be 6 x 3");
  EXPECT_EQ(complaint([&] {
              m.set_hinge(1, {numbers.data(), 1, 3});
            }),
            "SkoModel: the hinge map H of node 1 'tip' is 1 x 3, it must be 2 x 3");
  const std::vector<double> lopsided = {2, 0, 0, 0.5, 2, 0, 0, 0, 2};
  EXPECT_NE(complaint([&] { m.set_inertia(1, {lopsided.data(), 3, 3}); }).find("is not symmetric"), std::string::npos);
  EXPECT_NE(complaint([&] {
              m.set_inertia(5, {lopsided.data(), 3, 3});
            }).find("there is no node 5"),
            std::string::npos);
}

// The seven bodies of [J11 section 4.2]: p(1) = 3, p(2) = 4, p(3) = p(4) = p(5) = 6, p(6) = 7.
TEST(Shape, DrawsTheMassMatrixOfSevenBodies) {
  std::vector<sko::NodeSize> nodes;
  for (int k = 1; k <= 7; ++k) nodes.push_back({std::to_string(k), 6, 1});
  const Shape s(nodes, {{2, 0}, {3, 1}, {5, 2}, {5, 3}, {5, 4}, {6, 5}, {kInertial, 6}});
  EXPECT_EQ(sko::draw_mass(s),  // X: a block; .: zeros
            "X.X..XX\n"
            ".X.X.XX\n"
            "X.X..XX\n"
            ".X.X.XX\n"
            "....XXX\n"
            "XXXXXXX\n"
            "XXXXXXX\n");
}

// The five branches of [J11 Fig. 3]: 1 and 2 hang on 4, 3 and 4 on 5.
TEST(Shape, DrawsTheBranchesOfFigureThree) {
  std::vector<sko::NodeSize> nodes(10);
  // 5: nodes 0, 1; 4: 2, 3; 3: 4, 5; 1: 6, 7; 2: 8, 9.
  const Shape s(nodes, {{kInertial, 0}, {0, 1}, {1, 2}, {2, 3}, {1, 4}, {4, 5}, {3, 6}, {6, 7}, {3, 8}, {8, 9}});
  const sko::Branches b(s);
  ASSERT_EQ(b.nodes.size(), 5U);
  EXPECT_EQ(b.parent[4], kInertial);
  int tips = 0, on_base = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(b.nodes[i].size(), 2U);
    EXPECT_TRUE(b.parent[i] > static_cast<int>(i) || b.parent[i] == kInertial);
    on_base += b.parent[i] == 4;
    tips += std::count(b.parent.begin(), b.parent.end(), static_cast<int>(i)) == 0;
  }
  EXPECT_EQ(tips, 3);
  EXPECT_EQ(on_base, 2);
  const auto count = [](const std::string& text) { return std::count(text.begin(), text.end(), 'X'); };
  EXPECT_EQ(count(b.draw_kernel()), 9);      // [J11 61]
  EXPECT_EQ(count(b.draw_resolvent()), 11);  // [J11 63]
  EXPECT_EQ(count(b.draw_mass()), 17);       // [J11 section 7.4]
}

}  // namespace
}  // namespace sinew::test
