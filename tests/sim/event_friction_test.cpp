// tests/sim/event_friction_test.cpp - Coulomb's friction from event to event: sticking and sliding at known times
#include <algorithm>
#include <numbers>

#include "sinew/model/builder.hpp"
#include "sinew/sim/event_driven.hpp"
#include "sinew/tree/energy.hpp"
#include "support/ball_world.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using Kind = ContactEventKind;
const EventDrivenOptions kRough{.friction = EventFriction::coulomb};

Model make_ball(double friction, double restitution, double slope = 0) {
  ModelBuilder b("ball");
  b.gravity({kGravity * std::sin(slope), 0, -kGravity * std::cos(slope)});
  b.body("ball").mass(solid_sphere(1, kRadius)).sphere(kRadius);
  b.free("flies", "world", "ball");
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction, s.restitution = restitution;
  return compile(b.spec()).value();
}
Vec3<double> velocity_of(const Model& m, const State& s) {
  VelocityWorkspace<double> ws(m);
  calc_velocities(m, ws, s.q, s.v);
  return get_point_velocity(ws, m.bodies().back());
}

// A mass that slides along x, y and z over the plane z = 0, which leans by `slope` about y.
Model make_mass(double slope) {
  ModelBuilder b("mass");
  b.gravity({kGravity * std::sin(slope), 0, -kGravity * std::cos(slope)});
  const char* names[] = {"world", "x", "y", "mass"};
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    b.body(names[i + 1]);
    b.prismatic(std::string("along ") + names[i + 1], names[i], names[i + 1]).axis(axes[i]);
  }
  b.spec().bodies.back().mass = 2;
  return b.build().value();
}
ContactSource make_floor(const Model& m, double friction) {
  return [&m, friction](const KinematicsWorkspace<double>& ws, double, double reach, std::vector<ContactPoint>& out) {
    out.clear();
    const Vec3<double> p = get_body_pose(m, ws, 3).r;
    if (p.z <= reach) out.push_back({m.bodies()[3].node, 0, p, {0, 0, 1}, p.z, friction, 0, 1});
  };
}

}  // namespace

TEST(EventFriction, ASlidingBallRolls) {
  const double mu = 0.2, v0 = 1, t = 2 * v0 / (7 * mu * kGravity), distance = 12 * v0 * v0 / (49 * mu * kGravity);
  const Model m = make_ball(mu, 0);
  const ConstraintSet set(m);
  EventDriven run(m, set, kRough);
  State from = make_state(m);
  from.q[6] = kRadius, from.v[3] = v0;
  run.set_state(from);
  ASSERT_EQ(run.events().size(), 2u);  // touches, and slides
  EXPECT_EQ(run.events()[1].kind, Kind::sliding);
  const auto events = run.advance_to_event(5);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::sticking);
  EXPECT_NEAR(events[0].time, t, 3e-10);
  EXPECT_NEAR(run.state().q[4], distance, 1e-9);
  EXPECT_NEAR(velocity_of(m, run.state()).x, 5 * v0 / 7, 1e-9);
  run.advance(3);
  EXPECT_NEAR(velocity_of(m, run.state()).x, 5 * v0 / 7, 1e-8);
  EXPECT_NEAR(run.state().q[4], distance + (3 - t) * 5 * v0 / 7, 1e-7);
  EXPECT_EQ(run.events().size(), 3u);
  std::printf("sliding ball: rolls after %.12f s, %.12f expected\n", run.events()[2].time, t);
}

TEST(EventFriction, ABallOnASlopeRollsOrSlides) {
  const double slope = 0.5;
  for (const double mu : {0.3 * std::tan(slope), 0.25 * std::tan(slope)}) {
    const Model m = make_ball(mu, 0, slope);
    const ConstraintSet set(m);
    EventDriven run(m, set, kRough);
    State from = make_state(m);
    from.q[6] = kRadius;
    run.set_state(from);
    const bool rolls = mu >= 2.0 / 7 * std::tan(slope);
    EXPECT_EQ(run.events().back().kind, rolls ? Kind::sticking : Kind::sliding);
    run.advance(0.5);
    const double a = rolls ? kGravity * std::sin(slope) / 1.4 : kGravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(velocity_of(m, run.state()).x, 0.5 * a, 1e-8);
  }
}

// Up a slope, to rest, and down again or not: friction turns round, or holds.
TEST(EventFriction, AMassThrownUpASlope) {
  const double slope = 0.4, v0 = -2, s = std::sin(slope), c = std::cos(slope);
  for (const double mu : {0.2, 0.6}) {
    const Model m = make_mass(slope);
    const ConstraintSet set(m);
    EventDriven run(m, set, kRough, make_floor(m, mu));
    State from = make_state(m);
    from.v[0] = v0;
    run.set_state(from);
    const double stop = -v0 / (kGravity * (s + mu * c));
    const bool holds = mu > std::tan(slope);
    if (holds) {
      const auto events = run.advance_to_event(5);
      ASSERT_EQ(events.size(), 1u);
      EXPECT_EQ(events[0].kind, Kind::sticking);
      EXPECT_NEAR(events[0].time, stop, 2e-14);
    }
    run.advance(2);
    EXPECT_NEAR(run.state().v[0], holds ? 0 : kGravity * (s - mu * c) * (2 - stop), 1e-13);
    const double up = v0 * stop / 2;
    EXPECT_NEAR(run.state().q[0], holds ? up : up + kGravity * (s - mu * c) * (2 - stop) * (2 - stop) / 2, 2e-13);
    EXPECT_NEAR(run.contacts()[0].force, 2 * kGravity * c, 3e-13);
    EXPECT_NEAR(std::hypot(run.contacts()[0].tangent[0], run.contacts()[0].tangent[1]),
                2 * kGravity * (holds ? s : mu * c), 1e-13);
  }
}

// A pull that grows, aslant to the tangents: it lets go at mu m g.
TEST(EventFriction, LetsGoAtTheLimit) {
  const double mu = 0.5, rate = 4, c = std::cos(0.7), s = std::sin(0.7);
  const Model m = make_mass(0);
  const ConstraintSet set(m);
  EventDriven run(m, set, kRough, make_floor(m, mu), [=](const StatePoint& x, Out<double> tau) {
    tau[0] = c * rate * x.time, tau[1] = s * rate * x.time, tau[2] = 0;
  });
  run.set_state(make_state(m));
  const auto events = run.advance_to_event(10);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::sliding);
  const double t = mu * 2 * kGravity / rate;
  EXPECT_NEAR(events[0].time, t, 1e-6);
  EXPECT_NEAR(run.state().q[0], 0, 1e-11);
  run.advance(t + 1);
  const double speed = rate / 2 / 2;  // a = rate (time since) / m
  EXPECT_NEAR(run.state().v[0], c * speed, 1e-11);
  EXPECT_NEAR(run.state().v[1], s * speed, 1e-11);
}

TEST(EventFriction, AnObliqueImpactSlidesThroughOrSticks) {
  const double e = 0.5, vx = 2, vy = 3;
  for (const double mu : {0.05, 0.4}) {
    const Model m = make_ball(mu, e);
    const ConstraintSet set(m);
    EventDriven run(m, set, kRough);
    State from = make_state(m);
    from.q[6] = kRadius + 1e-6, from.v[3] = vx, from.v[5] = -vy;
    run.set_state(from);
    ASSERT_EQ(run.advance_to_event(1)[0].kind, Kind::impact);
    const bool slides = mu < 2 * vx / (7 * (1 + e) * vy);
    EXPECT_NEAR(velocity_of(m, run.state()).x, slides ? vx - mu * (1 + e) * vy : 5 * vx / 7, 1e-5);
    EXPECT_NEAR(velocity_of(m, run.state()).z, e * vy, 1e-5);
  }
}

// Four corners hold a box on a slope: forces are not unique, the motion is.
TEST(EventFriction, ABoxOnASlopeHoldsOrSlides) {
  const double slope = 0.3;
  ModelBuilder b("box");
  b.gravity({kGravity * std::sin(slope), 0, -kGravity * std::cos(slope)});
  b.body("box").mass(solid_box(2, {0.2, 0.1, 0.05}));
  b.free("flies", "world", "box");
  const Model m = b.build().value();
  const ConstraintSet set(m);
  for (const double mu : {1.1 * std::tan(slope), 0.5 * std::tan(slope)}) {
    const ContactSource corners = [&m, mu](const KinematicsWorkspace<double>& ws, double, double reach,
                                           std::vector<ContactPoint>& out) {
      out.clear();
      const Transform<double> X = get_body_pose(m, ws, 1);
      for (std::uint64_t id = 0; id < 4; ++id) {
        const Vec3<double> p = apply_inverse_to_point(X, {id & 1 ? 0.2 : -0.2, id & 2 ? 0.1 : -0.1, -0.05});
        if (p.z <= reach) out.push_back({m.bodies()[1].node, 0, p, {0, 0, 1}, p.z, mu, 0, id});
      }
    };
    EventDriven run(m, set, kRough, corners);
    State from = make_state(m);
    from.q[6] = 0.05;
    run.set_state(from);
    run.advance(1);
    ASSERT_EQ(run.contacts().size(), 4u);
    const bool holds = mu > std::tan(slope);
    const double a = holds ? 0 : kGravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(velocity_of(m, run.state()).x, a, 2e-11);
    EXPECT_NEAR(run.state().q[4], a / 2, 1e-11);
    EXPECT_NEAR(run.state().q[6], 0.05, 1e-14);
    double normal = 0;
    for (const StayingContact& c : run.contacts()) normal += c.force;
    EXPECT_NEAR(normal, 2 * kGravity * std::cos(slope), 2e-10);
  }
}

TEST(EventFriction, WithoutFrictionItIsTheSame) {
  const Model m = make_ball(0, 0.6);
  const ConstraintSet set(m);
  State from = make_state(m);
  from.q[6] = 0.5, from.v[3] = 1;
  State ends[2];
  for (int rough = 0; rough < 2; ++rough) {
    EventDriven run(m, set, rough ? kRough : EventDrivenOptions{});
    run.set_state(from);
    run.advance(3);
    ends[rough] = run.state();
  }
  EXPECT_TRUE(near(ends[0].q, ends[1].q, 50));
}

}  // namespace sinew::test
