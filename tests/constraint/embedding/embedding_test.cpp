// tests/constraint/embedding/embedding_test.cpp - groups, the choice of coordinates, closing, singular positions
#include "sinew/constraint/embedding/embedding.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numbers>

#include "constraint/embedding/loop_solver.hpp"
#include "sinew/constraint/rank/explicit_form.hpp"
#include "support/closed_loops.hpp"
#include "support/crank_piston_closure.hpp"
#include "support/embedded_cases.hpp"

namespace sinew::test {
namespace {

std::string refusal_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(EmbeddedGroups, HoldWhatLiesBetween) {
  // A gear from joint 1 to joint 4 of a chain takes in 2 and 3; one from 6 to 7 is a group of its own, on 5.
  const ModelSpec chain = mechanisms::chain(8);
  const Model m = compile(chain).value();
  const auto gear = [&](int a, int b) {
    CouplingSpec c;
    c.name = "gear" + std::to_string(b), c.dependent = chain.joints[at(b - 1)].name,
    c.terms = {{chain.joints[at(a - 1)].name, {2}, 0}};
    return ConstraintSpec(c);
  };
  const ConstraintSet two(m, {gear(1, 4), gear(6, 7)});
  const auto groups = find_groups(m, two);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].nodes, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(groups[0].parent, 0);
  EXPECT_EQ(groups[1].nodes, (std::vector<int>{6, 7}));
  EXPECT_EQ(groups[1].parent, 5);
  EXPECT_EQ(groups[1].constraints, (std::vector<int>{1}));
  // Gears that overlap without sharing a joint are one group.
  const ConstraintSet overlapping(m, {gear(1, 4), gear(3, 6)});
  const auto one = find_groups(m, overlapping);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].nodes, (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(one[0].constraints, (std::vector<int>{0, 1}));
}

// The same solutions as one elimination of the whole matrix.
TEST(LoopElimination, FindsTheSolutionsOfTheWholeMatrix) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "lift100") continue;
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    const std::size_t nv = l.s.v.size();
    EmbeddingWorkspace ws(l.model, l.set);
    ASSERT_EQ(prepare_embedding(l.model, l.set, ws, l.s.q, l.s.v).status, EmbeddingStatus::ready);
    Grid<double> K = jacobian(l.model, l.set, ws.rows);
    const ExplicitForm form = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, ws.rows.k, {1e-9, ws.independent});
    EXPECT_EQ(form.rank, ws.report.rank);
    EXPECT_EQ(form.independent, ws.independent);
    EXPECT_TRUE(near(ws.g, form.g, 50));
    std::vector<double> y(ws.independent.size()), x(nv), want(nv);
    Random rng(2);
    for (double& e : y) e = rng.normal();
    expand_velocities(l.model, ws, y, x);
    for (std::size_t i = 0; i < nv; ++i)
      for (std::size_t j = 0; j < y.size(); ++j) want[i] += form.G[i * y.size() + j] * y[j];
    EXPECT_TRUE(near(x, want, 50));
    // K^T lambda = f, for an f that does no work on x.
    std::vector<double> lambda(at(l.set.rows())), f(nv), back(lambda.size());
    for (double& e : lambda) e = rng.normal();
    multiply_by_constraint_jacobian_transpose(l.model, l.set, ws.rows, lambda, f);
    solve_loops_transpose(ws.loops, f, back);
    multiply_by_constraint_jacobian_transpose(l.model, l.set, ws.rows, back, want);
    EXPECT_TRUE(near(want, f, 500));
  }
}

TEST(LoopElimination, HasFewColumnsAStepHoweverLongTheLift) {
  for (const int stages : {10, 100, 300}) {
    const LoopCase c{"lift", mechanisms::scissor_lift({.stages = stages, .local_loops = true}), 2 * stages};
    const Model m = compile(c.spec).value();
    const ConstraintSet set(m);
    EmbeddingWorkspace ws(m, set);
    std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(at(m.nv()), 0.1);
    ASSERT_EQ(close_loops(m, set, ws, q, v).status, EmbeddingStatus::ready);
    EXPECT_EQ(ws.report.rank, c.rank);
    std::size_t columns = 0;
    for (const LoopStep& s : ws.loops.steps) columns = std::max(columns, s.columns.size());
    EXPECT_LE(columns, 5u);
  }
}

TEST(CloseLoops, MovesTheDependentCoordinatesOnly) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "near_singular") continue;
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    EmbeddingWorkspace ws(l.model, l.set);
    std::vector<double> q = l.s.q, v = l.s.v, dq(v.size());
    ASSERT_EQ(prepare_embedding(l.model, l.set, ws, q, v).status, EmbeddingStatus::ready);
    for (const int k : ws.independent) dq[at(k)] = 0.3 / l.model.nv();
    integrate(l.model, l.s.q, dq, 1.0, q);
    const std::vector<double> start = q;
    for (std::size_t k = 0; k < v.size(); ++k)
      if (ws.place_in_y[k] < 0) v[k] += 0.1;
    const EmbeddingReport& r = close_loops(l.model, l.set, ws, q, v);
    ASSERT_EQ(r.status, EmbeddingStatus::ready) << describe(r, l.model, l.set);
    EXPECT_TRUE(is_small(r.position_error, 1e-13));
    EXPECT_TRUE(is_small(r.velocity_error, 3e-12));
    EXPECT_LE(r.iterations, 8);
    std::vector<double> moved(v.size());
    difference(l.model, start, q, moved);
    for (const int k : ws.independent) {
      EXPECT_EQ(v[at(k)], l.s.v[at(k)]);
      EXPECT_TRUE(near(moved[at(k)], 0.0, 10));
    }
  }
}

TEST(CloseLoops, SaysWhichRowCannotBeClosed) {
  // The crank cannot be turned so far that coupler and rocker no longer reach each other.
  const Model m =
      compile(mechanisms::four_bar({.ground = 0.8, .crank = 0.5, .coupler = 0.45, .rocker = 0.4, .angle = 0.5}))
          .value();
  const ConstraintSet set(m);
  EmbeddingWorkspace ws(m, set, {.independent = {0}});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(3);
  ASSERT_EQ(close_loops(m, set, ws, q, v).status, EmbeddingStatus::ready);
  EXPECT_EQ(ws.independent, (std::vector<int>{0}));
  q[0] = 2.5;
  const EmbeddingReport& r = close_loops(m, set, ws, q, v);
  EXPECT_TRUE(r.status == EmbeddingStatus::not_closed || r.status == EmbeddingStatus::singular);
  EXPECT_TRUE(mentions(describe(r, m, set), "coupler_pin")) << describe(r, m, set);
}

// A crank that turns round and a rocker that swings: the rocker's angle stops determining the crank at its ends.
TEST(Coordinates, AreReplacedWhereTheyStopDetermining) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  const int rocker = m.joints().back().v;
  EmbeddingWorkspace by_rocker(m, set, {.independent = {rocker}}), by_crank(m, set, {.independent = {0}});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(3);
  close_loops(m, set, by_rocker, q, v);
  EXPECT_EQ(by_rocker.independent, (std::vector<int>{rocker}));
  for (int i = 0; i < 200; ++i) {  // one turn of the crank
    q[0] += 2 * std::numbers::pi / 200;
    ASSERT_EQ(close_loops(m, set, by_crank, q, v).status, EmbeddingStatus::ready);
    const double time = 0.01 * i;
    renew_coordinates(m, set, by_crank, q, v, time);
    prepare_embedding(m, set, by_rocker, q, v, time);
    renew_coordinates(m, set, by_rocker, q, v, time);
    EXPECT_EQ(by_rocker.report.status, EmbeddingStatus::ready);
  }
  EXPECT_TRUE(by_crank.report.changes.empty());
  ASSERT_GE(by_rocker.report.changes.size(), 1u);
  EXPECT_LE(by_rocker.report.changes.size(), 4u);
  const std::string text = describe(by_rocker.report.changes.front(), m);
  EXPECT_TRUE(mentions(text, "takes over from joint 'rocker")) << text;
}

TEST(Coordinates, SingularPositionsAreRefusedByName) {
  // Opposite links are equal: flat, the mechanism may go on as a parallelogram or fold.
  const auto flat = [](double angle) {
    return compile(mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = angle}))
        .value();
  };
  const Model m = flat(0.5);
  const ConstraintSet set(m);
  EmbeddingWorkspace ws(m, set);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(3);
  ASSERT_EQ(close_loops(m, set, ws, q, v).status, EmbeddingStatus::ready);
  q[0] = 0, q[1] = 0, q[2] = 0;
  const Model straight = flat(1e-9);
  q.assign(straight.neutral().begin(), straight.neutral().end());
  for (int i = 0; i < 2; ++i) {  // and again
    const EmbeddingReport& r = prepare_embedding(m, set, ws, q, v);
    EXPECT_EQ(r.status, EmbeddingStatus::singular);
    EXPECT_TRUE(mentions(describe(r, m, set), "at loop 'coupler_pin'")) << describe(r, m, set);
  }
  q.assign(m.neutral().begin(), m.neutral().end());
  EXPECT_EQ(prepare_embedding(m, set, ws, q, v).status, EmbeddingStatus::ready);
}

TEST(Coordinates, RowsThatContradictAreNamed) {
  const Model m = compile(mechanisms::chain(4)).value();
  MaskConstraint still, moving;
  still.name = "still", moving.name = "moving";
  still.body_b = moving.body_b = m.bodies().back().name;
  KinematicsWorkspace<double> k(m);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(4);
  calc_kinematics(m, k, q);
  still.pose_a = moving.pose_a = get_body_pose(m, k, 4);
  still.blocked = moving.blocked = {false, false, false, true, true, true};
  moving.laws = {[](double t) { return MotionSample{t * t, 2 * t, 2}; }, {}, {}};
  const ConstraintSet set(m, {still, moving});
  EmbeddingWorkspace ws(m, set);
  const EmbeddingReport& r = prepare_embedding(m, set, ws, q, v);
  EXPECT_EQ(r.status, EmbeddingStatus::contradiction);
  EXPECT_TRUE(mentions(describe(r, m, set), "no acceleration obeys mask")) << describe(r, m, set);
}

TEST(Embedding, RefusesWhatHoldsNoPositions) {
  const Model m = compile(mechanisms::stewart_platform()).value();
  RollingConstraint ball;
  ball.name = "ball", ball.body_b = "platform", ball.radius = 0.7;
  const ConstraintSet set(m, {ball});
  EXPECT_TRUE(
      mentions(refusal_of([&] { EmbeddingWorkspace ws(m, set); }), "rolling 'ball' holds velocities, not positions"));
}

TEST(Embedding, TakesFormulaeWhereTheyAreGiven) {
  const mechanisms::CrankPistonOptions options;
  const Model m = compile(mechanisms::crank_piston(options)).value();
  const ConstraintSet set(m);
  const auto formulae = std::make_shared<CrankPiston>(options.l1, options.l2);
  EmbeddingWorkspace given(m, set, {.independent = {0, 3}, .closure = formulae}),
      found(m, set, {.independent = {0, 3}});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v{0.7, 0, 0, -0.4}, Q = q, V = v;
  q[0] += 0.2, Q[0] += 0.2;
  close_loops(m, set, given, q, v);
  EXPECT_EQ(given.report.iterations, 0);
  close_loops(m, set, found, Q, V);
  EXPECT_TRUE(near(q, Q, 10));
  EXPECT_TRUE(near(v, V, 10));
  EXPECT_TRUE(near(given.g, found.g, 30));
  EXPECT_TRUE(near(given.maps[0].X, found.maps[0].X, 10));

  const auto wrong = std::make_shared<CrankPiston>(options.l1, 1.1 * options.l2);
  EXPECT_TRUE(mentions(refusal_of([&] {
                         EmbeddingWorkspace ws(m, set, {.independent = {0, 3}, .closure = wrong});
                       }),
                       "differs from the constraints"));
  EXPECT_TRUE(mentions(refusal_of([&] { EmbeddingWorkspace ws(m, set, {.independent = {0}, .closure = formulae}); }),
                       "has 2 independent coordinates, EmbeddingOptions::independent names 1"));
  EXPECT_TRUE(mentions(refusal_of([&] {
                         EmbeddingWorkspace ws(m, set, {.independent = {0, 9}});
                       }),
                       "there is no velocity coordinate 9"));
}

}  // namespace
}  // namespace sinew::test
