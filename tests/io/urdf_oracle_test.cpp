// tests/io/urdf_oracle_test.cpp - the public robots read by us and by urdfdom say the same
#ifdef SINEW_HAVE_URDFDOM
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "io/public_robots.hpp"
#include "io/remarks.hpp"
#include "sinew/io/urdf.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
using UrdfOracle = PublicRobots;
using Matrix = std::array<std::array<double, 3>, 3>;

// Numbers go through the same decimal text; urdfdom's rotations through a quaternion.
constexpr double kTolerance = 1e-14;

void expect_as_urdfdom(double a, double b, double scale = 1) {
  EXPECT_TRUE(test::is_small(std::abs(a - b), kTolerance * std::max({scale, std::abs(a), std::abs(b)})))
      << a << " and " << b;
}
void expect_as_urdfdom(const Vec3<double>& a, const urdf::Vector3& b) {
  expect_as_urdfdom(a.x, b.x);
  expect_as_urdfdom(a.y, b.y);
  expect_as_urdfdom(a.z, b.z);
}

// Columns are the turned frame's axes, by rotating unit vectors with urdfdom's own code.
Matrix to_matrix(const urdf::Rotation& q) {
  Matrix R{};
  for (std::size_t k = 0; k < 3; ++k) {
    const urdf::Vector3 v = q * urdf::Vector3(k == 0, k == 1, k == 2);
    R[0][k] = v.x, R[1][k] = v.y, R[2][k] = v.z;
  }
  return R;
}

void expect_as_urdfdom(const Pose& X, const urdf::Pose& pose) {
  expect_as_urdfdom(X.r, pose.position);
  const Mat3<double>& E = X.E.m;
  const Matrix ours{{{E.xx, E.yx, E.zx}, {E.xy, E.yy, E.zy}, {E.xz, E.yz, E.zz}}}, theirs = to_matrix(pose.rotation);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) expect_as_urdfdom(ours[i][k], theirs[i][k]);
}

void compare_inertia(const BodySpec& b, const urdf::Inertial* inertial) {
  if (!inertial) {
    EXPECT_EQ(b.mass, 0);
    return;
  }
  expect_as_urdfdom(b.mass, inertial->mass);
  expect_as_urdfdom(b.com, inertial->origin.position);
  const Matrix R = to_matrix(inertial->origin.rotation);
  const Matrix I{{{inertial->ixx, inertial->ixy, inertial->ixz},
                  {inertial->ixy, inertial->iyy, inertial->iyz},
                  {inertial->ixz, inertial->iyz, inertial->izz}}};
  const Matrix ours{{{b.inertia.xx, b.inertia.xy, b.inertia.xz},
                     {b.inertia.xy, b.inertia.yy, b.inertia.yz},
                     {b.inertia.xz, b.inertia.yz, b.inertia.zz}}};
  const double scale = std::abs(inertial->ixx) + std::abs(inertial->iyy) + std::abs(inertial->izz);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double turned = 0;
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) turned += R[i][k] * I[k][l] * R[j][l];
      EXPECT_NEAR(ours[i][j], turned, 10 * kTolerance * scale);
    }
}

void compare_shape(const ModelSpec& spec, const ShapeSpec& s, const urdf::Pose& origin,
                   const urdf::Geometry& geometry) {
  expect_as_urdfdom(s.pose, origin);
  switch (geometry.type) {
    case urdf::Geometry::SPHERE:
      EXPECT_EQ(s.kind, ShapeKind::sphere);
      expect_as_urdfdom(s.size[0], static_cast<const urdf::Sphere&>(geometry).radius);
      break;
    case urdf::Geometry::BOX: {
      const urdf::Vector3& dim = static_cast<const urdf::Box&>(geometry).dim;
      EXPECT_EQ(s.kind, ShapeKind::box);
      expect_as_urdfdom({2 * s.size[0], 2 * s.size[1], 2 * s.size[2]}, dim);
      break;
    }
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
      EXPECT_EQ(s.kind, ShapeKind::cylinder);
      expect_as_urdfdom(s.size[0], cylinder.radius);
      expect_as_urdfdom(2 * s.size[1], cylinder.length);
      break;
    }
    case urdf::Geometry::MESH: {
      const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
      EXPECT_EQ(s.kind, ShapeKind::mesh);
      const auto ours =
          std::find_if(spec.meshes.begin(), spec.meshes.end(), [&](const MeshSpec& m) { return m.name == s.asset; });
      ASSERT_NE(ours, spec.meshes.end());
      EXPECT_TRUE(ours->name.starts_with(mesh.filename)) << ours->name;
      expect_as_urdfdom(ours->scale, mesh.scale);
      break;
    }
  }
}

void compare_link(const ModelSpec& spec, const BodySpec& b, const urdf::Link& link) {
  compare_inertia(b, link.inertial.get());
  std::vector<const ShapeSpec*> seen, touched;
  for (const ShapeSpec& s : spec.shapes)
    if (s.body == b.name) (s.visible ? seen : touched).push_back(&s);
  ASSERT_EQ(seen.size(), link.visual_array.size());
  ASSERT_EQ(touched.size(), link.collision_array.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    compare_shape(spec, *seen[i], link.visual_array[i]->origin, *link.visual_array[i]->geometry);
  for (std::size_t i = 0; i < touched.size(); ++i)
    compare_shape(spec, *touched[i], link.collision_array[i]->origin, *link.collision_array[i]->geometry);
}

void compare_joint(const ModelSpec& spec, const JointSpec& j, const urdf::Joint& joint) {
  const std::map<int, JointKind> kinds{
      {urdf::Joint::REVOLUTE, JointKind::revolute},   {urdf::Joint::CONTINUOUS, JointKind::revolute},
      {urdf::Joint::PRISMATIC, JointKind::prismatic}, {urdf::Joint::FIXED, JointKind::fixed},
      {urdf::Joint::FLOATING, JointKind::free},       {urdf::Joint::PLANAR, JointKind::planar}};
  EXPECT_EQ(j.kind, kinds.at(joint.type));
  EXPECT_EQ(j.continuous, joint.type == urdf::Joint::CONTINUOUS);
  EXPECT_EQ(j.parent, joint.parent_link_name);
  EXPECT_EQ(j.child, joint.child_link_name);
  expect_as_urdfdom(j.placement, joint.parent_to_joint_origin_transform);
  if (j.kind != JointKind::revolute && j.kind != JointKind::prismatic) return;

  const urdf::Vector3 a = joint.axis;
  const double length = std::hypot(a.x, a.y, a.z);
  expect_as_urdfdom(j.axis, urdf::Vector3(a.x / length, a.y / length, a.z / length));
  const DofSpec& d = j.dofs.at(0);
  if (joint.limits) {
    EXPECT_EQ(d.max_effort, joint.limits->effort);
    EXPECT_EQ(d.max_velocity, joint.limits->velocity);
  }
  if (!j.continuous) {
    EXPECT_EQ(d.lower, joint.limits->lower);
    EXPECT_EQ(d.upper, joint.limits->upper);
  }
  EXPECT_EQ(d.damping, joint.dynamics ? joint.dynamics->damping : 0);
  EXPECT_EQ(d.friction, joint.dynamics ? joint.dynamics->friction : 0);
  const auto c = std::find_if(spec.couplings.begin(), spec.couplings.end(),
                              [&](const CouplingSpec& x) { return x.dependent == j.name; });
  const bool mimics = c != spec.couplings.end();
  const bool known = joint.mimic && std::any_of(spec.joints.begin(), spec.joints.end(),
                                                [&](const JointSpec& x) { return x.name == joint.mimic->joint_name; });
  ASSERT_EQ(mimics, known);
  if (!mimics) return;
  EXPECT_EQ(c->terms.at(0).joint, joint.mimic->joint_name);
  EXPECT_EQ(c->terms[0].coefficients, std::vector<double>{joint.mimic->multiplier});
  EXPECT_EQ(c->offset, joint.mimic->offset);
}

TEST_F(UrdfOracle, BothSayTheSame) {
  int compared = 0;
  for (const auto& file : files(".urdf")) {
    SCOPED_TRACE(file.string());
    const auto ours = load_urdf(file);
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    ::testing::internal::CaptureStderr();  // urdfdom writes its complaints there
    const auto theirs = urdf::parseURDF(text.str());
    ::testing::internal::GetCapturedStderr();
    if (!theirs) continue;
    ++compared;
    ASSERT_TRUE(accepted(ours));
    EXPECT_EQ(ours->name, theirs->getName());
    EXPECT_EQ(ours->joints[0].child, theirs->getRoot()->name);
    ASSERT_EQ(ours->bodies.size(), theirs->links_.size());
    ASSERT_EQ(ours->joints.size(), theirs->joints_.size() + 1);
    for (const BodySpec& b : ours->bodies) {
      SCOPED_TRACE(b.name);
      const auto link = theirs->getLink(b.name);
      ASSERT_TRUE(link);
      compare_link(*ours, b, *link);
    }
    for (std::size_t i = 1; i < ours->joints.size(); ++i) {
      SCOPED_TRACE(ours->joints[i].name);
      const auto joint = theirs->getJoint(ours->joints[i].name);
      ASSERT_TRUE(joint);
      compare_joint(*ours, ours->joints[i], *joint);
    }
  }
  EXPECT_GE(compared, 70);
}

}  // namespace
}  // namespace sinew
#endif
