// tests/contact/detection_test.cpp - what is kept from search to search changes nothing: every pair by itself agrees
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/contact/triangle_surface.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/touch.hpp"

namespace sinew::test {
namespace {

using V = Vec3<double>;

std::vector<V> points_on_ball(int n, double radius) {
  Random rng(static_cast<std::uint64_t>(n));
  std::vector<V> out;
  for (int i = 0; i < n; ++i) out.push_back(radius * random_unit(rng));
  return out;
}
// A prism over a polygon of n corners.
std::vector<V> disc(int n, double radius, double half) {
  std::vector<V> out;
  for (int i = 0; i < n; ++i)
    for (const double z : {-half, half}) {
      const double angle = 2 * std::numbers::pi * i / n;
      out.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  return out;
}

// Free bodies of every kind, hulls of few and of many corners and an open sheet among them, a floor and a wall.
struct Crowd {
  ModelSpec spec;
  std::map<std::string, Polytope> hulls;
  std::map<std::string, TriangleSurface> sheets;
  std::map<std::string, V> half;
  std::optional<Model> model;
  std::vector<double> q;

  explicit Crowd(int n) {
    ModelBuilder b("crowd");
    add_mesh(b, "stone", points_on_ball(16, 0.12), {});
    add_mesh(b, "pebble", points_on_ball(120, 0.1), {});
    add_mesh(b, "disc", disc(60, 0.12, 0.05), {});
    add_mesh(b, "roof",
             {{-0.1, -0.1, 0}, {0.1, -0.1, 0}, {0.1, 0, 0.08}, {-0.1, 0, 0.08}, {0.1, 0.1, 0}, {-0.1, 0.1, 0}},
             {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}, {3, 4, 5}});
    constexpr ShapeKind kKinds[] = {ShapeKind::sphere,   ShapeKind::box,       ShapeKind::capsule,
                                    ShapeKind::cylinder, ShapeKind::ellipsoid, ShapeKind::mesh,
                                    ShapeKind::mesh,     ShapeKind::mesh,      ShapeKind::mesh};
    const char* kMeshes[] = {"", "", "", "", "", "stone", "pebble", "disc", "roof"};
    for (int i = 0; i < n; ++i) {
      const std::string name = "body" + std::to_string(i);
      b.body(name).mass(solid_sphere(1, 0.1), {});
      ShapeSpec s;
      s.name = name, s.body = name, s.kind = kKinds[i % 9], s.asset = kMeshes[i % 9], s.size = {0.1, 0.12, 0.08};
      s.margin = i % 7 == 0 ? 0.02 : 0, s.hull = i % 9 < 8;
      b.spec().shapes.push_back(s);
      b.free(name + " flies", "world", name);
    }
    for (const char* name : {"floor", "wall"}) {
      ShapeSpec s;
      s.name = name, s.body = "world", s.kind = ShapeKind::plane;
      if (s.name == "wall") s.pose.E = rotation_y(0.5 * std::numbers::pi);
      b.spec().shapes.push_back(s);
    }
    spec = b.spec();
    model.emplace(compile(spec).value());
    q.assign(model->neutral().begin(), model->neutral().end());
  }

  void add_mesh(ModelBuilder& b, const std::string& name, const std::vector<V>& vertices,
                const std::vector<std::array<int, 3>>& triangles) {
    MeshSpec m;
    m.name = name, m.vertices = vertices, m.triangles = triangles;
    b.add_mesh(m);
    hulls.emplace(name, make_polytope(convex_hull(vertices).value()));
    if (!triangles.empty()) sheets.emplace(name, TriangleSurface({vertices, triangles}));
    V low = vertices.front(), high = low;
    for (const V& p : vertices) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    half[name] = 0.5 * (high - low);
  }

  void place(int i, const V& at, const Quaternion<double>& turn) {
    double* x = q.data() + 7 * i;
    x[0] = turn.w, x[1] = turn.x, x[2] = turn.y, x[3] = turn.z, x[4] = at.x, x[5] = at.y, x[6] = at.z;
  }
  V position(int i) const { return {q[index(7 * i + 4)], q[index(7 * i + 5)], q[index(7 * i + 6)]}; }
  void shift(int i, const V& d, Random& rng, double turn) {
    const Quaternion<double> old{q[index(7 * i)], q[index(7 * i + 1)], q[index(7 * i + 2)], q[index(7 * i + 3)]};
    const auto little = [&] { return turn * rng.uniform(-1, 1); };
    const double x = little(), y = little(), z = little();
    place(i, position(i) + d, normalized(Quaternion<double>{old.w + x, old.x + y, old.y + z, old.z}));
  }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  PlacedShape placed(std::size_t i, const KinematicsWorkspace<double>& ws) const {
    const ShapeSpec& s = spec.shapes[i];
    const BodyEntry& body = model->bodies()[*model->find_body(s.body)];
    PlacedShape out{s.kind, s.pose * body.in_node * ws.X[body.node], s.size, nullptr, nullptr};
    if (s.kind != ShapeKind::mesh) return out;
    out.polytope = &hulls.at(s.asset);
    if (!s.hull) out.surface = &sheets.at(s.asset);
    const V h = half.at(s.asset);
    out.size = {h.x, h.y, h.z};
    return out;
  }
};

// All pairs, one by one, by nothing but their colliders.
std::vector<TouchPoint> find_one_by_one(const Crowd& crowd, const ContactShapes& shapes,
                                        const KinematicsWorkspace<double>& ws, double reach) {
  std::vector<TouchPoint> out;
  const std::size_t n = crowd.spec.shapes.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      if (crowd.spec.shapes[i].body == crowd.spec.shapes[j].body) continue;
      PlacedShape a = crowd.placed(i, ws), b = crowd.placed(j, ws);
      if (!find_collider(a, b)) std::swap(a, b);
      const double slack = 1e-9 * (shapes.bound(static_cast<int>(i)) + shapes.bound(static_cast<int>(j)));
      const double margin = std::max(crowd.spec.shapes[i].margin, crowd.spec.shapes[j].margin);
      find_collider(a, b)(a, b, reach / 2 + reach / 2 + margin + slack, out);
    }
  return out;
}

template <class Point>
void expect_same_bits(const std::vector<ContactPoint>& found, const std::vector<Point>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].gap, expected[i].gap);
    EXPECT_TRUE(found[i].point == expected[i].point && found[i].normal == expected[i].normal);
  }
}

// A round of motion: everything moves a little, one flies far, all are thrown, nothing moves, all drift one way.
void move(Crowd& crowd, int bodies, int round, const V& room, Random& rng) {
  const auto anywhere = [&] { return V{rng.uniform(0, room.x), rng.uniform(0, room.y), rng.uniform(0, room.z)}; };
  const V drift = 0.05 * random_unit(rng);
  for (int i = 0; i < bodies; ++i) switch (round == 0 ? 2 : round % 5) {
      case 0: crowd.shift(i, 0.003 * random_unit(rng), rng, 0.01); break;
      case 1:
        if (i == round % bodies) crowd.place(i, anywhere(), random_quaternion(rng));
        break;
      case 2:
        if (round % 4 == 0 || round == 2) crowd.place(i, anywhere(), random_quaternion(rng));
        break;
      case 3: break;
      default: crowd.shift(i, drift, rng, 0);
    }
}

}  // namespace

TEST(Detection, TheSameBitsAsEveryPairByItself) {
  constexpr int kBodies = 36;
  std::size_t most = 0;
  // A room, a slab, a line, and all in one place.
  for (const V& room : {V{1, 0.8, 0.6}, V{1.5, 1.5, 0.01}, V{4, 0.01, 0.01}, V{0.05, 0.05, 0.05}})
    for_seeds(4, [&](Random& rng) {
      Crowd crowd(kBodies);
      ContactShapes shapes(*crowd.model);
      KinematicsWorkspace<double> ws(*crowd.model);
      std::vector<ContactPoint> found, again;
      for (int round = 0; round < 25; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        move(crowd, kBodies, round, room, rng);
        calc_kinematics(*crowd.model, ws, crowd.q);
        const double reach = round % 2 == 0 ? 0.01 : 0;
        shapes.find(ws, reach, found);
        expect_same_bits(found, find_one_by_one(crowd, shapes, ws, reach));
        ContactShapes(*crowd.model).find(ws, reach, again);
        expect_same_bits(found, again);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].id, again[i].id);
        most = std::max(most, found.size());
        if (testing::Test::HasFailure()) return;
      }
      const AllocationCount allocations;
      for (int i = 0; i < 3; ++i) shapes.find(ws, 0, found);
      EXPECT_EQ(allocations.count(), 0);
    });
  EXPECT_GT(most, 1000u);
}

// With velocities: what reaches how far, and which islands count, is that of a new search too.
TEST(Detection, StepsFindWhatANewSearchFinds) {
  constexpr int kBodies = 45;
  for_seeds(6, [&](Random& rng) {
    Crowd crowd(kBodies);
    const Model& m = *crowd.model;
    ContactShapes shapes(m);
    VelocityWorkspace<double> ws(m);
    std::vector<ContactPoint> found, again;
    std::vector<double> v(static_cast<std::size_t>(m.nv()));
    for (int round = 0; round < 20; ++round) {
      move(crowd, kBodies, round, {1.2, 1, 1}, rng);
      const double speed = round % 3 == 0 ? 0 : round % 3 == 1 ? 0.5 : 5;
      for (double& x : v) x = rng.uniform(-speed, speed);
      calc_velocities(m, ws, crowd.q, v);
      shapes.find_within(ws, 2e-3, found);
      ContactShapes(m).find_within(ws, 2e-3, again);
      expect_same_bits(found, again);
    }
  });
}

// From wherever a climb begins it ends at the same vertex; also where a whole face is equally far.
TEST(Detection, TheFarthestVertexDoesNotDependOnTheStart) {
  for (const std::vector<V>& points : {points_on_ball(300, 0.3), disc(100, 0.2, 0.1), disc(21, 1, 3)}) {
    const Polytope p = make_polytope(convex_hull(points).value());
    const int n = static_cast<int>(p.vertices.size());
    ASSERT_GT(n, 40);
    const auto expect_one = [&](const V& d) {
      const int far = p.find_support(d);
      for (int i = 0; i < n; ++i) ASSERT_EQ(p.find_support(d, i), far);
    };
    for (const Polytope::Face& f : p.faces) expect_one(f.normal), expect_one(-f.normal);
    for_seeds(50, [&](Random& rng) {
      const V d = random_unit(rng);
      expect_one(d), expect_one({d.x, d.y, 0}), expect_one({d.x, 0, 0}), expect_one(100.0 * d);
    });
  }
}

namespace {

// How far the points reach along a horizontal direction.
double calc_reach(const std::vector<TouchPoint>& points, double angle, double gap) {
  double out = -INFINITY;
  for (const TouchPoint& p : points)
    if (p.gap <= gap) out = std::max(out, p.point.x * std::cos(angle) + p.point.y * std::sin(angle));
  return out;
}
double calc_reach(const std::vector<V>& corners, double angle) {
  double out = -INFINITY;
  for (const V& p : corners) out = std::max(out, p.x * std::cos(angle) + p.y * std::sin(angle));
  return out;
}
TriangleMesh make_table(int cells) {
  TriangleMesh m;
  for (int r = 0; r <= cells; ++r)
    for (int c = 0; c <= cells; ++c) m.vertices.push_back({2.0 * c / cells - 1, 2.0 * r / cells - 1, 0});
  for (int r = 0; r < cells; ++r)
    for (int c = 0; c < cells; ++c) {
      const int i = r * (cells + 1) + c, up = i + cells + 1;
      m.triangles.push_back({i, i + 1, up + 1}), m.triangles.push_back({i, up + 1, up});
    }
  return m;
}

}  // namespace

// The polygon on which a body stands is whole, however many corners it has, on a plane, a box, a hull and triangles.
// Of more than 64 corners it may lose a thousandth of its width.
TEST(Detection, NoSupportingContactIsDropped) {
  const TriangleSurface table(make_table(7));
  const Polytope block = make_polytope(convex_hull(disc(4, 1.2, 0.5)).value());
  const PlacedShape below[] = {{ShapeKind::plane, {}, {}, nullptr, nullptr},
                               {ShapeKind::box, shift_frame(V{0, 0, -0.5}), {1, 1, 0.5}, nullptr, nullptr},
                               {ShapeKind::mesh, shift_frame(V{0, 0, -0.5}), {1.2, 1.2, 0.5}, &block, nullptr},
                               {ShapeKind::mesh, {}, {1, 1, 0}, nullptr, &table}};
  for (const int n : {5, 16, 17, 24, 33, 63, 64, 65, 100, 129, 400})
    for (const double wide : {1.0, 0.3})
      for (const double chamfer : {0.0, 1e-4}) {
        SCOPED_TRACE(std::to_string(n) + " corners, width " + std::to_string(wide));
        // The face on which it stands, and a wider ring a little higher, which does not touch.
        std::vector<V> corners = disc(n, 0.5, 0.1);
        for (V& p : corners) p.y *= wide;
        std::vector<V> face;
        for (const V& p : corners)
          if (p.z < 0) face.push_back(p);
        if (chamfer > 0)
          for (const V& p : face) corners.push_back({1.02 * p.x, 1.02 * p.y, p.z + chamfer});
        const Polytope body = make_polytope(convex_hull(corners).value());
        const PlacedShape a{ShapeKind::mesh, shift_frame(V{0, 0, 0.1}), {0.5, 0.5 * wide, 0.1}, &body, nullptr};
        for (const PlacedShape& b : below) {
          const auto points = touch(a, b, 1e-3);
          for (int k = 0; k < 720; ++k) {
            const double angle = k * std::numbers::pi / 360, full = calc_reach(face, angle);
            EXPECT_LE(full - calc_reach(points, angle, 1e-7), n <= 64 ? 1e-7 : 1.03e-3) << to_string(b.kind);
          }
          EXPECT_LE(points.size(), 120u);
        }
      }
}

}  // namespace sinew::test
