// tests/contact/joint_limits_test.cpp - stops and dry friction of joints among the rows of a step
#include "sinew/contact/joint_limits.hpp"

#include <cmath>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/model/builder.hpp"
#include "support/contact_case.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// The case again, with friction and stops near its position on joints of one coordinate; at most `rows` of them.
ContactCase with_joint_rows(std::uint64_t seed, std::size_t rows) {
  ContactCase c = random_contact_case(seed);
  Random rng(seed + 5);
  ModelSpec spec = c.model.spec();
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointEntry& e = c.model.joints()[j];
    if (e.nv != 1 || e.nq != 1 || e.nodes.size() != 1) continue;
    if (spec.joints[j].dofs.empty()) spec.joints[j].dofs.resize(1);
    DofSpec& d = spec.joints[j].dofs[0];
    const double q = c.s.q[e.q];
    d.lower = d.upper = q;
    if (rng.below(2) == 0) {
      d.lower = -kUnlimited, d.upper = kUnlimited, d.friction = rng.uniform(0, 300);
    } else if (rng.below(2) == 0) {
      d.lower = q - rng.uniform(0, 1e-3), d.upper = kUnlimited;
    } else {
      d.upper = q + rng.uniform(0, 1e-3), d.lower = -kUnlimited;
    }
  }
  Model m = compile(spec).value();
  ConstraintSet set(m);
  ContactCase out{std::move(m), std::move(set), c.s, c.tau, c.bias, c.contacts, c.dt, c.time};
  JointLimits limits(out.model);
  limits.find(out.s.q, out.s.v, out.dt, 0.2, out.time, out.joints);
  if (out.joints.size() > rows) out.joints.resize(rows);
  return out;
}

// The velocity coordinate that a row of a joint with one of them is on, and the row's sign.
std::pair<std::size_t, double> coordinate_of(const ContactCase& c, const JointRow& r) {
  const Node& n = c.model.nodes()[r.node];
  JointComplements<double> f;
  calc_complements(n.joint, c.s.q.data() + n.q, c.time, f);
  const double sign = to_eigen(r.direction).dot(to_eigen(f.active[0])) > 0 ? 1 : -1;
  return {static_cast<std::size_t>(n.v), sign};
}

bool is_regular_with_joints(const ContactCase& c) {
  const Eigen::MatrixXd contacts = naive_contact_jacobian(c);
  const auto joints = static_cast<Eigen::Index>(c.joints.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(joints + contacts.rows(), c.model.nv());
  for (Eigen::Index r = 0; r < joints; ++r) {
    const auto [k, sign] = coordinate_of(c, c.joints[r]);
    J(r, static_cast<Eigen::Index>(k)) = sign;
  }
  J.bottomRows(contacts.rows()) = contacts;
  Eigen::MatrixXd W = J * dense_inverse(naive_mass_matrix(c.model, c.s.q, c.time)) * J.transpose();
  for (Eigen::Index i = 0; i < W.rows(); ++i)
    if (!(W(i, i) > 1e-6)) return false;
  const Eigen::VectorXd scale = W.diagonal().cwiseSqrt().cwiseInverse();
  W = scale.asDiagonal() * W * scale.asDiagonal();
  return dense_rank(W, 1e-3) == W.rows();
}

TEST(JointLimits, AllSixFormulationsObeyThem) {
  int states = 0, stopped = 0, slid = 0, held = 0;
  for (std::uint64_t seed = 0; states < 150; ++seed) {
    const ContactCase c = with_joint_rows(seed, 2);
    if (c.joints.empty() || !is_well_conditioned(c) || !is_regular_with_joints(c)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++states;
    expect_agreement(c, {.directions = states % 2 == 0 ? 4 : 0}, 5e-11);
    ASSERT_FALSE(HasFailure());
    ContactSolver solver(c.model, c.set, Formulation::os, {});
    const ContactAnswer& a = solver.solve(c.step());
    for (std::size_t r = 0; r < c.joints.size(); ++r) {
      const JointRow& row = c.joints[r];
      const auto [k, sign] = coordinate_of(c, row);
      const double w = sign * a.v[k] + row.bias, z = a.joints[r], scale = std::max(1.0, largest(a.v));
      EXPECT_GE(z, row.lower - 1e-9);
      EXPECT_LE(z, row.upper + 1e-9);
      if (z > row.lower + 1e-7) {
        EXPECT_TRUE(is_small(w, 1e-9 * scale));
      }
      if (z < row.upper - 1e-7) {
        EXPECT_GE(w, -1e-7 * scale);
      }
      const bool stop = std::isinf(row.upper);
      stopped += stop && z > 1e-7, slid += !stop && std::abs(w) > 1e-7, held += !stop && std::abs(w) <= 1e-7;
    }
  }
  std::printf("stopped %d, friction slid %d, held %d\n", stopped, slid, held);
  for (const int count : {stopped, slid, held}) EXPECT_GT(count, 10);
}

TEST(JointLimits, RowsAreVelocitiesOfCoordinates) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ContactCase c = with_joint_rows(seed, 100);
    VelocityWorkspace<double> motion(c.model);
    calc_velocities(c.model, motion, c.s.q, c.s.v, c.time);
    std::vector<double> u(c.joints.size());
    calc_joint_row_velocities(c.joints, motion, u);
    for (std::size_t r = 0; r < u.size(); ++r) {
      const auto [k, sign] = coordinate_of(c, c.joints[r]);
      EXPECT_NEAR(u[r], sign * c.s.v[k], 3e-13 * std::max(1.0, std::abs(c.s.v[k])));
    }
  }
}

// A ball joint stops at its whole turn, about any axis; the turn's rate is the row's velocity.
TEST(JointLimits, BallStopsAtItsTurn) {
  ModelSpec spec;
  spec.bodies.push_back({"ball", 1, {0, 0, -0.2}, Sym3<double>::diagonal(0.1, 0.2, 0.15), {}});
  JointSpec j;
  j.name = "socket", j.parent = "world", j.child = "ball", j.kind = JointKind::spherical, j.dofs.resize(3);
  j.dofs[0].upper = 0.5;
  spec.joints.push_back(j);
  const Model m = compile(spec).value();
  JointLimits limits(m);
  Random rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3<double> axis = random_unit(rng), w = random_vec(rng, 1);
    const auto angle_of = [](const std::vector<double>& q) {
      return 2 * std::atan2(std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), std::abs(q[0]));
    };
    std::vector<double> q{std::cos(0.2499), std::sin(0.2499) * axis.x, std::sin(0.2499) * axis.y,
                          std::sin(0.2499) * axis.z};
    const std::vector<double> v{w.x, w.y, w.z};
    std::vector<JointRow> rows;
    limits.find(q, v, 1, 0.2, 0, rows);
    ASSERT_EQ(rows.size(), 1u);
    VelocityWorkspace<double> motion(m);
    calc_velocities(m, motion, q, v);
    double u = 0;
    calc_joint_row_velocities(rows, motion, {&u, 1});
    std::vector<double> after(4);
    integrate(m, q, v, 1e-6, after);
    EXPECT_NEAR(u, -(angle_of(after) - angle_of(q)) / 1e-6, 1e-5);
    EXPECT_NEAR(rows[0].bias, 0.5 - 2 * 0.2499, 2e-14);
    int coordinate = -1;
    EXPECT_EQ(limits.calc_violation(q, coordinate), 0);
    q = {std::cos(0.3), std::sin(0.3), 0, 0};
    EXPECT_NEAR(limits.calc_violation(q, coordinate), 0.1, 2e-14);
    EXPECT_EQ(coordinate, 0);
  }
}

TEST(JointLimits, FarStopsAreLeftOutAndPassedOnesComeIn) {
  ModelSpec spec;
  spec.bodies.push_back({"arm", 1, {0, 0, -0.2}, Sym3<double>::diagonal(0.1, 0.2, 0.15), {}});
  JointSpec j;
  j.name = "hinge", j.parent = "world", j.child = "arm", j.dofs = {DofSpec{.lower = -1, .upper = 1, .friction = 2}};
  spec.joints.push_back(j);
  const Model m = compile(spec).value();
  JointLimits limits(m);
  std::vector<JointRow> rows;
  const std::vector<double> q{0.5}, slow{1.0}, fast{300.0}, beyond{1.1}, v0{0.0};
  limits.find(q, slow, 1e-3, 0.2, 0, rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].upper, 2e-3);
  EXPECT_DOUBLE_EQ(rows[0].lower, -2e-3);
  EXPECT_FALSE(limits.add_passed(q, q, 1e-3, 0.2, 0, rows));
  EXPECT_TRUE(limits.add_passed(q, beyond, 1e-3, 0.2, 0, rows));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[1].bias, 500);
  EXPECT_FALSE(limits.add_passed(q, beyond, 1e-3, 0.2, 0, rows));
  limits.find(q, fast, 1e-3, 0.2, 0, rows);
  EXPECT_EQ(rows.size(), 2u);
  limits.find(beyond, v0, 1e-3, 0.2, 0, rows);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[1].bias, -20, 1e-12);
  AllocationCount allocations;
  limits.find(beyond, v0, 1e-3, 0.2, 0, rows);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(JointLimits, BadRowsAreNamed) {
  const ContactCase c = random_contact_case(3);
  ContactSolver solver(c.model, c.set, Formulation::os, {});
  ContactStep step = c.step();
  JointRow row;
  row.node = 1000;
  step.joints = {&row, 1};
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
  row.node = 1, row.parent = 0, row.lower = 1, row.upper = -1;
  EXPECT_THROW(solver.solve(step), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
