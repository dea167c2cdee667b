// tests/io/load_test.cpp - the format is told by the root element; meshes are read when asked for
#include "sinew/io/load.hpp"

#include <unistd.h>

#include <fstream>

#include "io/remarks.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
namespace fs = std::filesystem;

class Load : public ::testing::Test {
 protected:
  Load() : folder(fs::temp_directory_path() / ("sinew_load_" + std::to_string(::getpid()))) {
    fs::create_directory(folder);
  }
  ~Load() override { fs::remove_all(folder); }

  fs::path write(const char* name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return folder / name;
  }

  fs::path folder;
};

TEST_F(Load, TellsTheFormatByTheRoot) {
  const auto urdf =
      load(write("a.xml", "<!-- <mujoco> --><robot name='r'><link name='a'/></robot>"), {.floating_base = true});
  ASSERT_TRUE(accepted(urdf));
  EXPECT_EQ(urdf->joints.at(0).kind, JointKind::free);
  const auto mjcf = load(write("b.urdf", "<mujoco model='m'><worldbody><body name='a'/></worldbody></mujoco>"));
  ASSERT_TRUE(accepted(mjcf));
  EXPECT_EQ(mjcf->name, "m");
}

TEST_F(Load, RefusesOtherFiles) {
  EXPECT_TRUE(refused(load(folder / "none.urdf"), Code::file_unreadable, 0, "none.urdf"));
  EXPECT_TRUE(refused(load(folder), Code::file_unreadable));
  EXPECT_TRUE(refused(load(write("c.sdf", "<?xml version='1.0'?>\n<sdf/>")), Code::wrong_root, 2, "an SDF file"));
  EXPECT_TRUE(refused(load(write("d.txt", "hello")), Code::bad_xml, 1));
  EXPECT_TRUE(refused(load(write("e.urdf", "<robot>")), Code::bad_xml, 1));
}

TEST_F(Load, StrictCountsEveryWarning) {
  const auto file = write(
      "f.urdf",
      "<robot name='r'><link name='a'><visual><geometry><mesh filename='no.stl'/></geometry></visual></link></robot>");
  EXPECT_TRUE(warned(load(file), Code::mesh_unreadable, 1));
  EXPECT_TRUE(refused(load(file, {.strict = true}), Code::mesh_unreadable, 1));
}

TEST_F(Load, ReadsMeshesScaledAndTurnedOutward) {
  write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write("n.obj", "what is this\nf 1 2 3\n");
  const auto file = write("g.urdf",
                          "<robot name='r'><link name='a'>"
                          "<visual><geometry><mesh filename='m.obj' scale='2 3 -4'/></geometry></visual>\n"
                          "<visual><geometry><mesh filename='n.obj'/></geometry></visual></link></robot>");
  EXPECT_TRUE(load(file)->meshes.at(0).vertices.empty());
  const auto r = load(file, {.load_meshes = true});
  EXPECT_TRUE(warned(r, Code::mesh_unreadable, 2));
  const MeshSpec& m = r->meshes.at(0);
  ASSERT_EQ(m.vertices.size(), 4u);
  ASSERT_EQ(m.triangles.size(), 4u);
  double volume = 0;  // positive when every triangle is seen from outside
  for (const auto& t : m.triangles) {
    const auto p = [&](std::size_t k) { return m.vertices[t[k]]; };
    volume += dot(p(0), cross(p(1), p(2))) / 6;
  }
  EXPECT_NEAR(volume, 4, 2e-14);
}

// MuJoCo nests bodies; tinyxml2 9 by itself would stop at a hundred.
TEST_F(Load, NestsBodiesDeep) {
  std::string open, close;
  for (int i = 0; i < 300; ++i) {
    open += "<body name='b" + std::to_string(i) + "'>\n<joint name='j" + std::to_string(i) + "'/><geom size='.1'/>";
    close += "</body>";
  }
  const auto r = load(write("h.xml", "<mujoco><worldbody>" + open + close + "</worldbody></mujoco>"));
  ASSERT_TRUE(accepted(r));
  ASSERT_EQ(r->bodies.size(), 300u);
  EXPECT_EQ(r->bodies[299].where.line, 300);
  EXPECT_EQ(r->joints[299].name, "j299");
  EXPECT_EQ(r->joints[299].parent, "b298");
}

}  // namespace
}  // namespace sinew
