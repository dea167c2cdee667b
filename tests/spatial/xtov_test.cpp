// tests/spatial/xtov_test.cpp - motion from transform (SVA-8)
#include "sinew/spatial/xtov.hpp"

#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

TEST(XtoV, IsTheFormulaOfTableA2) {
  for_seeds(50, [](Random& rng) {
    const Transform<double> T = random_transform(rng);
    const Dense d = to_dense(T);
    const auto X = [&](int i, int j) { return d(i - 1, j - 1); };
    const Array6 want{X(2, 3) - X(3, 2), X(3, 1) - X(1, 3), X(1, 2) - X(2, 1),
                      X(5, 3) - X(6, 2), X(6, 1) - X(4, 3), X(4, 2) - X(5, 1)};
    EXPECT_TRUE(near(to_array(2.0 * xtov(T)), want, 20));
  });
}

TEST(XtoV, IsAnInvariantOfX) {
  for_seeds(50, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    EXPECT_TRUE(near(apply(X, xtov(X)), xtov(X), 50));
    EXPECT_TRUE(near(apply(X, xtov_exact(X)), xtov_exact(X), 200));
  });
}

TEST(XtoV, IsExactForAShift) {
  const Vec3<double> r{.3, -7, 2};
  EXPECT_TRUE(near(xtov(shift_frame(r)), Motion<double>{{}, r}, 1));
  EXPECT_TRUE(near(xtov_exact(shift_frame(r)), Motion<double>{{}, r}, 1));
}

TEST(XtoV, ConvergesToTheExactMotion) {
  for_seeds(10, [](Random& rng) {
    const Motion<double> u = random_motion(rng);
    double before = 0;
    for (double t : {1e-1, 1e-2, 1e-3}) {
      const Displacement<double> d = exp(t * u);
      const Transform<double> X = make_pose(d.shift, d.turn);
      EXPECT_TRUE(near(xtov_exact(X), t * u, 50));
      const double error = largest(flatten((1 / t) * xtov(X) - u));
      if (before > 0) {  // second order, so a tenth of t is a hundredth of the error
        EXPECT_LT(error, before / 80);
      }
      before = error;
    }
  });
}

}  // namespace
}  // namespace sinew::test
