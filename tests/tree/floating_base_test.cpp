// tests/tree/floating_base_test.cpp - trees on a floating base (HY-3, HY-4, HY-5)
#include "sinew/tree/floating_base.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A random tree all of whose bodies hang on a free first body; the free joint stands anywhere among the joints.
ModelSpec floating_tree(std::uint64_t seed, int bodies) {
  ModelSpec spec = random_tree(seed, {.bodies = bodies});
  Random rng(seed + 77);
  for (std::size_t i = 1; i < spec.joints.size(); ++i) {
    JointSpec& j = spec.joints[i];
    if (j.parent == spec.world) j.parent = "body0";
    if (j.kind == JointKind::revolute) j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
  }
  JointSpec base = random_joint(rng, JointKind::free, "base");
  base.reversed = false;
  base.parent = spec.world, base.child = "body0";
  spec.joints.front() = base;
  std::swap(spec.joints.front(), spec.joints[at(rng.below(bodies))]);
  return spec;
}
template <class Body>
void for_floating_trees(int count, Body body) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(static_cast<std::uint64_t>(seed));
    body(compile(floating_tree(static_cast<std::uint64_t>(seed), 1 + seed % 10)).value(), rng);
  }
}
std::vector<Force<double>> random_external(const Model& m, Random& rng) {
  std::vector<Force<double>> out;
  for (std::size_t b = 0; b < m.bodies().size(); ++b) out.push_back({random_vec(rng), random_vec(rng)});
  return out;
}
MatrixXd inverse(const MatrixXd& a) { return a.inverse(); }
// What M does to rounding errors.
double condition(const Model& m, const TreeState& s) {
  const MatrixXd M = naive_mass_matrix(m, s.q, 0.4);
  return 10 * M.norm() * inverse(M).norm();  // forces are ten times the accelerations
}
std::vector<double> without_base(const FloatingBase& base, const std::vector<double>& x) {
  std::vector<double> out;
  for (const int v : base.joints) out.push_back(x[at(v)]);
  return out;
}
FloatingCoefficients<double> coefficients_of(const Model& m, FloatingBaseWorkspace<double>& ws, const TreeState& s,
                                             const Surroundings<double>& around = {}) {
  FloatingCoefficients<double> out(ws.base);
  calc_floating_coefficients(m, ws, s.q, s.v, out, around);
  return out;
}

// 1 Closed form ------------------------------------------------------------------------------------------------------

// A free disc with a rotor: spinning the rotor up turns the disc the other way, and gravity plays no part in it.
TEST(FloatingBase, ReactionWheel) {
  ModelBuilder b("satellite");
  b.body("bus").mass(4, {}, Sym3<double>::diagonal(1, 1, 3));
  b.body("wheel").mass(1, {}, Sym3<double>::diagonal(.1, .1, .2));
  b.free("free", "world", "bus");
  b.revolute("axle", "bus", "wheel").axis({0, 0, 1});
  const Model m = b.build().value();
  FloatingBaseWorkspace<double> ws(m);
  std::vector<double> q{1, 0, 0, 0, 0, 0, 0, 0.3}, v(7), tau(7), a(7);
  tau[6] = 0.6;
  floating_aba(m, ws, q, v, tau, a);
  // 3 dw = -tau, .2 (dw + qdd) = tau
  EXPECT_TRUE(near(a, std::vector<double>{0, 0, -0.2, 0, 0, -9.81, 3.2}, 20));
  std::vector<double> back = a, force(7);
  back[2] = back[5] = 1e9;
  floating_rnea(m, ws, q, v, back, force);
  EXPECT_TRUE(near(back, a, 20));
  EXPECT_TRUE(near(force, tau, 20));
}

// 2 Independent paths ------------------------------------------------------------------------------------------------

// The same as the model with its joint of six freedoms: three algorithms against the naive one.
TEST(FloatingBase, IsAJointOfSixFreedoms) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Force<double>> external = random_external(m, rng);
    const Surroundings<double> around{external, 0.4};
    const std::vector<double> tau = naive_rnea(m, s.q, s.v, s.a, external, 0.4);
    const double n = 1e3 + condition(m, s);
    FloatingBaseWorkspace<double> ws(m);
    FloatingCoefficients<double> c(ws.base);
    std::vector<double> a(s.a.size()), b(s.a.size());
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      floating_aba(m, ws, s.q, s.v, tau, a, around);
      calc_floating_coefficients(m, ws, s.q, s.v, c, around);
      floating_crba(m, ws, c, tau, b);
      EXPECT_EQ(allocations.count(), 0);
    }
    EXPECT_TRUE(near(a, s.a, n));
    EXPECT_TRUE(near(b, s.a, n));
  });
}
// The coefficients are the blocks of M and h.
TEST(FloatingBase, CoefficientsAreBlocksOfTheMassMatrix) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m);
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    const MatrixXd M = naive_mass_matrix(m, s.q);
    const std::vector<double> h = naive_rnea(m, s.q, s.v, std::vector<double>(s.v.size()));
    const int n = int(ws.base.joints.size()), base = ws.base.v;
    EXPECT_TRUE(near(to_dense(c.Ic0), numbers_of(M.block(base, base, 6, 6)), 500));
    const std::array<double, 6> p = to_array(c.pc0);
    EXPECT_TRUE(near(p, std::vector(h.begin() + base, h.begin() + base + 6), 500));
    EXPECT_TRUE(near(c.C, without_base(ws.base, h), 500));
    for (int i = 0; i < n; ++i) {
      const int vi = ws.base.joints[at(i)];
      EXPECT_TRUE(near(c.F[at(i)], to_force(Vector6d(M.block(base, vi, 6, 1))), 500));
      for (int j = 0; j < n; ++j) EXPECT_TRUE(near(c.H[at(i * n + j)], M(vi, ws.base.joints[at(j)]), 500));
    }
  });
}
// Inverse dynamics undoes forward dynamics; the base's acceleration comes out with the forces.
TEST(FloatingBase, InverseDynamicsFindsTheBase) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Force<double>> external = random_external(m, rng);
    const Surroundings<double> around{external, 0.4};
    FloatingBaseWorkspace<double> ws(m);
    std::vector<double> tau = random_numbers(rng, m.nv()), a(tau.size()), found(tau.size());
    for (int k = 0; k < 6; ++k) tau[at(ws.base.v + k)] = 0;
    floating_aba(m, ws, s.q, s.v, tau, a, around);
    std::vector<double> given = a;
    for (int k = 0; k < 6; ++k) given[at(ws.base.v + k)] = 1e9;
    const AllocationCount allocations;
    floating_rnea(m, ws, s.q, s.v, given, found, around);
    EXPECT_EQ(allocations.count(), 0);
    const double n = 1e3 + condition(m, s);
    EXPECT_TRUE(near(given, a, n));
    EXPECT_TRUE(
        near(found, tau, n, std::max(1.0, largest(naive_rnea(m, s.q, s.v, given, external, 0.4)) + largest(a))));
  });
}
// H^fl and C^fl give the same accelerations, and H^fl is dense.
TEST(FloatingBase, EquationWithoutTheBase) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m);
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    const int n = int(ws.base.joints.size());
    Grid<double> H(n, n);
    std::vector<double> C(at(n)), tau = random_numbers(rng, m.nv()), a(tau.size());
    calc_floating_equation(c, MatrixView<double>(H), C);
    for (int k = 0; k < 6; ++k) tau[at(ws.base.v + k)] = 0;
    floating_aba(m, ws, s.q, s.v, tau, a);
    const std::vector<double> left = plus(H * without_base(ws.base, a), C);
    EXPECT_TRUE(near(left, without_base(ws.base, tau), 1e3 + condition(m, s), std::max({1.0, largest(C), largest(a)})));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) EXPECT_NE(H(i, j), 0);
  });
}

// 3 Identities -------------------------------------------------------------------------------------------------------

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
    EXPECT_TRUE(near(P, to_force(Vector6d(naive.X0[base].transpose().inverse() * want)), 1e3));
    const std::vector<double> qd = without_base(ws.base, s.v);
    double form = 0.5 * dot(ws.motions.v[base], c.Ic0 * ws.motions.v[base]);
    for (std::size_t i = 0; i < qd.size(); ++i) {
      form += qd[i] * dot(ws.motions.v[base], c.F[i]);
      for (std::size_t j = 0; j < qd.size(); ++j) form += 0.5 * qd[i] * c.H[i * qd.size() + j] * qd[j];
      form -= 0.5 * still.dofs()[at(ws.base.joints[i])].armature * qd[i] * qd[i];  // of rotors, not of bodies
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
    for (int k = 0; k < 6; ++k) out[at(ws.base.v + k)] = 0;
    return out;
  }();
  const auto momentum = [&] {
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    return apply_inverse(ws.motions.X[at(ws.base.node)], calc_floating_momentum(ws.base, c, s.v));
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
  EXPECT_TRUE(near(momentum(), before, 4000 * kSteps));  // 1e-12 a step
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
    const Motion<double> g =
        apply(ws.motions.X[at(ws.base.node)], Motion<double>{{}, elsewhere.gravity() - m.gravity()});
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
    for (int k = 0; k < 6; ++k) impulse[at(ws.base.v + k)] = 0;
    const VectorXd dv = M.ldlt().solve(Eigen::Map<VectorXd>(impulse.data(), m.nv()));
    const std::vector<double> change(dv.begin(), dv.end()), rest(s.v.size());
    const NaiveMotions after = naive_motions(m, s.q, change, rest), at_rest = naive_motions(m, s.q, rest, rest);
    Grid<double> J(6, int(ws.base.joints.size()));
    for (const BodyEntry& body : m.bodies()) {
      const AllocationCount allocations;
      calc_floating_jacobian(m, ws, s.q, body, J);
      EXPECT_EQ(allocations.count(), 0);
      const Vector6d d = after.v[at(body.node)] - at_rest.v[at(body.node)];
      EXPECT_TRUE(near(J * without_base(ws.base, change), apply(body.in_node, to_motion(d)), 1e3 + condition(m, s)));
    }
  });
}

// 4 Scalars, discipline ----------------------------------------------------------------------------------------------

struct RunEverything {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& x) const {
    FloatingBaseWorkspace<T> ws(m);
    FloatingCoefficients<T> c(ws.base);
    std::vector<T> out, a = x, tau = x;
    const auto keep = [&](const std::vector<T>& y) { out.insert(out.end(), y.begin(), y.end()); };
    floating_aba(m, ws, q, v, tau, a), keep(a);
    floating_rnea(m, ws, q, v, a, tau), keep(a), keep(tau);
    calc_floating_coefficients(m, ws, q, v, c);
    floating_crba(m, ws, c, x, a), keep(a);
    const std::size_t n = ws.base.joints.size();
    std::vector<T> H(n * n), C(n), J(6 * n);
    calc_floating_equation(c, MatrixView<T>(H.data(), n, n), C), keep(H), keep(C);
    calc_floating_jacobian(m, ws, q, m.bodies().back(), MatrixView<T>(J.data(), 6, n)), keep(J);
    return out;
  }
};
TEST(FloatingBase, AllScalarsAgree) {
  for_floating_trees(8, [](const Model& m, Random& rng) {
    std::vector<TreeState> states;
    for (int l = 0; l < 16; ++l) states.push_back(random_state(m, rng));
    RunEverything run;
    expect_parity_of<float>(m, states, 1e5, run);
    expect_parity_of<NativePack<double>>(m, states, 1e5, run);
    expect_parity_of<NativePack<float>>(m, states, 1e5, run);
    expect_parity_of<Counted>(m, states, 0.5, run);
    expect_parity_of<Dual>(m, states, 0.5, run);
  });
}
TEST(FloatingBase, WhatDoesNotFloatIsRefused) {
  const auto find = [](auto change) {
    ModelSpec spec = floating_tree(3, 4);
    change(spec);
    return find_floating_base(compile(spec).value()).has_value();
  };
  const auto base_of = [](ModelSpec& s) -> JointSpec& {
    for (JointSpec& j : s.joints)
      if (j.name == "base") return j;
    throw std::logic_error("no base");
  };
  EXPECT_TRUE(find([](ModelSpec&) {}));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).kind = JointKind::planar; }));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).reversed = true; }));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).dofs.assign(6, DofSpec{.armature = 1}); }));
  EXPECT_FALSE(find([&](ModelSpec& s) {
    Random rng(1);
    s.bodies.push_back(random_body(rng, "other"));
    s.joints.push_back(random_joint(rng, JointKind::revolute, "own"));
    s.joints.back().parent = s.world, s.joints.back().child = "other";
  }));
  const Model arm = compile(mechanisms::chain(3)).value();
  EXPECT_THROW(FloatingBaseWorkspace<double>{arm}, std::invalid_argument);
  const Model m = compile(floating_tree(3, 4)).value();
  FloatingBaseWorkspace<double> ws(m);
  std::vector<double> q(at(m.nq())), v(at(m.nv())), two(2);
  try {
    floating_aba(m, ws, q, v, two, v);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()), "floating_aba: tau has 2 entries, the model needs " + std::to_string(m.nv()));
  }
}

}  // namespace
}  // namespace sinew::test
