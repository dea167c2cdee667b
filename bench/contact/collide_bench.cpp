// bench/contact/collide_bench.cpp - one pair of shapes at rest on each other; many bodies
//   sinew_bench --benchmark_filter=Collide
//   sinew_bench --benchmark_filter=FindContacts     a heap of n boxes on a floor
//   sinew_bench --benchmark_filter=FindMoving       n bodies that fly about in a box or a slab, every one of them
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "sinew/base/random.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/model/builder.hpp"
#include "support/cube_mesh.hpp"

namespace sinew {
namespace {

PlacedShape make(ShapeKind kind, double z) {
  static const Polytope cube = make_polytope(test::cube_mesh(0.1));
  PlacedShape s{kind, {rotation_z(0.3), {0.01, 0.02, z}}, {0.1, 0.1, 0.1}, nullptr, nullptr};
  if (kind == ShapeKind::mesh) s.polytope = &cube;
  return s;
}

// Overlapping by `depth`.
void collide_pair(benchmark::State& state, ShapeKind a, ShapeKind b, double depth) {
  const auto height = [](ShapeKind k) { return k == ShapeKind::capsule ? 0.2 : k == ShapeKind::plane ? 0 : 0.1; };
  PlacedShape below = make(b, 0);
  below.X.E = {};
  const PlacedShape above = make(a, height(a) + height(b) - depth);
  std::vector<TouchPoint> out;
  for (auto _ : state) {
    out.clear();
    collide(above, below, 1e-3, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["points"] = static_cast<double>(out.size());
}

void find_contacts(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const int side = static_cast<int>(std::cbrt(n) + 0.5);
  ModelBuilder b("heap");
  for (int i = 0; i < n; ++i) {
    const std::string name = "box" + std::to_string(i);
    b.body(name).mass(solid_box(1, {0.1, 0.1, 0.1}), {});
    ShapeSpec s;
    s.name = name, s.body = name, s.kind = ShapeKind::box, s.size = {0.1, 0.1, 0.1};
    b.spec().shapes.push_back(s);
    b.free(name + " moves", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  const Model m = compile(b.spec()).value();
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(7 * i + 4);
    const int layer = i / (side * side);
    q[k] = 0.21 * (i % side), q[k + 1] = 0.21 * (i / side % side), q[k + 2] = 0.1 + 0.2 * layer;
  }
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  ContactShapes shapes(m);
  std::vector<ContactPoint> contacts;
  for (auto _ : state) shapes.find(ws, 1e-3, contacts);
  state.counters["contacts"] = static_cast<double>(contacts.size());
}
BENCHMARK(find_contacts)->Name("FindContacts")->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

// Bodies of 0.1 m at 1 m/s, in steps of 2 ms, 0.3 m of room for each. Only the search is timed.
void find_moving(benchmark::State& state, ShapeKind kind, bool slab) {
  const int n = static_cast<int>(state.range(0));
  ModelBuilder b("flock");
  MeshSpec stone;
  stone.name = "stone";
  Random rng(7);
  const auto unit = [&] {
    const double x = rng.normal(), y = rng.normal(), z = rng.normal();
    const Vec3<double> v{x, y, z};
    return (1 / norm(v)) * v;
  };
  for (int i = 0; i < 200; ++i) stone.vertices.push_back(0.1 * unit());
  b.add_mesh(stone);
  for (int i = 0; i < n; ++i) {
    const std::string name = "body" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {});
    ShapeSpec s;
    s.body = name, s.kind = kind, s.size = {0.1, 0.1, 0.1}, s.hull = true;
    if (kind == ShapeKind::mesh) s.asset = "stone";
    b.spec().shapes.push_back(s);
    b.free(name + " moves", "world", name);
  }
  const Model m = compile(b.spec()).value();
  const double side = slab ? 0.3 * std::sqrt(n) : 0.3 * std::cbrt(n);
  const Vec3<double> room{side, side, slab ? 0.3 : side};
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  std::vector<Vec3<double>> velocity;
  for (int i = 0; i < n; ++i) {
    double* x = q.data() + 7 * i + 4;
    x[0] = rng.uniform(0, room.x), x[1] = rng.uniform(0, room.y), x[2] = rng.uniform(0, room.z);
    velocity.push_back(unit());
  }
  ContactShapes shapes(m);
  KinematicsWorkspace<double> ws(m);
  std::vector<ContactPoint> contacts;
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < n; ++i) {
      double* x = q.data() + 7 * i + 4;
      Vec3<double>& v = velocity[static_cast<std::size_t>(i)];
      x[0] += 2e-3 * v.x, x[1] += 2e-3 * v.y, x[2] += 2e-3 * v.z;
      if (x[0] < 0 || x[0] > room.x) v.x = -v.x;
      if (x[1] < 0 || x[1] > room.y) v.y = -v.y;
      if (x[2] < 0 || x[2] > room.z) v.z = -v.z;
    }
    calc_kinematics(m, ws, q);
    state.ResumeTiming();
    shapes.find(ws, 8e-3, contacts);
  }
  state.counters["contacts"] = static_cast<double>(contacts.size());
}
BENCHMARK_CAPTURE(find_moving, balls, ShapeKind::sphere, false)
    ->Name("FindMoving/balls")
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_moving, slab, ShapeKind::sphere, true)
    ->Name("FindMoving/slab of balls")
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_moving, boxes, ShapeKind::box, false)
    ->Name("FindMoving/boxes")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_moving, hulls, ShapeKind::mesh, false)
    ->Name("FindMoving/hulls")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMicrosecond);

const bool collide_registered = [] {
  using enum ShapeKind;
  for (const ShapeKind b : {plane, sphere, box, capsule, cylinder, ellipsoid, mesh})
    for (const ShapeKind a : {sphere, box, capsule, cylinder, ellipsoid, mesh})
      for (const double depth : {1e-6, -1e-6}) {
        const std::string name = std::string("Collide/") + std::string(to_string(a)) + "/" + std::string(to_string(b)) +
                                 (depth > 0 ? "/overlap" : "/apart");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { collide_pair(s, a, b, depth); });
      }
  return true;
}();

}  // namespace
}  // namespace sinew
