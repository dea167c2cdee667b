// tests/contact/fcl_oracle_test.cpp - distances of shapes that are apart, against FCL
// Only apart: with shapes that overlap a little FCL 0.7 aborts the process (docs/decisions.md).
#ifdef SINEW_HAVE_FCL
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>

#include <memory>

#include "sinew/contact/collide.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

std::unique_ptr<fcl::ShapeBased> to_fcl(const PlacedShape& s) {
  const auto [a, b, c] = s.size;
  switch (s.kind) {
    case ShapeKind::sphere: return std::make_unique<fcl::Sphered>(a);
    case ShapeKind::box: return std::make_unique<fcl::Boxd>(2 * a, 2 * b, 2 * c);
    case ShapeKind::capsule: return std::make_unique<fcl::Capsuled>(a, 2 * b);
    case ShapeKind::cylinder: return std::make_unique<fcl::Cylinderd>(a, 2 * b);
    default: return std::make_unique<fcl::Ellipsoidd>(a, b, c);
  }
}
fcl::Transform3d pose(const PlacedShape& s) {
  const Mat3<double>& E = s.X.E.m;
  fcl::Transform3d out = fcl::Transform3d::Identity();
  out.linear() << E.xx, E.yx, E.zx, E.xy, E.yy, E.zy, E.xz, E.yz, E.zz;
  out.translation() << s.X.r.x, s.X.r.y, s.X.r.z;
  return out;
}

}  // namespace

TEST(CollideFcl, DistancesAgree) {
  constexpr ShapeKind kinds[] = {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule, ShapeKind::cylinder,
                                 ShapeKind::ellipsoid};
  int compared = 0;
  for (const ShapeKind ka : kinds)
    for (const ShapeKind kb : kinds)
      for_seeds(60, [&](Random& rng) {
        SCOPED_TRACE(std::string(to_string(ka)) + " and " + std::string(to_string(kb)));
        const auto some = [&] { return rng.uniform(0.1, 0.5); };
        PlacedShape a{ka, random_transform(rng), {some(), some(), some()}, nullptr, nullptr};
        PlacedShape b{kb, random_transform(rng), {some(), some(), some()}, nullptr, nullptr};
        a.X.r = b.X.r + rng.uniform(0.5, 1.5) * random_unit(rng);
        std::vector<TouchPoint> points;
        collide(a, b, 10, points);
        double gap = INFINITY;
        for (const TouchPoint& p : points) gap = std::min(gap, p.gap);
        if (gap < 1e-3) return;
        fcl::DistanceRequestd request;
        request.distance_tolerance = 1e-12;
        fcl::DistanceResultd result;
        EXPECT_NEAR(gap, fcl::distance(to_fcl(a).get(), pose(a), to_fcl(b).get(), pose(b), request, result), 1e-6);
        ++compared;
      });
  EXPECT_GT(compared, 500);
}

}  // namespace sinew::test
#endif
