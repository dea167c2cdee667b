// tests/io/urdf_shape_test.cpp - shapes, colours, and where meshes are looked up
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/remarks.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
namespace fs = std::filesystem;

Result<ModelSpec> link(const std::string& children, const fs::path& file = "r.urdf", const UrdfOptions& options = {}) {
  return parse_urdf("<robot name='r'>\n<link name='a'>\n" + children + "\n</link>\n</robot>", file, options);
}
std::string collision(const std::string& geometry) {
  return "<collision><geometry>" + geometry + "</geometry></collision>";
}
std::string visual(const std::string& geometry, const std::string& more = "") {
  return "<visual><geometry>" + geometry + "</geometry>" + more + "</visual>";
}

TEST(UrdfShape, HalvesSidesAndLengths) {
  const auto r = link(visual("<box size='1 2 3'/>", "<origin xyz='0 0 1'/>") +
                      "<collision name='c'><geometry><cylinder radius='.1' length='2'/></geometry></collision>" +
                      visual("<sphere radius='4'/>") + visual("<capsule radius='.2' length='3'/>"));
  ASSERT_TRUE(accepted(r));
  ASSERT_EQ(r->shapes.size(), 4u);
  const ShapeSpec &box = r->shapes[0], &cylinder = r->shapes[1], &sphere = r->shapes[2], &capsule = r->shapes[3];
  EXPECT_EQ(box.kind, ShapeKind::box);
  EXPECT_EQ(box.size, (std::array{.5, 1., 1.5}));
  EXPECT_EQ(box.pose.r.z, 1);
  EXPECT_EQ(box.body, "a");
  EXPECT_TRUE(box.visible);
  EXPECT_FALSE(box.collides);
  EXPECT_EQ(cylinder.kind, ShapeKind::cylinder);
  EXPECT_EQ(cylinder.size, (std::array{.1, 1., 0.}));
  EXPECT_EQ(cylinder.name, "c");
  EXPECT_FALSE(cylinder.visible);
  EXPECT_TRUE(cylinder.collides);
  EXPECT_EQ(sphere.kind, ShapeKind::sphere);
  EXPECT_EQ(sphere.size[0], 4);
  EXPECT_EQ(capsule.kind, ShapeKind::capsule);
  EXPECT_EQ(capsule.size, (std::array{.2, 1.5, 0.}));
}

TEST(UrdfShape, RefusesGeometryWithoutAShape) {
  EXPECT_TRUE(refused(link("<collision/>"), Code::missing_element, 3, "geometry"));
  EXPECT_TRUE(refused(link(collision("")), Code::missing_element, 3, "0 shapes"));
  EXPECT_TRUE(
      refused(link(collision("<box size='1 1 1'/><sphere radius='1'/>")), Code::missing_element, 3, "2 shapes"));
  EXPECT_TRUE(refused(link(collision("<sphere/>")), Code::missing_attribute, 3, "radius"));
  EXPECT_TRUE(refused(link(collision("<box size='1 1'/>")), Code::bad_value, 3));
  const auto cone = link(visual("<cone radius='1'/>"));
  EXPECT_TRUE(warned(cone, Code::unknown_element, 3, "cone"));
  EXPECT_TRUE(cone->shapes.empty());
}

TEST(UrdfShape, GivesEachNameOnce) {
  const auto r = link(
      "<visual name='v'><geometry><sphere radius='1'/></geometry></visual>\n"
      "<visual name='v'><geometry><sphere radius='1'/></geometry></visual>");
  ASSERT_TRUE(accepted(r));
  EXPECT_EQ(r->shapes[0].name, "v");
  EXPECT_EQ(r->shapes[1].name, "");
  EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 4));
}

TEST(UrdfShape, FindsColoursHereThereAndLater) {
  const std::string ball = "<geometry><sphere radius='1'/></geometry>";
  const auto r =
      parse_urdf("<robot name='r'><link name='a'>" + visual("<sphere radius='1'/>", "<material name='late'/>") +
                 visual("<sphere radius='1'/>", "<material name='here'><color rgba='.1 .2 .3 1'/></material>") +
                 visual("<sphere radius='1'/>", "<material name='here'/>") +
                 visual("<sphere radius='1'/>", "<material name='none'/>") +
                 visual("<sphere radius='1'/>", "<material name='t'><texture filename='x.png'/></material>") +
                 "</link><material name='late'><color rgba='1 0 0 .5'/></material></robot>");
  EXPECT_TRUE(warned(r, Code::unknown_name, 1, "'none'"));
  EXPECT_EQ(r.diagnostics().count(Severity::warning), 1) << all_remarks(r.diagnostics());
  EXPECT_EQ(r->shapes[0].rgba, (std::array{1., 0., 0., .5}));
  EXPECT_EQ(r->shapes[1].rgba, (std::array{.1, .2, .3, 1.}));
  EXPECT_EQ(r->shapes[2].rgba, (std::array{.1, .2, .3, 1.}));
  EXPECT_EQ(r->shapes[3].rgba, ShapeSpec{}.rgba);
}

// A folder with ros/pkg/{urdf,meshes} and elsewhere/other/m.stl
class UrdfMesh : public ::testing::Test {
 protected:
  UrdfMesh() : root(fs::temp_directory_path() / ("sinew_urdf_" + std::to_string(::getpid()))) {
    for (const char* f : {"ros/pkg/urdf/near.stl", "ros/pkg/meshes/far.stl", "elsewhere/other/m.stl"}) {
      fs::create_directories((root / f).parent_path());
      std::ofstream(root / f) << "solid";
    }
  }
  ~UrdfMesh() override { fs::remove_all(root); }

  Result<ModelSpec> mesh(const std::string& name, const std::string& scale = "") const {
    return link(visual("<mesh filename='" + name + "'" + (scale.empty() ? "" : " scale='" + scale + "'") + "/>"),
                root / "ros/pkg/urdf/r.urdf", {.package_paths = {root / "elsewhere"}});
  }
  void expect_found(const std::string& name, const char* file) const {
    const auto r = mesh(name);
    ASSERT_TRUE(accepted(r));
    EXPECT_TRUE(r.diagnostics().empty()) << all_remarks(r.diagnostics());
    EXPECT_EQ(r->meshes.at(0).file, (root / file).string()) << name;
    EXPECT_EQ(r->shapes.at(0).kind, ShapeKind::mesh);
    EXPECT_EQ(r->shapes.at(0).asset, r->meshes[0].name);
    EXPECT_TRUE(r->shapes[0].hull);
  }

  fs::path root;
};

TEST_F(UrdfMesh, LooksInPackagesThenBesideTheFile) {
  expect_found("near.stl", "ros/pkg/urdf/near.stl");
  expect_found("../meshes/far.stl", "ros/pkg/meshes/far.stl");
  expect_found("package://pkg/meshes/far.stl", "ros/pkg/meshes/far.stl");   // an ancestor of the file holds pkg
  expect_found("package:///pkg/meshes/far.stl", "ros/pkg/meshes/far.stl");  // often written so
  expect_found("package://other/m.stl", "elsewhere/other/m.stl");           // from package_paths
  expect_found("model://other/m.stl", "elsewhere/other/m.stl");
  expect_found("file://" + (root / "elsewhere/other/m.stl").string(), "elsewhere/other/m.stl");
  expect_found((root / "elsewhere/other/m.stl").string(), "elsewhere/other/m.stl");
}

TEST_F(UrdfMesh, WarnsWithThePathItTried) {
  EXPECT_TRUE(warned(mesh("gone.stl"), Code::mesh_unreadable, 3, (root / "ros/pkg/urdf/gone.stl").string()));
  EXPECT_TRUE(warned(mesh("package://pkg/gone.stl"), Code::mesh_unreadable, 3, (root / "ros/pkg/gone.stl").string()));
  EXPECT_TRUE(warned(mesh("package://nowhere/m.stl"), Code::mesh_unreadable, 3, "no folder 'nowhere'"));
  EXPECT_TRUE(warned(mesh("http://a.b/m.stl"), Code::mesh_unreadable, 3, "only package://"));
  EXPECT_TRUE(warned(mesh("package://"), Code::mesh_unreadable, 3));
  EXPECT_EQ(mesh("gone.stl")->shapes.size(), 1u);
  EXPECT_TRUE(refused(link(collision("<mesh/>")), Code::missing_attribute, 3, "filename"));
}

TEST_F(UrdfMesh, EntersEachFileAndScaleOnce) {
  const std::string plain = visual("<mesh filename='near.stl'/>"),
                    scaled = visual("<mesh filename='near.stl' scale='1 2 -3'/>");
  const auto r = link(plain + scaled + plain + scaled, root / "ros/pkg/urdf/r.urdf");
  ASSERT_TRUE(accepted(r));
  ASSERT_EQ(r->meshes.size(), 2u);
  EXPECT_EQ(r->meshes[1].scale, (Vec3<double>{1, 2, -3}));
  EXPECT_NE(r->meshes[0].name, r->meshes[1].name);
  EXPECT_EQ(r->shapes[0].asset, r->shapes[2].asset);
  EXPECT_EQ(r->shapes[1].asset, r->meshes[1].name);
  EXPECT_TRUE(warned(mesh("near.stl", "2"), Code::bad_value, 3, "must have 3"));
}

}  // namespace
}  // namespace sinew
