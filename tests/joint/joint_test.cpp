// tests/joint/joint_test.cpp - every joint type against derivatives of its own transform (MOD-4)
#include "sinew/joint/joint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/canonical.hpp"
#include "sinew/base/scalars.hpp"
#include "sinew/joint/user.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"
#include "support/user_joints.hpp"

namespace sinew::test {
namespace {

struct Case {
  JointKind kind;
  bool reversed;
};

void PrintTo(const Case& c, std::ostream* os) { *os << to_string(c.kind) << (c.reversed ? " reversed" : ""); }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const JointKind k : all_kinds())
    for (const bool r : {false, true}) cases.push_back({k, r});
  return cases;
}

// One joint of the kind in canonical axes at a random state.
struct Sample {
  Joint joint;
  std::vector<double> q, v;
  double t = 0.7;

  Sample(const Case& c, std::uint64_t seed) {
    Random rng(seed);
    JointSpec spec = random_joint(rng, c.kind, "joint");
    Diagnostics out;
    joint = make_canonical(spec, out).joint;
    EXPECT_TRUE(out.empty());
    joint.reversed = c.reversed;
    q.resize(static_cast<std::size_t>(joint.nq()));
    v.resize(static_cast<std::size_t>(joint.nv()));
    const std::vector<double> lower(6, -1.2), upper(6, 1.2);
    random(joint, rng, lower.data(), upper.data(), q.data());
    for (double& x : v) x = rng.uniform(-1, 1);
  }
  JointMotion<double> motion() const {
    JointMotion<double> m;
    calc_joint(joint, q.data(), v.data(), t, m);
    return m;
  }
  // The joint with q moving along v: slopes are rates.
  JointMotion<Dual> moving() const {
    std::vector<double> qdot(q.size());
    calc_rate(joint, q.data(), v.data(), qdot.data());
    std::vector<Dual> qd, vd;
    for (std::size_t k = 0; k < q.size(); ++k) qd.emplace_back(q[k], qdot[k]);
    for (const double x : v) vd.emplace_back(x);
    JointMotion<Dual> m;
    calc_joint(joint, qd.data(), vd.data(), t, m);
    return m;
  }
};

Motion<double> unit_motion(int k) {
  const Force<double> f = detail::unit_force<double>(k);
  return {f.ang, f.lin};
}
Motion<double> values(const Motion<Dual>& m) {
  return {{m.ang.x.value, m.ang.y.value, m.ang.z.value}, {m.lin.x.value, m.lin.y.value, m.lin.z.value}};
}
Motion<double> slopes(const Motion<Dual>& m) {
  return {{m.ang.x.slope, m.ang.y.slope, m.ang.z.slope}, {m.lin.x.slope, m.lin.y.slope, m.lin.z.slope}};
}
double distance(const Motion<double>& a, const Motion<double>& b) { return norm(a.ang - b.ang) + norm(a.lin - b.lin); }

class JointTest : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr int kSamples = 20;
  bool prescribed_inside(const Joint& j) const {
    if (j.kind == JointKind::prescribed) return true;
    for (const JointPart& p : j.parts)
      if (prescribed_inside(p.joint)) return true;
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, JointTest, ::testing::ValuesIn(all_cases()), [](const auto& kind) {
  return std::string(to_string(kind.param.kind)) + (kind.param.reversed ? "_reversed" : "");
});

// dX/dt = -v_J x X, with q moving as calc_rate says [F08 2.36].
TEST_P(JointTest, VelocityIsTheRateOfTheTransform) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    if (prescribed_inside(s.joint)) continue;  // moves with t: checked below by differences
    const JointMotion<double> m = s.motion();
    const JointMotion<Dual> d = s.moving();
    for (int k = 0; k < 6; ++k) {
      const Motion<Dual> u = apply(d.X, cast<Dual>(unit_motion(k)));
      EXPECT_TRUE(near(slopes(u), -cross(m.v, values(u)), 100)) << "seed " << seed;
    }
  }
}

TEST_P(JointTest, VelocityIsSTimesV) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    if (prescribed_inside(s.joint)) continue;
    const JointMotion<double> m = s.motion();
    Motion<double> v;
    for (int k = 0; k < s.joint.nv(); ++k) v += s.v[k] * m.S[k];
    EXPECT_TRUE(near(m.v, v, 20)) << "seed " << seed;
  }
}

// With constant v, the rate of v_J's coordinates is c [F08 3.42].
TEST_P(JointTest, BiasIsTheRateOfSTimesV) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    if (prescribed_inside(s.joint)) continue;
    EXPECT_TRUE(near(s.motion().c, slopes(s.moving().v), 100)) << "seed " << seed;
  }
}

// The same by central differences in time, which also move prescribed coordinates.
TEST_P(JointTest, TimeDifferencesAgree) {
  const double h = 1e-5;
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    const auto at = [&](double dt) {
      Sample moved = s;
      std::vector<double> dv = s.v;
      for (double& x : dv) x *= dt;
      integrate(s.joint, s.q.data(), dv.data(), moved.q.data());
      moved.t = s.t + dt;
      return moved.motion();
    };
    const JointMotion<double> m = s.motion(), a = at(h), b = at(-h);
    for (int k = 0; k < 6; ++k) {
      const Motion<double> rate = (1 / (2 * h)) * (apply(a.X, unit_motion(k)) - apply(b.X, unit_motion(k)));
      EXPECT_TRUE(is_small(distance(rate, -cross(m.v, apply(m.X, unit_motion(k)))), 1e-8)) << "seed " << seed;
    }
    EXPECT_TRUE(is_small(distance(m.c, (1 / (2 * h)) * (a.v - b.v)), 1e-8)) << "seed " << seed;
  }
}

// T^T S = 0 and Ta^T S = 1; together they span all forces.
TEST_P(JointTest, ComplementsAreDual) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    const JointMotion<double> m = s.motion();
    JointComplements<double> f;
    calc_complements(s.joint, s.q.data(), s.t, f);
    const int nv = s.joint.nv();
    for (int j = 0; j < nv; ++j) {
      for (int k = 0; k < 6 - nv; ++k) EXPECT_TRUE(near(dot(m.S[j], f.constraint[k]), 0.0, 1000)) << "seed " << seed;
      for (int k = 0; k < nv; ++k)
        EXPECT_TRUE(near(dot(m.S[j], f.active[k]), j == k ? 1.0 : 0.0, 1000)) << "seed " << seed;
    }
    for (int k = 0; k < 6 - nv; ++k) EXPECT_GT(norm(f.constraint[k].ang) + norm(f.constraint[k].lin), 0.1);
  }
}

TEST_P(JointTest, IntegrateAndDifferenceAreInverse) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    std::vector<double> q1(s.q.size()), dv(s.v.size()), q2(s.q.size());
    integrate(s.joint, s.q.data(), s.v.data(), q1.data());
    difference(s.joint, s.q.data(), q1.data(), dv.data());
    EXPECT_TRUE(near(dv, s.v, 100)) << "seed " << seed;
    integrate(s.joint, s.q.data(), dv.data(), q2.data());
    EXPECT_TRUE(near(q2, q1, 100)) << "seed " << seed;
    difference(s.joint, s.q.data(), s.q.data(), dv.data());
    EXPECT_TRUE(near(dv, std::vector<double>(dv.size()), 4)) << "seed " << seed;
  }
}

// Moving in one step or in two halves along the same velocity ends in the same place.
TEST_P(JointTest, IntegrationComposes) {
  for (int seed = 0; seed < kSamples; ++seed) {
    const Sample s(GetParam(), static_cast<std::uint64_t>(seed));
    std::vector<double> half = s.v, whole(s.q.size()), first(s.q.size()), second(s.q.size());
    for (double& x : half) x *= 0.5;
    integrate(s.joint, s.q.data(), s.v.data(), whole.data());
    integrate(s.joint, s.q.data(), half.data(), first.data());
    integrate(s.joint, first.data(), half.data(), second.data());
    EXPECT_TRUE(near(whole, second, 100)) << "seed " << seed;
  }
}

TEST_P(JointTest, NeutralIsTheZeroOfTheJoint) {
  Sample s(GetParam(), 3);
  if (GetParam().kind == JointKind::composite || prescribed_inside(s.joint)) return;  // their parts stand apart
  neutral(s.joint, s.q.data());
  const Transform<double> X = s.motion().X;
  for (int k = 0; k < 6; ++k) EXPECT_TRUE(near(apply(X, unit_motion(k)), unit_motion(k), 4));
}

// One text, every scalar: packs lane by lane, float to its precision, counted to the bit.
template <class T>
void expect_same(const Sample& s, double n) {
  std::vector<T> q, v;
  for (const double x : s.q) q.push_back(lit<T>(x));
  for (const double x : s.v) v.push_back(lit<T>(x));
  JointMotion<T> m;
  calc_joint(s.joint, q.data(), v.data(), s.t, m);
  const JointMotion<double> d = s.motion();
  const double eps = ScalarTraits<T>::kEpsilon;
  EXPECT_TRUE(near(m.X, d.X, n, 0, eps));
  EXPECT_TRUE(near(m.v, d.v, n, 0, eps));
  EXPECT_TRUE(near(m.c, d.c, n, 0, eps));
}
TEST_P(JointTest, AllScalarsAgree) {
  const Sample s(GetParam(), 11);
  expect_same<float>(s, 20);
  expect_same<NativePack<double>>(s, 20);
  expect_same<NativePack<float>>(s, 20);
  expect_same<Counted>(s, 0);
  expect_same<Dual>(s, 4);
}

// The book's own formulae ---------------------------------------------------------------------------------------
TEST(RackAndPinion, WithRadiusZeroIsRevolute) {
  const double q = 0.4, v = 1.3;
  JointMotion<double> rack, revolute;
  RackAndPinionJoint::calc(0.0, &q, &v, rack);
  RevoluteJoint::calc(0.0, &q, &v, revolute);
  EXPECT_EQ(rack.X.E.m.xy, revolute.X.E.m.xy);
  EXPECT_EQ(norm(rack.X.r), 0);
  EXPECT_TRUE(near(rack.v, revolute.v, 0));
  EXPECT_TRUE(near(rack.c, revolute.c, 0));
}

// Example 4.6 with r = 0.5, q = 30 degrees, qd = 2.
TEST(RackAndPinion, MatchesTheExample) {
  const double q = std::numbers::pi / 6, v = 2, r = 0.5, c = std::cos(q), s = 0.5;
  JointMotion<double> m;
  RackAndPinionJoint::calc(r, &q, &v, m);
  EXPECT_TRUE(near(m.S[0], Motion<double>{{0, 0, 1}, {r * c, -r * s, 0}}, 4));
  EXPECT_TRUE(near(m.c, Motion<double>{{0, 0, 0}, {-r * s * 4, -r * c * 4, 0}}, 4));
}

// With v = qdot the constant S that the book's Table 4.1 prints for the planar joint is wrong; ours needs v in F_s.
TEST(Planar, TableFourOneIsMended) {
  const double q[3] = {0.3, 1, 2}, v[3] = {0.5, 0, 0};
  double qdot[3];
  PlanarJoint::rate(q, v, qdot);
  EXPECT_EQ(qdot[1], 0);  // spinning about its own origin does not move the origin in F_p
  EXPECT_EQ(qdot[2], 0);
}

TEST(SphericalYpr, RotatesInTheOrderZYX) {
  const double q[3] = {0.3, -0.5, 0.9}, v[3] = {};
  JointMotion<double> m;
  SphericalYprJoint::calc(0.0, q, v, m);
  EXPECT_TRUE(near(m.X.E, rotation_x(q[2]) * (rotation_y(q[1]) * rotation_z(q[0])), 4));  // [F08 4.7]
}

// The tables' T for a reversed joint must be a force transform: with the motion transform T^T S is not zero.
TEST(Reversed, ComplementsUseTheForceTransform) {
  Joint j;
  j.kind = JointKind::rack_and_pinion;
  j.parameter = 0.4;
  j.reversed = true;
  const double q = 0.8, v = 0;
  JointMotion<double> m;
  calc_joint(j, &q, &v, 0, m);
  JointComplements<double> f;
  calc_complements(j, &q, 0, f);
  double right = 0;
  for (int k = 0; k < 5; ++k) right += std::abs(dot(m.S[0], f.constraint[k]));
  EXPECT_TRUE(is_small(right, 1e-15));
}

}  // namespace
}  // namespace sinew::test
