// tests/constraint/two_trees/change_coupling_test.cpp - attach, hand over, release: momentum, energy, closed forms
#include "sinew/constraint/two_trees/change_coupling.hpp"

#include "constraint/two_trees/dense_trees.hpp"
#include "sinew/model/builder.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A spacecraft with two arms at a random posture; points of the satellite that are where its hands are.
struct Capture {
  Model base = compile(mechanisms::servicer()).value(), satellite = compile(mechanisms::satellite()).value();
  Random rng{11};
  Numbers q_p = random_configuration(base, rng), v_p = random_numbers(rng, base.nv());
  Numbers q_s = random_configuration(satellite, rng), v_s = random_numbers(rng, 6);
  CoupledTree p{base, {*base.find_frame("left_hand"), *base.find_frame("right_hand")}};
  CoupledTree s{satellite, {satellite.bodies()[1], satellite.bodies()[1]}};
  ChangeWorkspace ws{base, p, satellite, s, 12};
  Capture() {
    KinematicsWorkspace<double> kp(base), ks(satellite);
    calc_kinematics(base, kp, q_p);
    calc_kinematics(satellite, ks, q_s);
    for (std::size_t k = 0; k < 2; ++k)
      s.places[k].in_node = p.places[k].in_node * kp.X[p.places[k].node] * inverse(ks.X[1]);
    prepare_both();
  }
  void prepare_both() {
    prepare(base, p, q_p, v_p, Numbers(v_p.size()));
    prepare(satellite, s, q_s, v_s, Numbers(6));
  }
  // Points 0 .. 1 that are held: rows of 1 and -1.
  const CouplingAudit& hold(const std::vector<int>& points, SolveStatus status = SolveStatus::solved) {
    const auto rows = static_cast<Eigen::Index>(6 * points.size());
    Matrix A_P = Matrix::Zero(rows, 12), A_S = A_P;
    for (std::size_t k = 0; k < points.size(); ++k)
      for (int i = 0; i < 6; ++i)
        A_P(Eigen::Index(6 * k) + i, 6 * points[k] + i) = 1, A_S(Eigen::Index(6 * k) + i, 6 * points[k] + i) = -1;
    Numbers target(6 * points.size()), impulse(target);
    const SolveCertificate& c = change_coupling(base, p, satellite, s, ws, view_of(std::as_const(A_P)),
                                                view_of(std::as_const(A_S)), target, v_p, v_s, impulse);
    EXPECT_EQ(c.status, status);
    prepare_both();
    return ws.audit;
  }
};

void expect_kept(const CouplingAudit& a, const std::source_location& where = std::source_location::current()) {
  EXPECT_TRUE(is_small(a.momentum_error(), 1e-14, where));
  EXPECT_TRUE(is_small(a.energy_error(), 1e-14, where));
}

}  // namespace

// Attach with one arm, then with the other, let go with the first, let go with all.
TEST(ChangeCoupling, KeepsMomentumThroughAttachAndRelease) {
  Capture x;
  MomentumWorkspace<double> mp(x.base), ms(x.satellite);
  const Force<double> whole = calc_momentum(x.base, mp, x.q_p, x.v_p) + calc_momentum(x.satellite, ms, x.q_s, x.v_s);
  const CouplingAudit attach = x.hold({0});
  EXPECT_GT(attach.gap_before, 0.1);
  EXPECT_TRUE(is_small(attach.gap_after, 8e-14));
  EXPECT_LT(attach.energy_after, attach.energy_before);
  expect_kept(attach);
  const CouplingAudit second = x.hold({0, 1});
  EXPECT_GT(second.impulse, 1e-3);
  EXPECT_LT(second.energy_after, second.energy_before);
  expect_kept(second);
  // Rows that are obeyed already need no impulse: handing over and letting go change nothing.
  for (const std::vector<int>& held : {std::vector<int>{1}, std::vector<int>{}}) {
    const Numbers before = joined(x.v_p, x.v_s);
    const CouplingAudit a = x.hold(held);
    EXPECT_TRUE(near(joined(x.v_p, x.v_s), before, 200));
    EXPECT_TRUE(is_small(a.impulse, 1e-12));
    expect_kept(a);
  }
  const Force<double> end = calc_momentum(x.base, mp, x.q_p, x.v_p) + calc_momentum(x.satellite, ms, x.q_s, x.v_s);
  EXPECT_TRUE(near(end, whole, 1, largest(flatten(whole)), 1e-14));
  EXPECT_EQ(x.p.count.admittance, 1);  // one position: one sweep for all that happened
  EXPECT_NE(describe(attach).find("kinetic energy"), std::string::npos);
}

// Two free bodies of equal mass meet at their centres: the mean velocity, and half of the relative energy is gone.
TEST(ChangeCoupling, IsThePlasticImpactOfTwoBodies) {
  ModelBuilder b("ball");
  b.gravity({});
  b.body("ball").mass(solid_sphere(2, 0.1));
  b.free("ball.free", "world", "ball");
  const Model m = b.build().value();
  CoupledTree p(m, {m.bodies()[1]}), s(m, {m.bodies()[1]});
  prepare(m, p, m.neutral(), Numbers{0, 0, 0, 3, 0, 0}, Numbers(6));
  prepare(m, s, m.neutral(), Numbers{0, 0, 0, -1, 0, 0}, Numbers(6));
  ChangeWorkspace ws(m, p, m, s, 6);
  const Matrix A = Matrix::Identity(6, 6), B = -A;
  Numbers v_p(6), v_s(6), impulse(6);
  change_coupling(m, p, m, s, ws, view_of(A), view_of(B), Numbers(6), v_p, v_s, impulse);
  EXPECT_TRUE(near(v_p, Numbers{0, 0, 0, 1, 0, 0}, 20));
  EXPECT_TRUE(near(v_s, v_p, 20));
  EXPECT_NEAR(impulse[3], 4, 1e-14);  // it acts on the primary as -p
  EXPECT_NEAR(ws.audit.energy_before, 10, 1e-14);
  EXPECT_NEAR(ws.audit.energy_after, 2, 1e-14);
  EXPECT_NEAR(ws.audit.work, -8, 1e-14);
  // With a target: the bodies leave each other at 2 m/s.
  change_coupling(m, p, m, s, ws, view_of(A), view_of(B), Numbers{0, 0, 0, -2, 0, 0}, v_p, v_s, impulse);
  EXPECT_NEAR(v_s[3] - v_p[3], 2, 1e-14);
  EXPECT_TRUE(is_small(ws.audit.energy_error(), 1e-14));
}

// Against M (nu_after - nu) = G^T lambda, G nu_after = 0, on a mechanism with loops: they stay obeyed.
TEST(ChangeCoupling, LoopsStayObeyed) {
  const LoopState l(mechanisms::stewart_platform(), 5);
  const Model body = compile(mechanisms::satellite()).value();
  Random rng(3);
  CoupledTree p(l.model, {l.model.bodies()[1]}, &l.set), s(body, {body.bodies()[1]});
  const Numbers q_s = random_configuration(body, rng), v_s = random_numbers(rng, 6), none(l.s.v.size());
  prepare(l.model, p, l.s.q, l.s.v, none);
  prepare(body, s, q_s, v_s, Numbers(6));
  ChangeWorkspace ws(l.model, p, body, s, 6);
  const Matrix A = Matrix::Identity(6, 6), B = -A;
  const Numbers target(6);
  Numbers after_p(none), after_s(6), impulse(6);
  AllocationCount allocations;
  change_coupling(l.model, p, body, s, ws, view_of(A), view_of(B), target, after_p, after_s, impulse);
  EXPECT_EQ(allocations.count(), 0);
  DenseTrees dense(DenseTree(l.model, p.places, &l.set, l.s.q, l.s.v, none),
                   DenseTree(body, s.places, nullptr, q_s, v_s, Numbers(6)), A, B, Numbers(6));
  dense.k.setZero();
  const Numbers want = dense.solve(vector_of(joined(l.s.v, v_s)));
  EXPECT_TRUE(near(joined(after_p, after_s), want, 1, largest(want), 2e-13));
  EXPECT_TRUE(is_small(ws.audit.energy_error(), 1e-14));
}

}  // namespace sinew::test
