// tests/sim/tangent_test.cpp - du/dt against differences, series and the group's own laws
#include "sinew/sim/tangent.hpp"

#include "sinew/joint/spherical.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// A ball joint in the words of a user.
struct UserBall {
  static constexpr int kNq = 4, kNv = 3;
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    SphericalJoint::calc(lit<T>(0), q, v, out);
  }
  template <class T>
  void rate(const T* q, const T* v, T* qdot) const {
    SphericalJoint::rate(q, v, qdot);
  }
  template <class T>
  void integrate(const T* q, const T* dv, T* out) const {
    SphericalJoint::integrate(q, dv, out);
  }
  template <class T>
  void difference(const T* q0, const T* q1, T* dv) const {
    SphericalJoint::difference(q0, q1, dv);
  }
  template <class T>
  void neutral(T* q) const {
    SphericalJoint::neutral(q);
  }
  template <class T>
  void normalize(T* q) const {
    SphericalJoint::normalize(q);
  }
  void random(Random& rng, const double* lower, const double* upper, double* q) const {
    SphericalJoint::random(rng, lower, upper, q);
  }
};
Model make_ball(bool own) {
  ModelBuilder b("ball");
  b.body("ball").mass(solid_box(1, {0.1, 0.2, 0.3}));
  if (own)
    b.user("joint", "world", "ball", make_user_joint(UserBall{}));
  else
    b.spherical("joint", "world", "ball");
  return b.build().value();
}

}  // namespace

// q0 moved along u, then a little along v, is q0 moved along u + du/dt of it.
TEST(TangentMap, IsTheRateOfTheVectorFromTheStart) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    const TangentMap map(m);
    const std::vector<double> q0 = random_configuration(m, rng), v = random_numbers(rng, m.nv());
    for (const double size : {0.0, 1e-3, 0.3, 0.6, 1.5}) {
      std::vector<double> u = random_numbers(rng, m.nv()), udot(v), q(q0), moved(q0), after(v), before(v);
      for (double& x : u) x *= size;
      map.calc_rate(q0, u, v, udot);
      integrate(m, q0, u, 1, q);
      const double dt = 1e-5;
      integrate(m, q, v, dt, moved);
      difference(m, q0, moved, after);
      integrate(m, q, v, -dt, moved);
      difference(m, q0, moved, before);
      for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_NEAR((after[i] - before[i]) / (2 * dt), udot[i], 2e-9) << "coordinate " << i << ", size " << size;
    }
  });
}

TEST(TangentMap, SeriesAndClosedFormMeet) {
  ModelBuilder b("body");
  b.body("body").mass(solid_box(1, {0.1, 0.2, 0.3}));
  b.free("joint", "world", "body");
  const Model m = b.build().value();
  const TangentMap map(m);
  const std::vector<double> q0(m.neutral().begin(), m.neutral().end()), v{0.3, -0.4, 0.5, 1, 2, -1};
  std::vector<double> below(6), above(6);
  // the square of the angle just below and just above a quarter
  map.calc_rate(q0, std::vector<double>{0.3, 0, 0.4 - 1e-13, 0.7, -0.2, 0.1}, v, below);
  map.calc_rate(q0, std::vector<double>{0.3, 0, 0.4 + 1e-13, 0.7, -0.2, 0.1}, v, above);
  EXPECT_TRUE(near(below, above, 5e3));
}

TEST(TangentMap, AUsersJointIsAsGood) {
  const Model own = make_ball(true), ours = make_ball(false);
  const TangentMap a(own), b(ours);
  Random rng(5);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> q = random_configuration(ours, rng), u = random_numbers(rng, 3),
                              v = random_numbers(rng, 3);
    std::vector<double> x(3), y(3);
    a.calc_rate(q, u, v, x);
    b.calc_rate(q, u, v, y);
    EXPECT_TRUE(near(x, y, 100));
  }
}

TEST(TangentMap, AllocatesNothingAndChecksSizes) {
  const Model m = make_ball(true);
  const TangentMap map(m);
  const std::vector<double> q(m.neutral().begin(), m.neutral().end()), u{0.1, 0.2, 0.3};
  std::vector<double> v{1, 2, 3};
  const AllocationCount allocations;
  map.calc_rate(q, u, v, v);  // in place
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_THROW(map.calc_rate(q, q, v, v), std::invalid_argument);
}

}  // namespace sinew::test
