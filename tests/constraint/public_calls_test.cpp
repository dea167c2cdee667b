// tests/constraint/public_calls_test.cpp - every public call of constraint/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/constraint/closure/closure.hpp"
#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/constraint/embedding/embedded_sko.hpp"
#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rank/clusters.hpp"
#include "sinew/constraint/rank/explicit_form.hpp"
#include "sinew/constraint/rank/mobility.hpp"
#include "sinew/constraint/rows/classify.hpp"
#include "sinew/constraint/rows/loop_forces.hpp"
#include "sinew/constraint/rows/maximal.hpp"
#include "sinew/constraint/rows/motion_constraint.hpp"
#include "sinew/constraint/solve/constrained_dca.hpp"
#include "sinew/constraint/solve/constrained_inverse_derivatives.hpp"
#include "sinew/constraint/solve/inverse_dynamics.hpp"
#include "sinew/constraint/two_trees/change_coupling.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::test {
namespace {

class ConstraintCalls : public ::testing::Test {
 protected:
  const ThreeModels models{mechanisms::four_bar(), mechanisms::stewart_platform()};
  const Model& m = models.right;
  const int nv = m.nv();
  Three<ConstraintSet> sets{models};
  const ConstraintSet& set = sets.right;
  const int rows = set.rows();
  CallTable table;

  template <class T>
  static auto make_with_set() {
    return [](const Model& of) { return std::make_unique<T>(of, ConstraintSet(of)); };
  }
  ConstraintSet& of(Arguments& x) { return sets.take(x, "the set"); }
  std::vector<double>& q(Arguments& x) const { return x.numbers("q", m.neutral()); }
  std::vector<double>& v(Arguments& x, const char* name = "v") const { return x.numbers(name, nv); }
  std::vector<double>& r(Arguments& x, const char* name) const { return x.numbers(name, rows); }
};

TEST_F(ConstraintCalls, Rows) {
  Three<std::unique_ptr<ConstraintRows>> ws(models, make_with_set<ConstraintRows>());
  calc_constraint_rows(m, set, *ws.right, m.neutral(), std::vector<double>(at(nv)));
  table.add("ConstraintRows", [&](Arguments& x) { ConstraintRows(m, of(x)); });
  table.add("ConstraintSet::constraint_name",
            [&](Arguments& x) { (void)set.constraint_name(x.index("constraint", 0, at(set.constraints()))); });
  table.add("ConstraintSet::constraint_of",
            [&](Arguments& x) { (void)set.constraint_of(x.index("row", 0, at(rows))); });
  table.add("ConstraintSet::row_name", [&](Arguments& x) { (void)set.row_name(x.index("row", 0, at(rows))); });
  table.add("calc_constraint_rows", [&](Arguments& x) { calc_constraint_rows(m, of(x), *ws.take(x), q(x), v(x)); });
  table.add("get_constraint_jacobian",
            [&](Arguments& x) { get_constraint_jacobian(m, of(x), *ws.take(x), x.matrix("K", rows, nv)); });
  table.add("multiply_by_constraint_jacobian_transpose", [&](Arguments& x) {
    multiply_by_constraint_jacobian_transpose(m, of(x), *ws.take(x), r(x, "lambda"), v(x, "tau"));
  });
  table.add("multiply_by_constraint_jacobian",
            [&](Arguments& x) { multiply_by_constraint_jacobian(m, of(x), *ws.take(x), v(x, "x"), r(x, "y")); });
  table.add("stabilize", [&](Arguments& x) { stabilize(*ws.right, {0.1}, r(x, "k")); });

  const LoopEntry& loop = m.loops()[0];
  Three<VelocityWorkspace<double>> motions(models);
  calc_velocities(m, motions.right, m.neutral(), std::vector<double>(at(nv)));
  const auto bad_loop = [&](Arguments& x) {
    LoopEntry out = loop;
    out.node_b = x.index("node", out.node_b, m.nodes().size());
    return out;
  };
  table.add("get_loop_joint_state", [&](Arguments& x) { (void)get_loop_joint_state(bad_loop(x), motions.right); });
  table.add("add_loop_force", [&](Arguments& x) {
    add_loop_force(m, bad_loop(x), motions.take(x, "motion"), x.numbers("tau", loop.joint.nv()),
                   x.forces("external", m.bodies().size()));
  });
  table.add("add_loop_force", [&](Arguments& x) {
    add_loop_force(m, bad_loop(x), motions.take(x, "motion"), x.numbers("tau", loop.joint.nv()),
                   {{{0, 0, 1}, {0, 1, 0}}}, DriveSide::on_b, x.forces("external", m.bodies().size()));
  });
  table.add("assemble", [&](Arguments& x) { (void)assemble(m, of(x), q(x)); });
  table.add("find_mobility", [&](Arguments& x) { (void)find_mobility(m, of(x), q(x)); });
  table.add("find_clusters", [&](Arguments& x) { (void)find_clusters(m, of(x)); });
  table.add("find_coordinates",
            [&](Arguments& x) { (void)find_coordinates(m, of(x), x.index("constraint", 0, at(set.constraints()))); });
  table.add("calc_explicit_form", [&](Arguments& x) {
    const std::vector<double> K{1, 0, 0, 0, 1, 0};
    (void)calc_explicit_form({K.data(), 2, 3}, x.numbers("k", 2), {1e-10, {x.index("independent", 2, 3)}});
  });
  EXPECT_EQ(table.run("constraint, rows"), "");
}

TEST_F(ConstraintCalls, Dynamics) {
  Three<std::unique_ptr<ConstraintRows>> row_ws(models, make_with_set<ConstraintRows>());
  calc_constraint_rows(m, set, *row_ws.right, m.neutral(), std::vector<double>(at(nv)));
  for (const ConstrainedMethod method :
       {ConstrainedMethod::kkt, ConstrainedMethod::multipliers, ConstrainedMethod::projection,
        ConstrainedMethod::sparse, ConstrainedMethod::proximal, ConstrainedMethod::pv}) {
    auto ws = std::make_shared<Three<std::unique_ptr<ConstrainedWorkspace>>>(models, [&](const Model& of) {
      return std::make_unique<ConstrainedWorkspace>(of, ConstraintSet(of), ConstrainedOptions{.method = method});
    });
    table.add("constrained_forward_dynamics", [&, ws](Arguments& x) {
      constrained_forward_dynamics(m, of(x), *ws->take(x), q(x), v(x), v(x, "tau"), v(x, "qdd"), r(x, "lambda"),
                                   {x.forces("external", m.bodies().size()), 0});
    });
    table.add("constrained_impulse", [&, ws](Arguments& x) {
      constrained_impulse(m, of(x), *ws->take(x), q(x), v(x, "before"), v(x, "impulse"), r(x, "target"), v(x, "after"),
                          r(x, "P"));
    });
  }
  Three<std::unique_ptr<ConstrainedDcaWorkspace>> dca_ws(models, make_with_set<ConstrainedDcaWorkspace>());
  table.add("ConstrainedDcaWorkspace", [&](Arguments& x) { ConstrainedDcaWorkspace(m, of(x)); });
  table.add("constrained_dca", [&](Arguments& x) {
    constrained_dca(m, of(x), *row_ws.take(x, "rows"), *dca_ws.take(x), q(x), v(x), v(x, "tau"), r(x, "k"), v(x, "qdd"),
                    r(x, "lambda"), {x.forces("external", m.bodies().size()), 0});
  });
  table.add("ConstrainedWorkspace", [&](Arguments& x) { ConstrainedWorkspace(m, of(x)); });
  Three<std::unique_ptr<CertifyWorkspace>> certify_ws(models, make_with_set<CertifyWorkspace>());
  SolveCertificate certificate(rows);
  table.add("certify", [&](Arguments& x) {
    certify(m, of(x), *row_ws.take(x, "rows"), *certify_ws.take(x), q(x), v(x), v(x, "tau"), r(x, "k"), v(x, "qdd"),
            r(x, "lambda"), certificate);
  });
  table.add("certify_impulse", [&](Arguments& x) {
    certify_impulse(m, of(x), *row_ws.take(x, "rows"), *certify_ws.take(x), q(x), v(x, "before"), v(x, "impulse"),
                    r(x, "target"), v(x, "after"), r(x, "P"), certificate);
  });
  table.add("CertifyWorkspace", [&](Arguments& x) { CertifyWorkspace(m, of(x)); });
  Three<std::unique_ptr<SparseWorkspace>> sparse_ws(models, make_with_set<SparseWorkspace>());
  table.add("SparseWorkspace", [&](Arguments& x) { SparseWorkspace(m, of(x)); });
  table.add("solve_by_sparse", [&](Arguments& x) {
    solve_by_sparse(m, of(x), *row_ws.take(x, "rows"), *sparse_ws.take(x), q(x), v(x), v(x, "tau"), r(x, "k"),
                    r(x, "made_of"), {}, {}, v(x, "qdd"), r(x, "lambda"), certificate);
  });
  table.add("solve_impulse_by_sparse", [&](Arguments& x) {
    solve_impulse_by_sparse(m, of(x), *row_ws.take(x, "rows"), *sparse_ws.take(x), q(x), v(x, "f"), r(x, "k"),
                            r(x, "made_of"), {}, {}, v(x, "x"), r(x, "lambda"), certificate);
  });

  Three<std::unique_ptr<ActuationWorkspace>> actuation(models, make_with_set<ActuationWorkspace>());
  const auto actuated = [&](Arguments& x) { return std::vector<int>{x.index("actuated", 0, at(nv))}; };
  (void)analyse_actuation(m, set, *actuation.right, m.neutral(), std::vector<int>{0});
  table.add("analyse_actuation",
            [&](Arguments& x) { (void)analyse_actuation(m, of(x), *actuation.take(x), q(x), actuated(x)); });
  table.add("constrained_inverse_dynamics", [&](Arguments& x) {
    (void)constrained_inverse_dynamics(m, of(x), *actuation.take(x), q(x), v(x), v(x, "qdd"), actuated(x),
                                       x.numbers("u", 1), {x.forces("external", m.bodies().size()), 0});
  });
  table.add("calc_actuation_map",
            [&](Arguments& x) { calc_actuation_map(m, *actuation.take(x), actuated(x), x.matrix("U", 1, nv)); });
  EXPECT_EQ(table.run("constraint, dynamics"), "");
  // A workspace of the same model, but of another set.
  const ConstraintSet none(m, {}, false);
  ConstrainedWorkspace of_none(m, none);
  std::vector<double> zero(at(nv)), qdd(at(nv)), lambda(at(rows));
  EXPECT_THROW(constrained_forward_dynamics(m, set, of_none, m.neutral(), zero, zero, qdd, lambda),
               std::invalid_argument);
}

// The joint-space solvers, on a system of the four-bar.
TEST_F(ConstraintCalls, Systems) {
  const DofTree& tree = m.dof_tree();
  ConstrainedWorkspace made(m, set, {.method = ConstrainedMethod::kkt});
  std::vector<double> zero(at(nv)), lambda(at(rows));
  (void)constrained_forward_dynamics(m, set, made, m.neutral(), zero, zero, std::vector<double>(at(nv)), lambda);
  const ConstrainedSystem& right = made.system;
  ConstrainedSystem more_rows(tree, rows + 1);
  const ConstrainedSystem larger(models.larger.dof_tree(), rows);
  SolveCertificate certificate(rows);
  const RankOptions rank;
  KktWorkspace kkt(right), kkt_more(more_rows);
  MultipliersWorkspace multipliers(right), multipliers_more(more_rows);
  IndependentWorkspace independent(right), independent_more(more_rows), independent_larger(larger);
  ProximalWorkspace proximal(right), proximal_more(more_rows);
  std::vector<double> x(at(nv));
  EXPECT_THROW(solve_by_kkt(tree, kkt_more, right, rank, x, lambda, certificate), std::invalid_argument);
  EXPECT_THROW(solve_by_multipliers(tree, multipliers_more, right, rank, x, lambda, certificate),
               std::invalid_argument);
  EXPECT_THROW(solve_by_projection(tree, independent_more, right, rank, x, lambda, certificate), std::invalid_argument);
  EXPECT_THROW(calc_explicit_constraint(tree, independent_larger, right, rank), std::invalid_argument);
  EXPECT_THROW(solve_by_proximal(tree, proximal_more, right, rank, {}, x, lambda, certificate), std::invalid_argument);
  EXPECT_THROW(factor(models.larger.dof_tree(), more_rows), std::invalid_argument);

  table.add("solve_by_kkt",
            [&](Arguments& a) { solve_by_kkt(tree, kkt, right, rank, v(a, "x"), r(a, "lambda"), certificate); });
  table.add("solve_by_multipliers", [&](Arguments& a) {
    solve_by_multipliers(tree, multipliers, right, rank, v(a, "x"), r(a, "lambda"), certificate);
  });
  table.add("solve_by_projection", [&](Arguments& a) {
    solve_by_projection(tree, independent, right, rank, v(a, "x"), r(a, "lambda"), certificate);
  });
  table.add("calc_explicit_constraint", [&](Arguments& a) {
    IndependentWorkspace ws(right);
    ws.g.resize(v(a, "the workspace").size());
    calc_explicit_constraint(tree, ws, right, rank);
  });
  table.add("solve_by_proximal", [&](Arguments& a) {
    solve_by_proximal(tree, proximal, right, rank, {}, v(a, "x"), r(a, "lambda"), certificate);
  });
  Three<delassus::Problem> problems(models, [](const Model& of) { return ConstraintSet(of).problem(); });
  table.add("ConstrainedSystem", [&](Arguments& a) { ConstrainedSystem(m, problems.take(a, "the problem")); });
  PvSolver pv(m, set);
  table.add("PvSolver", [&](Arguments& a) { PvSolver(m, of(a)); });
  table.add("solve_by_pv", [&](Arguments& a) {
    solve_by_pv(m, of(a), made.rows, pv, q(a), right, rank, v(a, "x"), r(a, "lambda"), certificate);
  });
  table.add("calc_motion", [&](Arguments& a) { calc_motion(tree, right, r(a, "lambda"), v(a, "x")); });
  table.add("calc_inverse_inertia", [&](Arguments& a) { calc_inverse_inertia(right, a.matrix("A", rows, rows)); });
  ForceEquation equation(rows);
  for (int i = 0; i < rows; ++i) equation.A[i * rows + i] = 1;
  table.add("solve", [&](Arguments& a) { solve(equation, rank, r(a, "lambda"), certificate); });
  RowDependence dependence(rows);
  dependence.rank = rows;
  factor(dependence);
  table.add("factor_scaled", [&](Arguments& a) { factor_scaled(dependence, r(a, "row_scale")); });
  table.add("project", [&](Arguments& a) { project(dependence, r(a, "x")); });
  table.add("report",
            [&](Arguments& a) { report(dependence, r(a, "k"), r(a, "size"), r(a, "row_scale"), 1e-9, certificate); });
  const std::vector<double> one{1, 0, 0, 1};
  const std::vector<double> C(2);
  table.add("solve_implicit", [&](Arguments& a) {
    const MatrixView<double> K = a.matrix("K", 1, 2);
    if (K.rows() > 0) K(0, 0) = 1;
    solve_implicit({{one.data(), 2, 2}, C, a.numbers("tau", 2)}, {K.data(), K.rows(), K.cols()}, a.numbers("k", 1));
  });
  table.add("solve_explicit", [&](Arguments& a) {
    std::vector<double>& G = a.numbers("G", 2);
    G[0] = 1;
    solve_explicit({{one.data(), 2, 2}, C, a.numbers("tau", 2)}, {G.data(), G.size(), 1}, a.numbers("g", 2));
  });
  EXPECT_EQ(table.run("constraint, systems"), "");
}

TEST_F(ConstraintCalls, Embedding) {
  Three<std::unique_ptr<EmbeddedWorkspace>> ws(models, [](const Model& of) {
    const ConstraintSet own(of);
    auto out = std::make_unique<EmbeddedWorkspace>(of, own);
    prepare_embedding(of, own, out->embedding, of.neutral(), std::vector<double>(at(of.nv())));
    return out;
  });
  const int n = ws.right->embedding.report.freedoms;
  const auto e = [&](Arguments& x) -> EmbeddingWorkspace& { return ws.take(x)->embedding; };
  table.add("find_groups", [&](Arguments& x) { (void)find_groups(m, of(x)); });
  table.add("LoopElimination", [&](Arguments& x) { LoopElimination(m, of(x), find_groups(m, set)); });
  table.add("EmbeddingWorkspace", [&](Arguments& x) { EmbeddingWorkspace(m, of(x)); });
  table.add("EmbeddedWorkspace", [&](Arguments& x) { EmbeddedWorkspace(m, of(x)); });
  table.add("prepare_embedding", [&](Arguments& x) { prepare_embedding(m, of(x), e(x), q(x), v(x)); });
  table.add("close_loops", [&](Arguments& x) { close_loops(m, of(x), e(x), q(x), v(x)); });
  table.add("renew_coordinates", [&](Arguments& x) { (void)renew_coordinates(m, of(x), e(x), q(x), v(x)); });
  table.add("expand_velocities", [&](Arguments& x) { expand_velocities(m, e(x), x.numbers("y", n), v(x, "x")); });
  table.add("reduce_forces", [&](Arguments& x) { reduce_forces(m, e(x), v(x, "f"), x.numbers("y", n)); });
  const std::size_t bodies = m.bodies().size();
  table.add("embedded_forward_dynamics", [&](Arguments& x) {
    embedded_forward_dynamics(m, of(x), *ws.take(x), q(x), v(x), v(x, "tau"), v(x, "qdd"),
                              {x.forces("external", bodies), 0});
  });
  table.add("embedded_forward_dynamics_prepared", [&](Arguments& x) {
    embedded_forward_dynamics_prepared(m, *ws.take(x), v(x), v(x, "tau"), v(x, "qdd"),
                                       {x.forces("external", bodies), 0});
  });
  table.add("solve_embedded_mass", [&](Arguments& x) { solve_embedded_mass(m, *ws.take(x), v(x, "f"), v(x, "x")); });
  table.add("embedded_inverse_dynamics", [&](Arguments& x) {
    embedded_inverse_dynamics(m, of(x), *ws.take(x), q(x), v(x), x.numbers("ydd", n), x.numbers("T", n),
                              {x.forces("external", bodies), 0});
  });
  table.add("calc_embedded_mass_matrix",
            [&](Arguments& x) { calc_embedded_mass_matrix(m, of(x), *ws.take(x), q(x), x.matrix("M", n, n)); });
  table.add("calc_embedded_forces", [&](Arguments& x) {
    calc_embedded_forces(m, of(x), *ws.take(x), q(x), v(x), v(x, "tau"), v(x, "qdd"), r(x, "lambda"),
                         {x.forces("external", bodies), 0});
  });
  EmbeddedSko aggregate(m, ws.right->embedding);
  table.add("EmbeddedSko", [&](Arguments& x) { EmbeddedSko(m, e(x)); });
  table.add("EmbeddedSko::update", [&](Arguments& x) { aggregate.update(e(x), q(x), v(x)); });
  table.add("EmbeddedSko::stack", [&](Arguments& x) { (void)aggregate.stack(e(x), x.numbers("y", n)); });
  table.add("EmbeddedSko::unstack", [&](Arguments& x) { (void)aggregate.unstack(e(x), x.numbers("the vector", n)); });
  EXPECT_EQ(table.run("constraint, embedding"), "");
}

TEST_F(ConstraintCalls, Derivatives) {
  const std::size_t bodies = m.bodies().size();
  Three<std::unique_ptr<ConstrainedDerivativesWorkspace>> ws(models, make_with_set<ConstrainedDerivativesWorkspace>());
  Three<std::unique_ptr<ActuationDerivativesWorkspace>> actuation(models,
                                                                  make_with_set<ActuationDerivativesWorkspace>());
  table.add("ConstrainedDerivativesWorkspace", [&](Arguments& x) { ConstrainedDerivativesWorkspace(m, of(x)); });
  table.add("ActuationDerivativesWorkspace", [&](Arguments& x) { ActuationDerivativesWorkspace(m, of(x)); });
  table.add("calc_constrained_derivatives", [&](Arguments& x) {
    calc_constrained_derivatives(
        m, of(x), *ws.take(x), q(x), v(x), v(x, "tau"), v(x, "qdd"), r(x, "lambda"),
        {x.matrix("a_q", nv, nv), x.matrix("a_v", nv, nv), x.matrix("a_tau", nv, nv), x.matrix("lambda_q", rows, nv),
         x.matrix("lambda_v", rows, nv), x.matrix("lambda_tau", rows, nv)},
        {x.forces("external", bodies), 0});
  });
  table.add("calc_impulse_derivatives", [&](Arguments& x) {
    calc_impulse_derivatives(
        m, of(x), *ws.take(x), q(x), v(x, "velocity before"), v(x, "impulse"), r(x, "target"), v(x, "velocity after"),
        r(x, "P"),
        {x.matrix("after_q", nv, nv), x.matrix("after_before", nv, nv), x.matrix("after_impulse", nv, nv),
         x.matrix("P_q", rows, nv), x.matrix("P_before", rows, nv), x.matrix("P_impulse", rows, nv)});
  });
  table.add("calc_constrained_inverse_derivatives", [&](Arguments& x) {
    const std::vector<int> actuated{x.index("velocity coordinate", 0, at(nv))};
    calc_constrained_inverse_derivatives(
        m, of(x), *actuation.take(x), q(x), v(x), v(x, "qdd"), actuated, x.numbers("u", 1),
        {x.matrix("u_q", 1, nv), x.matrix("u_v", 1, nv), x.matrix("u_qdd", 1, nv)}, {x.forces("external", bodies), 0});
  });
  EXPECT_EQ(table.run("constraint, derivatives"), "");
}

TEST_F(ConstraintCalls, Manifolds) {
  Three<std::unique_ptr<ManifoldWorkspace>> manifold(models, make_with_set<ManifoldWorkspace>());
  Three<std::unique_ptr<StepWorkspace>> steps(models, make_with_set<StepWorkspace>());
  table.add("project_position", [&](Arguments& x) { (void)project_position(m, of(x), *manifold.take(x), q(x)); });
  table.add("project_velocity", [&](Arguments& x) { (void)project_velocity(m, of(x), *manifold.take(x), q(x), v(x)); });
  table.add("step_rk4_projected", [&](Arguments& x) {
    State state{q(x), v(x), 0};
    (void)step_rk4_projected(m, of(x), *steps.take(x), state, v(x, "tau"), 1e-3);
  });
  struct Fixed : ClosureFunction {
    explicit Fixed(const Model& of) : model(of) {}
    int independents() const override { return 1; }
    void calc(VectorView<const double>, VectorView<const double>, const ClosureOutput& out) const override {
      std::copy(model.neutral().begin(), model.neutral().end(), out.q.begin());
    }
    const Model& model;
  };
  const Fixed fixed(m);
  ClosedMotion motion(m, fixed);
  table.add("calc_closure", [&](Arguments& x) { calc_closure(fixed, x.numbers("y", 1), x.numbers("yd", 1), motion); });
  table.add("check_closure",
            [&](Arguments& x) { (void)check_closure(m, of(x), fixed, x.numbers("y", 1), x.numbers("yd", 1)); });
  struct Rolling : VelocityConstraint {
    int coordinates() const override { return 2; }
    int rows() const override { return 1; }
    void calc(const Dual*, const Dual&, Dual* K, Dual*) const override { K[0] = Dual{1}; }
  };
  table.add("classify", [&](Arguments& x) { (void)classify(Rolling(), x.numbers("q", 2)); });
  EXPECT_EQ(table.run("constraint, manifolds"), "");
}

TEST_F(ConstraintCalls, TwoTrees) {
  const auto make = [](const Model& of) { return CoupledTree(of, {Place(of.bodies()[1])}); };
  Three<CoupledTree> trees(models, make);
  CoupledTree second = make(m);
  const std::vector<double> zero(at(nv));
  prepare(m, trees.right, m.neutral(), zero, zero);
  prepare(m, second, m.neutral(), zero, zero);
  CouplingWorkspace ws(second, second, 1);
  ChangeWorkspace change(m, second, m, second, 1);
  table.add("CoupledTree", [&](Arguments& x) {
    Place p = m.bodies()[1];
    p.node = x.index("node", p.node, m.nodes().size());
    CoupledTree(m, {p});
  });
  table.add("prepare", [&](Arguments& x) {
    CoupledTree& t = trees.take(x);
    prepare(m, t, q(x), v(x), v(x, "tau"), {x.forces("external", m.bodies().size()), 0});
  });
  const auto A = [](Arguments& x, const char* name) -> MatrixView<const double> {
    const MatrixView<double> out = x.matrix(name, 1, 6);
    if (out.rows() > 0) out(0, 1) = 1;
    return {out.data(), out.rows(), out.cols()};
  };
  // U says how many rows there are, so the others are compared with it.
  table.add("couple", [&](Arguments& x) {
    couple(m, trees.take(x), m, second, ws, A(x, "A_P"), A(x, "A_S"), std::vector<double>(1), v(x, "a_P"), v(x, "a_S"),
           x.numbers("f", 1));
  });
  table.add("couple_primary_first", [&](Arguments& x) {
    couple_primary_first(m, trees.take(x), m, second, ws, A(x, "A_P"), A(x, "A_S"), std::vector<double>(1), v(x, "a_P"),
                         v(x, "a_S"), x.numbers("f", 1));
  });
  table.add("change_coupling", [&](Arguments& x) {
    change_coupling(m, trees.take(x), m, second, change, A(x, "A_P"), A(x, "A_S"), std::vector<double>(1), v(x, "v_P"),
                    v(x, "v_S"), x.numbers("p", 1));
  });
  table.add("CouplingWorkspace", [&](Arguments& x) {
    CoupledTree& t = trees.take(x);
    CouplingWorkspace made(t, second, 1);
    const MatrixView<double> A_P = x.matrix("A_P", 1, 6);
    couple(m, t, m, second, made, {A_P.data(), A_P.rows(), A_P.cols()}, {std::array<double, 6>{}.data(), 1, 6},
           std::vector<double>(1), v(x, "a_P"), v(x, "a_S"), x.numbers("f", 1));
  });
  table.add("ChangeWorkspace", [&](Arguments& x) { ChangeWorkspace(m, trees.take(x), m, second, 1); });
  table.add("get_admittance", [&](Arguments& x) { get_admittance(second, x.matrix("Lambda", 6, 6)); });
  ForceEquation equation(2);
  SolveCertificate certificate(2);
  factor(equation, {}, certificate);
  table.add("solve_factored", [&](Arguments& x) { solve_factored(equation, x.numbers("lambda", 2)); });
  const Model twin = compile(make_maximal(m)).value();
  table.add("to_maximal_state", [&](Arguments& x) { (void)to_maximal_state(m, twin, State{q(x), v(x), 0}); });
  EXPECT_EQ(table.run("constraint, two trees"), "");
}

}  // namespace
}  // namespace sinew::test
