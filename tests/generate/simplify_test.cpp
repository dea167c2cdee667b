// tests/generate/simplify_test.cpp - fewer operations, the same numbers
#include "sinew/generate/simplify.hpp"

#include <gtest/gtest.h>

#include "sinew/base/random.hpp"
#include "sinew/generate/schedule.hpp"
#include "sinew/spatial/mat3.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using generate::Graph;
using generate::Rules;

// make(inputs) gives the results.
template <class Make>
Graph record(int inputs, Make make) {
  Recording r;
  std::vector<Traced> x;
  for (int i = 0; i < inputs; ++i) x.push_back(r.make_input());
  const std::vector<Traced> y = make(x);
  Graph g{{}, {{"x", inputs, 1, "numbers"}}, {{"y", static_cast<int>(y.size()), 1, "numbers"}}, {}};
  for (const Traced& k : y) g.results.push_back(r.find_step(k));
  g.steps = r.steps();
  return g;
}
long flops(const Graph& g) {
  const OperationCount n = count_operations(g);
  return n.mul + n.add + n.div;
}
Traced number(double x) { return lit<Traced>(x); }

// [F08 Table 10.3]: p = v x I v, tau = p . s.
TEST(Simplify, GivesTable10_3) {
  const Graph g = record(3, [](const std::vector<Traced>& x) {
    const Vec3<Traced> v{x[0], x[1], x[2]}, s{number(0), number(0), number(1)};
    const Traced o = number(0);
    const Mat3<Traced> I{number(1.5), o, o, o, number(1.6), o, o, o, number(1.7)};
    return std::vector<Traced>{dot(cross(v, I * v), s)};
  });
  EXPECT_EQ(flops(g), 29);
  EXPECT_EQ(flops(simplify(g, Rules::book)), 5);
  EXPECT_EQ(flops(simplify(g)), 2);  // 0.1 v1 v2, which the book calls the optimum
  const std::vector<double> v{0.3, -1.2, 5};
  for (const Rules rules : {Rules::book, Rules::all})
    EXPECT_TRUE(near(evaluate(simplify(g, rules), v)[0], 0.1 * v[0] * v[1], 2));
}

TEST(Simplify, FindsWhatIsCalculatedTwice) {
  const Graph g = record(2, [](const std::vector<Traced>& x) {
    return std::vector<Traced>{x[0] * x[1], x[1] * x[0], x[0] - x[1], x[1] - x[0], -(x[0] * x[1])};
  });
  EXPECT_EQ(flops(simplify(g)), 2);
}

TEST(Simplify, KnowsZerosOnesAndSigns) {
  const Graph g = record(2, [](const std::vector<Traced>& x) {
    const Traced o = number(0), i = number(1);
    return std::vector<Traced>{
        x[0] * o + x[1] * i, (-x[0]) * (-x[1]),      x[0] - (-x[1]),         x[0] / i,   o / x[1],
        x[0] - x[0],         sin(-x[0]) + sin(x[0]), cos(-x[0]) - cos(x[0]), x[1] / x[1]};
  });
  const OperationCount n = count_operations(simplify(g));
  EXPECT_EQ(n.mul, 1);
  EXPECT_EQ(n.add, 1);
  EXPECT_EQ(n.div, 0);
  EXPECT_EQ(n.trig, 0);
}

TEST(Simplify, PutsTermsTogether) {
  const auto cost = [](auto make) { return flops(simplify(record(4, make))); };
  EXPECT_EQ(cost([](const auto& x) { return std::vector<Traced>{x[0] * x[1] + x[0] * x[2] - x[0] * x[3]}; }), 3);
  EXPECT_EQ(cost([](const auto& x) { return std::vector<Traced>{number(2) * x[0] + x[1] - number(2) * x[0]}; }), 0);
  EXPECT_EQ(cost([](const auto& x) { return std::vector<Traced>{(x[0] + number(2)) + (x[1] + number(3))}; }), 2);
  EXPECT_EQ(cost([](const auto& x) { return std::vector<Traced>{number(3) * (x[0] * (number(5) * x[1]))}; }), 2);
  EXPECT_EQ(cost([](const auto& x) { return std::vector<Traced>{number(3) * x[0] - number(3) * x[1]}; }), 2);
}

TEST(Simplify, KnowsThatSquaresOfSineAndCosineAddToOne) {
  const Graph g = record(2, [](const std::vector<Traced>& x) {
    const Traced s = sin(x[0]), c = cos(x[0]);
    return std::vector<Traced>{x[1] + (s * s + c * c)};
  });
  const Graph simple = simplify(g);
  EXPECT_EQ(flops(simple), 1);
  EXPECT_EQ(count_operations(simple).trig, 0);
}

// Three parallel axes of which only the tip matters: cos(a + b + c) costs less than the products.
TEST(Simplify, AddsAnglesOfParallelAxesWhereThatIsCheaper) {
  const auto turn = [](const Traced& angle, std::vector<Traced> xy) {
    const Traced s = sin(angle), c = cos(angle);
    return std::vector<Traced>{c * xy[0] - s * xy[1], s * xy[0] + c * xy[1]};
  };
  const Graph tip = record(3, [&](const std::vector<Traced>& x) {
    return turn(x[0], turn(x[1], turn(x[2], {number(1), number(0)})));
  });
  const OperationCount n = count_operations(simplify(tip));
  EXPECT_EQ(n.trig, 2);
  EXPECT_EQ(n.add, 2);
  EXPECT_EQ(n.mul, 0);
  const std::vector<double> x{0.4, 1.1, -2.3};
  EXPECT_TRUE(near(evaluate(simplify(tip), x), std::vector<double>{std::cos(-0.8), std::sin(-0.8)}, 4));
  // Where the single angles are needed too, their products are cheaper than another sine.
  const Graph both = record(2, [&](const std::vector<Traced>& x2) {
    std::vector<Traced> out = turn(x2[0], turn(x2[1], {number(1), number(0)}));
    for (const Traced& angle : x2) out.push_back(sin(angle)), out.push_back(cos(angle));
    return out;
  });
  EXPECT_EQ(count_operations(simplify(both)).trig, 4);
}

// Random programs of all operations.
Graph random_program(std::uint64_t seed) {
  Random rng(seed);
  return record(6, [&](std::vector<Traced> x) {
    for (const double c : {0.0, 1.0, -1.0, 2.5}) x.push_back(number(c));
    for (int k = 0; k < 120; ++k) {
      const auto pick = [&] { return x[at(rng.below(static_cast<int>(x.size())))]; };
      const Traced a = pick(), b = pick(), c = pick();
      const Traced kinds[] = {a + b,
                              a - b,
                              a * b,
                              a / (number(2) + b * b),
                              -a,
                              sin(a),
                              cos(a),
                              sqrt(abs(a)),
                              atan2(a, b),
                              min(a, b),
                              max(a, b),
                              a + b * c,
                              a * b - c * b,
                              select(a < b, b, c),
                              a * sin(b) + a * cos(b)};
      // Bounded, so that nothing grows without end.
      const Traced& made = kinds[at(rng.below(15))];
      x.push_back(k % 7 == 0 ? sin(made) : made);
    }
    std::vector<Traced> out;
    for (std::size_t i = x.size() - 12; i < x.size(); ++i) out.push_back(cos(x[i]));
    return out;
  });
}

TEST(Simplify, ChangesNothingBeyondRounding) {
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Graph g = random_program(seed), s = simplify(g), book = simplify(g, Rules::book);
    Random rng(seed + 500);
    std::vector<double> x;
    for (int i = 0; i < 6; ++i) x.push_back(rng.uniform(-1, 1));
    EXPECT_TRUE(near(evaluate(book, x), evaluate(g, x), 0));
    EXPECT_TRUE(near(evaluate(s, x), evaluate(g, x), 100));
    EXPECT_TRUE(near(evaluate(schedule(s), x), evaluate(s, x), 0));
    shorter += calc_cost(s) < calc_cost(book);
  }
  EXPECT_GT(shorter, 60);
}

}  // namespace
}  // namespace sinew::test
