// tests/model/dh_test.cpp - Denavit-Hartenberg tables (MOD-3) and solids
#include "sinew/model/dh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "sinew/model/builder.hpp"
#include "sinew/tree/kinematics.hpp"
#include "support/naive_kinematics.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// X_T = xlt([a 0 d'])... rotx(alpha): the same as two axial screws, and as the 4x4 matrices of the convention.
TEST(Dh, TransformIsTranslationAndTurnAboutXThenZ) {
  const DhRow row{0.3, 0.7, -0.2, 1.1, JointKind::revolute, {}};
  const Eigen::Isometry3d X = Eigen::AngleAxisd(row.alpha, Eigen::Vector3d::UnitX()) *
                              Eigen::Translation3d(row.a, 0, row.d) *
                              Eigen::AngleAxisd(row.theta, Eigen::Vector3d::UnitZ());
  EXPECT_TRUE(is_small((to_isometry(dh_transform(row)).matrix() - X.matrix()).cwiseAbs().maxCoeff(), 1e-15));
}

// A planar 2R arm with unit links: the elbow at 90 degrees.
TEST(Dh, PlanarArmReachesWhereItShould) {
  const double right = std::numbers::pi / 2;
  std::vector<DhRow> table{
      {.link = thin_rod(1, 0.5)}, {.a = 1, .link = thin_rod(1, 0.5)}, {.a = 1, .link = solid_sphere(1, 0.1)}};
  const Model m = compile(make_dh_chain("2R", table).value()).value();
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, std::vector{0.0, right, 0.0});
  const Vec3<double> tip = get_body_pose(m, ws, 3).r;
  EXPECT_NEAR(tip.x, 1, 1e-15);
  EXPECT_NEAR(tip.y, 1, 1e-15);
}

TEST(Dh, PrismaticRowsSlideAlongZ) {
  const Model m = compile(make_dh_chain("P", {{.d = 0.5, .kind = JointKind::prismatic, .link = solid_sphere(1, 0.1)}},
                                        make_placement({0, 0, 2}))
                              .value())
                      .value();
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, std::vector{0.25});
  EXPECT_NEAR(get_body_pose(m, ws, 1).r.z, 2.75, 1e-15);
}

TEST(Dh, RefusesOtherJointsAndEmptyTables) {
  EXPECT_FALSE(make_dh_chain("x", {}));
  EXPECT_FALSE(make_dh_chain("x", {{.kind = JointKind::free}}));
  EXPECT_FALSE(make_dh_chain("x", {{.a = std::nan("")}}));
}

// Solids of revolution against sums over thin discs of radius rho(z).
void expect_sum_of_discs(const MassProperties& solid, double volume, double top,
                         const std::function<double(double)>& rho) {
  const int n = 20000;
  const double dz = 2 * top / n;
  double v = 0, xx = 0, zz = 0;
  for (int i = 0; i < n; ++i) {
    const double z = -top + (i + 0.5) * dz, r2 = rho(z) * rho(z), dv = std::numbers::pi * r2 * dz;
    v += dv, xx += dv * (r2 / 4 + z * z), zz += dv * r2 / 2;
  }
  const double density = solid.mass / v;
  EXPECT_NEAR(v / volume, 1, 1e-7);
  EXPECT_NEAR(density * xx / solid.inertia.xx, 1, 2e-7);
  EXPECT_NEAR(density * zz / solid.inertia.zz, 1, 1e-7);
}
TEST(Solids, InertiasEqualSumsOverThinDiscs) {
  const double r = 0.3, h = 0.5, c = 0.7;
  expect_sum_of_discs(solid_capsule(2, r, h), capsule_volume(r, h), h + r, [&](double z) {
    const double over = std::max(0.0, std::abs(z) - h);
    return std::sqrt(r * r - over * over);
  });
  expect_sum_of_discs(solid_cylinder(2, r, h), cylinder_volume(r, h), h, [&](double) { return r; });
  expect_sum_of_discs(solid_sphere(2, r), sphere_volume(r), r, [&](double z) { return std::sqrt(r * r - z * z); });
  expect_sum_of_discs(solid_ellipsoid(2, {r, r, c}), ellipsoid_volume({r, r, c}), c,
                      [&](double z) { return r * std::sqrt(1 - z * z / (c * c)); });
}

TEST(Solids, SpecialCasesAgree) {
  EXPECT_NEAR(solid_capsule(2, 0.3, 0).inertia.xx, solid_sphere(2, 0.3).inertia.xx, 1e-15);
  EXPECT_NEAR(solid_ellipsoid(2, {0.3, 0.3, 0.3}).inertia.yy, solid_sphere(2, 0.3).inertia.yy, 1e-15);
  EXPECT_NEAR(solid_cylinder(2, 0, 0.5).inertia.xx, thin_rod(2, 0.5).inertia.xx, 1e-15);
}

TEST(Solids, TwoHalvesMakeAWhole) {
  const MassProperties half = solid_box(1, {0.1, 0.2, 0.3});
  const MassProperties whole = placed(half, make_placement({0.1, 0, 0})) + placed(half, make_placement({-0.1, 0, 0}));
  const MassProperties box = solid_box(2, {0.2, 0.2, 0.3});
  EXPECT_NEAR(whole.inertia.xx, box.inertia.xx, 1e-15);
  EXPECT_NEAR(whole.inertia.yy, box.inertia.yy, 1e-15);
  EXPECT_NEAR(whole.inertia.zz, box.inertia.zz, 1e-15);
  EXPECT_NEAR(norm(whole.com), 0, 1e-16);
}

}  // namespace
}  // namespace sinew::test
