// tests/constraint/sparse_test.cpp - maximal coordinates: ladders in linear time [F08 8.13]
#include "sinew/constraint/sparse.hpp"

#include <chrono>
#include <cmath>

#include "sinew/model/builder.hpp"
#include "support/loop_mechanisms.hpp"

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
  double seconds, residual;
  long nonzeros;
};
LadderRun run_ladder(int pairs, int repeats) {
  const Model m = ladder(pairs);
  const ConstraintSet set(m);
  ConstrainedWorkspace ws(m, set, {.method = ConstrainedMethod::sparse});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(static_cast<std::size_t>(m.nv())), a(v),
      lambda(static_cast<std::size_t>(set.rows()));
  Random rng(2);
  const std::vector<double> tau = random_numbers(rng, m.nv());
  LadderRun out{1e9, 0, 0};
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, q, v, tau, a, lambda);
    out.seconds =
        std::min(out.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    out.residual = c.constraint_residual / c.constraint_scale;
    EXPECT_EQ(c.status, SolveStatus::solved) << pairs << " pairs: " << to_string(c.status);
  }
  out.nonzeros = std::get<SparseWorkspace>(ws.solver).factor_nonzeros();
  return out;
}

}  // namespace

TEST(Sparse, LaddersTakeLinearTime) {
  const LadderRun small = run_ladder(100, 7), large = run_ladder(800, 5);
  const double exponent = std::log(large.seconds / small.seconds) / std::log(8.0);
  const double fill = std::log(double(large.nonzeros) / double(small.nonzeros)) / std::log(8.0);
  std::printf(
      "ladder of 100 and 800 pairs: %.2f ms, %.2f ms, exponent %.2f; of the nonzeros of L %.3f; residual %.1e\n",
      1e3 * small.seconds, 1e3 * large.seconds, exponent, fill, large.residual);
  EXPECT_LT(fill, 1.05);
  EXPECT_LT(exponent, 1.6);  // 1.0 to 1.3 as seen, by how busy the machine is
}

TEST(Sparse, LaddersAgreeWithTheTree) {
  const LoopState l(ladder(6).spec());
  std::vector<double> first(static_cast<std::size_t>(l.model.nv())), got(first),
      lambda(static_cast<std::size_t>(l.set.rows()));
  ConstrainedWorkspace ws(l.model, l.set), sparse(l.model, l.set, {.method = ConstrainedMethod::sparse});
  constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, first, lambda);
  constrained_forward_dynamics(l.model, l.set, sparse, l.s.q, l.s.v, l.tau, got, lambda);
  EXPECT_TRUE(near(got, first, 1, largest(first), 1e-9));
}

}  // namespace sinew::test
