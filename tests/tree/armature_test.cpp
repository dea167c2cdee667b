// tests/tree/armature_test.cpp - armature against rotors that are bodies, and against Lagrange's equations
#include "sinew/joint/armature.hpp"

#include <gtest/gtest.h>

#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/delassus/pv_dynamics.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/coriolis.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/dca.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/equivalence.hpp"
#include "sinew/tree/floating_base.hpp"
#include "sinew/tree/hybrid.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/tree_state.hpp"
#include "support/user_joints.hpp"

namespace sinew::test {
namespace {

// Whose velocities are the rates of their positions, and the others.
const std::vector<JointKind> kAlongNumbers{JointKind::revolute,       JointKind::prismatic, JointKind::helical,
                                           JointKind::cylindrical,    JointKind::universal, JointKind::spherical_ypr,
                                           JointKind::rack_and_pinion};
const std::vector<JointKind> kTurning{JointKind::planar, JointKind::spherical};

int freedoms(const JointSpec& j) { return j.user ? j.user->nv() : Joint{.kind = j.kind}.nv(); }

// Armature of every coordinate, each another.
void give_armature(JointSpec& j, Random& rng) {
  for (JointSpec& p : j.parts) give_armature(p, rng);
  if (!j.parts.empty()) return;
  j.dofs.resize(static_cast<std::size_t>(freedoms(j)));
  for (DofSpec& d : j.dofs) d.armature = rng.uniform(0.2, 2);
}
void take_armature(JointSpec& j) {
  for (JointSpec& p : j.parts) take_armature(p);
  for (DofSpec& d : j.dofs) d.armature = 0;
}
std::vector<double> calc_forces(const Model& m, const TreeState& s) {
  RneaWorkspace<double> ws(m);
  std::vector<double> tau(s.v.size());
  rnea(m, ws, s.q, s.v, s.a, tau);
  return tau;
}

// A joint on a body that moves freely itself, with a body at its other end.
ModelSpec on_a_moving_body(Random& rng, JointSpec joint) {
  ModelSpec spec;
  spec.name = "moving";
  spec.bodies = {random_body(rng, "base"), random_body(rng, "arm")};
  JointSpec root = random_joint(rng, JointKind::free, "root");
  root.parent = spec.world, root.child = "base", root.reversed = false;
  joint.parent = "base", joint.child = "arm";
  spec.joints = {root, joint};
  return spec;
}
JointSpec some_joint(Random& rng, JointKind kind) {
  JointSpec j = random_joint(rng, kind, "joint");
  j.neutral.clear(), j.dofs.clear();
  return j;
}
JointSpec some_composite(Random& rng, const std::vector<JointKind>& kinds) {
  JointSpec j;
  j.name = "joint", j.kind = JointKind::composite;
  for (const JointKind kind : kinds) {
    j.parts.push_back(some_joint(rng, kind));
    j.parts.back().name = "part" + std::to_string(j.parts.size());
  }
  return j;
}
JointSpec cam_joint(Random& rng) {
  JointSpec j = some_joint(rng, JointKind::revolute);
  j.kind = JointKind::user, j.user = make_user_joint(CamJoint{0.3});
  return j;
}

// Two rotors a coordinate, on one axis of the parent: one turns G times as fast as the coordinate, one against it.
// Locked they are dead weight of the parent. `turning`: they turn, by joints of their own.
void add_rotors(ModelSpec& spec, const std::vector<double>& armature, double G, bool turning,
                const Vec3<double>& axis) {
  for (std::size_t k = 0; k < 2 * armature.size(); ++k) {
    BodySpec rotor;
    rotor.name = "rotor" + std::to_string(k), rotor.mass = 0.3;
    const double I = armature[k / 2] / (2 * G * G);
    rotor.inertia = Sym3<double>::diagonal(I, I, I);
    spec.bodies.push_back(rotor);
    JointSpec j;
    j.name = "gear" + std::to_string(k), j.kind = turning ? JointKind::revolute : JointKind::fixed;
    j.parent = "base", j.child = rotor.name, j.axis = axis;
    spec.joints.push_back(j);
  }
}

void expect_rotors(Random& rng, JointSpec joint) {
  give_armature(joint, rng);
  const double G = 7;
  ModelSpec with = on_a_moving_body(rng, joint), turning = with;
  take_armature(turning.joints[1]);
  std::vector<double> armature;
  const auto collect = [&](auto& self, const JointSpec& j) -> void {
    for (const JointSpec& p : j.parts) self(self, p);
    for (const DofSpec& d : j.dofs) armature.push_back(d.armature);
  };
  collect(collect, joint);
  const Vec3<double> axis = random_unit(rng);
  add_rotors(with, armature, G, false, axis);
  add_rotors(turning, armature, G, true, axis);
  const Model m = compile(with).value(), rotors = compile(turning).value();
  const std::size_t n = armature.size();
  ASSERT_EQ(m.nv(), 6 + static_cast<int>(n));
  ASSERT_EQ(rotors.nv(), 6 + 3 * static_cast<int>(n));

  const TreeState s = random_state(m, rng);
  TreeState r = s;
  for (std::size_t k = 0; k < 2 * n; ++k) {
    const double ratio = k % 2 == 0 ? G : -G;
    r.q.push_back(rng.uniform(-3, 3));
    r.v.push_back(ratio * s.v[6 + k / 2]), r.a.push_back(ratio * s.a[6 + k / 2]);
  }
  const std::vector<double> full = calc_forces(rotors, r);
  std::vector<double> want(full.begin(), full.begin() + 6 + static_cast<std::ptrdiff_t>(n));
  for (std::size_t k = 0; k < 2 * n; ++k) want[6 + k / 2] += (k % 2 == 0 ? G : -G) * full[6 + n + k];
  EXPECT_TRUE(near(calc_forces(m, s), want, 200));
  EnergyWorkspace<double> one(m), all(rotors);
  EXPECT_TRUE(near(calc_kinetic_energy(m, one, s.q, s.v), calc_kinetic_energy(rotors, all, r.q, r.v), 100));
}

}  // namespace

TEST(Armature, IsAPairOfRotorsOnTheParent) {
  for (int seed = 0; seed < 5; ++seed) {
    Random rng(static_cast<std::uint64_t>(seed));
    for (const JointKind kind : kAlongNumbers) {
      SCOPED_TRACE(std::string(to_string(kind)) + ", seed " + std::to_string(seed));
      expect_rotors(rng, some_joint(rng, kind));
    }
    SCOPED_TRACE("composite and user, seed " + std::to_string(seed));
    expect_rotors(rng, some_composite(rng, {JointKind::revolute, JointKind::prismatic, JointKind::universal}));
    expect_rotors(rng, cam_joint(rng));
  }
}

// On the world: a body that has the armature as its inertia, and no weight.
TEST(Armature, OfTurningAxesIsABodyWithoutWeight) {
  for (int seed = 0; seed < 5; ++seed)
    for (const JointKind kind : kTurning) {
      SCOPED_TRACE(std::string(to_string(kind)) + ", seed " + std::to_string(seed));
      Random rng(static_cast<std::uint64_t>(seed) + 50);
      ModelSpec spec;
      spec.name = "thing", spec.gravity = {};
      spec.bodies = {random_body(rng, "thing")};
      JointSpec j = some_joint(rng, kind);
      j.parent = spec.world, j.child = "thing", j.reversed = false;
      spec.joints = {j};
      ModelSpec heavy = spec;
      const double mass = 0.7;
      const Sym3<double> inertia =
          kind == JointKind::planar ? Sym3<double>::diagonal(0.4, 0.4, 0.4) : Sym3<double>::diagonal(0.4, 0.5, 0.6);
      BodySpec more;
      more.name = "more", more.mass = mass, more.inertia = inertia;
      heavy.bodies.push_back(more);
      JointSpec weld;
      weld.name = "weld", weld.kind = JointKind::fixed, weld.parent = "thing", weld.child = "more";
      weld.placement = j.child_placement;
      heavy.joints.push_back(weld);
      auto& dofs = spec.joints[0].dofs;
      dofs.resize(static_cast<std::size_t>(freedoms(j)));
      if (kind == JointKind::planar)
        dofs[0].armature = inertia.zz, dofs[1].armature = dofs[2].armature = mass;
      else
        dofs[0].armature = inertia.xx, dofs[1].armature = inertia.yy, dofs[2].armature = inertia.zz;
      if (kind == JointKind::free) dofs[3].armature = dofs[4].armature = dofs[5].armature = mass;
      const Model m = compile(spec).value(), body = compile(heavy).value();
      const TreeState s = random_state(m, rng);
      EXPECT_TRUE(near(calc_forces(m, s), calc_forces(body, s), 50));
    }
}

namespace {

// Lagrange's equations of 1/2 sum of A v^2 in the coordinates x of q = integrate(q0, x), at x = 0. There v = J(x) dx/dt
// with J(0) = 1, and dv/dt = d^2 x/dt^2. J by dual numbers, its slopes by central differences.
std::vector<double> calc_lagrange(const Model& m, const TreeState& s) {
  const std::size_t n = s.v.size();
  const auto calc_J = [&](std::size_t l, double h) {
    std::vector<double> x(n), q(s.q.size());
    x[l] = h;
    integrate(m, s.q, x, 1.0, q);
    std::vector<std::vector<double>> columns;
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<Dual> q0(s.q.begin(), s.q.end()), q_here(q.begin(), q.end()), dx(x.begin(), x.end()), q1(q.size()),
          v(n);
      dx[k].slope = 1;
      integrate<Dual>(m, q0, dx, Dual(1), q1);
      difference<Dual>(m, q_here, q1, v);
      columns.push_back(slopes(v));
    }
    return columns;
  };
  constexpr double kStep = 1e-4;
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = m.armature()[i] * s.a[i];
  for (std::size_t l = 0; l < n; ++l) {
    const auto more = calc_J(l, kStep), less = calc_J(l, -kStep);
    const auto slope = [&](std::size_t j, std::size_t k) { return (more[k][j] - less[k][j]) / (2 * kStep); };
    for (std::size_t j = 0; j < n; ++j) {
      const double p = m.armature()[j] * s.v[j];
      for (std::size_t k = 0; k < n; ++k) {
        out[k] += p * slope(j, k) * s.v[l];                         // d/dt of dT/d(dx/dt)
        out[l] -= p * slope(j, k) * s.v[k];                         // dT/dx
        out[j] += m.armature()[j] * slope(j, k) * s.v[k] * s.v[l];  // zero: these coordinates are straight
      }
    }
  }
  return out;
}

// Every kind of joint, turning or not, on a moving body, each coordinate with another armature.
template <class Body>
void for_every_kind(Body body) {
  for (int seed = 0; seed < 4; ++seed) {
    std::vector<JointKind> kinds = kAlongNumbers;
    kinds.insert(kinds.end(), kTurning.begin(), kTurning.end());
    for (std::size_t k = 0; k <= kinds.size(); ++k) {
      Random rng(static_cast<std::uint64_t>(100 * seed) + k);
      JointSpec j =
          k < kinds.size() ? some_joint(rng, kinds[k]) : some_composite(rng, {JointKind::planar, JointKind::spherical});
      SCOPED_TRACE(std::string(to_string(j.kind)) + (j.reversed ? " reversed" : "") + ", seed " + std::to_string(seed));
      give_armature(j, rng);
      body(on_a_moving_body(rng, j), rng);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace

TEST(Armature, FollowsLagrangesEquations) {
  for_every_kind([](ModelSpec spec, Random& rng) {
    const Model m = compile(spec).value();
    take_armature(spec.joints[1]);
    const Model without = compile(spec).value();
    const TreeState s = random_state(m, rng);
    const std::vector<double> got = calc_forces(m, s), less = calc_forces(without, s), want = calc_lagrange(m, s);
    for (std::size_t i = 0; i < got.size(); ++i)  // the error of the central differences
      EXPECT_NEAR(got[i] - less[i], want[i], 3e-8) << "coordinate " << i;
  });
}

TEST(Armature, IsTheSameInEveryAlgorithm) {
  for_every_kind([](const ModelSpec& spec, Random& rng) {
    const Model m = compile(spec).value();
    const TreeState s = random_state(m, rng);
    const std::vector<double> tau = calc_forces(m, s);
    const std::size_t nv = tau.size();
    double size = 1;
    for (const double x : tau) size = std::max(size, std::abs(x));
    std::vector<double> a(nv), f(nv);
    AbaWorkspace<double> by_bodies(m);
    aba(m, by_bodies, s.q, s.v, tau, a);
    EXPECT_TRUE(near(a, s.a, 2000, size)) << "aba";
    DcaWorkspace<double> divided(m);
    dca(m, divided, s.q, s.v, tau, a);
    EXPECT_TRUE(near(a, s.a, 1e5, size)) << "dca";
    delassus::PvDynamicsWorkspace pv(m, delassus::Problem(m, 0, {}));
    pv_forward_dynamics(m, pv, s.q, s.v, tau, {}, {}, a, {});
    EXPECT_TRUE(near(a, s.a, 2000, size)) << "pv_forward_dynamics";
    InertiasRneaWorkspace<double> inertias(m);
    std::vector<RigidInertia<double>> of_nodes;
    for (const Node& node : m.nodes()) of_nodes.push_back(node.inertia);
    rnea_with_inertias<double>(m, inertias, of_nodes, s.q, s.v, s.a, f);
    EXPECT_TRUE(near(f, tau, 200)) << "rnea_with_inertias";

    FloatingBaseWorkspace<double> floating(m);
    floating_aba(m, floating, s.q, s.v, tau, a);
    EXPECT_TRUE(near(a, s.a, 2000, size)) << "floating_aba";
    FloatingCoefficients<double> c(floating.base);
    calc_floating_coefficients(m, floating, s.q, s.v, c);
    floating_crba(m, floating, c, tau, a);
    EXPECT_TRUE(near(a, s.a, 2000, size)) << "floating_crba";
    // With no force on the base: its acceleration and the forces of the joints.
    std::vector<double> pushed = tau, back(nv);
    for (std::size_t k = 0; k < 6; ++k) pushed[k] = 0;
    aba(m, by_bodies, s.q, s.v, pushed, a);
    back = a;
    floating_rnea(m, floating, s.q, s.v, back, f);
    EXPECT_TRUE(near(f, pushed, 100, size)) << "floating_rnea";

    // Every second acceleration is given.
    std::vector<int> given;
    std::vector<double> hybrid_a(nv), hybrid_tau(nv);
    for (std::size_t k = 0; k < nv; ++k) {
      if (k % 2 == 0) given.push_back(static_cast<int>(k));
      (k % 2 == 0 ? hybrid_a : hybrid_tau)[k] = k % 2 == 0 ? s.a[k] : tau[k];
    }
    std::vector<double> a1 = hybrid_a, tau1 = hybrid_tau;
    HybridAbaWorkspace<double> aba_split(m, HybridSplit(m, given));
    hybrid_aba(m, aba_split, s.q, s.v, a1, tau1);
    EXPECT_TRUE(near(a1, s.a, 2000, size) && near(tau1, tau, 2000, size)) << "hybrid_aba";
    a1 = hybrid_a, tau1 = hybrid_tau;
    HybridCrbaWorkspace<double> crba_split(m, HybridSplit(m, given));
    hybrid_crba(m, crba_split, s.q, s.v, a1, tau1);
    EXPECT_TRUE(near(a1, s.a, 500, size) && near(tau1, tau, 500, size)) << "hybrid_crba";

    const ConstraintSet none(m);
    for (const ConstrainedMethod method :
         {ConstrainedMethod::kkt, ConstrainedMethod::multipliers, ConstrainedMethod::projection,
          ConstrainedMethod::sparse, ConstrainedMethod::proximal, ConstrainedMethod::pv}) {
      ConstrainedWorkspace ws(m, none, {.method = method});
      std::vector<double> lambda;
      constrained_forward_dynamics(m, none, ws, s.q, s.v, tau, a, lambda);
      const Allowed n =
          method == ConstrainedMethod::sparse ? slack(1e8, "within the tolerance of its certificate") : 1e3;
      EXPECT_TRUE(near(a, s.a, n, size)) << to_string(method);
    }
  });
}

TEST(Armature, DoesNoWorkOfItsOwn) {
  for_every_kind([](const ModelSpec& spec, Random& rng) {
    const Model m = compile(spec).value();
    const TreeState s = random_state(m, rng);
    const std::vector<double> tau = calc_forces(m, s);
    double power = 0;
    for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * s.v[k];
    EnergyWorkspace<Dual> ws(m);
    const Dual energy = calc_kinetic_energy<Dual>(m, ws, moving_q(m, s), moving(s.v, s.a)) +
                        calc_potential_energy<Dual>(m, ws, moving_q(m, s));
    EXPECT_TRUE(near(energy.slope, power, 2e3));
  });
}

TEST(Armature, HasASkewPlaceInTheCoriolisMatrix) {
  for_every_kind([](const ModelSpec& spec, Random& rng) {
    const Model m = compile(spec).value();
    TreeState s = random_state(m, rng);
    Grid<double> C(m.nv(), m.nv()), dM(m.nv(), m.nv());
    CoriolisWorkspace<double> ws(m);
    calc_coriolis_matrix<double>(m, ws, s.q, s.v, C);
    calc_mass_matrix_rate<double>(m, ws, s.q, s.v, dM);
    RneaWorkspace<double> forces(m);
    std::vector<double> h(s.v.size()), g(s.v.size());
    calc_bias(m, forces, s.q, s.v, h);
    calc_gravity(m, forces, s.q, g);
    EXPECT_TRUE(near(plus(C * s.v, g), h, 500, 10));
    CrbaWorkspace<Dual> rates(m);
    std::vector<Dual> M(s.v.size() * s.v.size());
    crba<Dual>(m, rates, moving_q(m, s), MatrixView<Dual>{M.data(), s.v.size(), s.v.size()});
    EXPECT_TRUE(near(dM.numbers, slopes(M), 100, 10));
  });
}

// A user's joint whose v are not the rates of q.
namespace {
struct TwistedJoint : EuclideanJoint<2> {
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    const T o = lit<T>(0), i = lit<T>(1);
    out.X = {rotation_z(o), {q[0], q[1], o}};
    out.S[0] = {{}, {i, o, o}}, out.S[1] = {{}, {o, i, o}};
    out.v = {{}, {v[0], v[1], o}}, out.c = {};
  }
  template <class T>
  void rate(const T* q, const T* v, T* qdot) const {
    qdot[0] = v[0] + q[1] * v[1], qdot[1] = v[1];
  }
};
}  // namespace

TEST(Armature, IsRefusedWhereAUsersVelocitiesAreNoRates) {
  Random rng(3);
  for (const bool twisted : {false, true}) {
    JointSpec j = some_joint(rng, JointKind::revolute);
    j.kind = JointKind::user, j.dofs.resize(2), j.dofs[1].armature = 0.5;
    j.user = twisted ? make_user_joint(TwistedJoint{}) : nullptr;
    if (!twisted) j.user = make_user_joint(CamJoint{0.1}), j.dofs.resize(1), j.dofs[0].armature = 0.5;
    const auto built = compile(on_a_moving_body(rng, j));
    EXPECT_EQ(static_cast<bool>(built), !twisted);
    if (twisted) {
      EXPECT_NE(to_string(*built.diagnostics().begin()).find("armature"), std::string::npos);
    }
  }
}

}  // namespace sinew::test
