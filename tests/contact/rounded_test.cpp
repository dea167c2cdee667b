// tests/contact/rounded_test.cpp - polyhedra whose faces and edges bulge [F08 section 11.6, Figure 11.5] (CT-7)
#include <algorithm>
#include <numbers>

#include "sinew/contact/polytope.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/tree/energy.hpp"
#include "support/cube_mesh.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/touch.hpp"

namespace sinew::test {
namespace {

using V = Vec3<double>;

// Twelve vertices on the sphere of radius r.
std::vector<V> icosahedron(double r) {
  const double golden = (1 + std::sqrt(5.0)) / 2, s = r / std::hypot(1, golden);
  std::vector<V> out;
  for (const double a : {-s, s})
    for (const double b : {-s * golden, s * golden})
      out.push_back({0, a, b}), out.push_back({a, b, 0}), out.push_back({b, 0, a});
  return out;
}
Polytope rounded(const std::vector<V>& points, double radius) {
  Polytope p = make_polytope(convex_hull(points).value());
  if (radius > 0) round_faces(p, radius);
  return p;
}
std::vector<V> random_points(Random& rng, int n) {
  std::vector<V> out;
  for (int i = 0; i < n; ++i) out.push_back(random_vec3(rng));
  return out;
}
// A ball about the origin that holds them.
double holding(const std::vector<V>& points) {
  double most = 0;
  for (const V& p : points) most = std::max(most, norm(p));
  return most;
}

}  // namespace

// The definition, by trying: the support point is in every ball of radius R that holds the vertices, and some such ball
// touches the plane through it.
TEST(Rounded, IsWhatAllBallsShare) {
  int on_vertex = 0, elsewhere = 0;
  for_seeds(40, [&](Random& rng) {
    const std::vector<V> points = random_points(rng, 4 + rng.below(12));
    const double R = holding(points) * rng.uniform(1.02, 3);
    const Polytope p = rounded(points, R);
    std::vector<V> centres;
    while (centres.size() < 200) {
      const V c = 0.4 * R * random_vec3(rng);
      if (std::all_of(points.begin(), points.end(), [&](const V& v) { return norm(v - c) <= R; })) centres.push_back(c);
    }
    for (int k = 0; k < 40; ++k) {
      const V n = random_unit(rng), at = p.find_rounded_support(n), own = at - R * n;
      double beyond = -INFINITY;  // of the vertices, from the ball that touches the plane
      for (const V& v : points) beyond = std::max(beyond, norm(v - own) - R);
      EXPECT_LE(beyond, 1e-9 * R);
      for (const V& c : centres) EXPECT_LE(norm(at - c), R * (1 + 1e-9));
      const bool vertex = norm(at - p.vertices[static_cast<std::size_t>(p.find_support(n))]) < 1e-9;
      (vertex ? on_vertex : elsewhere) += 1;
    }
  });
  EXPECT_GT(on_vertex, 100);
  EXPECT_GT(elsewhere, 100);
}

// It is strictly convex: the point that touches a plane moves by at most R for a radian. A flat face jumps.
TEST(Rounded, ThePointOfContactMovesSteadily) {
  double jump = 0;
  for_seeds(20, [&](Random& rng) {
    const std::vector<V> points = random_points(rng, 8);
    const double R = 1.3 * holding(points);
    const Polytope flat = rounded(points, 0), round = rounded(points, R);
    for (int k = 0; k < 400; ++k) {
      const V n = random_unit(rng), step = n + 1e-3 * random_vec3(rng), m = (1 / norm(step)) * step;
      const double turn = norm(m - n);
      EXPECT_LE(norm(round.find_rounded_support(m) - round.find_rounded_support(n)), R * turn + 1e-8 * R);
      jump = std::max(jump, norm(flat.vertices[static_cast<std::size_t>(flat.find_support(m))] -
                                 flat.vertices[static_cast<std::size_t>(flat.find_support(n))]) /
                                (R * turn));
    }
  });
  EXPECT_GT(jump, 100);
}

// Vertices on a sphere, rounded with its radius, are that ball: against every kind of shape.
TEST(Rounded, WithTheRadiusOfItsOwnSphereItIsABall) {
  const std::vector<V> cube = cube_mesh(0.5).vertices;
  for (const std::vector<V>& points : {icosahedron(0.4), cube}) {
    const double R = holding(points);
    const Polytope p = rounded(points, R);
    int found = 0;
    for_seeds(60, [&](Random& rng) {
      const PlacedShape ball{ShapeKind::sphere, random_transform(rng), {R, 0, 0}, nullptr, nullptr};
      const PlacedShape round{ShapeKind::mesh, ball.X, {R, R, R}, &p, nullptr};
      const PlacedShape others[] = {{ShapeKind::plane, random_transform(rng), {}, nullptr, nullptr},
                                    {ShapeKind::sphere, random_transform(rng), {0.3, 0, 0}, nullptr, nullptr},
                                    {ShapeKind::box, random_transform(rng), {0.4, 0.7, 0.3}, nullptr, nullptr},
                                    {ShapeKind::capsule, random_transform(rng), {0.2, 0.6, 0}, nullptr, nullptr}};
      for (const PlacedShape& other : others) {
        const auto want = touch(ball, other, 5), got = touch(round, other, 5);
        ASSERT_EQ(want.size(), 1u);
        ASSERT_FALSE(got.empty());
        if (want[0].gap < 1e-3) continue;  // overlap of a ball and a box may leave by another face
        const TouchPoint& nearest =
            *std::min_element(got.begin(), got.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
        EXPECT_NEAR(nearest.gap, want[0].gap, 1e-13);
        EXPECT_TRUE(is_small(norm(nearest.normal - want[0].normal), 1e-13));
        ++found;
      }
    });
    EXPECT_GT(found, 100);
  }
}

TEST(Rounded, TwoOfThemTouchInOnePoint) {
  const std::vector<V> points = cube_mesh(0.5).vertices;
  const Polytope p = rounded(points, 2);
  for_seeds(30, [&](Random& rng) {
    const PlacedShape a{ShapeKind::mesh, {random_rotation(rng), {0, 0, 3}}, {0.6, 0.6, 0.6}, &p, nullptr};
    const PlacedShape b{ShapeKind::mesh, {random_rotation(rng), {0.1, 0.2, 0}}, {0.6, 0.6, 0.6}, &p, nullptr};
    const auto points_found = touch(a, b, 5);
    ASSERT_EQ(points_found.size(), 1u);
    // The gap is the largest separation of all directions: no direction nearby is better.
    const TouchPoint& t = points_found[0];
    const auto separation = [&](const V& n) {
      const auto support = [&](const PlacedShape& s, const V& d) {
        return s.X.r + apply_inverse(s.X.E, p.find_rounded_support(apply(s.X.E, d)));
      };
      return dot(n, support(a, -n) - support(b, n));
    };
    EXPECT_NEAR(separation(t.normal), t.gap, 1e-14);
    for (int k = 0; k < 50; ++k) {
      const V step = t.normal + 0.01 * random_vec3(rng);
      EXPECT_LE(separation((1 / norm(step)) * step), t.gap + 1e-9);
    }
  });
}

TEST(Rounded, RefusesABallThatIsTooSmall) {
  Polytope p = make_polytope(cube_mesh(0.5));
  EXPECT_THROW(round_faces(p, 0.8), std::invalid_argument);
  EXPECT_THROW(round_faces(p, 0), std::invalid_argument);
  EXPECT_THROW(round_faces(p, INFINITY), std::invalid_argument);
  EXPECT_EQ(p.rounding, 0);
  round_faces(p, 0.8661);
  const AllocationCount allocations;
  p.find_rounded_support({0, 0, 1});
  EXPECT_EQ(allocations.count(), 0);
}

namespace {

// An icosahedron, or a ball of the same size, on a slope of one degree.
ModelSpec on_a_slope(bool ball) {
  constexpr double kRadius = 0.1;
  ModelBuilder b("slope");
  b.body("stone").mass(solid_sphere(1, kRadius));
  b.free("rolls", "world", "stone");
  ShapeSpec stone;
  stone.name = "stone", stone.body = "stone", stone.friction = 1;
  if (ball) {
    stone.kind = ShapeKind::sphere, stone.size = {kRadius, 0, 0};
  } else {
    MeshSpec mesh;
    const TriangleMesh hull = convex_hull(icosahedron(kRadius)).value();
    mesh.name = "icosahedron", mesh.vertices = hull.vertices, mesh.triangles = hull.triangles;
    b.spec().meshes.push_back(mesh);
    stone.kind = ShapeKind::mesh, stone.asset = "icosahedron", stone.hull = true;
  }
  b.spec().shapes.push_back(stone);
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane, floor.friction = 1;
  b.spec().shapes.push_back(floor);
  const double slope = std::numbers::pi / 180;
  b.gravity({9.81 * std::sin(slope), 0, -9.81 * std::cos(slope)});
  return b.spec();
}
struct Rolled {
  double way = 0;   // [m] down the slope after a second
  double lost = 0;  // of the energy it had and gained
};
double find_least_gap(const Model& m, ContactShapes& shapes, const std::vector<double>& q) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  std::vector<ContactPoint> contacts;
  shapes.find(ws, 0.1, contacts);
  double least = INFINITY;
  for (const ContactPoint& c : contacts) least = std::min(least, c.gap);
  return least;
}
Rolled roll(const ModelSpec& spec, double rounding) {
  const Model m = compile(spec).value();
  Simulation s(m, SimulationOptions{.dt = 5e-4});
  if (rounding > 0) s.shapes().round_mesh("icosahedron", rounding);
  s.state.q = std::vector<double>(m.neutral().begin(), m.neutral().end());
  s.state.q[6] = 0.1;
  s.state.q[6] -= find_least_gap(m, s.shapes(), s.state.q);  // it stands on the slope
  s.state.v[1] = 5, s.state.v[3] = 5 * s.state.q[6];         // and rolls: about y, along x
  EnergyWorkspace<double> ws(m);
  const double kinetic = calc_kinetic_energy(m, ws, s.state.q, s.state.v);
  const double potential = calc_potential_energy(m, ws, s.state.q);
  while (s.state.time < 1) s.step();
  const double now = calc_kinetic_energy(m, ws, s.state.q, s.state.v);
  const double fallen = potential - calc_potential_energy(m, ws, s.state.q);
  return {s.state.q[4], (kinetic + fallen - now) / (kinetic + fallen)};
}

}  // namespace

// Figure 11.5: a polyhedron loses energy in an impact for each of its faces; its rounded twin rolls as the ball does.
TEST(Rounded, RollsWhereThePolyhedronBumps) {
  const Rolled ball = roll(on_a_slope(true), 0), flat = roll(on_a_slope(false), 0),
               round = roll(on_a_slope(false), 0.1), nearly = roll(on_a_slope(false), 0.15);
  EXPECT_NEAR(round.way, ball.way, 1e-13);
  EXPECT_TRUE(is_small(std::abs(round.lost), 1e-3));
  EXPECT_GT(flat.lost, 0.3);
  EXPECT_LT(nearly.lost, 0.01);
}

TEST(Rounded, MeshesOfAModelAreNamed) {
  const Model m = compile(on_a_slope(false)).value();
  ContactShapes shapes(m);
  EXPECT_THROW(shapes.round_mesh("cube", 1), std::invalid_argument);
  EXPECT_THROW(shapes.round_mesh("icosahedron", 0.05), std::invalid_argument);
  shapes.round_mesh("icosahedron", 0.1);
  KinematicsWorkspace<double> ws(m);
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  q[6] = 0.1;
  calc_kinematics(m, ws, q);
  std::vector<ContactPoint> contacts;
  shapes.find(ws, 0.01, contacts);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_TRUE(is_small(std::abs(contacts[0].gap), 1e-15));
}

}  // namespace sinew::test
