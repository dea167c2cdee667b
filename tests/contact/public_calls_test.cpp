// tests/contact/public_calls_test.cpp - every public call of lcp/ and contact/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/contact/collision.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/frictionless.hpp"
#include "sinew/contact/impact.hpp"
#include "sinew/contact/joint_limits.hpp"
#include "sinew/lcp/polyhedral.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "sinew/model/builder.hpp"

namespace sinew::test {
namespace {

// Links with spheres and stops, over a floor.
ModelSpec stopped_arm(int joints) {
  ModelBuilder b("stopped_arm");
  std::string last = "world";
  for (int i = 0; i < joints; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), make_placement({0, 0, -0.3})).sphere(0.1, make_placement({0, 0, -0.3}));
    b.revolute("joint" + std::to_string(i), last, name).at({0, 0, -0.3}).axis({0, 1, 0}).limits(-1, 1).friction(0.1);
    last = name;
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane, floor.pose.r = {0, 0, -5};
  b.spec().shapes.push_back(floor);
  return b.spec();
}

class ContactCalls : public ::testing::Test {
 protected:
  const ThreeModels models{stopped_arm(3), stopped_arm(5)};
  const Model& m = models.right;
  const int nv = m.nv();
  const std::size_t nodes = m.nodes().size();
  const ConstraintSet set{m};
  CallTable table;

  std::vector<double>& q(Arguments& x, const char* name = "q") const { return x.numbers(name, m.neutral()); }
  std::vector<double>& v(Arguments& x, const char* name = "v") const { return x.numbers(name, nv); }
  // Two of them, the first on a node that may be wrong.
  std::vector<ContactPoint> contacts(Arguments& x) const {
    ContactPoint c;
    c.normal = {0, 0, 1}, c.node_a = 1, c.friction = 0.5;
    std::vector<ContactPoint> out(2, c);
    out[1].node_a = 2, out[1].id = 1;
    out[0].node_a = x.index("node", 1, nodes);
    return out;
  }
  JointRow joint_row(Arguments& x) const {
    JointRow r;
    r.node = x.index("node", 1, nodes), r.direction.ang = {0, 0, 1};
    return r;
  }
};

TEST_F(ContactCalls, Problems) {
  const std::vector<double> minus(2, -1.0);
  lcp::Solver solver;
  const auto problem = [&](Arguments& x) {
    const MatrixView<double> M = x.matrix("M", 2, 2);
    for (std::size_t i = 0; i < M.rows() && i < M.cols(); ++i) M(i, i) = 2;
    return lcp::Problem{{M.data(), M.rows(), M.cols()}, minus, x.numbers("lower", 2, -9), x.numbers("upper", 2, 9)};
  };
  table.add("Solver::solve", [&](Arguments& x) { solver.solve(problem(x), x.numbers("z", 2)); });
  table.add("calc_residual", [&](Arguments& x) { (void)calc_residual(problem(x), x.numbers("z", 2)); });
  // One free row, two unilateral ones, two contacts.
  const std::vector<double> minus9(9, -1.0), mu(2, 0.5);
  const auto friction = [&](Arguments& x) {
    const MatrixView<double> W = x.matrix("W", 9, 9);
    for (std::size_t i = 0; i < W.rows() && i < W.cols(); ++i) W(i, i) = 2;
    return lcp::FrictionProblem{
        {W.data(), W.rows(), W.cols()}, x.numbers("q", 9, -1),   mu, x.numbers("preload", 2), 1, 2,
        x.numbers("lower", 2, -9),      x.numbers("upper", 2, 9)};
  };
  table.add("Solver::solve", [&](Arguments& x) { solver.solve(friction(x), x.numbers("z", 9)); });
  table.add("calc_residual", [&](Arguments& x) { (void)calc_residual(friction(x), x.numbers("z", 9)); });
  std::vector<double> W(81);
  for (std::size_t i = 0; i < 9; ++i) W[10 * i] = 2;
  const lcp::FrictionProblem right{{W.data(), 9, 9}, minus9, mu, {}, 1, 2, {}, {}};
  lcp::Polyhedral polyhedral;
  polyhedral.build(right, 4);
  const int size = lcp::polyhedral_size(right, 4);
  table.add("Polyhedral::fold",
            [&](Arguments& x) { polyhedral.fold(x.numbers("z_polyhedral", size), x.numbers("z", 9)); });
  table.add("Polyhedral::unfold",
            [&](Arguments& x) { polyhedral.unfold(right, x.numbers("z", 9), x.numbers("z_polyhedral", size)); });
  // Two contacts of two bodies.
  lcp::SparseProblem sparse;
  sparse.begin({0, 0, 2});
  for (int body = 0; body < 2; ++body) {
    const MatrixView<double> M = sparse.mass_of(sparse.add_tree(6));
    for (std::size_t i = 0; i < 6; ++i) M(i, i) = 1;
  }
  for (int block = 0; block < 2; ++block) {
    double* J = sparse.add_term(block, block);
    J[0] = J[7] = J[14] = 1;
  }
  sparse.q.assign(6, -1.0), sparse.mu.assign(2, 0.5);
  ASSERT_TRUE(sparse.finish());
  table.add("Solver::solve", [&](Arguments& x) { solver.solve(sparse, x.numbers("z", 6)); });
  table.add("calc_residual", [&](Arguments& x) { (void)calc_residual(sparse, x.numbers("z", 6)); });
  table.add("SparseProblem::calc_velocity", [&](Arguments& x) { (void)sparse.calc_velocity(x.numbers("z", 6)); });
  table.add("SparseProblem::add_impulses",
            [&](Arguments& x) { sparse.add_impulses(x.numbers("z", 6), x.numbers("f", 12)); });
  table.add("SparseProblem::solve_mass", [&](Arguments& x) { sparse.solve_mass(x.numbers("f", 12)); });
  table.add("SparseProblem::calc_motion_terms",
            [&](Arguments& x) { sparse.calc_motion_terms(x.numbers("z", 6), x.numbers("out", 12)); });
  table.add("SparseProblem::calc_rows", [&](Arguments& x) { sparse.calc_rows(x.numbers("v", 12), x.numbers("u", 6)); });
  table.add("SparseProblem::calc_matrix", [&](Arguments& x) { sparse.calc_matrix(x.matrix("W", 6, 6)); });
  table.add("SparseProblem::diagonal_of", [&](Arguments& x) { (void)sparse.diagonal_of(x.index("row", 1, 6)); });
  EXPECT_EQ(table.run("lcp"), "");
}

TEST_F(ContactCalls, Rows) {
  Three<KinematicsWorkspace<double>> kinematics(models);
  Three<VelocityWorkspace<double>> motions(models);
  Three<ContactRows> rows(models);
  Three<std::unique_ptr<ConstraintRows>> here(
      models, [](const Model& of) { return std::make_unique<ConstraintRows>(of, ConstraintSet(of)); });
  const std::vector<double> zero(at(nv));
  calc_kinematics(m, kinematics.right, m.neutral());
  calc_velocities(m, motions.right, m.neutral(), zero);
  calc_constraint_rows(m, set, *here.right, m.neutral(), zero);
  Arguments none;
  const std::vector<ContactPoint> right = contacts(none);
  const StepRows step{{}, right};
  calc_contact_rows(step, kinematics.right, rows.right);
  table.add("calc_contact_rows", [&](Arguments& x) {
    calc_contact_rows({{}, contacts(x)}, kinematics.right, rows.take(x, "rows"));
  });
  table.add("calc_contact_forces", [&](Arguments& x) {
    std::vector<Force<double>> K(12);
    calc_contact_forces(contacts(x), kinematics.right, K.data());
  });
  table.add("calc_contact_velocities",
            [&](Arguments& x) { calc_contact_velocities(contacts(x), motions.right, x.numbers("u", 6)); });
  table.add("calc_step_velocities", [&](Arguments& x) {
    const std::vector<JointRow> joints{joint_row(x)};
    calc_step_velocities({joints, right}, motions.right, x.numbers("u", 7));
  });
  table.add("calc_step_forces", [&](Arguments& x) {
    std::vector<Force<double>> K(16);
    const std::vector<JointRow> joints{joint_row(x)};
    calc_step_forces({joints, right}, kinematics.right, K.data());
  });
  table.add("calc_joint_row_forces", [&](Arguments& x) {
    std::vector<Force<double>> K(4);
    const std::vector<JointRow> joints{joint_row(x)};
    calc_joint_row_forces(joints, kinematics.right, K.data());
  });
  table.add("calc_joint_row_velocities", [&](Arguments& x) {
    const std::vector<JointRow> joints{joint_row(x)};
    calc_joint_row_velocities(joints, motions.right, x.numbers("u", 1));
  });
  table.add("get_contact_jacobian", [&](Arguments& x) {
    get_contact_jacobian(m, *here.take(x, "here"), rows.take(x, "rows"), x.matrix("J", 6, nv));
  });
  table.add("multiply_by_contact_jacobian", [&](Arguments& x) {
    multiply_by_contact_jacobian(m, *here.take(x, "here"), rows.take(x, "rows"), v(x, "x"), x.numbers("y", 6));
  });
  table.add("multiply_by_contact_jacobian_transpose", [&](Arguments& x) {
    multiply_by_contact_jacobian_transpose(m, *here.take(x, "here"), rows.take(x, "rows"), x.numbers("r", 6),
                                           v(x, "tau"));
  });
  ContactShapes shapes(m);
  std::vector<ContactPoint> found;
  table.add("ContactShapes::find", [&](Arguments& x) { shapes.find(kinematics.take(x), 0, found); });
  table.add("ContactShapes::find_within", [&](Arguments& x) { shapes.find_within(motions.take(x), 1e-3, found); });
  EXPECT_EQ(table.run("contact, rows"), "");
  EXPECT_THROW((void)shapes.pair_name({.id = ~std::uint64_t{0}}), std::invalid_argument);
  EXPECT_THROW((void)shapes.shapes_of({.id = ~std::uint64_t{0}}), std::invalid_argument);
  EXPECT_THROW((void)shapes.bound(-1), std::invalid_argument);
  EXPECT_THROW((void)shapes.bound(1000), std::invalid_argument);
  EXPECT_THROW((void)shapes.hull(1000), std::invalid_argument);
  EXPECT_THROW((void)shapes.surface(1000), std::invalid_argument);
}

TEST_F(ContactCalls, Solvers) {
  Three<ConstraintSet> sets(models);
  Three<VelocityWorkspace<double>> motions(models);
  calc_velocities(m, motions.right, m.neutral(), std::vector<double>(at(nv)));
  for (const Formulation f : kFormulations) {
    auto solver = std::make_shared<ContactSolver>(m, set, f, lcp::SolverOptions{});
    table.add("ContactSolver::set_armature",
              [&, solver](Arguments& x) { solver->set_armature(x.index("v", 0, at(nv)), 0.1); });
    table.add("ContactSolver::solve", [&, solver](Arguments& x) {
      const std::vector<ContactPoint> all = contacts(x);
      ContactStep step{q(x), v(x), v(x, "tau"), 1e-3, 0, all};
      step.bias = x.numbers("bias", 2), step.preload = x.numbers("preload", 2), step.impulse = x.numbers("impulse", 6);
      step.external = x.forces("external", m.bodies().size()), step.turning = v(x, "turning");
      step.motion = &motions.take(x, "motion");
      solver->solve(step);
    });
  }
  table.add("ContactSolver",
            [&](Arguments& x) { ContactSolver(m, sets.take(x, "the set"), Formulation::os, lcp::SolverOptions{}); });
  table.add("CollisionSolver", [&](Arguments& x) { CollisionSolver(m, sets.take(x, "the set")); });
  CollisionSolver collision(m, set);
  table.add("CollisionSolver::solve", [&](Arguments& x) { collision.solve(q(x), v(x), contacts(x)); });
  FrictionlessContacts frictionless(m);
  table.add("FrictionlessContacts::solve", [&](Arguments& x) {
    std::vector<ContactPoint> all = contacts(x);
    all[1].normal = {1, 0, 0};
    frictionless.solve(q(x), v(x), v(x, "tau"), all, x.forces("ndot", 2));
  });
  table.add("calc_gauss_deviation", [&](Arguments& x) { (void)calc_gauss_deviation(m, q(x), v(x, "qdd"), v(x, "a")); });
  table.add("find_contact_state", [&](Arguments& x) {
    (void)find_contact_state({.normal = {0, 0, 1}}, x.numbers("impulse", 3), x.numbers("velocity", 3), 1e-9);
  });
  Three<std::unique_ptr<ImpulseWorkspace>> impulses(
      models, [](const Model& of) { return std::make_unique<ImpulseWorkspace>(of, 3); });
  table.add("ImpulseWorkspace", [&](Arguments& x) { ImpulseWorkspace(m, x.index("node", 1, nodes)); });
  table.add("calc_impulse_response",
            [&](Arguments& x) { (void)calc_impulse_response(m, *impulses.take(x), q(x), {}, v(x, "dqd")); });
  table.add("calc_handle_inverse_inertia",
            [&](Arguments& x) { calc_handle_inverse_inertia(m, *impulses.take(x), q(x), x.matrix("Phi", 6, 6)); });

  JointLimits limits(m);
  std::vector<JointRow> rows;
  int coordinate = 0;
  table.add("JointLimits::find", [&](Arguments& x) { limits.find(q(x), v(x), 1e-3, 0.2, 0, rows); });
  table.add("JointLimits::add_passed",
            [&](Arguments& x) { (void)limits.add_passed(q(x), q(x, "q_after"), 1e-3, 0.2, 0, rows); });
  table.add("JointLimits::calc_violation", [&](Arguments& x) { (void)limits.calc_violation(q(x), coordinate); });
  EXPECT_EQ(table.run("contact, solvers"), "");
}

}  // namespace
}  // namespace sinew::test
