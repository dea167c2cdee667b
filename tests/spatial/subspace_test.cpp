// tests/spatial/subspace_test.cpp - subspaces and their dual complements (SVA-11)
#include "sinew/spatial/subspace.hpp"

#include "sinew/spatial/line.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

MotionSubspace random_subspace(Random& rng, int n) {
  MotionSubspace S;
  for (int i = 0; i < n; ++i) S.push_back(random_motion(rng));
  return S;
}
// S A for a random square A, well away from singular.
MotionSubspace mix(Random& rng, const MotionSubspace& S) {
  MotionSubspace out;
  for (int j = 0; j < S.size(); ++j) {
    Motion<double> column = 3.0 * S[j];
    for (int i = 0; i < S.size(); ++i) column += rng.uniform(-.5, .5) * S[i];
    out.push_back(column);
  }
  return out;
}

TEST(Subspace, ComplementsAreDual) {
  for_seeds(20, [](Random& rng) {
    for (int n = 0; n <= 6; ++n) {
      SCOPED_TRACE(testing::Message() << n << " columns");
      const MotionSubspace S = random_subspace(rng, n);
      const DualForces d = dual_forces(S);
      ASSERT_EQ(d.constraint.size(), 6 - n);
      ASSERT_EQ(d.active.size(), n);
      EXPECT_EQ(rank(S), n);
      EXPECT_EQ(rank(d.constraint), 6 - n);
      for (int j = 0; j < n; ++j) {
        for (const Force<double>& t : d.constraint) EXPECT_TRUE(near(dot(t, S[j]), 0.0, 500));
        for (int i = 0; i < n; ++i) EXPECT_TRUE(near(dot(d.active[i], S[j]), i == j ? 1.0 : 0.0, 2000));
      }
    }
  });
}

// Duality survives a change of coordinates; a Euclidean complement would not.
TEST(Subspace, ComplementsHoldInAllFrames) {
  for_seeds(20, [](Random& rng) {
    const MotionSubspace S = random_subspace(rng, 3);
    const ForceSubspace T = dual_forces(S).constraint;
    const Transform<double> X = random_transform(rng);
    for (const Force<double>& t : T)
      for (const Motion<double>& s : S) EXPECT_TRUE(near(dot(apply(X, t), apply(X, s)), 0.0, 500));
    // a rotation about a line off the origin, with its own numbers read as a force, is no constraint force in general
    const Motion<double> hinge = rotation_about(Vec3<double>{1, 2, 3}, Vec3<double>{0, 0, 1});
    const ForceSubspace held = dual_forces({hinge}).constraint;
    EXPECT_EQ(held.size(), 5);
    for (const Force<double>& f : held) EXPECT_TRUE(near(dot(f, hinge), 0.0, 100));
  });
}

TEST(Subspace, TheComplementOfTheComplementIsTheSubspace) {
  for_seeds(20, [](Random& rng) {
    for (int n = 0; n <= 6; ++n) {
      const MotionSubspace S = random_subspace(rng, n), back = complement(dual_forces(S).constraint);
      ASSERT_EQ(back.size(), n);
      MotionSubspace both = S;
      for (int i = 0; i < n && both.size() < 6; ++i) both.push_back(back[i]);
      EXPECT_EQ(rank(both, 1e-8), n);
    }
  });
}

// Joints have unit columns, and want unit complements, exactly.
TEST(Subspace, UnitColumnsGiveUnitComplements) {
  const DualForces d = dual_forces({{{0, 0, 1}, {}}, {{}, {1, 0, 0}}});
  double sum = 0;
  for (const Force<double>& t : d.constraint)
    for (double x : to_array(t)) {
      EXPECT_TRUE(x == 0 || x == 1);
      sum += x;
    }
  EXPECT_EQ(sum, 4);
  EXPECT_TRUE(near(d.active[0], Force<double>{{0, 0, 1}, {}}, 0));
  EXPECT_TRUE(near(d.active[1], Force<double>{{}, {1, 0, 0}}, 0));
}

// [F08 3.27]: f is the sum of its parts in T_a and T, whatever f.
TEST(Subspace, ForcesHaveCoordinates) {
  for_seeds(20, [](Random& rng) {
    const MotionSubspace S = random_subspace(rng, 2);
    const DualForces d = dual_forces(S);
    const Force<double> f = random_force(rng);
    const std::array<double, 6> y = coordinates(f, d.active, d.constraint);
    Force<double> sum = d.active * y;
    for (int i = 0; i < 4; ++i) sum += y[std::size_t(i) + 2] * d.constraint[i];
    EXPECT_TRUE(near(sum, f, 50));
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(near(y[std::size_t(i)], dot(S[i], f), 100));  // S^T f, as T_a is dual to S
  });
}

// Example 3.1.
TEST(Subspace, SplitsForcesAsInertiaWantsIt) {
  for_seeds(20, [](Random& rng) {
    for (int n = 0; n <= 6; ++n) {
      SCOPED_TRACE(testing::Message() << n << " columns");
      const MotionSubspace S = random_subspace(rng, n);
      const RigidInertia<double> I = random_inertia(rng);
      const Force<double> f = random_force(rng);
      const ForceParts parts = split_force(f, S, I);
      EXPECT_TRUE(near(parts.active + parts.constraint, f, 1, 100));
      for (const Motion<double>& s : S) EXPECT_TRUE(near(dot(s, parts.constraint), 0.0, 2e4));
      // the body accelerates inside S: no constraint force works on a = I^-1 f_a
      const Motion<double> a = inverse(I) * parts.active;
      for (const Force<double>& t : dual_forces(S).constraint) EXPECT_TRUE(near(dot(t, a), 0.0, 100));
      const ForceParts other = split_force(f, mix(rng, S), I);
      EXPECT_TRUE(near(parts.active, other.active, 1e6));
      if (n == 0) {
        EXPECT_TRUE(near(parts.active, Force<double>{}, 0));
      }
      if (n == 6) {
        EXPECT_TRUE(near(parts.constraint, Force<double>{}, 1e6));
      }
    }
  });
}

// [F08 3.54]: range S, null space S-perp, rank n.
TEST(Subspace, ConstrainedInverseInertia) {
  for_seeds(20, [](Random& rng) {
    for (int n = 0; n <= 6; ++n) {
      const MotionSubspace S = random_subspace(rng, n);
      const RigidInertia<double> I = random_inertia(rng);
      const InverseInertia<double> Phi = constrained_inverse(S, I);
      MotionSubspace range;
      for (int j = 0; j < 6; ++j) {
        Array6 unit{};
        unit[std::size_t(j)] = 1;
        range.push_back(Phi * to_force(unit));
      }
      EXPECT_EQ(rank(range, 1e-9), n);
      for (const Force<double>& t : dual_forces(S).constraint) EXPECT_TRUE(near(Phi * t, Motion<double>{}, 100));
      if (n == 6) {
        EXPECT_TRUE(near(Phi, inverse(I), 3e4));
      }
    }
  });
}

TEST(Subspace, SaysWhatIsWrong) {
  const Motion<double> a{{1, 0, 0}, {0, 2, 0}};
  EXPECT_EQ(rank(MotionSubspace{a, 2.0 * a}), 1);
  EXPECT_THROW(dual_forces({a, 2.0 * a}), std::domain_error);
  EXPECT_THROW((MotionSubspace{a, a, a, a, a, a, a}), std::invalid_argument);
  const ForceSubspace T = dual_forces({a}).constraint;
  EXPECT_THROW(coordinates(Force<double>{}, T, T), std::domain_error);
  EXPECT_THROW(coordinates(Force<double>{}, T, {T[0]}), std::domain_error);
  EXPECT_THROW(constrained_inverse({a}, RigidInertia<double>{}), std::domain_error);
}

}  // namespace
}  // namespace sinew::test
