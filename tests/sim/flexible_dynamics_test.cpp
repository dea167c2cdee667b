// tests/sim/flexible_dynamics_test.cpp - flexible bodies over time: conservation, and a beam that is spun up
#include "sinew/sim/flexible_dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/operators/beam.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

// Links of 1 m and 1 kg along x, joined by universal joints, the first one free in space.
Model flexible_chain(int links) {
  ModelBuilder b("chain");
  b.gravity({});
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(1, {0.5, 0, 0}, {1e-2, 0, 0, 1. / 12 + 5e-3, 0, 1. / 12 + 5e-3});
    if (i == 0)
      b.free("root", "world", name);
    else
      b.universal("joint" + std::to_string(i), "link" + std::to_string(i - 1), name)
          .at({1, 0, 0})
          .axes({0, 1, 0}, {0, 0, 1});
  }
  return b.build().value();
}
std::vector<sko::FlexibleBody> flexible_links(int links) {
  std::vector<sko::FlexibleBody> out;
  for (int i = 0; i < links; ++i)
    out.push_back(sko::make_beam({.body = "link" + std::to_string(i),
                                  .length = 1,
                                  .mass = 1,
                                  .bending_y = 4,
                                  .bending_z = 6,
                                  .section_y = 5e-3,
                                  .section_z = 5e-3,
                                  .modes_y = 1,
                                  .modes_z = 1,
                                  .stations = {{"tip", 1}}}));
  return out;
}

TEST(FlexibleDynamics, FreeChainKeepsEnergyAndMomentum) {
  const int links = 3;
  const Model m = flexible_chain(links);
  const sko::FlexibleModel flexible(m, flexible_links(links));
  Integrator run(m, make_flexible_dynamics(flexible),
                 {.relative = 5e-11, .absolute = 1e-12, .extra = 2 * flexible.modes()});
  State s = make_state(m);
  for (std::size_t i = 0; i < s.v.size(); ++i) s.v[i] = 0.4 * std::cos(1.7 * static_cast<double>(i));
  std::vector<double> extra(at(2 * flexible.modes()), 0.0);
  for (std::size_t i = 0; i < extra.size() / 2; ++i) extra[i] = 0.03 * std::sin(2.0 * static_cast<double>(i) + 1);
  run.set_state(s, extra);
  sko::FlexibleSko f(flexible);
  struct Kept {
    double energy;
    Force<double> momentum;
  };
  const auto now = [&] {
    std::vector<double> q = run.state().q, v = run.state().v;
    const std::size_t modes = at(flexible.modes());
    q.insert(q.end(), run.extra().begin(), run.extra().begin() + modes);
    v.insert(v.end(), run.extra().begin() + modes, run.extra().end());
    f.update(q, v);
    return Kept{f.kinetic_energy() + f.elastic_energy(), f.momentum()};
  };
  const Kept before = now();
  run.advance(10);
  const Kept after = now();
  EXPECT_TRUE(is_small(std::abs(after.energy / before.energy - 1), 1e-8));
  EXPECT_TRUE(near(after.momentum, before.momentum, 1e6));
}

// A beam with axial modes on a hinge that is spun up smoothly to 3 rad/s in 2 s [the manoeuvre of Kane, Ryan, Banerjee:
// Dynamics of a cantilever beam attached to a moving base, JGCD 10 (1987) 139]. Afterwards it settles, by its damping,
// straight and longer: E A u'' + m/L w^2 (x + u) = 0, u(0) = u'(L) = 0, so u(L) = tan(k L) / k - L, k^2 = m w^2 / (L E
// A).
TEST(FlexibleDynamics, SpinUpSettlesAtTheExactExtension) {
  ModelBuilder b("beam");
  b.gravity({});
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  const double speed = 3, spin_up = 2;
  b.prescribed("spin", "world", "beam", JointKind::revolute, [=](double t) {
    const double x = std::min(t / spin_up, 1.0), p = 2 * std::acos(-1.0);  // speed (x - sin(p x) / p)
    const double w = speed * (x - std::sin(p * x) / p), a = x < 1 ? speed / spin_up * (1 - std::cos(p * x)) : 0;
    const double angle =
        speed * spin_up * (0.5 * x * x + (std::cos(p * x) - 1) / (p * p)) + speed * std::max(0.0, t - spin_up);
    return MotionSample{angle, w, a};
  });
  const Model m = b.build().value();
  const double EA = 90;  // so soft that the beam gets longer by 3.4 %
  const int axial = 6;
  const sko::FlexibleModel flexible(m, {sko::make_beam({.body = "beam",
                                                        .length = 1,
                                                        .mass = 1,
                                                        .bending_y = 3,
                                                        .axial = EA,
                                                        .modes_y = 3,
                                                        .modes_axial = axial,
                                                        .damping_ratio = 0.1,
                                                        .stations = {{"tip", 1}}})});
  Integrator run(m, make_flexible_dynamics(flexible),
                 {.method = IntegrationMethod::rk4, .dt = 4e-3, .extra = 2 * flexible.modes()});
  run.set_state(make_state(m), std::vector<double>(at(2 * flexible.modes()), 0.0));
  sko::FlexibleSko f(flexible);
  double lag = 0;
  const auto tip = [&] {
    std::vector<double> q = run.state().q, v = run.state().v;
    const std::size_t modes = at(flexible.modes());
    q.insert(q.end(), run.extra().begin(), run.extra().begin() + modes);
    v.insert(v.end(), run.extra().begin() + modes, run.extra().end());
    f.update(q, v, {{}, run.state().time});
    return apply_to_point(f.get_part_pose(0), f.get_pose(f.find_place("beam", "tip")).r);
  };
  for (double t = 0.1; t < spin_up + 0.05; t += 0.1) {
    run.advance(t);
    lag = std::min(lag, tip().y);
  }
  EXPECT_LT(lag, -0.05);  // it bends back while it is spun up
  EXPECT_GT(lag, -0.5);   // and stays together
  run.advance(40);
  const double k = speed / std::sqrt(EA), exact = std::tan(k) / k - 1;
  // What six axial modes give: sums of the load over the modes, without those above.
  double six = 0;
  for (int n = 1; n <= axial; ++n) {
    const double z = (n - 0.5) * std::acos(-1.0);
    six += 2 * k * k / (z * z * (z * z - k * k));
  }
  EXPECT_NEAR(tip().y, 0, 1e-9);
  EXPECT_NEAR(tip().x - 1, six, 1e-10);
  EXPECT_NEAR(six / exact, 1, 1e-3);
}

}  // namespace
}  // namespace sinew::test
