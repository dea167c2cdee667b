// bench/contact/collide_bench.cpp - one pair of shapes at rest on each other; many bodies
//   sinew_bench --benchmark_filter=Collide
//   sinew_bench --benchmark_filter=FindContacts     a heap of n boxes on a floor
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

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
