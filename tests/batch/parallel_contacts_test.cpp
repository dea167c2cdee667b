// tests/batch/parallel_contacts_test.cpp - contacts found on several threads are those found on one
#include "sinew/batch/parallel_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/base/random.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

// Balls, boxes and hulls on a floor, in layers.
Model make_layers(int n) {
  ModelBuilder b("layers");
  MeshSpec stone;
  stone.name = "stone";
  Random rng(5);
  for (int i = 0; i < 60; ++i) {
    const double x = rng.normal(), y = rng.normal(), z = rng.normal(), s = 0.1 / std::sqrt(x * x + y * y + z * z);
    stone.vertices.push_back({s * x, s * y, s * z});
  }
  b.add_mesh(stone);
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  constexpr ShapeKind kKinds[] = {ShapeKind::sphere, ShapeKind::box, ShapeKind::mesh};
  for (int i = 0; i < n; ++i) {
    const std::string name = "body" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {});
    ShapeSpec s;
    s.body = name, s.kind = kKinds[i % 3], s.size = {0.1, 0.1, 0.1}, s.hull = true;
    if (s.kind == ShapeKind::mesh) s.asset = "stone";
    b.spec().shapes.push_back(s);
    b.free(name + " moves", "world", name);
  }
  return compile(b.spec()).value();
}
std::vector<double> place_in_layers(const Model& m, int n, int side) {
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  for (int i = 0; i < n; ++i) {
    double* x = q.data() + 7 * i + 4;
    x[0] = 0.2 * (i % side), x[1] = 0.2 * (i / side % side), x[2] = 0.1 + 0.199 * (i / (side * side));
  }
  return q;
}

}  // namespace

TEST(ParallelContacts, TheSameBitsOnAnyNumberOfThreads) {
  constexpr int kBodies = 1500;
  const Model m = make_layers(kBodies);
  const std::vector<double> q = place_in_layers(m, kBodies, 12);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  ContactShapes alone(m);
  std::vector<ContactPoint> expected, found;
  alone.find(ws, 5e-3, expected);
  EXPECT_GT(expected.size(), 3000u);
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    ContactShapes shapes(m);
    use_threads(shapes, pool);
    for (int round = 0; round < 3; ++round) {
      shapes.find(ws, 5e-3, found);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected[i].id);
        EXPECT_EQ(found[i].gap, expected[i].gap);
        EXPECT_TRUE(found[i].point == expected[i].point && found[i].normal == expected[i].normal);
      }
    }
    const AllocationCount allocations;
    shapes.find(ws, 5e-3, found);
    EXPECT_EQ(allocations.count(), 0);
  }
}

}  // namespace sinew::test
