// tests/sim/soft_contact_test.cpp - surfaces of springs and dampers [F08 11.8]
#include "sinew/sim/soft_contact.hpp"

#include "sinew/model/builder.hpp"
#include "support/ball_world.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

constexpr double kMass = 2;

// A point mass that slides along x, y and z above the plane z = 0, its contact made by hand.
Model make_mass() {
  ModelBuilder b("mass");
  b.gravity({0, 0, -kGravity});
  const char* names[] = {"world", "x", "y", "z"};
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    b.body(names[i + 1]);
    b.prismatic(std::string("along ") + names[i + 1], names[i], names[i + 1]).axis(axes[i]);
  }
  b.body("mass").mass(solid_sphere(kMass, 0.1));
  b.fixed("on", "z", "mass");
  return b.build().value();
}
ContactSource make_hard_floor(const Model& m, double friction) {
  return [&m, friction](const KinematicsWorkspace<double>& ws, double, double reach, std::vector<ContactPoint>& out) {
    out.clear();
    const BodyEntry& body = m.bodies().back();
    const Vec3<double> p = get_body_pose(m, ws, static_cast<int>(m.bodies().size()) - 1).r;
    if (p.z <= reach) out.push_back({body.node, 0, p, {0, 0, 1}, p.z, friction, 0, 7});
  };
}
const SoftSurface kSurface{.stiffness = 5e3, .damping = 60, .tangent_stiffness = 3e3, .tangent_damping = 40};

struct SoftRun {
  SoftRun(const Model& m, double friction, bool remember, const JointForces& forces = {})
      : soft(m, {.surface = kSurface, .slots = 2, .remember_normal = remember}),
        integrator(m, make_soft_dynamics(m, soft, make_hard_floor(m, friction), forces),
                   {.relative = 1e-9, .absolute = 1e-11, .extra = soft.state_size()}) {
    integrator.set_projection(make_soft_upkeep(soft, make_hard_floor(m, friction)));
  }
  double total_energy() { return integrator.calc_energy() + soft.calc_stored_energy(integrator.extra()); }

  SoftContact soft;
  Integrator integrator;
};
State above(const Model& m, double height) {
  State s = make_state(m);
  s.q[2] = height;
  return s;
}

}  // namespace

TEST(SoftContact, AtRestTheSpringCarriesTheWeight) {
  const Model m = make_mass();
  for (const bool remember : {false, true}) {
    SoftRun run(m, 0.5, remember);
    run.integrator.set_state(above(m, 0.05));
    run.integrator.advance(6);
    EXPECT_NEAR(run.integrator.state().q[2], -kMass * kGravity / kSurface.stiffness, 2e-11);
    ASSERT_EQ(run.soft.forces().size(), 1u);
    EXPECT_NEAR(run.soft.forces()[0].normal, kMass * kGravity, 1e-7);
    EXPECT_EQ(run.soft.forces()[0].contact, 7u);
    if (!remember) {
      EXPECT_NEAR(run.integrator.extra()[0], run.integrator.state().q[2], 1e-9);
    }
  }
}

// One number of state more or less: the same motion, through bounces.
TEST(SoftContact, ExplicitAndRememberedNormalsAgree) {
  const Model m = make_mass();
  SoftRun with(m, 0.4, false), without(m, 0.4, true);
  State from = above(m, 0.3);
  from.v = {0.8, -0.5, 0};
  with.integrator.set_state(from), without.integrator.set_state(from);
  int touched = 0;
  for (int i = 1; i <= 150; ++i) {
    with.integrator.advance(0.01 * i), without.integrator.advance(0.01 * i);
    touched += !with.soft.forces().empty();
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(with.integrator.state().q[k], without.integrator.state().q[k], 2e-7) << "at " << 0.01 * i << " s";
  }
  EXPECT_GT(touched, 10);
  EXPECT_GT(with.integrator.state().q[0], 0.1);
}

TEST(SoftContact, EnergyIsOnlyLost) {
  const Model m = make_mass();
  SoftRun run(m, 0.4, false);
  State from = above(m, 0.3);
  from.v = {0.8, -0.5, 0};
  run.integrator.set_state(from);
  double last = run.total_energy();
  const double start = last;
  for (int i = 1; i <= 400; ++i) {
    run.integrator.advance(0.005 * i);
    const double now = run.total_energy();
    ASSERT_LE(now, last + 1e-7) << "at " << 0.005 * i << " s";
    last = now;
  }
  EXPECT_LT(last, 0.1 * start);
}

// Pulled along a direction between the axes: it sticks up to mu f_n, a spring of K_t; beyond, it slides along the pull.
TEST(SoftContact, SticksUntilCoulombsLimit) {
  const Model m = make_mass();
  const double mu = 0.5, limit = mu * kMass * kGravity, c = std::cos(0.5), s = std::sin(0.5);
  for (const double share : {0.95, 1.2}) {
    const double pull = share * limit;
    // the pull grows slowly
    SoftRun run(m, mu, false, [=](const StatePoint& x, Out<double> tau) {
      const double now = pull * std::min(1.0, x.time);
      tau[0] = c * now, tau[1] = s * now, tau[2] = 0;
    });
    State from = above(m, -kMass * kGravity / kSurface.stiffness);
    run.integrator.set_state(from, std::vector<double>{from.q[2], 0, 0, 0, 0, 0});
    run.integrator.advance(3);
    const State& end = run.integrator.state();
    const SoftForce f = run.soft.forces()[0];
    // forces are along the tangents of the normal; they balance or oppose the pull
    EXPECT_NEAR(std::hypot(f.tangent[0], f.tangent[1]), std::min(pull, limit), 2e-7);
    EXPECT_EQ(f.slips, share > 1);
    if (share < 1) {
      EXPECT_NEAR(end.q[0], c * pull / kSurface.tangent_stiffness, 5e-11);
      EXPECT_NEAR(end.q[1], s * pull / kSurface.tangent_stiffness, 3e-11);
    } else {
      // a = (F - mu m g) / m after it let go at share t = 1, F growing until 1 s
      const double speed = std::hypot(end.v[0], end.v[1]);
      const double slip = 1 / share, a = (pull - limit) / kMass;
      EXPECT_NEAR(speed, a * 2 + a * (1 - slip) / 2, 0.02 * speed);
      EXPECT_NEAR(end.v[1] / end.v[0], s / c, 2e-14);
    }
  }
}

TEST(SoftContact, AReleasedSurfaceRelaxes) {
  const Model m = make_mass();
  SoftContact soft(m, {.surface = kSurface, .slots = 1});
  const RightHandSide f = make_soft_dynamics(m, soft, make_hard_floor(m, 0.5));
  // pressed in by 1 mm and 0.5 mm aside, the body far above
  Integrator run(m, f, {.relative = 1e-10, .absolute = 1e-14, .extra = soft.state_size()});
  run.set_state(above(m, 100), std::vector<double>{-1e-3, 5e-4, -2e-4});
  for (const double t : {0.005, 0.02}) {
    run.advance(t);
    EXPECT_NEAR(run.extra()[0], -1e-3 * std::exp(-kSurface.stiffness / kSurface.damping * t), 1e-12);
    EXPECT_NEAR(run.extra()[0], relax(kSurface.stiffness, kSurface.damping, -1e-3, t), 1e-12);
    EXPECT_NEAR(run.extra()[1], 5e-4 * std::exp(-kSurface.tangent_stiffness / kSurface.tangent_damping * t), 3e-13);
  }
}

// A body that comes back before the surface has relaxed meets it lower. [F08 11.74]
TEST(SoftContact, ARelaxingSurfaceIsMetWhereItStands) {
  const SoftNormal apart = calc_soft_normal(kSurface, -0.001, -1, -0.002);
  EXPECT_EQ(apart.force, 0);
  EXPECT_GT(apart.zdot, 0);
  const SoftNormal meets = calc_soft_normal(kSurface, -0.002, -1, -0.002);
  EXPECT_NEAR(meets.force, kSurface.stiffness * 0.002 + kSurface.damping, 1e-12);
  EXPECT_NEAR(meets.zdot, -1, 2e-14);                                 // it moves with the body
  EXPECT_EQ(calc_soft_normal(kSurface, -0.002, 1, -0.002).force, 0);  // pulled away faster than it follows
}

// The friction force lies in its disc and opposes; on its edge it slips.
TEST(SoftContact, FrictionIsClampedToADisc) {
  Random rng(4);
  for (int i = 0; i < 200; ++i) {
    const std::array<double, 2> x{rng.uniform(-1e-3, 1e-3), rng.uniform(-1e-3, 1e-3)}, v{rng.normal(), rng.normal()};
    const double limit = rng.uniform(0, 60);
    const SoftTangent t = calc_soft_tangent(kSurface, x, v, limit);
    const double size = std::hypot(t.force[0], t.force[1]);
    EXPECT_LE(size, limit * (1 + 1e-12));
    // power that goes in less what is stored is lost: D xdot^2 + f . slip
    const double slip[] = {v[0] - t.xdot[0], v[1] - t.xdot[1]};
    EXPECT_TRUE(is_small(t.force[0] * slip[0] + t.force[1] * slip[1], 2e-13));
    if (!t.slips) {
      EXPECT_NEAR(t.xdot[0], v[0], 2e-14);
      EXPECT_NEAR(t.xdot[1], v[1], 2e-14);
    } else {
      EXPECT_NEAR(size, limit, 1e-12);
    }
  }
}

// Two soft surfaces pressed together by a motion p(t): as one if K / D agree, and only then.
TEST(SoftContact, TwoSurfacesLumpIfTheirTimesAgree) {
  const SoftSurface a{.stiffness = 4e3, .damping = 40}, b{.stiffness = 1e3, .damping = 10};
  const SoftSurface other{.stiffness = 1e3, .damping = 30}, both = lump(a, b);
  EXPECT_NEAR(both.stiffness, 800, 1e-11);
  EXPECT_NEAR(both.damping, 8, 1e-13);
  EXPECT_THROW(lump(a, other), std::invalid_argument);
  for (const SoftSurface& second : {b, other}) {
    double z1 = 0, z2 = 0, worst = 0;
    const double dt = 1e-6, K = a.stiffness * second.stiffness / (a.stiffness + second.stiffness),
                 D = a.damping * second.damping / (a.damping + second.damping);
    for (int i = 0; i < 20000; ++i) {
      const double t = i * dt, p = z1 + z2, pdot = -0.1 * std::cos(100 * t);
      const SoftPair f = calc_soft_pair(a, second, p, pdot, z1, z2);
      const double as_one = std::max(0.0, -K * p - D * pdot);
      worst = std::max(worst, std::abs(f.force - as_one));
      z1 += dt * f.z1dot, z2 += dt * f.z2dot;
      if (f.force == 0) break;
    }
    EXPECT_LT(z1, 0);
    if (second.damping == b.damping) {
      EXPECT_TRUE(is_small(worst, 1e-14));
    } else {
      EXPECT_GT(worst, 0.05);
    }
  }
}

TEST(SoftContact, AShapeOfTheModelIsPressedIn) {
  ModelBuilder b("ball");
  b.gravity({0, 0, -kGravity});
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1);
  b.free("flies", "world", "ball");
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.3;
  const Model m = compile(b.spec()).value();
  SoftContact soft(m, {.surface = kSurface});
  const ContactSource source = make_contact_source(m);
  Integrator run(m, make_soft_dynamics(m, soft, source), {.extra = soft.state_size()});
  run.set_projection(make_soft_upkeep(soft, source));
  State from = make_state(m);
  from.q[6] = 0.12, from.v[3] = 1;
  run.set_state(from);
  run.advance(3);
  // it slid, then rolls at 5/7 of its speed
  EXPECT_NEAR(run.state().q[6], 0.1 - kGravity / kSurface.stiffness, 1e-11);
  VelocityWorkspace<double> ws(m);
  calc_velocities(m, ws, run.state().q, run.state().v);
  EXPECT_NEAR(get_point_velocity(ws, m.bodies()[1]).x, 5. / 7, 0.02);
}

TEST(SoftContact, SlotsAreReusedAndAllocateNothing) {
  const Model m = make_mass();
  SoftRun run(m, 0.4, true);
  run.integrator.set_state(above(m, 0.2));
  run.integrator.advance(0.5);  // has touched
  const AllocationCount allocations;
  run.integrator.advance(1);
  EXPECT_EQ(allocations.count(), 0);

  SoftContact one(m, {.surface = kSurface, .slots = 1});
  std::vector<double> z(3), zdot(3), tau(3);
  std::vector<ContactPoint> contacts;
  const auto touch = [&](std::uint64_t id) {
    State s = above(m, -1e-3);
    make_hard_floor(m, 0)(one.calc_motion(s.q, s.v).kinematics, 0, 0, contacts);
    contacts[0].id = id;
  };
  touch(1);
  one.calc_forces(contacts, z, 0, tau, zdot);
  EXPECT_NEAR(tau[2], kSurface.stiffness * 1e-3, 1e-13);
  touch(2);
  EXPECT_THROW(one.calc_forces(contacts, z, 0, tau, zdot), std::runtime_error);
  EXPECT_TRUE(one.end_step({}, z, 1));  // 1 is gone and nothing is left of it
  one.calc_forces(contacts, z, 1, tau, zdot);
  EXPECT_EQ(one.forces()[0].contact, 2u);
}

TEST(SoftContact, BadNumbersAreNamed) {
  const Model m = make_mass();
  EXPECT_THROW(SoftContact(m, {}), std::invalid_argument);
  EXPECT_THROW(SoftContact(m, {.surface = {.stiffness = 1, .damping = 0}}), std::invalid_argument);
  EXPECT_THROW(SoftContact(m, {.surface = kSurface, .slots = 0}), std::invalid_argument);
  EXPECT_THROW(SoftContact(m, {.surface = kSurface, .skin = -1}), std::invalid_argument);
  SoftContact soft(m, {.surface = kSurface, .slots = 1});
  std::vector<double> z(3), tau(2);
  EXPECT_THROW(soft.calc_forces({}, z, 0, tau, z), std::invalid_argument);
}

}  // namespace sinew::test
