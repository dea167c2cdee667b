// tests/tree/floating_motion_test.cpp - trees on a floating base: momentum, free flight, the floating Jacobian (HY-3,
// HY-5)
#include <gtest/gtest.h>

#include "floating_trees.hpp"

namespace sinew::test {
namespace {

// Momentum is that of all bodies, kinetic energy the quadratic form of the coefficients.
TEST(FloatingBase, MomentumAndEnergy) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const Model still = compile(frozen(m.spec())).value();
    const TreeState s = random_state(still, rng);
    FloatingBaseWorkspace<double> ws(still);
    const FloatingCoefficients<double> c = coefficients_of(still, ws, s);
    const NaiveMotions naive = naive_motions(still, s.q, s.v, s.a);
    const Force<double> P = calc_floating_momentum(ws.base, c, s.v);
    Vector6d want = Vector6d::Zero();
    double energy = 0;
    for (std::size_t i = 1; i < naive.v.size(); ++i) {
      const Vector6d p = to_eigen(to_dense(still.nodes()[i].inertia)) * naive.v[i];
      want += naive.X0[i].transpose() * p;
      energy += 0.5 * naive.v[i].dot(p);
    }
    const std::size_t base = at(ws.base.node);
    EXPECT_TRUE(near(to_force(Vector6d(naive.X0[base].transpose() * to_eigen(P))), to_force(want), 1e3));
    const std::vector<double> qd = without_base(ws.base, s.v);
    double form = 0.5 * dot(ws.motions.v[base], c.Ic0 * ws.motions.v[base]);
    for (std::size_t i = 0; i < qd.size(); ++i) {
      form += qd[i] * dot(ws.motions.v[base], c.F[i]);
      for (std::size_t j = 0; j < qd.size(); ++j) form += 0.5 * qd[i] * c.H[i * qd.size() + j] * qd[j];
      form -= 0.5 * still.dofs()[ws.base.joints[i]].armature * qd[i] * qd[i];  // of rotors, not of bodies
    }
    EXPECT_TRUE(near(form, energy, 1e3));
  });
}
// Along a free flight, in small steps of Runge and Kutta, the momentum seen from the world stays.
TEST(FloatingBase, MomentumStaysInFreeFlight) {
  ModelSpec spec = floating_tree(5, 6);
  spec.gravity = {};
  const Model m = compile(frozen(spec)).value();
  Random rng(5);
  TreeState s = random_state(m, rng);
  FloatingBaseWorkspace<double> ws(m);
  const std::vector<double> tau = random_numbers(rng, m.nv());
  const auto joint_forces = [&] {
    std::vector<double> out = tau;
    for (int k = 0; k < 6; ++k) out[ws.base.v + k] = 0;
    return out;
  }();
  const auto momentum = [&] {
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    return apply_inverse(ws.motions.X[ws.base.node], calc_floating_momentum(ws.base, c, s.v));
  };
  const auto rate = [&](const TreeState& at_state) {
    TreeState d{std::vector<double>(at_state.q.size()), std::vector<double>(at_state.v.size()), {}};
    calc_rate<double>(m, at_state.q, at_state.v, d.q);
    floating_aba(m, ws, at_state.q, at_state.v, joint_forces, d.v);
    return d;
  };
  const auto moved = [](TreeState x, const TreeState& d, double h) {
    for (std::size_t i = 0; i < x.q.size(); ++i) x.q[i] += h * d.q[i];
    for (std::size_t i = 0; i < x.v.size(); ++i) x.v[i] += h * d.v[i];
    return x;
  };
  constexpr double h = 2e-5;
  constexpr int kSteps = 50;
  const Force<double> before = momentum();
  for (int step = 0; step < kSteps; ++step) {
    const TreeState k1 = rate(s), k2 = rate(moved(s, k1, h / 2)), k3 = rate(moved(s, k2, h / 2));
    const TreeState k4 = rate(moved(s, k3, h));
    s = moved(moved(moved(moved(s, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
    normalize<double>(m, s.q);
  }
  EXPECT_TRUE(near(momentum(), before, 1 * kSteps));  // 1e-12 per step
}
TEST(FloatingBase, GravityMovesTheBaseAlone) {
  for_floating_trees(30, [](const Model& m, Random& rng) {
    ModelSpec spec = m.spec();
    spec.gravity = {3, -2, 5};
    const Model elsewhere = compile(spec).value();
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m), there(elsewhere);
    std::vector<double> a(s.a.size()), b(s.a.size());
    floating_aba(m, ws, s.q, s.v, s.a, a);
    floating_aba(elsewhere, there, s.q, s.v, s.a, b);
    EXPECT_EQ(without_base(ws.base, a), without_base(ws.base, b));
    const Motion<double> g = apply(ws.motions.X[ws.base.node], Motion<double>{{}, elsewhere.gravity() - m.gravity()});
    for (std::size_t k = 0; k < 6; ++k) b[at(ws.base.v) + k] -= to_array(g)[k];
    EXPECT_TRUE(near(a, b, 20));
  });
}
// An impulse at the joints changes velocities as the floating Jacobian says.
TEST(FloatingBase, JacobianOfInternalImpulses) {
  for_floating_trees(40, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m);
    const MatrixXd M = naive_mass_matrix(m, s.q);
    std::vector<double> impulse = random_numbers(rng, m.nv());
    for (int k = 0; k < 6; ++k) impulse[ws.base.v + k] = 0;
    const VectorXd dv = dense_inverse(M) * Eigen::Map<VectorXd>(impulse.data(), m.nv());
    const std::vector<double> change(dv.begin(), dv.end()), rest(s.v.size());
    const NaiveMotions after = naive_motions(m, s.q, change, rest), at_rest = naive_motions(m, s.q, rest, rest);
    Grid<double> J(6, int(ws.base.joints.size()));
    for (const BodyEntry& body : m.bodies()) {
      const AllocationCount allocations;
      calc_floating_jacobian(m, ws, s.q, body, J);
      EXPECT_EQ(allocations.count(), 0);
      const Vector6d d = after.v[body.node] - at_rest.v[body.node];
      EXPECT_TRUE(near(J * without_base(ws.base, change), apply(body.in_node, to_motion(d)), 200 + condition(m, s)));
    }
  });
}

}  // namespace
}  // namespace sinew::test
