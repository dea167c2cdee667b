// tests/io/models_test.cpp - the files in models/ say what their generators say
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "sinew/io/load.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/kinematics.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

namespace fs = std::filesystem;
const fs::path kFolder = fs::path(SINEW_SOURCE_DIR) / "models";

Model make(const Result<ModelSpec>& spec) {
  for (const Diagnostic& d : spec.diagnostics()) EXPECT_EQ(d.severity, Severity::note) << to_string(d);
  Result<Model> model = compile(spec.value());
  for (const Diagnostic& d : model.diagnostics()) ADD_FAILURE() << to_string(d);
  return std::move(model).value();
}

KinematicsWorkspace<double> at_neutral(const Model& m) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, m.neutral());
  return ws;
}

double distance(const Transform<double>& a, const Transform<double>& b) {
  const Mat3<double>&x = a.E.m, &y = b.E.m;
  const double turn = std::abs(x.xx - y.xx) + std::abs(x.yy - y.yy) + std::abs(x.zz - y.zz) + std::abs(x.xy - y.xy);
  return norm(a.r - b.r) + turn;
}

void expect_same(const Model& file, const Model& origin) {
  EXPECT_EQ(file.nv(), origin.nv());
  EXPECT_EQ(file.nq(), origin.nq());
  EXPECT_NEAR(file.mass(), origin.mass(), 5e-15 * origin.mass());
  EXPECT_EQ(file.topology().max_depth(), origin.topology().max_depth());
  EXPECT_EQ(file.couplings().size(), origin.couplings().size());
  const auto a = at_neutral(file), b = at_neutral(origin);
  for (std::size_t i = 1; i < origin.bodies().size(); ++i) {
    const std::string& name = origin.bodies()[i].name;
    const std::optional<int> twin = file.find_body(name);
    ASSERT_TRUE(twin.has_value()) << name;
    EXPECT_TRUE(
        test::is_small(distance(get_body_pose(file, a, *twin), get_body_pose(origin, b, static_cast<int>(i))), 3e-13))
        << name;
    const RigidInertia<double>&I = file.bodies()[*twin].inertia, &J = origin.bodies()[i].inertia;
    EXPECT_NEAR(I.m, J.m, 1e-12 * J.m) << name;
    EXPECT_NEAR(norm(I.h - J.h), 0, 5e-15) << name;
  }
  for (const FrameEntry& f : origin.frames()) {
    const std::optional<FrameEntry> twin = file.find_frame(f.name);
    ASSERT_TRUE(twin.has_value()) << f.name;
    EXPECT_TRUE(test::is_small(distance(get_frame_pose(a, *twin), get_frame_pose(b, f)), 2e-13)) << f.name;
  }
  for (const JointEntry& j : origin.joints()) {
    if (j.nv != 1) continue;
    const JointEntry* twin = file.find_joint(j.name);
    ASSERT_NE(twin, nullptr) << j.name;
    EXPECT_EQ(twin->kind, j.kind) << j.name;
    const DofSpec &d = file.dofs()[twin->v], &e = origin.dofs()[j.v];
    EXPECT_EQ(d.lower, e.lower) << j.name;
    EXPECT_EQ(d.upper, e.upper) << j.name;
    EXPECT_EQ(d.damping, e.damping) << j.name;
  }
}

TEST(Models, EveryFileIsItsGenerator) {
  std::map<std::string, ModelSpec> generated;
  for (ModelSpec& spec : mechanisms::gallery()) generated.emplace(spec.name, spec);
  int urdf = 0, mjcf = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    const fs::path& file = entry.path();
    if (file.extension() != ".xml" && file.extension() != ".urdf") continue;
    SCOPED_TRACE(file.string());
    ASSERT_TRUE(generated.contains(file.stem().string()));
    const Model origin = make(generated.at(file.stem().string())), read = make(load(file));
    expect_same(read, origin);
    ++(file.extension() == ".xml" ? mjcf : urdf);
  }
  EXPECT_EQ(mjcf, static_cast<int>(generated.size()));
  EXPECT_GE(urdf, 2);
}

// MJCF has no revolute loop: two balls on the axis of each.
TEST(Models, RevoluteLoopsAreTwoBallsOnTheirAxis) {
  for (const ModelSpec& spec : mechanisms::gallery()) {
    if (spec.loops.empty()) continue;
    SCOPED_TRACE(spec.name);
    const Model origin = make(spec), read = make(load(kFolder / (spec.name + ".xml")));
    ASSERT_EQ(read.loops().size(), 2 * origin.loops().size());
    const auto a = at_neutral(read), b = at_neutral(origin);
    for (std::size_t l = 0; l < origin.loops().size(); ++l) {
      const LoopEntry& pin = origin.loops()[l];
      const Transform<double> X = pin.in_a * b.X[pin.node_a];
      for (const std::size_t k : {2 * l, 2 * l + 1}) {
        const LoopEntry& ball = read.loops()[k];
        EXPECT_EQ(ball.joint.kind, JointKind::spherical);
        const Vec3<double> at_a = (ball.in_a * a.X[ball.node_a]).r;
        const Vec3<double> at_b = (ball.in_b * a.X[ball.node_b]).r;
        EXPECT_TRUE(test::is_small(norm(at_a - at_b), 1e-14));
        const Vec3<double> on_pin = apply_to_point(X, at_a);
        EXPECT_NEAR(on_pin.x, 0, 5e-15);
        EXPECT_NEAR(on_pin.y, 0, 5e-15);
        EXPECT_NEAR(std::abs(on_pin.z), 0.05, 5e-15);
      }
    }
  }
}

TEST(Models, PendulumStartsAsThePaperSays) {
  const Result<ModelSpec> spec = load(kFolder / "pendulum12.xml");
  ASSERT_TRUE(spec.ok());
  ASSERT_EQ(spec->keyframes.size(), 1u);
  EXPECT_EQ(spec->keyframes[0].q, mechanisms::pendulum(12).keyframes[0].q);
  EXPECT_EQ(spec->keyframes[0].v, mechanisms::pendulum(12).keyframes[0].v);
  EXPECT_EQ(spec->timestep, 1e-4);
}

}  // namespace
}  // namespace sinew
