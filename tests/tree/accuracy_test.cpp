// tests/tree/accuracy_test.cpp - round-off and sensitivity: the numbers of F08 sections 10.1 and 10.2 (AC-1, AC-2)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "sinew/model/solids.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/planar_dynamics.hpp"
#include "support/dense_algebra.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
double condition(const MatrixXd& M) {
  const VectorXd e = symmetric_eigen(M).values;
  return e[e.size() - 1] / e[0];
}
// Of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double n = double(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// 1 A body seen from far away (Figure 10.1) --------------------------------------------------------------------------

// Unit mass and unit inertia about C, which is at c from the origin; turns about C, pushed by (1, -1, 1) there.
struct FarBody {
  MatrixXd I{3, 3};
  VectorXd rhs{3};
};
FarBody far_body(const Vec2<double>& c) {
  const PlanarRigidInertia<double> I = make_planar_inertia(1.0, c, 1.0);
  const PlanarTransform<double> to_c{1, 0, c};  // C <- O
  const PlanarMotion<double> v = apply_inverse(to_c, PlanarMotion<double>{1, {0, 0}});
  const PlanarForce<double> f = apply_inverse(to_c, PlanarForce<double>{1, {-1, 1}});
  const PlanarForce<double> p = cross(v, I * v);
  FarBody out;
  for (int k = 0; k < 3; ++k) {
    const PlanarForce<double> column = I * PlanarMotion<double>{double(k == 0), {double(k == 1), double(k == 2)}};
    out.I.col(k) << column.ang, column.lin.x, column.lin.y;
  }
  out.rhs << f.ang - p.ang, f.lin.x - p.lin.x, f.lin.y - p.lin.y;
  return out;
}
VectorXd solve_far_body(const FarBody& b) { return dense_solve(b.I, b.rhs); }
// At C, where the exact acceleration is (1, -1, 1).
double error_at_centre(const Vec2<double>& c, const VectorXd& a) {
  using L = long double;
  const L w = a[0], x = L(a[1]) - w * L(c.y), y = L(a[2]) + w * L(c.x);
  return double(std::max({std::abs(w - 1), std::abs(x + 1), std::abs(y - 1)}));
}

TEST(Accuracy, BodyAtAHundredRadii) {
  const Vec2<double> c{100, 10};
  const FarBody b = far_body(c);
  MatrixXd I(3, 3);
  I << 10101, -10, 100, -10, 1, 0, 100, 0, 1;
  VectorXd rhs(3);
  rhs << 111, -1, 1;
  EXPECT_EQ(b.I, I);
  EXPECT_EQ(b.rhs, rhs);
  EXPECT_NEAR(condition(b.I), 1.02e8, 0.005e8);
  const VectorXd a = solve_far_body(b);
  EXPECT_TRUE(near(std::vector<double>(a.begin(), a.end()), std::vector<double>{1, 9, -99}, 1e5));
  // four figures of sixteen are lost
  EXPECT_TRUE(is_small(error_at_centre(c, a), 1e-11));
  EXPECT_GT(error_at_centre(c, a), 1e-14);
}
// Figure 10.2: the error is flat within a radius of gyration and grows as the square of the distance beyond.
TEST(Accuracy, RoundOffGrowsWithTheSquareOfTheDistance) {
  const auto mean_error = [](double distance) {
    double sum = 0;
    constexpr int kDirections = 400;
    Random rng(11);
    for (int k = 0; k < kDirections; ++k) {
      const double angle = rng.uniform(0, 2 * std::numbers::pi), r = distance * rng.uniform(0.9, 1.1);
      const Vec2<double> c{r * std::cos(angle), r * std::sin(angle)};
      sum += error_at_centre(c, solve_far_body(far_body(c)));
    }
    return sum / kDirections;
  };
  std::vector<double> near_by, far_away, near_error, far_error;
  for (const double d : {0.01, 0.03, 0.1, 0.3}) near_by.push_back(d), near_error.push_back(mean_error(d));
  for (const double d : {1., 10., 100., 1e3, 1e4, 1e5}) far_away.push_back(d), far_error.push_back(mean_error(d));
  EXPECT_NEAR(slope(near_by, near_error), 0, 0.3);
  EXPECT_NEAR(slope(far_away, far_error), 2, 0.3);
}
// Ten times the size is a thousand times the mass and a hundred thousand times the inertia.
TEST(Accuracy, InertiasOfSpheresOfOneSubstance) {
  const auto sphere = [](double radius) { return solid_sphere(1000 * sphere_volume(radius), radius); };
  const MassProperties small = sphere(0.03), large = sphere(0.3);
  EXPECT_TRUE(near(large.mass / small.mass, 1e3, 10));
  EXPECT_TRUE(near(large.inertia.xx / small.inertia.xx, 1e5, 10));
}

// 2 Sensitivity (Figure 10.3) ----------------------------------------------------------------------------------------

MatrixXd mass_matrix(const PlanarModel& m, const std::vector<double>& q) {
  PlanarWorkspace<double> ws(m);
  MatrixXd M(q.size(), q.size());
  planar_crba(m, ws, q, MatrixView<double>(M.data(), q.size(), q.size()));
  return M;
}
std::vector<double> zigzag(int n, double first) {
  std::vector<double> q{first};
  for (int i = 1; i < n; ++i) q.push_back((i % 2 == 1 ? -75 : 75) * std::numbers::pi / 180);
  return q;
}

TEST(Accuracy, SixLinksInAZigzag) {
  const PlanarModel m = planar_rods(6);
  for (const double first : {75 * std::numbers::pi / 180, 0.0, 2.0}) {  // the first angle does not matter
    const std::vector<double> q = zigzag(6, first), ones(6, 1.0), rest(6, 0.0);
    PlanarWorkspace<double> ws(m);
    std::vector<double> tau(6), a(6);
    planar_rnea(m, ws, q, rest, ones, tau);
    const double printed[] = {126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646};  // cut off, not rounded
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::floor(tau[i] * 1e4), std::round(printed[i] * 1e4)) << i;
    // forces rounded to three figures; the book misprints the first answer as 0.6952
    const std::vector<double> actual{126, 97.5, 70.0, 43.8, 21.9, 6.16};
    planar_aba(m, ws, q, rest, actual, a);
    const double answer[] = {0.6592, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705};
    double force_error = 0, worst = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(std::round(a[i] * 1e4), std::round(answer[i] * 1e4)) << i;
      force_error = std::max(force_error, std::abs(actual[i] / tau[i] - 1));
      worst = std::max(worst, std::abs(a[i] - 1));
    }
    EXPECT_TRUE(is_small(force_error, 0.005));
    EXPECT_GT(worst, 80 * force_error);
    const MatrixXd M = mass_matrix(m, q);
    EXPECT_NEAR(condition(M), 725.39, 0.005);
    // the same answer through L^T D L of the matrix
    std::vector<int> parent, velocity;
    for (int i = 0; i < 6; ++i) parent.push_back(i - 1), velocity.push_back(i);
    const DofTree tree(parent, velocity);
    LtdlFactor<double> f(tree);
    from_dense(tree, MatrixView<const double>(M.data(), 6, 6), f.packed);
    factor(tree, f);
    std::vector<double> x = actual;
    solve(tree, f, x);
    EXPECT_TRUE(near(x, a, 2000));
  }
}
// The worst case is the straight chain, with a condition near 4 N^4.
TEST(Accuracy, ConditionGrowsWithTheFourthPower) {
  struct Row {
    int n;
    double condition, tolerance, ratio;
  };
  std::vector<double> sizes, values;
  for (const Row& row :
       {Row{6, 5685, .5, 1.10}, {10, 43523, .5, 1.09}, {20, 6.70e5, 5e2, 1.05}, {40, 1.04e7, 5e4, 1.01}}) {
    const double c = condition(mass_matrix(planar_rods(row.n), std::vector<double>(at(row.n))));
    EXPECT_NEAR(c, row.condition, row.tolerance);
    EXPECT_NEAR(c / (4 * std::pow(row.n, 4)), row.ratio, 0.006);
    sizes.push_back(row.n), values.push_back(c);
  }
  EXPECT_NEAR(slope(sizes, values), 4, 0.1);
}
// Depth is what makes trees sensitive: the same seven rods as a binary tree are better conditioned than as a chain.
TEST(Accuracy, BranchesHelp) {
  std::vector<PlanarLink> links = planar_rods(7).links;
  for (int i = 0; i < 7; ++i) links[i].parent = (i + 1) / 2 - 1;
  const std::vector<double> q(7, 0.0);
  EXPECT_LT(5 * condition(mass_matrix(PlanarModel(links), q)), condition(mass_matrix(planar_rods(7), q)));
}

}  // namespace
}  // namespace sinew::test
