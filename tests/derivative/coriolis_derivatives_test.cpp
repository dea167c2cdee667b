// tests/derivative/coriolis_derivatives_test.cpp - slopes of C w: dual numbers in C itself, Christoffel's symmetry
#include "sinew/derivative/coriolis_derivatives.hpp"

#include <gtest/gtest.h>

#include "derivative/dual_slopes.hpp"
#include "sinew/model/builder.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct CoriolisOutcome {
  CoriolisOutcome(const Model& m, const TreeState& s) : Cw(s.v.size()), dq(m.nv(), m.nv()), dv(dq) {
    CoriolisDerivativesWorkspace ws(m);
    calc_coriolis_derivatives(m, ws, s.q, s.v, s.a, Cw, dq, dv);
  }
  std::vector<double> Cw;
  Matrix dq, dv;
};

// Trees of all joints but those of users and laws of time, with armature; some are reversed.
Model coriolis_tree(std::uint64_t seed) {
  std::vector<JointKind> kinds = all_kinds();
  std::erase(kinds, JointKind::user);
  std::erase(kinds, JointKind::prescribed);
  std::erase(kinds, JointKind::composite);  // has such parts
  ModelSpec spec = random_tree(seed, {1 + static_cast<int>(seed) % 12, kinds, 0.5});
  Random rng(seed + 55);
  for (JointSpec& j : spec.joints) {
    if (j.kind == JointKind::fixed) continue;
    Joint joint;
    joint.kind = j.kind;
    j.dofs.assign(at(joint.nv()), DofSpec{});
    for (DofSpec& d : j.dofs) d.armature = rng.uniform(0.1, 0.5);
  }
  return compile(spec).value();
}

// w is s.a.
TEST(CoriolisDerivatives, AreThoseOfDualNumbers) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = coriolis_tree(seed);
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const CoriolisOutcome got(m, s);
    CoriolisWorkspace<Dual> dual(m);
    const int n = m.nv();
    Grid<Dual> C(n, n);
    std::vector<double> value(s.v.size());
    const SlopesByDual want = differentiate_list(m, s, n, [&](const auto& q, const auto& v, const auto& w) {
      calc_coriolis_matrix<Dual>(m, dual, q, v, C);
      std::vector<Dual> out(w.size());
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) out[at(i)] += C(i, k) * w[at(k)];
      for (int i = 0; i < n; ++i) value[at(i)] = out[at(i)].value;
      return out;
    });
    expect_near(got.dq, want.dq, 300), expect_near(got.dv, want.dv, 300);
    EXPECT_TRUE(near(got.Cw, value, 300, std::max(1.0, largest(want.dv.numbers))));
  }
}

// Where velocities are rates of positions C_ij = sum of Gamma_ijk v_k, Gamma symmetric in j and k: C(q, v) w = C(q, w)
// v, and d(C w)/dv = C(q, w).
TEST(CoriolisDerivatives, AreSymmetricAsChristoffelsSymbolsAre) {
  const Model m = compile(mechanisms::chain(9)).value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  const CoriolisOutcome one(m, s), other(m, {s.q, s.a, s.v});
  EXPECT_TRUE(near(one.Cw, other.Cw, 100));
  EXPECT_TRUE(near(one.dq.numbers, other.dq.numbers, 100));
  CoriolisWorkspace<double> ws(m);
  Matrix C(m.nv(), m.nv());
  calc_coriolis_matrix(m, ws, s.q, s.a, C);
  EXPECT_TRUE(near(one.dv.numbers, C.numbers, 100));
}

TEST(CoriolisDerivatives, AllocateNothing) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  CoriolisDerivativesWorkspace ws(m);
  std::vector<double> Cw(s.v.size());
  Matrix dq(m.nv(), m.nv()), dv(dq);
  calc_coriolis_derivatives(m, ws, s.q, s.v, s.a, Cw, dq, dv);
  const Matrix once = dq;
  AllocationCount allocations;
  calc_coriolis_derivatives(m, ws, s.q, s.v, s.a, Cw, dq, dv);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once.numbers, dq.numbers);
}

TEST(CoriolisDerivatives, RefuseJointsOfUsersByName) {
  ModelBuilder b("user");
  b.body("slider").mass(solid_sphere(1, 0.1));
  ModelSpec spec = b.spec();
  JointSpec j;
  j.name = "half", j.parent = "world", j.child = "slider", j.kind = JointKind::user;
  j.user = make_user_joint(HalfTurnJoint{});
  spec.joints.push_back(j);
  const Model m = compile(spec).value();
  try {
    const CoriolisDerivativesWorkspace ws(m);
    FAIL() << "no refusal";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("joint 'half' is user"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sinew::test
