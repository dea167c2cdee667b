// tests/delassus/public_calls_test.cpp - every public call of delassus/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/delassus/chang_khatib.hpp"
#include "sinew/delassus/cost.hpp"
#include "sinew/delassus/dense.hpp"
#include "sinew/delassus/efpa.hpp"
#include "sinew/delassus/kjr.hpp"
#include "sinew/delassus/ltl.hpp"
#include "sinew/delassus/operator.hpp"
#include "sinew/delassus/pv_points.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::test {
namespace {

using namespace delassus;

Problem tip_problem(const Model& m) {
  const int tip = static_cast<int>(m.nodes().size()) - 1;
  return {m, 2, {{0, tip}, {1, tip}}};
}

class DelassusCalls : public ::testing::Test {
 protected:
  const ThreeModels models{mechanisms::chain(4), mechanisms::chain(6)};
  const Model& m = models.right;
  const int nv = m.nv(), rows = 2;
  Three<Problem> problems{models, tip_problem};
  const Problem& problem = problems.right;
  CallTable table;

  std::vector<double>& q(Arguments& x) const { return x.numbers("q", m.neutral()); }
  std::vector<double>& v(Arguments& x, const char* name) const { return x.numbers(name, nv); }
  std::vector<double>& r(Arguments& x, const char* name) const { return x.numbers(name, rows); }
  // Two different rows, so that W is regular.
  std::vector<Force<double>>& K(Arguments& x) const {
    std::vector<Force<double>>& out = x.forces("K", problem.entries().size());
    if (!out.empty()) out[0].lin = {1, 0, 0};
    if (out.size() > 1) out[1].lin = {0, 1, 0.5};
    return out;
  }
  MatrixView<double> W(Arguments& x) const { return x.matrix("W", rows, rows); }
};

TEST_F(DelassusCalls, Matrices) {
  const auto add = [&]<class Workspace>(const char* name, const char* type, auto call, std::type_identity<Workspace>) {
    auto ws = std::make_shared<Three<std::unique_ptr<Workspace>>>(
        models, [](const Model& of) { return std::make_unique<Workspace>(of, tip_problem(of)); });
    table.add(name, [this, ws, call](Arguments& x) { call(m, *ws->take(x), q(x), K(x), W(x), 0); });
    table.add(type, [this](Arguments& x) { Workspace(m, problems.take(x, "the problem")); });
  };
  add("dense", "DenseWorkspace", dense<double>, std::type_identity<DenseWorkspace<double>>());
  add("ltl", "LtlWorkspace", ltl<double>, std::type_identity<LtlWorkspace<double>>());
  add("kjr", "KjrWorkspace", kjr<double>, std::type_identity<KjrWorkspace<double>>());
  add("efpa", "EfpaWorkspace", efpa<double>, std::type_identity<EfpaWorkspace<double>>());
  add("chang_khatib", "ChangKhatibWorkspace", chang_khatib<double>, std::type_identity<ChangKhatibWorkspace<double>>());
  Three<std::unique_ptr<PvWorkspace<double>>> pv_ws(models, [](const Model& of) {
    const Problem p = tip_problem(of);
    return std::make_unique<PvWorkspace<double>>(of, p, make_pvr_plan(of, p));
  });
  table.add("pv", [&](Arguments& x) { pv(m, *pv_ws.take(x), q(x), K(x), W(x)); });
  Three<Plan> plans(models, [](const Model& of) { return make_pvr_plan(of, tip_problem(of)); });
  table.add("PvWorkspace",
            [&](Arguments& x) { PvWorkspace<double>(m, problems.take(x, "the problem"), plans.take(x, "the plan")); });
  Delassus<double> any(m, problem, Algorithm::ltl);
  table.add("Delassus::calc", [&](Arguments& x) { any.calc(q(x), K(x), W(x)); });
  table.add("Delassus", [&](Arguments& x) { Delassus<double>(m, problems.take(x, "the problem"), Algorithm::pvr); });
  Three<CrbaWorkspace<double>> crba_ws(models);
  std::vector<double> M(at(nv) * at(nv));
  crba(m, crba_ws.right, m.neutral(), {M.data(), at(nv), at(nv)});
  table.add("calc_row_jacobian", [&](Arguments& x) {
    RowJacobian<double> J(m, problem);
    J.transpose.resize(x.numbers("J", static_cast<int>(J.transpose.size())).size());
    calc_row_jacobian(m, problems.take(x, "the problem"), crba_ws.take(x), J, q(x), K(x));
  });
  table.add("RowJacobian", [&](Arguments& x) { RowJacobian<double>(m, problems.take(x, "the problem")); });
  EXPECT_EQ(table.run("delassus, matrices"), "");
}

TEST_F(DelassusCalls, Operators) {
  const auto make = [](double mu) {
    return [mu](const Model& of) {
      OperatorWorkspace<double> ws(of, tip_problem(of));
      std::vector<Force<double>> forces(2);
      forces[0].lin = {1, 0, 0}, forces[1].lin = {0, 1, 0.5};
      factor(of, ws, of.neutral(), forces, mu);
      return ws;
    };
  };
  Three<OperatorWorkspace<double>> plain(models, make(0)), damped(models, make(0.1)), fresh(models, make(0));
  table.add("OperatorWorkspace", [&](Arguments& x) { OperatorWorkspace<double>(m, problems.take(x, "the problem")); });
  table.add("factor", [&](Arguments& x) { factor(m, fresh.take(x), q(x), K(x)); });
  table.add("multiply", [&](Arguments& x) { multiply(m, plain.take(x), r(x, "x"), r(x, "y")); });
  table.add("solve_damped", [&](Arguments& x) { solve_damped(m, damped.take(x), r(x, "b"), r(x, "x")); });
  table.add("solve_damped_by_iteration",
            [&](Arguments& x) { solve_damped_by_iteration(m, plain.take(x), 0.1, r(x, "b"), r(x, "x")); });

  Three<std::unique_ptr<PvDynamicsWorkspace>> pv_ws(
      models, [](const Model& of) { return std::make_unique<PvDynamicsWorkspace>(of, tip_problem(of)); });
  table.add("PvDynamicsWorkspace", [&](Arguments& x) { PvDynamicsWorkspace(m, problems.take(x, "the problem")); });
  table.add("solve_pv", [&](Arguments& x) {
    solve_pv(m, *pv_ws.take(x), q(x), v(x, "f"), K(x), r(x, "k"), v(x, "x"), r(x, "lambda"));
  });
  table.add("pv_forward_dynamics", [&](Arguments& x) {
    pv_forward_dynamics(m, *pv_ws.take(x), q(x), v(x, "v"), v(x, "tau"), K(x), r(x, "target"), v(x, "qdd"),
                        r(x, "lambda"), {x.forces("external", m.bodies().size()), 0});
  });
  table.add("pv_forward_dynamics at points", [&](Arguments& x) {
    pv_forward_dynamics(m, *pv_ws.take(x), q(x), v(x, "v"), v(x, "tau"), K(x),
                        std::vector<PointRow>(x.forces("points", problem.entries().size()).size()), r(x, "target"),
                        v(x, "qdd"), r(x, "lambda"), {x.forces("external", m.bodies().size()), 0});
  });
  table.add("get_delassus_matrix", [&](Arguments& x) { get_delassus_matrix(*pv_ws.right, W(x)); });
  table.add("calc_response",
            [&](Arguments& x) { calc_response(m, *pv_ws.take(x), q(x), v(x, "f"), K(x), r(x, "lambda"), v(x, "x")); });
  EXPECT_EQ(table.run("delassus, operators"), "");
}

TEST_F(DelassusCalls, Plans) {
  const std::size_t nodes = m.nodes().size();
  table.add("Problem", [&](Arguments& x) {
    Problem(m, rows, {{x.index("row", 0, at(rows)), x.index("node", 1, nodes)}});
  });
  table.add("Problem::assign", [&](Arguments& x) {
    Problem p = problems.take(x, "the problem");
    p.assign(m, 1, std::vector<Entry>{{0, x.index("node", 1, nodes)}});
  });
  const std::vector<int> none;
  table.add("Plan", [&](Arguments& x) {
    Plan(m, problems.take(x, "the problem"), std::vector<int>{x.index("node", 1, nodes)});
  });
  Three<Plan> plans(models, [](const Model& of) { return make_pv_plan(of, tip_problem(of)); });
  table.add("Plan::assign", [&](Arguments& x) {
    Plan plan = plans.take(x, "the plan");
    plan.assign(m, problems.take(x, "the problem"), none);
  });
  table.add("find_meeting_nodes", [&](Arguments& x) { find_meeting_nodes(m, problems.take(x, "the problem")); });
  table.add("find_pvr_stations", [&](Arguments& x) { find_pvr_stations(m, problems.take(x, "the problem")); });
  table.add("make_pv_plan", [&](Arguments& x) { make_pv_plan(m, problems.take(x, "the problem")); });
  table.add("make_pvr_plan", [&](Arguments& x) { make_pvr_plan(m, problems.take(x, "the problem")); });
  table.add("make_mixed_plan", [&](Arguments& x) { make_mixed_plan(m, problems.take(x, "the problem"), K(x)); });
  table.add("calc_costs", [&](Arguments& x) { calc_costs(m, problems.take(x, "the problem"), K(x)); });
  table.add("best", [&](Arguments& x) { best(m, problems.take(x, "the problem"), K(x)); });
  EXPECT_EQ(table.run("delassus, plans"), "");
  // A plan for other rows of the same model.
  const Problem other(m, 3, {{0, 1}, {1, 1}, {2, 1}});
  EXPECT_THROW(PvWorkspace<double>(m, problem, make_pv_plan(m, other)), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
