// tests/constraint/solve/sparse_test.cpp - maximal coordinates: ladders in linear time [F08 8.13]
#include "sinew/constraint/solve/sparse.hpp"

#include <cmath>

#include "sinew/model/builder.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Two chains of rods side by side on ball joints, and a ball joint between the two rods of each pair. [F08 Fig 8.4]
Model ladder(int pairs) {
  ModelBuilder b("ladder");
  for (int i = 0; i < pairs; ++i)
    for (const char* side : {"left", "right"}) {
      const double y = side[0] == 'l' ? 0.2 : 0;
      const std::string body = side + std::to_string(i), parent = i == 0 ? "world" : side + std::to_string(i - 1);
      b.body(body).mass(solid_box(1, {0.3, 0.02, 0.02}), make_placement({0.15, 0, 0}));
      b.spherical(body + ".joint", parent, body).at(i == 0 ? Vec3<double>{0, y, 0} : Vec3<double>{0.3, 0, 0});
      if (side[0] == 'l') continue;
      LoopSpec rung;
      rung.name = "rung" + std::to_string(i);
      rung.kind = JointKind::spherical;
      rung.body_a = "left" + std::to_string(i), rung.body_b = body;
      rung.pose_a = shift_frame(Vec3<double>{0.3, -0.1, 0.05 * (i % 3)});
      rung.pose_b = shift_frame(Vec3<double>{0.3, 0.1, 0.05 * (i % 3)});
      b.loop(rung);
    }
  return b.build().value();
}

struct LadderRun {
  double residual;
  long nonzeros;
};
LadderRun run_ladder(int pairs) {
  const Model m = ladder(pairs);
  const ConstraintSet set(m);
  ConstrainedWorkspace ws(m, set, {.method = ConstrainedMethod::sparse});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(static_cast<std::size_t>(m.nv())), a(v),
      lambda(static_cast<std::size_t>(set.rows()));
  Random rng(2);
  const std::vector<double> tau = random_numbers(rng, m.nv());
  const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, q, v, tau, a, lambda);
  EXPECT_EQ(c.status, SolveStatus::solved) << pairs << " pairs: " << to_string(c.status);
  return {c.constraint_residual / c.constraint_scale, std::get<SparseWorkspace>(ws.solver).factor_nonzeros()};
}

}  // namespace

// Nonzeros of the factor, and with them the operations, grow with the ladder. Times are for bench/constraint.
TEST(Sparse, FactorsOfLaddersGrowLinearly) {
  const LadderRun small = run_ladder(100), large = run_ladder(800);
  EXPECT_NEAR(std::log(double(large.nonzeros) / double(small.nonzeros)) / std::log(8.0), 1, 0.05);
  EXPECT_TRUE(is_small(large.residual, 1e-12));
}

TEST(Sparse, LaddersAgreeWithTheTree) {
  const LoopState l(ladder(6).spec());
  std::vector<double> first(static_cast<std::size_t>(l.model.nv())), got(first),
      lambda(static_cast<std::size_t>(l.set.rows()));
  ConstrainedWorkspace ws(l.model, l.set), sparse(l.model, l.set, {.method = ConstrainedMethod::sparse});
  constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, first, lambda);
  constrained_forward_dynamics(l.model, l.set, sparse, l.s.q, l.s.v, l.tau, got, lambda);
  EXPECT_TRUE(near(got, first, 1, largest(first), 5e-12));
}

}  // namespace sinew::test
