// tests/io/polygon_test.cpp - polygons cut into triangles: areas, senses, concave ones, hostile ones
#include "io/polygon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "sinew/spatial/orientation.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using Polygon = std::vector<Vec3<double>>;
using Cut = std::vector<std::array<int, 3>>;

std::vector<int> count_up(std::size_t n) {
  std::vector<int> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = int(i);
  return out;
}
Vec3<double> area_of(const Polygon& p) {
  Vec3<double> sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += 0.5 * cross(p[i] - p[0], p[(i + 1) % p.size()] - p[0]);
  return sum;
}
Vec3<double> area_of(const Polygon& p, const std::array<int, 3>& t) {
  return 0.5 * cross(p[std::size_t(t[1])] - p[std::size_t(t[0])], p[std::size_t(t[2])] - p[std::size_t(t[0])]);
}

// A star-shaped polygon with corners at random distances from the middle, turned in space.
Polygon random_star(std::mt19937& random, std::size_t n) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const Vec3<double> axis{uniform(random) - .5, uniform(random) - .5, uniform(random) - .5};
  const auto E = rotation_from_axis_angle((1 / norm(axis)) * axis, 6 * uniform(random));
  Polygon out;
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * (double(i) + .8 * uniform(random)) / double(n);
    const double r = 0.1 + uniform(random);
    out.push_back(apply(E, Vec3<double>{r * std::cos(angle), r * std::sin(angle), 0.3}));
  }
  return out;
}

// Triangles of one sense whose areas add up to that of the polygon cover it without overlap.
TEST(Polygon, ConcaveOnesAreCoveredWithoutOverlap) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Polygon p = random_star(random, 4 + std::size_t(round) % 40);
    Cut cut;
    ASSERT_EQ(cut_polygon(p, count_up(p.size()), cut), "");
    ASSERT_EQ(cut.size(), p.size() - 2);
    const Vec3<double> whole = area_of(p);
    double sum = 0;
    for (const auto& t : cut) {
      EXPECT_GT(dot(area_of(p, t), whole), 0) << "round " << round;
      sum += norm(area_of(p, t));
    }
    EXPECT_NEAR(sum / norm(whole), 1, 1e-14) << "round " << round;
  }
}

TEST(Polygon, ConvexOnesAreFans) {
  const Polygon square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  Cut cut;
  EXPECT_EQ(cut_polygon(square, count_up(4), cut), "");
  EXPECT_EQ(cut, (Cut{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Polygon, AnArrowIsCutAtItsDent) {
  const Polygon arrow{{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {.5, 1, 0}};  // a fan from 0 would stick out
  Cut cut;
  EXPECT_EQ(cut_polygon(arrow, count_up(4), cut), "");
  for (const auto& t : cut) EXPECT_GT(area_of(arrow, t).z, 0);
}

TEST(Polygon, DegenerateOnesGiveAsManyTriangles) {
  const Polygon line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1.5, 0, 0}};
  const Polygon point(6);
  const Polygon star{{0, 0, 0}, {2, 1.5, 0}, {-.5, 1.5, 0}, {1.5, 0, 0}, {.75, 2.3, 0}};
  for (const Polygon& p : {line, point, star}) {
    Cut cut;
    EXPECT_EQ(cut_polygon(p, count_up(p.size()), cut), "");
    EXPECT_EQ(cut.size(), p.size() - 2);
  }
  Cut none;
  EXPECT_NE(cut_polygon(line, std::array{0, 1}, none), "");
}

TEST(Polygon, TooManyCornersOfAConcaveOneAreRefused) {
  std::mt19937 random(4);
  Cut cut;
  const Polygon p = random_star(random, kMostConcaveCorners + 1);
  EXPECT_NE(cut_polygon(p, count_up(p.size()), cut).find("1001 corners"), std::string::npos);
}

}  // namespace
}  // namespace sinew
