// tests/batch/device_surface_test.cpp - contacts of solids with surfaces, with a device's room, are those of the CPU
#include "sinew/batch/kernel/device_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/batch/kernel/team.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/contact/triangle_surface.hpp"
#include "support/device_hills.hpp"

namespace sinew::test::device_case {
namespace {

using device::SceneShape;

constexpr ShapeKind kSolids[] = {ShapeKind::sphere,   ShapeKind::box,       ShapeKind::capsule,
                                 ShapeKind::cylinder, ShapeKind::ellipsoid, ShapeKind::mesh};

struct Found {
  std::vector<TouchPoint> points;
  bool full = false;
  void add(const Vec3<double>& p, const Vec3<double>& n, double gap, std::uint32_t a, std::uint32_t b) {
    points.push_back({p, n, gap, a, b});
  }
  void overflow() { full = true; }
};

TriangleSurface make_surface(int n, double steepness) {
  HeightfieldSpec h;
  h.rows = h.cols = n, h.size = {1, 1, 0.3, 0.1};
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      h.elevation.push_back(0.5 + 0.5 * steepness * std::sin(9.0 * r / n + 0.3) * std::cos(7.0 * c / n));
  return TriangleSurface(make_mesh(h));
}
contact::HullView view_of_hull(const Polytope& p) {
  contact::HullView out;
  out.count = static_cast<int>(p.vertices.size()), out.extent = p.extent, out.vertices = p.vertices.data();
  out.faces = p.faces.data(), out.corners = p.corners.data(), out.edges = p.edges.data(), out.start = p.start.data();
  out.neighbours = p.neighbours.data(), out.around = p.around.data();
  return out;
}
template <class R>
Found collide_on_device(const PlacedShape& a, const PlacedShape& b, double reach) {
  SceneShape<R> shape;
  shape.kind = a.kind;
  for (std::size_t k = 0; k < 3; ++k) shape.size[k] = static_cast<R>(a.size[k]);
  const contact::HullView hull = a.polytope ? view_of_hull(*a.polytope) : contact::HullView{};
  Found out;
  device::collide_surface(device::WideShape<R>(shape, cast<R>(a.X), hull), b.surface->view(), cast<R>(b.X), reach, out);
  return out;
}
double nearest_of(const std::vector<TouchPoint>& points) {
  double out = INFINITY;
  for (const TouchPoint& p : points) out = std::min(out, p.gap);
  return out;
}
PlacedShape on_surface(const TriangleSurface& s) {
  PlacedShape out;
  out.kind = ShapeKind::heightfield, out.surface = &s;
  out.X = {to_rotation(normalized(Quaternion<double>{1, 0.1, -0.05, 0.2})), {0.1, -0.2, 0.3}};
  return out;
}
// Somewhere over it, as things that have fallen there.
PlacedShape near_surface(Random& random, ShapeKind kind, const Polytope& pebble, const PlacedShape& ground) {
  PlacedShape out;
  out.kind = kind;
  for (double& x : out.size) x = random.uniform(0.05, 0.2);
  if (kind == ShapeKind::mesh) out.polytope = &pebble, out.size = {0.2, 0.15, 0.1};
  Quaternion<double> q{random.normal(), random.normal(), random.normal(), random.normal()};
  if (random.uniform(0, 1) < 0.5) q = {1, 0, 0, 0};
  out.X.E = to_rotation(normalized(q));
  const Vec3<double> at{random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), random.uniform(0.05, 0.5)};
  out.X.r = apply_inverse_to_point(ground.X, at);
  return out;
}
Polytope make_pebble() {
  Random random(5);
  std::vector<Vec3<double>> points(30);
  for (Vec3<double>& p : points) {
    p = {random.normal(), random.normal(), random.normal()};
    p = (1 / norm(p)) * p;
    p = {0.2 * p.x, 0.15 * p.y, 0.1 * p.z};
  }
  return make_polytope(convex_hull(points).value());
}

TEST(DeviceSurface, PointsAreThoseOfTheCpu) {
  Random random(4);
  const Polytope pebble = make_pebble();
  const TriangleSurface hills = make_surface(17, 1), flat = make_surface(9, 0);
  for (const TriangleSurface* surface : {&hills, &flat})
    for (const ShapeKind kind : kSolids) {
      SCOPED_TRACE(std::string(to_string(kind)) + (surface == &flat ? " on a plain" : " on hills"));
      const PlacedShape ground = on_surface(*surface);
      int touching = 0, overlapping = 0;
      for (int i = 0; i < 300; ++i) {
        const PlacedShape a = near_surface(random, kind, pebble, ground);
        std::vector<TouchPoint> cpu;
        collide(a, ground, 0.02, cpu);
        const Found found = collide_on_device<double>(a, ground, 0.02);
        ASSERT_FALSE(found.full);
        ASSERT_EQ(found.points.empty(), cpu.empty());
        if (cpu.empty()) continue;
        ++touching;
        overlapping += nearest_of(cpu) < 0;
        if (kind == ShapeKind::ellipsoid &&
            nearest_of(cpu) < 0) {  // overlaps of smooth solids are found with less room
          EXPECT_TRUE(is_small(nearest_of(found.points) - nearest_of(cpu), 1e-14));
          continue;
        }
        ASSERT_EQ(found.points.size(), cpu.size());
        for (std::size_t k = 0; k < cpu.size(); ++k) {
          EXPECT_TRUE(found.points[k].point == cpu[k].point && found.points[k].normal == cpu[k].normal);
          EXPECT_TRUE(found.points[k].feature_a == cpu[k].feature_a && found.points[k].feature_b == cpu[k].feature_b);
        }
      }
      EXPECT_GT(touching, 60);
      EXPECT_GT(overlapping, 30);
    }
}

// A box on a plain of many triangles stands on its corners, and points beyond the room are not lost in silence.
TEST(DeviceSurface, ManyTrianglesInOnePlaneAreThinnedOut) {
  const TriangleSurface plain = make_surface(41, 0), fine = make_surface(81, 0);
  PlacedShape ground = on_surface(plain), box;
  box.kind = ShapeKind::box, box.size = {0.17, 0.12, 0.1}, box.X.E = ground.X.E;
  box.X.r = apply_inverse_to_point(ground.X, {0.013, 0.021, 0.15 + 0.1});
  std::vector<TouchPoint> cpu;
  collide(box, ground, 1e-3, cpu);
  const Found found = collide_on_device<double>(box, ground, 1e-3);
  ASSERT_FALSE(found.full);
  EXPECT_LE(found.points.size(), 20u);
  ASSERT_EQ(found.points.size(), cpu.size());
  for (std::size_t k = 0; k < cpu.size(); ++k) EXPECT_EQ(found.points[k].point, cpu[k].point);
  ground.surface = &fine;
  EXPECT_TRUE(collide_on_device<double>(box, ground, 1e-3).full);
}

// Places and sizes are rounded to floats; contacts move by no more than that.
TEST(DeviceSurface, PlacesInFloatGiveTheSameDistances) {
  Random random(6);
  const Polytope pebble = make_pebble();
  const TriangleSurface hills = make_surface(17, 1);
  const PlacedShape ground = on_surface(hills);
  int compared = 0;
  for (const ShapeKind kind : kSolids)
    for (int i = 0; i < 200; ++i) {
      const PlacedShape a = near_surface(random, kind, pebble, ground);
      const double in_double = nearest_of(collide_on_device<double>(a, ground, 0.02).points);
      if (!(in_double < 0.019 && in_double > 0)) continue;
      EXPECT_TRUE(is_small(nearest_of(collide_on_device<float>(a, ground, 0.02).points) - in_double, 1e-6));
      ++compared;
    }
  EXPECT_GT(compared, 40);
}

// More triangles than a key has numbers for: impulses are still found again, and the order of lanes changes nothing.
TEST(DeviceSurface, WorldsOnAFieldOfManyTriangles) {
  const Model m = make_hills(321, 0.6);
  const std::vector<Case> cases = make_cases(m, 2, 120, 60, 3, 0.02);
  const DeviceSimulationOptions o{.contacts = 150, .rows = 150};
  auto forward = make_worlds<float>(m, cases, o, device::make_cpu_backend<float>(device::Order::forward));
  auto backward = make_worlds<float>(m, cases, o, device::make_cpu_backend<float>(device::Order::backward));
  forward.step(20), backward.step(20);
  EXPECT_EQ(state_of(forward), state_of(backward));
  EXPECT_EQ(forward.summary().failed, 0u);
  EXPECT_LE(forward.summary().unsolved, 1);
  int contacts = 0;
  for (const auto& r : forward.reports()) contacts += r.contacts;
  EXPECT_GT(contacts, 10);
}

TEST(DeviceSurface, AWorldThatNeedsMorePointsIsSetAside) {
  ModelSpec spec =
      parse_mjcf(R"(<mujoco><asset><hfield name="plain" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
      <geom type="hfield" hfield="plain"/>
      <body pos="0 0 .1"><freejoint/><geom type="box" size=".5 .5 .1"/></body></worldbody></mujoco>)")
          .value();
  spec.heightfields[0].rows = spec.heightfields[0].cols = 101;
  spec.heightfields[0].elevation.assign(101 * 101, 0);
  const Model m = compile(spec).value();
  DeviceSimulation<float> worlds(m, 1, {.dt = 1e-3, .contacts = 40, .rows = 60});
  worlds.step();
  ASSERT_EQ(worlds.failures().size(), 1u);
  EXPECT_EQ(worlds.failures()[0].cause, device::Cause::contacts);
}

TEST(DeviceSurface, VariantsWithOtherHeightsAreRefused) {
  const Model m = make_hills(11, 0.6), other = make_hills(11, 0.4);
  DeviceSimulation<float> worlds(m, 1, {.contacts = 20, .rows = 60});
  const std::vector<int> variant{0};
  worlds.set_variants(std::vector<Model>{m}, variant);
  EXPECT_THROW(worlds.set_variants(std::vector<Model>{other}, variant), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test::device_case
