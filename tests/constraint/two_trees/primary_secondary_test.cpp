// tests/constraint/two_trees/primary_secondary_test.cpp - two trees coupled: against dense matrices, against one model
// with a loop, against closed forms [R92 0.19-0.37]
#include "sinew/constraint/two_trees/primary_secondary.hpp"

#include "constraint/two_trees/dense_trees.hpp"
#include "sinew/model/builder.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// An arm of revolute joints along random axes.
void add_arm(ModelBuilder& b, const std::string& name, int joints, const Vec3<double>& base, std::uint64_t seed) {
  Random rng(seed);
  for (int i = 0; i < joints; ++i) {
    const std::string body = name + std::to_string(i), parent = i == 0 ? "world" : name + std::to_string(i - 1);
    b.body(body).mass(solid_box(1 + i % 3, {0.1, 0.2, 0.4}), make_placement({0.1, 0, 0.2}));
    b.revolute(body + ".joint", parent, body).at(i == 0 ? base : Vec3<double>{0.1, 0.05, 0.4}).axis(random_unit(rng));
  }
}
Model make_arms(int arms, int joints, std::uint64_t seed) {
  ModelBuilder b("arms");
  for (int k = 0; k < arms; ++k)
    add_arm(b, "arm" + std::to_string(k) + ".", joints, {double(k), 0, 0}, seed + std::uint64_t(k));
  return b.build().value();
}
void add_free_body(ModelBuilder& b, const std::string& name, double mass) {
  b.body(name).mass(solid_box(mass, {0.5, 0.4, 0.2}), make_placement({0.1, -0.2, 0.05}));
  b.free(name + ".free", "world", name);
}
Model make_free_bodies(int count) {
  ModelBuilder b("bodies");
  for (int i = 0; i < count; ++i) add_free_body(b, "body" + std::to_string(i), 2 + i);
  return b.build().value();
}

Place place_at(const BodyEntry& body, const Vec3<double>& point) {
  Place p = body;
  p.in_node = Transform<double>{{}, point} * p.in_node;
  return p;
}

// Two trees at a state, with their workspaces and the oracle.
struct Trees {
  const Model &m_p, &m_s;
  CoupledTree p, s;
  Numbers q_p, v_p, t_p, q_s, v_s, t_s, U, a_p, a_s, f;
  Matrix A_P, A_S;
  CouplingWorkspace ws;
  Trees(const Model& primary, std::vector<Place> on_p, const Model& secondary, std::vector<Place> on_s, int rows,
        Random& rng, const ConstraintSet* loops_p = nullptr, const ConstraintSet* loops_s = nullptr)
      : m_p(primary),
        m_s(secondary),
        p(primary, std::move(on_p), loops_p),
        s(secondary, std::move(on_s), loops_s),
        q_p(random_configuration(primary, rng)),
        v_p(random_numbers(rng, primary.nv())),
        t_p(random_numbers(rng, primary.nv())),
        q_s(random_configuration(secondary, rng)),
        v_s(random_numbers(rng, secondary.nv())),
        t_s(random_numbers(rng, secondary.nv())),
        U(random_numbers(rng, rows)),
        a_p(v_p.size()),
        a_s(v_s.size()),
        f(at(rows)),
        A_P(random_coefficients(rng, rows, 6 * p.points())),
        A_S(random_coefficients(rng, rows, 6 * s.points())),
        ws(p, s, rows) {}
  void prepare_both(double time = 0) {
    prepare(m_p, p, q_p, v_p, t_p, {.external = {}, .time = time});
    prepare(m_s, s, q_s, v_s, t_s, {.external = {}, .time = time});
  }
  // A = +-1 between points of the same number, U so that they accelerate alike.
  void weld() {
    A_P = Matrix::Identity(A_P.rows(), A_P.cols()), A_S = -Matrix::Identity(A_S.rows(), A_S.cols());
    const Eigen::VectorXd u = -(A_P * vector_of(p.bias) + A_S * vector_of(s.bias));
    U = entries_of(u);
  }
  const SolveCertificate& run() {
    return couple(m_p, p, m_s, s, ws, view_of(std::as_const(A_P)), view_of(std::as_const(A_S)), U, a_p, a_s, f);
  }
  Numbers couple_both() {
    EXPECT_EQ(run().status, SolveStatus::solved);
    return joined(a_p, a_s);
  }
  Numbers primary_first() {
    EXPECT_EQ(couple_primary_first(m_p, p, m_s, s, ws, view_of(std::as_const(A_P)), view_of(std::as_const(A_S)), U, a_p,
                                   a_s, f)
                  .status,
              SolveStatus::solved);
    return joined(a_p, a_s);
  }
  DenseTrees dense(double time = 0) const {
    return {DenseTree(m_p, p.places, p.loops, q_p, v_p, t_p, time),
            DenseTree(m_s, s.places, s.loops, q_s, v_s, t_s, time), A_P, A_S, U};
  }
};

// Two arms, welded at their tips.
struct Pair {
  Model arm_p = make_arms(1, 8, 1), arm_s = make_arms(1, 7, 2);
  Random rng{3};
  Trees x{arm_p, {arm_p.bodies().back()}, arm_s, {arm_s.bodies().back()}, 6, rng};
  Pair() {
    x.prepare_both();
    x.weld();
  }
};

}  // namespace

// Every kind of joint, several points, some of them on one body or on the world, couplings without any structure.
TEST(PrimarySecondary, IsTheDenseSolutionOnRandomTrees) {
  int solved = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(std::uint64_t(seed) + 77);
    const auto make = [&](int bodies, int k) {
      RandomTreeOptions o;
      o.bodies = bodies;
      return compile(random_tree(std::uint64_t(2 * seed + k), o)).value();
    };
    const Model m_p = make(4 + seed % 9, 0), m_s = make(3 + seed % 5, 1);
    const auto points = [&](const Model& m, int count) {
      std::vector<Place> out;
      for (int i = 0; i < count; ++i)
        out.push_back(place_at(m.bodies()[at(rng.below(int(m.bodies().size())))], random_vec3(rng)));
      return out;
    };
    const int freedoms = m_p.nv() + m_s.nv(), rows = std::min(1 + seed % 7, freedoms / 2);
    Trees x(m_p, points(m_p, 1 + seed % 3), m_s, points(m_s, 1 + seed % 2), rows, rng);
    const double time = 0.3;
    x.prepare_both(time);
    const DenseTrees dense = x.dense(time);
    Eigen::VectorXd free(freedoms);
    free << vector_of(x.p.free), vector_of(x.s.free);
    EXPECT_TRUE(near(entries_of(dense.M * free), entries_of(dense.f), 1, std::max(1.0, dense.f.norm()), 4e-11));
    const DenseTree p(m_p, x.p.places, nullptr, x.q_p, x.v_p, x.t_p, time);
    EXPECT_TRUE(near(x.p.alpha, entries_of(p.J * vector_of(x.p.free)), 400));
    EXPECT_TRUE(near(x.p.bias, entries_of(p.bias), 100));
    // Points on the world, or with few freedoms behind them, cannot follow every row.
    const bool possible = dense_rank(dense.G, 1e-9) == rows;
    EXPECT_EQ(x.run().status, possible ? SolveStatus::solved : SolveStatus::inconsistent);
    solved += possible;
    if (possible) {
      const Numbers got = joined(x.a_p, x.a_s), want = dense.accelerate();
      EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 2e-8));
    }
    Matrix Lambda(p.J.rows(), p.J.rows());
    get_admittance(x.p, view_of(Lambda));
    const Matrix by_dense = dense_product(dense_product(p.J, dense_inverse(p.M)), p.J.transpose());
    EXPECT_TRUE(
        is_small((Lambda - by_dense).cwiseAbs().maxCoeff(), 1e-10 * std::max(1.0, by_dense.cwiseAbs().maxCoeff())));
  }
  EXPECT_GT(solved, 50);
}

TEST(PrimarySecondary, IsTheLoopOfOneModel) {
  Pair pair;
  Trees& x = pair.x;
  // The same as one model with a weld where the two tips are.
  KinematicsWorkspace<double> kp(pair.arm_p), ks(pair.arm_s);
  calc_kinematics(pair.arm_p, kp, x.q_p);
  calc_kinematics(pair.arm_s, ks, x.q_s);
  const Pose in_body = get_body_pose(pair.arm_p, kp, 8) * inverse(get_body_pose(pair.arm_s, ks, 7));
  ModelBuilder b("both");
  add_arm(b, "p", 8, {0, 0, 0}, 1);
  add_arm(b, "s", 7, {0, 0, 0}, 2);
  LoopSpec weld;
  weld.name = "weld", weld.kind = JointKind::fixed, weld.body_a = "s6", weld.body_b = "p7", weld.pose_a = in_body;
  b.loop(weld);
  const Model both = b.build().value();
  const ConstraintSet set(both);
  const Numbers q = joined(x.q_p, x.q_s);
  Numbers v = joined(x.v_p, x.v_s), want(15), lambda(6);
  ManifoldWorkspace manifold(both, set);
  ASSERT_TRUE(project_velocity(both, set, manifold, q, v).reached);
  ConstrainedWorkspace kkt(both, set, {.method = ConstrainedMethod::kkt});
  ASSERT_EQ(constrained_forward_dynamics(both, set, kkt, q, v, joined(x.t_p, x.t_s), want, lambda).status,
            SolveStatus::solved);

  x.s.places[0].in_node = in_body * x.s.places[0].in_node;  // the point moves, the tree stays
  x.v_p.assign(v.begin(), v.begin() + 8), x.v_s.assign(v.begin() + 8, v.end());
  x.prepare_both();
  x.weld();
  AllocationCount allocations;
  const SolveCertificate& c = x.run();
  x.prepare_both();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(c.status, SolveStatus::solved);
  EXPECT_EQ(c.rank, 6);
  EXPECT_TRUE(near(joined(x.a_p, x.a_s), want, 1, std::max(1.0, largest(want)), 2.5e-13));
}

// Every row twice: the same motion, forces shared evenly; rows that disagree are named.
TEST(PrimarySecondary, RedundantAndContradictingRows) {
  Pair pair;
  Trees& x = pair.x;
  const Numbers want = x.couple_both(), f = x.f;
  x.ws = CouplingWorkspace(x.p, x.s, 12);
  x.A_P = Matrix(x.A_P.replicate(2, 1)), x.A_S = Matrix(x.A_S.replicate(2, 1));
  x.U = joined(x.U, x.U), x.f.resize(12);
  EXPECT_TRUE(near(x.couple_both(), want, 1, std::max(1.0, largest(want)), 1e-14));
  EXPECT_EQ(x.ws.certificate.rank, 6);
  EXPECT_TRUE(near(x.f[2], f[2] / 2, 1, largest(f), 5e-15));
  x.U[7] += 1;
  EXPECT_EQ(x.run().status, SolveStatus::inconsistent);
  EXPECT_EQ(x.ws.certificate.contradicting, (std::vector<int>{1, 7}));
}

TEST(PrimarySecondary, PrimaryFirstIsTheSame) {
  Pair pair;
  Trees& x = pair.x;
  const Numbers want = x.couple_both(), forces = x.f;
  (void)x.primary_first();
  AllocationCount allocations;
  const auto run = [&] {
    return couple_primary_first(x.m_p, x.p, x.m_s, x.s, x.ws, view_of(std::as_const(x.A_P)),
                                view_of(std::as_const(x.A_S)), x.U, x.a_p, x.a_s, x.f)
        .status;
  };
  EXPECT_EQ(run(), SolveStatus::solved);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_TRUE(near(joined(x.a_p, x.a_s), want, 1, largest(want), 2.5e-14));  // [R92 0.35]
  EXPECT_TRUE(near(x.f, forces, 1, largest(forces), 1.5e-14));
  x.A_P.row(1) = x.A_P.row(0);
  EXPECT_EQ(run(), SolveStatus::not_reached);
  EXPECT_TRUE(std::isnan(x.a_p[0]) && std::isnan(x.a_s[0]) && std::isnan(x.f[0]));
}

// Other attachments, another secondary, another velocity: the primary's sweeps are not done again.
TEST(PrimarySecondary, WhatDidNotChangeIsKept) {
  Pair pair;
  Trees& x = pair.x;
  const Numbers want = x.couple_both();
  EXPECT_EQ(x.p.count.motion, 1);
  EXPECT_EQ(x.p.count.admittance, 1);
  const Numbers U = x.U;
  const Matrix A = x.A_P;
  x.A_P.topRows(3).setZero(), x.A_S.topRows(3).setZero();
  for (std::size_t i = 0; i < 3; ++i) x.U[i] = 0;
  const Numbers other = x.couple_both();
  EXPECT_EQ(x.p.count.motion, 1);
  EXPECT_EQ(x.p.count.admittance, 1);
  EXPECT_EQ(x.p.count.correction, 2);
  Pair fresh;
  fresh.x.A_P = x.A_P, fresh.x.A_S = x.A_S, fresh.x.U = x.U;
  EXPECT_EQ(other, fresh.x.couple_both());
  x.A_P = A, x.A_S = -A, x.U = U;
  EXPECT_EQ(x.couple_both(), want);

  // The secondary moves on; the primary gets another velocity at the same position.
  x.q_s[0] += 0.1, x.v_p[0] += 1;
  prepare(x.m_s, x.s, x.q_s, x.v_s, x.t_s);
  EXPECT_EQ(x.s.count.admittance, 2);
  EXPECT_EQ(x.p.count.motion, 1);
  prepare(x.m_p, x.p, x.q_p, x.v_p, x.t_p);
  EXPECT_EQ(x.p.count.motion, 2);
  EXPECT_EQ(x.p.count.admittance, 1);
  x.weld();
  const Numbers got = x.couple_both();
  EXPECT_TRUE(near(got, x.dense().accelerate(), 1, largest(got), 1.5e-13));

  // Another secondary in its place, with the same primary.
  const Model body = make_free_bodies(1);
  CoupledTree s(body, {body.bodies().back()});
  prepare(body, s, body.neutral(), Numbers(6), Numbers(6));
  CouplingWorkspace ws(x.p, s, 6);
  Numbers a_s(6);
  const Matrix A_S = -Matrix::Identity(6, 6);
  couple(x.m_p, x.p, body, s, ws, view_of(std::as_const(x.A_P)), view_of(A_S), x.U, x.a_p, a_s, x.f);
  EXPECT_EQ(x.p.count.motion, 2);
  EXPECT_EQ(x.p.count.admittance, 1);
}

// nu' = R [1 - b (A Lambda A^*)^-1 b^*] R T with R^2 = M^-1 and b = R J^* A^*, where U = 0. [R92 0.37]
TEST(PrimarySecondary, TheConstraintIsAProjector) {
  Pair pair;
  Trees& x = pair.x;
  std::fill(x.U.begin(), x.U.end(), 0.0);
  const Numbers want = x.couple_both();
  const DenseTrees dense = x.dense();
  const Matrix R = dense.inverse_root(), b = dense_product(R, dense.G.transpose());
  Matrix L_p(6, 6), L_s(6, 6);
  get_admittance(x.p, view_of(L_p)), get_admittance(x.s, view_of(L_s));
  const Matrix W = L_p + L_s;
  EXPECT_TRUE(is_small((dense_product(b.transpose(), b) - W).cwiseAbs().maxCoeff(), 3e-14 * W.cwiseAbs().maxCoeff()));
  const Matrix P = Matrix::Identity(15, 15) - dense_product(dense_product(b, dense_inverse(W)), b.transpose());
  EXPECT_TRUE(is_small((dense_product(P, P) - P).cwiseAbs().maxCoeff(), 5e-14));
  EXPECT_TRUE(is_small(dense_product(P, b).cwiseAbs().maxCoeff(), 7e-14 * b.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(P.trace(), 9, 8e-14);  // N_C = N_P + N_S - N_E
  EXPECT_TRUE(near(entries_of(R * (P * (R * dense.f))), want, 1, largest(want), 2e-13));
}

// Two free bodies, welded: one body that falls and spins. And the secondary is not swept.
TEST(PrimarySecondary, AFreeBodyIsClosedForm) {
  const Model one = make_free_bodies(1), two = make_free_bodies(2);
  Random rng(5);
  Trees x(two, {two.bodies()[2]}, one, {place_at(one.bodies()[1], {0.3, 0.1, -0.2})}, 6, rng);
  EXPECT_TRUE(x.s.is_free_body);
  EXPECT_FALSE(x.p.is_free_body);
  EXPECT_EQ(x.s.dynamics, nullptr);
  x.prepare_both();
  x.weld();
  const Numbers got = x.couple_both();
  EXPECT_EQ(x.s.count.admittance, 0);
  EXPECT_TRUE(near(got, x.dense().accelerate(), 1, largest(got), 3e-14));
  // The same body, swept as a part of a larger model.
  Random again(5);
  Trees y(two, {two.bodies()[2]}, two, {place_at(two.bodies()[1], {0.3, 0.1, -0.2})}, 6, again);
  y.q_p = x.q_p, y.v_p = x.v_p, y.t_p = x.t_p;
  for (std::size_t i = 0; i < 7; ++i) y.q_s[i] = x.q_s[i];
  for (std::size_t i = 0; i < 6; ++i) y.v_s[i] = x.v_s[i], y.t_s[i] = x.t_s[i];
  y.prepare_both();
  y.weld();
  const Numbers swept = y.couple_both();
  EXPECT_TRUE(near(Numbers(swept.begin(), swept.begin() + 18), got, 1, largest(got), 1e-14));
}

// Loops inside either tree, redundant ones too.
TEST(PrimarySecondary, LoopsInsideTheTrees) {
  const std::vector<LoopCase> cases = loop_cases();
  for (std::size_t i = 0; i + 1 < cases.size(); ++i) {
    const LoopCase &a = cases[i], &b = cases[(i + 2) % (cases.size() - 1)];
    SCOPED_TRACE(a.name + " and " + b.name);
    const LoopState l_p(a.spec, 3), l_s(b.spec, 4);
    Random rng(8);
    // A rod between two points: one row, which both mechanisms can follow.
    Trees x(l_p.model, {place_at(l_p.model.bodies().back(), {0.1, 0.2, 0})}, l_s.model,
            {place_at(l_s.model.bodies().back(), {0.2, -0.1, 0})}, 1, rng, &l_p.set, &l_s.set);
    x.q_p = l_p.s.q, x.v_p = l_p.s.v, x.q_s = l_s.s.q, x.v_s = l_s.s.v;
    x.prepare_both();
    EXPECT_EQ(x.p.certificate.rank, a.rank);
    EXPECT_EQ(x.s.certificate.rank, b.rank);
    const Numbers got = x.couple_both(), want = x.dense().accelerate();
    EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 1e-12));
    EXPECT_EQ(x.ws.groups, 1);
    // M a = T - C - J^* A^* f + K^* lambda
    const DenseTrees d = x.dense();
    Numbers all = x.f;
    for (double& f : all) f = -f;
    all = joined(joined(all, x.p.loop_force), x.s.loop_force);
    const Eigen::VectorXd left = d.M * vector_of(got) - d.f - d.G.transpose() * vector_of(all);
    EXPECT_TRUE(is_small(left.cwiseAbs().maxCoeff(), 1.5e-12));
    AllocationCount allocations;
    x.prepare_both();
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_EQ(x.p.count.admittance, 1);
    EXPECT_EQ(x.couple_both(), got);
    const Numbers first = x.primary_first();
    EXPECT_TRUE(near(first, got, 1, std::max(1.0, largest(want)), 3e-12));
  }
}

// A loop of the primary as rows of A_P between two of its points [R92 0.20] or as its ConstraintSet: the same motion.
TEST(PrimarySecondary, LoopsMayBeRowsOfTheCoupling) {
  const LoopState l(mechanisms::crank_slider(), 3);
  const Model& m = l.model;
  const LoopEntry& pin = m.loops()[0];
  Place a = m.bodies().back(), b = a;
  a.node = pin.node_a, a.in_node = pin.in_a, b.node = pin.node_b, b.in_node = pin.in_b;
  const Model body = make_free_bodies(1);
  Random rng(8);
  const Place grip = place_at(m.bodies()[1], {0.05, 0, 0});
  Trees by_set(m, {grip}, body, {body.bodies()[1]}, 3, rng, &l.set);
  by_set.q_p = l.s.q, by_set.v_p = l.s.v;
  by_set.prepare_both();
  const Numbers want = by_set.couple_both();
  // Only the coordinate along the loop's axis is free: the pin's two points stay together.
  Trees by_rows(m, {grip, a, b}, body, {body.bodies()[1]}, 6, rng);
  by_rows.q_p = by_set.q_p, by_rows.v_p = by_set.v_p, by_rows.t_p = by_set.t_p;
  by_rows.q_s = by_set.q_s, by_rows.v_s = by_set.v_s, by_rows.t_s = by_set.t_s;
  by_rows.prepare_both();
  by_rows.A_P.setZero(), by_rows.A_S.setZero();
  by_rows.A_P.topLeftCorner(3, 6) = by_set.A_P, by_rows.A_S.topRows(3) = by_set.A_S;
  for (int i = 0; i < 3; ++i) by_rows.A_P(3 + i, 9 + i) = 1, by_rows.A_P(3 + i, 15 + i) = -1;
  for (std::size_t i = 0; i < 3; ++i)
    by_rows.U[i] = by_set.U[i], by_rows.U[3 + i] = by_rows.p.bias[15 + i] - by_rows.p.bias[9 + i];
  EXPECT_TRUE(near(by_rows.couple_both(), want, 1, largest(want), 6e-14));
}

// Loops that cannot be obeyed: the tree's own certificate names the rows.
TEST(PrimarySecondary, LoopsThatContradictAreNamed) {
  const Model m = make_arms(1, 3, 4);
  MaskConstraint hold;
  hold.name = "hold", hold.body_b = m.bodies().back().name;
  KinematicsWorkspace<double> kinematics(m);
  calc_kinematics(m, kinematics, Numbers{0.1, 0.2, 0.3});
  hold.pose_a = get_body_pose(m, kinematics, 3);
  MaskConstraint push = hold;
  push.name = "push";
  push.laws.resize(6);
  push.laws[5] = [](double t) { return MotionSample{t * t, 2 * t, 2}; };
  const ConstraintSet set(m, {hold, push});
  CoupledTree t(m, {m.bodies().back()}, &set);
  EXPECT_EQ(prepare(m, t, Numbers{0.1, 0.2, 0.3}, Numbers(3), Numbers(3)).status, SolveStatus::inconsistent);
  EXPECT_FALSE(t.certificate.contradicting.empty());
}

// Arms on the world that hold bodies of their own are groups; one body in all hands is one group, but the arms'
// admittance stays block-diagonal.
TEST(PrimarySecondary, GroupsAreSolvedOneByOne) {
  const Model arms = make_arms(3, 7, 20), bodies = make_free_bodies(3), one = make_free_bodies(1);
  std::vector<Place> grips, apart, together;
  for (int k = 0; k < 3; ++k) {
    grips.emplace_back(arms.bodies()[7 * at(k) + 7]);
    apart.emplace_back(bodies.bodies()[at(k) + 1]);
    together.push_back(place_at(one.bodies()[1], {0.1 * k, 0, 0.2}));
  }
  Random rng(6);
  Trees x(arms, grips, bodies, apart, 18, rng);
  x.prepare_both();
  x.weld();
  const Numbers got = x.couple_both(), want = x.dense().accelerate();
  EXPECT_EQ(x.ws.groups, 3);
  EXPECT_EQ(x.ws.certificate.rank, 18);
  EXPECT_TRUE(near(got, want, 1, largest(want), 1.5e-13));
  // Rows of the last arm contradict: they are named by their numbers among all rows.
  x.A_P.row(17) = x.A_P.row(16), x.A_S.row(17) = x.A_S.row(16), x.U[17] = x.U[16] + 1;
  EXPECT_EQ(x.run().status, SolveStatus::inconsistent);
  EXPECT_EQ(x.ws.certificate.rank, 17);
  EXPECT_EQ(x.ws.certificate.contradicting, (std::vector<int>{16, 17}));

  Trees y(arms, grips, one, together, 18, rng);
  y.prepare_both();
  y.weld();
  const Numbers all = y.couple_both();
  EXPECT_EQ(y.ws.groups, 1);
  EXPECT_TRUE(near(all, y.dense().accelerate(), 1, largest(all), 4e-13));
  const Numbers first = y.primary_first();
  EXPECT_EQ(y.ws.groups, 3);
  EXPECT_TRUE(near(first, all, 1, largest(all), 1.5e-13));
}

TEST(PrimarySecondary, ALongChain) {
  const Model chain = compile(mechanisms::chain(200)).value(), body = make_free_bodies(1);
  Random rng(7);
  Trees x(chain, {chain.bodies().back()}, body, {body.bodies()[1]}, 6, rng);
  x.prepare_both();
  x.weld();
  const Numbers got = x.couple_both();
  // The equations themselves: the oracle's inverse of M is worse than the answer.
  const DenseTrees d = x.dense();
  const Eigen::VectorXd a = vector_of(got), force = d.G.transpose() * vector_of(x.f);
  EXPECT_TRUE(is_small((d.M * a + force - d.f).cwiseAbs().maxCoeff(), 4e-13 * d.f.cwiseAbs().maxCoeff()));
  EXPECT_TRUE(is_small((d.G * a - d.k).cwiseAbs().maxCoeff(), 4e-14 * largest(got)));
}

// Inertia that is added to the joints of the same model at the same position is seen; what is not finite is named.
TEST(PrimarySecondary, NothingIsKeptThatDidChange) {
  Pair pair;
  Trees& x = pair.x;
  const Numbers before = x.couple_both();
  const Model heavy = with_armature(pair.arm_p, Numbers(8, 0.5));
  prepare(heavy, x.p, x.q_p, x.v_p, x.t_p);
  EXPECT_EQ(x.p.count.admittance, 2);
  const Numbers after = x.couple_both();
  EXPECT_GT(std::abs(after[0] - before[0]), 1e-3);
  const Model body = make_free_bodies(1), loaded = with_armature(body, Numbers(6, 1.0));
  CoupledTree s(body, {body.bodies()[1]});
  EXPECT_THROW(prepare(loaded, s, body.neutral(), Numbers(6), Numbers(6)), std::invalid_argument);
  x.t_p[3] = std::numeric_limits<double>::quiet_NaN();
  prepare(pair.arm_p, x.p, x.q_p, x.v_p, x.t_p);
  EXPECT_EQ(x.run().status, SolveStatus::non_finite);
}

TEST(PrimarySecondary, BadInputIsRefused) {
  Pair pair;
  Trees& x = pair.x;
  const Model& m = pair.arm_p;
  CoupledTree fresh(m, {m.bodies().back()});
  EXPECT_THROW(couple(m, fresh, x.m_s, x.s, x.ws, view_of(std::as_const(x.A_P)), view_of(std::as_const(x.A_S)), x.U,
                      x.a_p, x.a_s, x.f),
               std::invalid_argument);  // before prepare
  fresh.places[0].node = 1;
  EXPECT_THROW(prepare(m, fresh, x.q_p, x.v_p, x.t_p), std::invalid_argument);
  const LoopState other(mechanisms::four_bar());
  EXPECT_THROW(CoupledTree(m, {m.bodies().back()}, &other.set), std::invalid_argument);
}

}  // namespace sinew::test
