// tests/support/scenario.cpp
#include "support/scenario.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/io/mjcf.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

ModelSpec make_spec(const std::string& worldbody, const ScenarioOptions& o) {
  const std::string text = fmt::format(
      R"(<mujoco model="scenario"><option timestep="{}" gravity="{} {} {}"/><default><geom friction="{}"/></default>
<custom><numeric name="sinew_restitution" data="{}"/></custom><worldbody>{}</worldbody></mujoco>)",
      o.dt, o.gravity.x, o.gravity.y, o.gravity.z, o.friction, o.restitution, worldbody);
  return parse_mjcf(text).value();
}
SimulationOptions make_options(const ScenarioOptions& o) {
  SimulationOptions out;
  out.solver.directions = o.directions;
  return out;
}

}  // namespace

Scenario::Scenario(const std::string& worldbody, const ScenarioOptions& o)
    : Scenario(make_spec(worldbody, o), make_options(o), o.overlap) {}

Scenario::Scenario(ModelSpec spec, const SimulationOptions& options, double overlap)
    : model_(std::make_unique<const Model>(compile(std::move(spec)).value())),
      set_(std::make_unique<const ConstraintSet>(*model_)),
      simulation_(std::make_unique<Simulation>(*model_, *set_, options)),
      overlap_(overlap) {}

Scenario Scenario::load(const std::string& name) {
  const auto file = std::filesystem::path(SINEW_SOURCE_DIR) / "models/scenes" / (name + ".xml");
  Scenario s(load_mjcf(file, {.load_meshes = true}).value(), {}, 1e-5);
  if (s.model().spec().keyframes.empty()) return s;
  const KeyframeSpec& key = s.model().spec().keyframes[0];
  if (!key.q.empty()) s.sim().state.q = key.q;
  if (!key.v.empty()) s.sim().state.v = key.v;
  if (!key.control.empty()) s.sim().control = key.control;
  return s;
}

int Scenario::find(const std::string& body) const {
  const auto index = model_->find_body(body);
  if (!index) throw std::invalid_argument("the scenario has no body '" + body + "'");
  return *index;
}

VelocityWorkspace<double> Scenario::calc_motion() const {
  VelocityWorkspace<double> motion(*model_);
  calc_velocities(*model_, motion, simulation_->state.q, simulation_->state.v, simulation_->state.time);
  return motion;
}

void Scenario::launch(const std::string& body, const Vec3<double>& velocity, const Vec3<double>& spin) {
  const int child = find(body);
  for (const JointEntry& j : model_->joints()) {
    if (j.child != child) continue;
    const Rotation<double> E = get_body_pose(*model_, calc_motion().kinematics, child).E;
    const Vec3<double> w = apply(E, spin), v = apply(E, velocity);
    double* x = &simulation_->state.v[j.v];
    x[0] = w.x, x[1] = w.y, x[2] = w.z, x[3] = v.x, x[4] = v.y, x[5] = v.z;
  }
}

void Scenario::pull(const std::string& body, const Vec3<double>& force) {
  const int b = find(body);
  simulation_->controller = [this, b, force](Simulation& s) {
    s.external.assign(model_->bodies().size(), {});
    s.external[b].lin = apply(get_body_pose(*model_, calc_motion().kinematics, b).E, force);
  };
}

void Scenario::step() {
  const StepReport& r = simulation_->step();
  const double energy = std::max(1.0, simulation_->kinetic_energy());
  EXPECT_EQ(r.unsolved, 0) << "step " << simulation_->totals().steps;
  EXPECT_TRUE(is_small(r.residual, slack(simulation_->options().solver.acceptable, "what the solver promises")));
  EXPECT_TRUE(is_small(r.cone, 2e-11));
  EXPECT_TRUE(is_small(r.complementarity, 5e-10 * energy));  // gaps of 1e-9 m count as none among many bodies
  EXPECT_TRUE(is_small(r.penetration, overlap_));
  // In all; of the two parts one may be positive. What turns about a contact is on its way for a step: second order.
  EXPECT_TRUE(is_small(r.work.contact_normal + r.work.contact_friction + r.work.stops, 1e-5 * energy));
  EXPECT_TRUE(is_small(r.collision_gain, slack(1e-9 * energy, "none; the tolerance of the solver may show")));
}

void Scenario::run_for(double seconds) {
  const double before = energy();
  const WorkAccount& w = simulation_->totals().work;
  const auto put_in = [&w] { return w.actuators + w.springs + w.applied + w.external; };
  const double already = put_in();
  const testing::TestResult& test = *testing::UnitTest::GetInstance()->current_test_info()->result();
  const int remarks = test.total_part_count();  // one failure says it all
  for (long n = std::lround(seconds / simulation_->options().dt); n > 0 && test.total_part_count() == remarks; --n)
    step();
  EXPECT_LE(energy(), before + (put_in() - already) + 1e-6 * std::max(1.0, std::abs(before)));
}

Vec3<double> Scenario::position(const std::string& body) const {
  return get_body_pose(*model_, calc_motion().kinematics, find(body)).r;
}
Vec3<double> Scenario::velocity(const std::string& body) const {
  return get_point_velocity(calc_motion(), model_->bodies()[find(body)]);
}
Vec3<double> Scenario::spin(const std::string& body) const {
  return get_velocity(calc_motion(), model_->bodies()[find(body)], ReferenceFrame::mixed).ang;
}
double Scenario::tilt(const std::string& body) const {
  const Mat3<double> E = get_body_pose(*model_, calc_motion().kinematics, find(body)).E.m;
  return std::atan2(std::hypot(E.zx, E.zy), E.zz);
}

Vec3<double> Scenario::force(const std::string& body, const std::string& other) const {
  const int a = model_->bodies()[find(body)].node, b = model_->bodies()[find(other)].node;
  Vec3<double> sum{};
  for (std::size_t i = 0; i < simulation_->contacts().size(); ++i) {
    const ContactPoint& c = simulation_->contacts()[i];
    if (c.node_a == a && c.node_b == b) sum += simulation_->contact_force(i);
    if (c.node_a == b && c.node_b == a) sum += -simulation_->contact_force(i);
  }
  return sum;
}

double order_of(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace sinew::test
