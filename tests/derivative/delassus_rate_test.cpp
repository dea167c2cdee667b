// tests/derivative/delassus_rate_test.cpp - dW along a velocity: dual numbers in Jacobians, and the contracted slopes
#include "sinew/derivative/delassus_rate.hpp"

#include <gtest/gtest.h>

#include "derivative/derivative_case.hpp"
#include "sinew/derivative/delassus_slopes.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

constexpr double kRateTime = 0.3;

// W of the velocities of the places, as `reference` has them, with dual numbers.
Matrix dual_delassus_rate(const Model& m, const TreeState& s, const std::vector<Place>& places,
                          ReferenceFrame reference, Matrix& value, double& size) {
  const int n = m.nv(), rows = 6 * static_cast<int>(places.size());
  JacobianWorkspace<Dual> jacobian(m);
  MassInverseWorkspace<Dual> inverse(m);
  const auto q = moving_q(m, s);
  Grid<Dual> J(rows, n), Minv(n, n), part(6, n);
  calc_jacobian<Dual>(m, jacobian, q, kRateTime);
  calc_mass_inverse<Dual>(m, inverse, q, Minv, kRateTime);
  for (std::size_t b = 0; b < places.size(); ++b) {
    get_jacobian<Dual>(m, jacobian, places[b], reference, part);
    std::copy(part.numbers.begin(), part.numbers.end(), J.numbers.begin() + static_cast<std::ptrdiff_t>(6 * b * at(n)));
  }
  Matrix out(rows, rows);
  value = out;
  for (const Dual& x : Minv.numbers) size = std::max(size, std::abs(x.value));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) {
      Dual sum(0);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) sum += J(r, i) * Minv(i, k) * J(c, k);
      value(r, c) = sum.value, out(r, c) = sum.slope;
    }
  return out;
}

// The six velocities of a frame on every third body: along its own axes, or along those of the world.
void expect_dual_rate(const Model& m, Random& rng, RowAxes axes) {
  const TreeState s = random_state(m, rng);
  std::vector<Place> places;
  std::vector<RowForce> forces;
  KinematicsWorkspace<double> kinematics(m);
  calc_kinematics(m, kinematics, s.q, kRateTime);
  for (const FrameEntry& f : m.frames()) {
    if (f.body % 3 != 1) continue;
    const int first = 6 * static_cast<int>(places.size());
    const BodyEntry& body = m.bodies()[at(f.body)];
    const Transform<double> X_body = body.in_node * kinematics.X[at(body.node)];
    const Transform<double> frame = f.in_node * inverse(body.in_node);  // frame <- body
    for (int k = 0; k < 6; ++k) {
      Vec3<double> unit{};
      double* numbers[] = {&unit.x, &unit.y, &unit.z};
      *numbers[k % 3] = 1;
      const Vec3<double> along = axes == RowAxes::body ? apply_inverse(frame.E, unit) : apply(X_body.E, unit);
      const Vec3<double> point = frame.r;
      const Force<double> force = k < 3 ? Force<double>{along, {}} : Force<double>{cross(point, along), along};
      forces.push_back({first + k, f.body, force, axes, point});
    }
    places.emplace_back(f);
  }
  const int rows = 6 * static_cast<int>(places.size());
  DelassusRateWorkspace ws(m, rows);
  Matrix W(rows, rows), dW(rows, rows), value(rows, rows);
  calc_delassus_rate(m, ws, s.q, s.v, forces, W, dW, kRateTime);
  double size = 1;
  const Matrix want = dual_delassus_rate(
      m, s, places, axes == RowAxes::body ? ReferenceFrame::body : ReferenceFrame::mixed, value, size);
  const double scale = size * std::max({1.0, largest(value.numbers), largest(want.numbers)});
  EXPECT_TRUE(near_numbers(W.numbers, value.numbers, 300, scale, 0x1p-52));
  EXPECT_TRUE(near_numbers(dW.numbers, want.numbers, 300, scale, 0x1p-52));
}

TEST(DelassusRate, IsThatOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    ModelSpec spec = random_tree(seed, {2 + static_cast<int>(seed) % 8, {}, 0.5});
    const Model m = compile(with_frames(frozen(std::move(spec)), seed)).value();
    Random rng(seed);
    expect_dual_rate(m, rng, RowAxes::body);
    expect_dual_rate(m, rng, RowAxes::world);
  }
  const Model humanoid = compile(with_frames(mechanisms::humanoid(), 1)).value();
  Random rng(4);
  expect_dual_rate(humanoid, rng, RowAxes::world);
}

// lambda^T dW mu is what calc_delassus_slopes gives, times v: rows with parts on several bodies.
TEST(DelassusRate, ContractedIsTheSlope) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(6);
  const TreeState s = random_state(m, rng);
  const auto F = some_forces(m, rng), G = some_forces(m, rng);
  std::vector<RowForce> forces;
  for (std::size_t b = 1; b < F.size(); ++b) {
    forces.push_back({0, static_cast<int>(b), F[b], RowAxes::body, {}});
    forces.push_back({1, static_cast<int>(b), G[b], RowAxes::body, {}});
  }
  DelassusRateWorkspace ws(m, 2);
  Matrix W(2, 2), dW(2, 2);
  calc_delassus_rate(m, ws, s.q, s.v, forces, W, dW);
  DelassusSlopesWorkspace<double> slopes(m);
  std::vector<double> dy(s.v.size());
  const double y = calc_delassus_slopes(m, slopes, s.q, F, G, dy);
  EXPECT_TRUE(near(W(0, 1), y, 10, largest(W.numbers)));
  EXPECT_TRUE(near(dW(0, 1), product(dy, s.v), 300, largest(dW.numbers)));
  EXPECT_TRUE(near(dW(1, 0), dW(0, 1), 100, largest(dW.numbers)));
  AllocationCount allocations;
  calc_delassus_rate(m, ws, s.q, s.v, forces, W, dW);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
