// tests/constraint/rows/rolling_test.cpp - constraints on velocities alone, and on more than two bodies [F08 3.4]
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/spatial/exponential.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

TEST(Rolling, MovesAsItsErrorsSay) {
  for_random_trees(24, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    const int bodies = static_cast<int>(m.bodies().size());
    const int a = rng.below(bodies), b = (a + 1 + rng.below(bodies - 1)) % bodies;
    const RollingConstraint ball{.name = "ball",
                                 .body_a = m.bodies()[a].name,
                                 .body_b = m.bodies()[b].name,
                                 .point = random_vec(rng),
                                 .normal = 3.0 * random_unit(rng),
                                 .centre = random_vec(rng),
                                 .radius = 0.4};
    expect_rates_match(m, ConstraintSet(m, {ball}), s, 100, {1, 2});
  });
}

// Once around a square of quarter turns: back at the start, but turned by 120 degrees. The velocity constraint and its
// derivative hold all the way, so no constraint on positions can be behind it.
TEST(Rolling, ComesHomeTurned) {
  Random rng(4);
  ModelSpec spec = random_tree(1, {.bodies = 1, .kinds = {JointKind::free}, .branching = 0});
  spec.joints[0].placement = spec.joints[0].child_placement = {};
  spec.joints[0].reversed = false;
  const Model m = compile(spec).value();
  const double radius = 0.3, side = radius * std::numbers::pi / 2;
  const Vec3<double> up = random_unit(rng), start = radius * up;
  const Rotation<double> plane = rotation_to_z(up);
  const ConstraintSet set(m, {RollingConstraint{.name = "ball", .body_b = "body0", .normal = up, .radius = radius}});
  ConstraintRows rows(m, set);

  Quaternion<double> turn;
  Vec3<double> centre = start;
  const Vec3<double> path[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  for (const Vec3<double>& direction : path) {
    const Vec3<double> v = apply_inverse(plane, direction), w = (1 / radius) * cross(up, v);
    for (int step = 0; step <= 10; ++step) {
      const double t = side * step / 10;
      const Quaternion<double> now = exp(t * w) * turn;
      const Vec3<double> p = centre + t * v;
      const Rotation<double> E = to_rotation(now);
      const Vec3<double> wb = apply(E, w), vb = apply(E, v), dvb = -cross(wb, vb);
      const std::vector<double> q{now.w, now.x, now.y, now.z, p.x, p.y, p.z}, qd{wb.x, wb.y, wb.z, vb.x, vb.y, vb.z},
          qdd{0, 0, 0, dvb.x, dvb.y, dvb.z};
      calc_constraint_rows(m, set, rows, q, qd);
      std::vector<double> product(3);
      multiply_by_constraint_jacobian(m, set, rows, qdd, product);
      EXPECT_TRUE(near(rows.velocity, std::vector<double>(3), 30)) << "far below 1e-10";
      EXPECT_TRUE(near(rows.position, std::vector<double>(3), 30));
      EXPECT_TRUE(near(product, rows.k, 100));
    }
    turn = exp(side * w) * turn;
    centre = centre + side * v;
  }
  EXPECT_TRUE(near(centre, start, 30));
  EXPECT_TRUE(near(norm(log(turn)), 2 * std::numbers::pi / 3, 30));
}

// A closed string of constant length around three equal discs in a plane: l1 + l2 + l3 + 2 pi r = p.
class StringAroundDiscs : public CustomConstraint {
 public:
  StringAroundDiscs(double radius, double length) : radius_(radius), length_(length) {}
  std::string name() const override { return "string"; }
  int rows() const override { return 1; }
  std::vector<delassus::Entry> entries(const Model& m) const override {
    std::vector<delassus::Entry> out;
    for (std::size_t b = 1; b <= 3; ++b) out.push_back({0, m.bodies()[b].node});
    return out;
  }
  void calc(const ConstraintState& s, const ConstraintOutput& out) const override {
    Vec3<double> p[3], v[3], a[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const Place disc = s.model.bodies()[i + 1];
      p[i] = get_body_pose(s.model, s.motion.kinematics, static_cast<int>(i) + 1).r;
      v[i] = get_point_velocity(s.motion, disc);
      a[i] = get_point_acceleration(s.motion, disc);
      out.K[i] = {};
    }
    double length = 2 * std::numbers::pi * radius_, rate = 0, bias = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const Vec3<double> d = p[j] - p[i], dv = v[j] - v[i];
      const double l = norm(d);
      const Vec3<double> u = (1 / l) * d;
      const double ldot = dot(u, dv);
      length += l;
      rate += ldot;
      bias += dot(u, a[j] - a[i]) + (dot(dv, dv) - ldot * ldot) / l;
      add(s, i, -u, out);
      add(s, j, u, out);
    }
    out.position[0] = length - length_;
    out.velocity[0] = rate;
    out.k[0] = -bias;
  }

 private:
  // A force along the axes of the world at the centre of disc i.
  static void add(const ConstraintState& s, std::size_t i, const Vec3<double>& f, const ConstraintOutput& out) {
    const BodyEntry& b = s.model.bodies()[i + 1];
    const Transform<double> X = get_body_pose(s.model, s.motion.kinematics, static_cast<int>(i) + 1);
    out.K[i] += apply_inverse(b.in_node, Force<double>{{}, apply(X.E, f)});
  }
  double radius_, length_;
};

TEST(CustomConstraint, HoldsAStringAroundThreeBodies) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model m = compile(random_tree(seed, {.bodies = 3, .kinds = {JointKind::planar}, .branching = 1})).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const auto string = std::make_shared<StringAroundDiscs>(0.1, 3.0);
    const ConstraintSet set(m, {string});
    EXPECT_EQ(set.row_name(0), "constraint 'string': row 1");
    expect_rates_match(m, set, s, 100);
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    Grid<double> K(1, m.nv());
    get_constraint_jacobian(m, set, rows, K);
    EXPECT_TRUE(near(K * s.v, rows.velocity, 100));
  }
}

}  // namespace
}  // namespace sinew::test
