// tests/io/urdf_public_test.cpp - every public robot loads, or is refused for a reason that a person can act on
#include <map>

#include "io/public_robots.hpp"
#include "io/remarks.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
using UrdfPublic = PublicRobots;

TEST_F(UrdfPublic, EachLoadsOrSaysWhyNot) {
  // Files that urdfdom and Pinocchio refuse too.
  const std::map<std::string, Code> broken{{"falcon.urdf", Code::unknown_name}, {"ur3.urdf", Code::no_bodies}};
  const auto robots = files(".urdf");
  EXPECT_GE(robots.size(), 70u);
  for (const auto& file : robots) {
    SCOPED_TRACE(file.string());
    const auto r = load_urdf(file);
    const auto expected = broken.find(file.filename().string());
    if (expected != broken.end()) {
      EXPECT_TRUE(refused(r, expected->second));
      continue;
    }
    ASSERT_TRUE(accepted(r));
    EXPECT_EQ(r->joints.size(), r->bodies.size());
    EXPECT_EQ(load_urdf(file, {.floating_base = true})->joints[0].kind, JointKind::free);
    for (const Diagnostic& d : r.diagnostics()) {
      EXPECT_FALSE(d.element.empty() || d.message.empty()) << to_string(d);
      EXPECT_GT(d.where.line, 0) << to_string(d);
      EXPECT_TRUE(d.severity == Severity::note || !d.repair.empty()) << to_string(d);
    }
    EXPECT_EQ(load_urdf(file, {.strict = true}).ok(), r.diagnostics().count(Severity::warning) == 0);
  }
}

TEST_F(UrdfPublic, MeshesAreFoundWhereThePackageIs) {
  const auto r = load_urdf(folder / "talos_data/robots/talos_reduced.urdf");
  ASSERT_TRUE(accepted(r));
  EXPECT_GT(r->meshes.size(), 20u);
  for (const MeshSpec& m : r->meshes) EXPECT_TRUE(std::filesystem::is_regular_file(m.file)) << m.file;
}

TEST_F(UrdfPublic, RemarksAreShortWhereFilesAreLong) {
  const auto r = load_urdf(folder / "tiago_description/robots/tiago_dual.urdf");
  ASSERT_TRUE(accepted(r));
  EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 28, "gazebo: 130 times"));
  EXPECT_LT(r.diagnostics().list().size(), 12u);
}

}  // namespace
}  // namespace sinew
