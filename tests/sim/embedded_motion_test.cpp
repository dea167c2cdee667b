// tests/sim/embedded_motion_test.cpp - motion in minimal coordinates: order, drift, energy, what is refused
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/sim/smooth_simulation.hpp"
#include "support/embedded_cases.hpp"

namespace sinew::test {
namespace {

Model without_stops(ModelSpec spec) {
  for (JointSpec& j : spec.joints) j.dofs.clear();
  spec.shapes.clear();
  return compile(spec).value();
}

struct Journey {
  explicit Journey(const ModelSpec& spec, SmoothOptions o) : model(without_stops(spec)), set(model), s(model, set, o) {
    const LoopState l(spec);
    s.state = {l.s.q, l.s.v, 0};
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) s.step();
  }
  double energy() { return s.kinetic_energy() + s.potential_energy(); }
  Model model;
  ConstraintSet set;
  SmoothSimulation s;
};

SmoothOptions embedded(IntegrationMethod method, double dt) {
  return {.method = method, .dt = dt, .loops = LoopMethod::embed};
}

TEST(EmbeddedMotion, DoesNotDriftOutOfItsLoops) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "near_singular" || c.name == "lift100" || c.name == "lift10_long_loops") continue;
    SCOPED_TRACE(c.name);
    Journey r(c.spec, embedded(IntegrationMethod::rkmk4, 1e-3));
    const double before = r.energy();
    r.steps(300);
    EXPECT_TRUE(is_small(r.s.totals().worst_drift, 3e-13));
    EXPECT_TRUE(is_small(std::abs(r.energy() - before) / std::max(1.0, r.s.kinetic_energy()),
                         slack(1e-6, "an integrator of order 4; the geared leg's rotors spin fast")));
    ASSERT_NE(r.s.embedding(), nullptr);
    EXPECT_EQ(r.s.embedding()->freedoms, r.model.nv() - c.rank);
  }
}

// The independent coordinates move by the integrator's own order, whichever coordinates they are.
TEST(EmbeddedMotion, HasTheOrderOfItsIntegrator) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), mechanisms::stewart_platform()}) {
    SCOPED_TRACE(spec.name);
    const auto end_of = [&](IntegrationMethod method, int steps) {
      Journey r(spec, embedded(method, 0.4 / steps));
      r.steps(steps);
      return r.s.state.q;
    };
    const std::vector<double> want = end_of(IntegrationMethod::rkmk4, 1280);
    for (const auto& [method, order] : {std::pair{IntegrationMethod::heun, 2}, {IntegrationMethod::rkmk4, 4}}) {
      const auto error = [&, m = method](int steps) {
        const std::vector<double> q = end_of(m, steps);
        double out = 0;
        for (std::size_t i = 0; i < q.size(); ++i) out = std::max(out, std::abs(q[i] - want[i]));
        return out;
      };
      EXPECT_NEAR(std::log2(error(40) / error(80)), order, 0.5) << to_string(method);
    }
  }
}

TEST(EmbeddedMotion, GoesWhereRowsGo) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "near_singular" || c.name == "lift100" || c.name == "lift10_long_loops") continue;
    SCOPED_TRACE(c.name);
    SmoothOptions o = embedded(IntegrationMethod::dormand_prince, 0.01);
    o.relative = 1e-10, o.absolute = 1e-12;
    Journey a(c.spec, o);
    o.loops = LoopMethod::rows;
    Journey b(c.spec, o);
    a.steps(10), b.steps(10);
    EXPECT_TRUE(near(a.s.state.q, b.s.state.q, 1, 0, 2e-10));
    EXPECT_EQ(b.s.embedding(), nullptr);
  }
}

// A crank that turns round, in the rocker's angle at first.
TEST(EmbeddedMotion, ChangesCoordinatesBetweenSteps) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  const int rocker = m.joints().back().v;
  State start{{m.neutral().begin(), m.neutral().end()}, {30, 0, 0}, 0};
  EmbeddingWorkspace ws(m, set, {.independent = {0}});
  close_loops(m, set, ws, start.q, start.v);
  State ends[2];
  for (const int wanted : {0, rocker}) {
    EmbeddedMotion e = make_embedded_dynamics(m, set, {.independent = {wanted}});
    Integrator run(m, e.rate, {.method = IntegrationMethod::rkmk4, .dt = 1e-4});
    run.set_projection(e.projection);
    run.set_state(start);
    run.advance(0.5);
    ends[wanted == 0 ? 0 : 1] = run.state();
    EXPECT_GT(run.state().q[0] - start.q[0], 6.0);
    EXPECT_TRUE(is_small(std::abs(run.calc_energy_drift() / run.calc_energy()), 3e-8));
    const std::vector<CoordinateChange>& changes = e.work->embedding.report.changes;
    if (wanted == 0) {
      EXPECT_TRUE(changes.empty());
      continue;
    }
    ASSERT_FALSE(changes.empty());
    EXPECT_EQ(changes.front().left, (std::vector<int>{rocker}));
    EXPECT_GT(changes.front().time, 0);
  }
  EXPECT_TRUE(near(ends[1].q, ends[0].q, 1, 0, 3e-8));
}

TEST(EmbeddedMotion, RefusesASingularPositionWithTheTime) {
  // A parallelogram without gravity that swings into its flat position, arriving there at the end of a step.
  ModelSpec spec = mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = 0.01});
  const Model m = compile(spec).value();
  const ConstraintSet set(m);
  EmbeddingWorkspace ws(m, set, {.independent = {0}});
  State s{{m.neutral().begin(), m.neutral().end()}, {-1, 0, 0}, 0};
  close_loops(m, set, ws, s.q, s.v);
  EmbeddedMotion e = make_embedded_dynamics(m, set, {.independent = {0}});
  std::vector<double> rate(3);
  e.rate({s.q, s.v, {}, 0}, {rate, {}});
  const Model flat =
      compile(mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = 1e-12}))
          .value();
  s.q.assign(flat.neutral().begin(), flat.neutral().end());
  try {
    e.rate({s.q, s.v, {}, 0.01}, {rate, {}});
    FAIL() << "not refused";
  } catch (const StepRefused& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("at t = 0.01"), std::string::npos) << text;
    EXPECT_NE(text.find("loop 'coupler_pin'"), std::string::npos) << text;
  }
}

TEST(EmbeddedMotion, RefusesAStageThatCannotBeClosed) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  State s{{m.neutral().begin(), m.neutral().end()}, {1, 0, 0}, 0};
  EmbeddingWorkspace ws(m, set, {.independent = {2}});
  close_loops(m, set, ws, s.q, s.v);
  std::vector<double> rate(3);
  for (const UnclosedStage unclosed : {UnclosedStage::refuse, UnclosedStage::retry}) {
    EmbeddedMotion e = make_embedded_dynamics(m, set, {.independent = {2}}, {}, unclosed);
    e.rate({s.q, s.v, {}, 0}, {rate, {}});
    std::vector<double> far = s.q;
    far[2] += 2;  // the rocker does not swing so far
    if (unclosed == UnclosedStage::retry) {
      e.rate({far, s.v, {}, 0.5}, {rate, {}});
      EXPECT_TRUE(std::isnan(rate[0]));
    } else {
      EXPECT_THROW(e.rate({far, s.v, {}, 0.5}, {rate, {}}), StepRefused);
    }
  }
}

}  // namespace
}  // namespace sinew::test
