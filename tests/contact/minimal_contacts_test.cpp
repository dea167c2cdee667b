// tests/contact/minimal_contacts_test.cpp - which contacts are enough [F08 section 11.6, Figure 11.7] (CT-7)
#include "sinew/contact/minimal_contacts.hpp"

#include <numbers>

#include "sinew/contact/collide.hpp"
#include "sinew/contact/frictionless.hpp"
#include "sinew/contact/line_contact.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/model/builder.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

using V = Vec3<double>;

ContactPoint point_at(const V& p, const V& n = {0, 0, 1}, double gap = 0) {
  ContactPoint c;
  c.node_a = 1, c.point = p, c.normal = n, c.gap = gap;
  return c;
}
std::vector<int> minimal(const std::vector<ContactPoint>& contacts) {
  MinimalContacts m(static_cast<int>(contacts.size()));
  const std::span<const int> kept = m.find(contacts);
  return {kept.begin(), kept.end()};
}
std::vector<ContactPoint> rim_contacts(int n) {
  std::vector<ContactPoint> out;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    out.push_back(point_at({std::cos(angle), std::sin(angle), 0}));
  }
  return out;
}
// z = x tan(y) along the y axis, from y = -1 to 1: its normal at y is (-sin y, 0, cos y). [F08 Fig 11.7b]
LineContact twisted_line() {
  LineContact line;
  line.from = {0, -1, 0}, line.to = {0, 1, 0};
  line.normal = {std::sin(1.0), 0, std::cos(1.0)}, line.turn = -2;
  line.like.node_a = 1;
  return line;
}

// The corner points of the convex hull, by comparing all pairs: every other point is on one side of an edge.
std::vector<int> hull_corners(const std::vector<ContactPoint>& c) {
  std::vector<int> out;
  for (std::size_t i = 0; i < c.size(); ++i) {
    bool corner = false;
    for (int k = 0; k < 3600 && !corner; ++k) {  // a direction in which it is the farthest
      const double a = 2 * std::numbers::pi * k / 3600, x = std::cos(a), y = std::sin(a);
      corner = true;
      for (std::size_t j = 0; j < c.size() && corner; ++j)
        corner = j == i || x * c[j].point.x + y * c[j].point.y < x * c[i].point.x + y * c[i].point.y;
    }
    if (corner) out.push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace

TEST(MinimalContacts, AnEdgeOnAPlaneHasItsTwoEnds) {
  std::vector<ContactPoint> line;
  for (int i = 0; i <= 10; ++i) line.push_back(point_at({0.1 * i, 0.2 * i, 0}));
  EXPECT_EQ(minimal(line), (std::vector<int>{0, 10}));
}

TEST(MinimalContacts, AFaceOnAPlaneHasTheCornersOfItsHull) {
  for_seeds(40, [](Random& rng) {
    std::vector<ContactPoint> face;
    for (int i = 0; i < 12; ++i) {
      const double x = rng.uniform(-1, 1), y = rng.uniform(-1, 1);
      face.push_back(point_at({x, y, 0}));
    }
    EXPECT_EQ(minimal(face), hull_corners(face));
    // The same in any frame.
    const Transform<double> X = random_transform(rng);
    for (ContactPoint& c : face) c.point = apply_inverse(X.E, c.point) + X.r, c.normal = apply_inverse(X.E, c.normal);
    EXPECT_EQ(minimal(face), hull_corners([&] {
                std::vector<ContactPoint> back = face;
                for (ContactPoint& c : back) c.point = apply(X.E, c.point - X.r);
                return back;
              }()));
  });
}

// Of a disc the whole rim is needed, and an n-gon falls short of it by 1 - cos(pi / n), in second order of 1 / n.
TEST(MinimalContacts, ADiscHasItsRimAndPolygonsConvergeToIt) {
  double missing[4];
  int row = 0;
  for (const int n : {8, 16, 32, 64}) {
    std::vector<ContactPoint> disc = rim_contacts(n);
    for (int i = 0; i < n; ++i) {
      const double angle = 2.399963 * i, r = 0.9 * std::sqrt((i + 0.5) / n);
      disc.push_back(point_at({r * std::cos(angle), r * std::sin(angle), 0}));
    }
    const std::vector<int> kept = minimal(disc);
    ASSERT_EQ(kept.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(kept.back(), n - 1);
    // A point between two corners follows from them up to the middle of the edge.
    double low = 0, high = 1;
    for (int i = 0; i < 40; ++i) {
      const double r = (low + high) / 2, angle = std::numbers::pi / n;
      std::vector<ContactPoint> with = rim_contacts(n);
      with.push_back(point_at({r * std::cos(angle), r * std::sin(angle), 0}));
      (minimal(with).size() == static_cast<std::size_t>(n) ? low : high) = r;
    }
    EXPECT_NEAR(low, std::cos(std::numbers::pi / n), 1e-8);
    missing[row++] = 1 - low;
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(std::log2(missing[k] / missing[k + 1]), 2, 0.03);
}

// Figure 11.7b: no normal depends on the others.
TEST(MinimalContacts, ATwistedLineNeedsAllItsPoints) {
  for (const int n : {2, 3, 10, 50}) {
    std::vector<ContactPoint> line;
    add_line_contacts(twisted_line(), n, line);
    for (const ContactPoint& c : line) EXPECT_TRUE(near(c.normal, V{-std::sin(c.point.y), 0, std::cos(c.point.y)}, 10));
    EXPECT_EQ(minimal(line).size(), static_cast<std::size_t>(n));
    LineContact flat = twisted_line();
    flat.turn = 0;
    line.clear();
    add_line_contacts(flat, n, line);
    EXPECT_EQ(minimal(line), (std::vector<int>{0, n - 1}));
  }
}

// What is left out is implied: contacts that are left are open for the velocity, so all are; and what is kept is
// needed: some velocity opens all the others and closes it.
TEST(MinimalContacts, WhatIsLeftImpliesTheRestAndNothingLess) {
  int dropped = 0, needed = 0;
  for_seeds(60, [&](Random& rng) {
    std::vector<ContactPoint> c;  // points of an edge, a face and the curved rest, some of them sums of others
    for (int i = 0; i < 8; ++i) c.push_back(point_at(random_vec3(rng), random_unit(rng), rng.uniform(0, 0.01)));
    const V n = random_unit(rng);
    for (int i = 0; i < 6; ++i) {
      const V p = random_vec3(rng);
      c.push_back(point_at(p - dot(p, n) * n, n, 0.001));
    }
    const std::vector<int> kept = minimal(c);
    constexpr double dt = 0.01;
    const auto opening = [&](const Motion<double>& v, int i) {
      const ContactPoint& p = c[static_cast<std::size_t>(i)];
      return dot(Force<double>{cross(p.point, p.normal), p.normal}, v) + p.gap / dt;
    };
    std::vector<char> seen(c.size());
    for (int k = 0; k < 20000; ++k) {
      const Motion<double> v = random_motion(rng);
      std::vector<int> closed;
      for (const int i : kept)
        if (opening(v, i) < 0) closed.push_back(i);
      if (closed.empty()) {
        for (int i = 0; i < static_cast<int>(c.size()); ++i) EXPECT_GE(opening(v, i), -1e-9);
      }
      if (closed.size() == 1) seen[static_cast<std::size_t>(closed[0])] = 1;
    }
    dropped += static_cast<int>(c.size() - kept.size());
    for (const char s : seen) needed += s;
  });
  EXPECT_GT(dropped, 30);
  EXPECT_GT(needed, 300);
}

// Contacts at different gaps: the middle of an edge follows from its ends only if it is not nearer than the line
// between them.
TEST(MinimalContacts, GapsCount) {
  const auto edge = [](double gap) {
    return std::vector<ContactPoint>{point_at({-1, 0, 0}, {0, 0, 1}, 0.1), point_at({0, 0, 0}, {0, 0, 1}, gap),
                                     point_at({1, 0, 0}, {0, 0, 1}, 0.3)};
  };
  EXPECT_EQ(minimal(edge(0.2)).size(), 2u);
  EXPECT_EQ(minimal(edge(0.25)).size(), 2u);
  EXPECT_EQ(minimal(edge(0.19)).size(), 3u);
}

TEST(MinimalContacts, OtherBodiesFrictionAndRestitutionCount) {
  std::vector<ContactPoint> edge{point_at({-1, 0, 0}), point_at({0, 0, 0}), point_at({1, 0, 0})};
  edge[1].node_b = 3;
  EXPECT_EQ(minimal(edge).size(), 3u);
  edge[1].node_b = 0, edge[1].restitution = 0.5;
  EXPECT_EQ(minimal(edge).size(), 3u);
  edge[1].restitution = 0, edge[1].friction = 0.5;
  EXPECT_EQ(minimal(edge).size(), 3u);
  edge[0].friction = edge[2].friction = 0.5;
  EXPECT_EQ(minimal(edge).size(), 2u);
  // With normals of three directions: the middle one is a sum of the others, but they cannot give its friction.
  const double s = std::sqrt(0.5);
  std::vector<ContactPoint> wedge{point_at({}, {s, 0, s}), point_at({}, {0, 0, 1}), point_at({}, {-s, 0, s})};
  EXPECT_EQ(minimal(wedge), (std::vector<int>{0, 2}));
  for (ContactPoint& c : wedge) c.friction = 0.5;
  EXPECT_EQ(minimal(wedge).size(), 3u);
}

// A box on a plane, as the collider has it with all corners in reach: the four below are enough.
TEST(MinimalContacts, OfABoxOnAPlane) {
  const PlacedShape plane{ShapeKind::plane, {}, {}, nullptr, nullptr};
  const PlacedShape box{ShapeKind::box, {{}, {0, 0, 0.3}}, {0.5, 0.4, 0.3}, nullptr, nullptr};
  std::vector<TouchPoint> touching;
  collide(box, plane, 1, touching);
  ASSERT_EQ(touching.size(), 8u);
  std::vector<ContactPoint> contacts;
  for (const TouchPoint& t : touching) contacts.push_back(point_at(t.point, t.normal, t.gap));
  const std::vector<int> kept = minimal(contacts);
  EXPECT_EQ(kept.size(), 4u);
  for (const int i : kept) EXPECT_TRUE(is_small(contacts[static_cast<std::size_t>(i)].gap, 1e-15));
}

TEST(MinimalContacts, AllocatesNothingAndRefusesMore) {
  MinimalContacts m(40);
  const std::vector<ContactPoint> disc = rim_contacts(40), more = rim_contacts(41);
  AllocationCount allocations;
  EXPECT_EQ(m.find(disc).size(), 40u);
  EXPECT_EQ(m.find({}).size(), 0u);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_THROW(m.find(more), std::invalid_argument);
  EXPECT_THROW(MinimalContacts(-1), std::invalid_argument);
}

TEST(LineContact, RefusesWhatIsNoLine) {
  std::vector<ContactPoint> out;
  LineContact line = twisted_line();
  EXPECT_THROW(add_line_contacts(line, 1, out), std::invalid_argument);
  EXPECT_THROW(calc_line_closing(line, 1, 1, 1), std::invalid_argument);
  EXPECT_THROW(count_line_contacts(line, 0, 1, 1), std::invalid_argument);
  line.normal = {0, 1, 0};
  EXPECT_THROW(add_line_contacts(line, 3, out), std::invalid_argument);
  line.normal = {0, 0, 2};
  EXPECT_THROW(add_line_contacts(line, 3, out), std::invalid_argument);
  line.to = line.from;
  EXPECT_THROW(add_line_contacts(line, 3, out), std::invalid_argument);
  EXPECT_TRUE(out.empty());
}

// A body with an edge on the twisted surface, pressed by random forces: between the points that stand for the line it
// comes closer, less than the bound says, and four times less for every doubling.
TEST(LineContact, PointsConvergeToTheLine) {
  ModelBuilder b("body");
  b.body("body").mass(solid_box(2, {0.3, 1, 0.4}), make_placement({0.1, 0, 0.4}));
  b.free("base", "world", "body");
  b.gravity({0, 0, 0});
  const Model m = b.build().value();
  const std::vector<double> q(m.neutral().begin(), m.neutral().end()), rest(6);
  const LineContact line = twisted_line();
  std::vector<ContactPoint> fine;
  add_line_contacts(line, 4001, fine);
  FrictionlessContacts solver(m);
  double worst[5] = {};
  const int counts[] = {3, 5, 9, 17, 33};
  for_seeds(20, [&](Random& rng) {
    std::vector<double> force;  // moments, then a push downwards
    for (int i = 0; i < 6; ++i) force.push_back(rng.uniform(-3, 3));
    force[5] = -10;
    for (int k = 0; k < 5; ++k) {
      std::vector<ContactPoint> points;
      add_line_contacts(line, counts[k], points);
      const FrictionlessAnswer& a = solver.solve(q, rest, force, points);
      const Motion<double> A{{a.qdd[0], a.qdd[1], a.qdd[2]}, {a.qdd[3], a.qdd[4], a.qdd[5]}};
      double closing = 0, speed = 0;
      for (const ContactPoint& c : fine) {
        const V at_point = A.lin + cross(A.ang, c.point);
        closing = std::max(closing, -dot(c.normal, at_point)), speed = std::max(speed, norm(at_point));
      }
      const double bound = calc_line_closing(line, counts[k], speed, norm(A.ang));
      EXPECT_LE(closing, bound * (1 + 1e-9) + 1e-9);
      EXPECT_LE(count_line_contacts(line, bound * (1 + 1e-9), speed, norm(A.ang)), counts[k]);
      worst[k] = std::max(worst[k], closing);
    }
  });
  EXPECT_GT(worst[0], 0.1);  // two ends and the middle are far from enough
  for (int k = 1; k < 4; ++k) EXPECT_NEAR(std::log2(worst[k] / worst[k + 1]), 2, 0.5);
}

}  // namespace sinew::test
