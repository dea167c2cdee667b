// tests/constraint/two_trees/primary_secondary_test.cpp - two trees coupled, against one model with a loop [R92 0.22]
#include "sinew/constraint/two_trees/primary_secondary.hpp"

#include <Eigen/LU>

#include "sinew/model/builder.hpp"
#include "support/dense_algebra.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
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
Model make_arm(const std::string& name, int joints, const Vec3<double>& base, std::uint64_t seed) {
  ModelBuilder b(name);
  add_arm(b, name, joints, base, seed);
  return b.build().value();
}

struct Pair {
  Model p = make_arm("p", 8, {0, 0, 0}, 1), s = make_arm("s", 7, {1, 0, 0}, 2), both;
  std::vector<double> q_p, q_s, q;
  FrameEntry grip;  // on the secondary, where the primary's last body stands
  Pair() : both(make_arm("p", 1, {}, 1)) {
    Random rng(4);
    q_p = random_numbers(rng, p.nv()), q_s = random_numbers(rng, s.nv());
    KinematicsWorkspace<double> kp(p), ks(s);
    calc_kinematics(p, kp, q_p);
    calc_kinematics(s, ks, q_s);
    const BodyEntry &tip_p = p.bodies().back(), &tip_s = s.bodies().back();
    const Pose in_body = get_body_pose(p, kp, 8) * inverse(get_body_pose(s, ks, 7));
    grip = {"grip", 7, tip_s.node, in_body * tip_s.in_node};
    ModelBuilder b("both");
    add_arm(b, "p", 8, {0, 0, 0}, 1);
    add_arm(b, "s", 7, {1, 0, 0}, 2);
    LoopSpec weld;
    weld.name = "weld", weld.kind = JointKind::fixed;
    weld.body_a = tip_s.name, weld.body_b = tip_p.name;
    weld.pose_a = in_body;
    b.loop(weld);
    both = b.build().value();
    q = q_p;
    q.insert(q.end(), q_s.begin(), q_s.end());
  }
};

MatrixView<const double> view(Grid<double>& g) { return {g.numbers.data(), g.rows, g.cols}; }

Numbers joined(Numbers a, const Numbers& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Both trees at a random velocity, welded at their tips.
struct Welded {
  Pair x;
  CoupledTree p{x.p, {x.p.bodies().back()}}, s{x.s, {x.grip}};
  Grid<double> A_P{6, 6}, A_S{6, 6};
  Numbers U = Numbers(6), a_p = Numbers(8), a_s = Numbers(7), f = Numbers(6);
  CouplingWorkspace ws{12};
  Welded() {
    Random rng(3);
    prepare(x.p, p, x.q_p, random_numbers(rng, 8), random_numbers(rng, 8));
    prepare(x.s, s, x.q_s, random_numbers(rng, 7), random_numbers(rng, 7));
    for (int i = 0; i < 6; ++i) A_P(i, i) = 1, A_S(i, i) = -1;
    for (std::size_t i = 0; i < 6; ++i) U[i] = s.bias[i] - p.bias[i];
  }
  Numbers couple() {
    EXPECT_EQ(sinew::couple(x.p, p, x.s, s, ws, view(A_P), view(A_S), U, a_p, a_s, f).status, SolveStatus::solved);
    return joined(a_p, a_s);
  }
};

}  // namespace

TEST(PrimarySecondary, IsTheLoopOfOneModel) {
  const Pair x;
  const ConstraintSet set(x.both);
  Random rng(9);
  std::vector<double> v = random_numbers(rng, 15), tau = random_numbers(rng, 15), want(15), lambda(6);
  ManifoldWorkspace manifold(x.both, set);
  ASSERT_TRUE(project_velocity(x.both, set, manifold, x.q, v).reached);
  ConstrainedWorkspace kkt(x.both, set, {.method = ConstrainedMethod::kkt});
  ASSERT_EQ(constrained_forward_dynamics(x.both, set, kkt, x.q, v, tau, want, lambda).status, SolveStatus::solved);

  CoupledTree p(x.p, {x.p.bodies().back()}), s(x.s, {x.grip});
  CouplingWorkspace ws(12);
  const std::vector<double> v_p(v.begin(), v.begin() + 8), v_s(v.begin() + 8, v.end());
  const std::vector<double> t_p(tau.begin(), tau.begin() + 8), t_s(tau.begin() + 8, tau.end());
  prepare(x.p, p, x.q_p, v_p, t_p);
  prepare(x.s, s, x.q_s, v_s, t_s);
  Grid<double> A_P(6, 6), A_S(6, 6);
  std::vector<double> U(6), a_p(8), a_s(7), f(6);
  for (int i = 0; i < 6; ++i) A_P(i, i) = 1, A_S(i, i) = -1;
  for (std::size_t i = 0; i < 6; ++i) U[i] = s.bias[i] - p.bias[i];
  AllocationCount allocations;
  const SolveCertificate& c = couple(x.p, p, x.s, s, ws, view(A_P), view(A_S), U, a_p, a_s, f);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(c.status, SolveStatus::solved);
  EXPECT_EQ(c.rank, 6);
  Numbers got = joined(a_p, a_s);
  EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 5e-13));

  // Every row twice: the same motion, forces shared evenly. And back: steps A to C are still there.
  Grid<double> B_P(12, 6), B_S(12, 6);
  std::vector<double> U2(12), f2(12);
  for (int i = 0; i < 12; ++i) B_P(i, i % 6) = 1, B_S(i, i % 6) = -1, U2[i] = U[i % 6];
  EXPECT_EQ(couple(x.p, p, x.s, s, ws, view(B_P), view(B_S), U2, a_p, a_s, f2).rank, 6);
  got = joined(a_p, a_s);
  EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 5e-13));
  EXPECT_TRUE(near(f2[2], f[2] / 2, 1, largest(f), 1e-14));
  U2[7] += 1;
  EXPECT_EQ(couple(x.p, p, x.s, s, ws, view(B_P), view(B_S), U2, a_p, a_s, f2).status, SolveStatus::inconsistent);
  EXPECT_EQ(ws.certificate.contradicting, (std::vector<int>{1, 7}));
}

TEST(PrimarySecondary, PrimaryFirstIsTheSame) {
  Welded w;
  const Numbers want = w.couple(), forces = w.f;
  PrimaryFirstWorkspace ws(w.x.s, 6);
  const auto run = [&](Grid<double>& A_P) {
    return couple_primary_first(w.x.p, w.p, w.x.s, w.s, ws, view(A_P), view(w.A_S), w.U, w.a_p, w.a_s, w.f).status;
  };
  run(w.A_P);
  AllocationCount allocations;
  EXPECT_EQ(run(w.A_P), SolveStatus::solved);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_TRUE(near(joined(w.a_p, w.a_s), want, 1, largest(want), 2e-12));  // [R92 0.35]
  EXPECT_TRUE(near(w.f, forces, 1, largest(forces), 1e-12));
  Grid<double> twice = w.A_P;
  for (int i = 0; i < 6; ++i) twice(1, i) = twice(0, i);
  EXPECT_EQ(run(twice), SolveStatus::not_reached);
  EXPECT_TRUE(std::isnan(w.a_p[0]) && std::isnan(w.a_s[0]) && std::isnan(w.f[0]));
}

// Other attachments, and back: steps A to C were done once and are still good.
TEST(PrimarySecondary, OtherAttachmentsNeedNoOtherPreparation) {
  Welded w;
  const Numbers want = w.couple();
  Welded fresh;
  for (int i = 0; i < 6; ++i)
    w.A_P(i, i) = fresh.A_P(i, i) = i < 3 ? 0 : 1, w.A_S(i, i) = fresh.A_S(i, i) = i < 3 ? 0 : -1;
  const Numbers U = w.U;
  for (std::size_t i = 0; i < 3; ++i) w.U[i] = fresh.U[i] = 0;
  EXPECT_EQ(w.couple(), fresh.couple());
  w.U = U;
  for (int i = 0; i < 6; ++i) w.A_P(i, i) = 1, w.A_S(i, i) = -1;
  EXPECT_EQ(w.couple(), want);
}

// nu' = L^-1 [1 - b (A Lambda A^*)^-1 b^*] L^-T T with b = L^-T J^* A^*, where U = 0. [R92 0.37]
TEST(PrimarySecondary, TheConstraintIsAProjector) {
  Welded w;
  std::fill(w.U.begin(), w.U.end(), 0.0);
  const Numbers want = w.couple();
  const int n_p = 8, n_s = 7, n = n_p + n_s;
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n, 6);
  Eigen::VectorXd z(n);
  const auto add_tree = [&](const Model& m, CoupledTree& t, const Numbers& q, Grid<double>& A, int first) {
    for (int r = 0; r < 6; ++r)
      for (int i = 0; i < m.nv(); ++i)
        for (int c = 0; c < 6; ++c) b(first + i, r) += t.system.Y[static_cast<std::size_t>(c * m.nv() + i)] * A(r, c);
    RneaWorkspace<double> rnea(m);
    multiply_by_mass(m, rnea, q, t.free, t.system.f);  // T
    factor(m.dof_tree(), t.system);
    for (int i = 0; i < m.nv(); ++i) z[first + i] = t.system.z[i];
  };
  add_tree(w.x.p, w.p, w.x.q_p, w.A_P, 0);
  add_tree(w.x.s, w.s, w.x.q_s, w.A_S, n_p);
  Eigen::MatrixXd W(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      W(i, j) = w.ws.equation.A[static_cast<std::size_t>(std::max(i, j) * 6 + std::min(i, j))];
  EXPECT_TRUE(is_small((dense_product(b.transpose(), b) - W).cwiseAbs().maxCoeff(), 2e-15 * W.cwiseAbs().maxCoeff()));
  const Eigen::MatrixXd P =
      Eigen::MatrixXd::Identity(n, n) - dense_product(dense_product(b, dense_inverse(W)), b.transpose());
  EXPECT_TRUE(is_small((dense_product(P, P) - P).cwiseAbs().maxCoeff(), 2e-13));
  EXPECT_TRUE(is_small(dense_product(P, b).cwiseAbs().maxCoeff(), 2e-13 * b.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(P.trace(), n - 6, 5e-13);
  const Eigen::VectorXd Pz = P * z;
  const Numbers none(6);
  Numbers a_p(8), a_s(7);
  for (int i = 0; i < n; ++i) (i < n_p ? w.p : w.s).system.z[i < n_p ? i : i - n_p] = Pz[i];
  calc_motion(w.x.p.dof_tree(), w.p.system, none, a_p);
  calc_motion(w.x.s.dof_tree(), w.s.system, none, a_s);
  EXPECT_TRUE(near(joined(a_p, a_s), want, 1, largest(want), 1e-12));
}

}  // namespace sinew::test
