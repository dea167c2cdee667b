// tests/io/odd_files_test.cpp - models as people have them: files beside files, ROS packages, odd looks, many objects
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "io/mjcf_models.hpp"
#include "io/remarks.hpp"
#include "sinew/io/load.hpp"
#include "sinew/io/urdf.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
namespace fs = std::filesystem;

std::string cube_obj(const std::string& name, double x, int first) {
  std::string out = name.empty() ? "" : "o " + name + "\n";
  for (int i = 0; i < 8; ++i)
    out += "v " + std::to_string(x + 0.1 * (i & 1)) + ' ' + std::to_string(0.1 * (i >> 1 & 1)) + ' ' +
           std::to_string(0.1 * (i >> 2)) + '\n';
  for (const auto& quad :
       {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    out += 'f';
    for (const int corner : quad) out += ' ' + std::to_string(first + corner);
    out += '\n';
  }
  return out;
}

class OddFiles : public ::testing::Test {
 protected:
  OddFiles() : dir_(fs::path(::testing::TempDir()) / ("odd_" + std::to_string(::getpid()))) {
    fs::create_directories(dir_);
  }
  ~OddFiles() override { fs::remove_all(dir_); }
  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  fs::path dir_;
};

const std::string kMeshBody = "<body name='b'><freejoint/><geom type='mesh' mesh='m'/></body>";

TEST_F(OddFiles, EveryObjectOfAnObjHasItsVolume) {
  write("two.obj", cube_obj("a", 0, 1) + cube_obj("b", 0.3, 9));
  const auto two = load_mjcf(write("two.xml", mjcf_text(kMeshBody, "<asset><mesh name='m' file='two.obj'/></asset>")));
  EXPECT_TRUE(warned(two, Code::value_adjusted, 2, "has 2 objects"));
  EXPECT_NEAR(two->bodies[0].mass, 2, 1e-6);
  EXPECT_NEAR(two->bodies[0].com.x, 0.2, 2e-8);
  const double one = 1.0 / 600;  // a cube of 1 kg and 0.1 m about its middle
  EXPECT_NEAR(two->bodies[0].inertia.xx, 2 * one, 1e-9);
  EXPECT_NEAR(two->bodies[0].inertia.zz, 2 * (one + 0.15 * 0.15), 1e-8);
  write("one.obj", cube_obj("", 0, 1));
  const auto single =
      load_mjcf(write("one.xml", mjcf_text(kMeshBody, "<asset><mesh name='m' file='one.obj'/></asset>")));
  EXPECT_TRUE(accepted(single));
  EXPECT_NEAR(single->bodies[0].mass, 1, 1e-6);
  EXPECT_TRUE(single.diagnostics().empty()) << all_remarks(single.diagnostics());
}

TEST_F(OddFiles, FilesAreFoundBesideTheFileThatNamesThem) {
  write("sub/b.xml", "<x><body name='b' pos='1 0 0'><joint/><geom size='.1'/></body></x>");
  write("sub/a.xml", "<x><body name='a'><joint/><geom size='.1'/><include file='b.xml'/></body></x>");
  const auto nested = load_mjcf(write("main.xml", mjcf_text("<include file='sub/a.xml'/>")));
  ASSERT_TRUE(accepted(nested));
  EXPECT_EQ(nested->bodies.size(), 2u);

  write("sub/shape.obj", cube_obj("", 0, 1));
  write("sub/assets.xml", "<x><asset><mesh name='m' file='shape.obj'/></asset></x>");
  const std::string text = "<mujoco><include file='sub/assets.xml'/><worldbody>" + kMeshBody + "</worldbody></mujoco>";
  const auto mesh = load_mjcf(write("meshes.xml", text));
  ASSERT_TRUE(accepted(mesh));
  EXPECT_EQ(mesh->meshes[0].file, (dir_ / "sub/shape.obj").string());
  write("shape.obj", cube_obj("", 5, 1));  // the main file's folder comes first, as in MuJoCo
  EXPECT_EQ(load_mjcf(dir_ / "meshes.xml")->meshes[0].file, (dir_ / "shape.obj").string());
}

TEST_F(OddFiles, HeightsAreReadWithTheMeshes) {
  std::string bytes(8 + 4 * 4, '\0');
  const std::int32_t counts[] = {2, 2};
  const float heights[] = {1, 2, 3, 5};
  std::memcpy(bytes.data(), counts, 8), std::memcpy(bytes.data() + 8, heights, 16);
  write("h.bin", bytes);
  const std::string asset = "<asset><hfield name='h' file='h.bin' size='1 1 1 1'/></asset>";
  const auto file = write("h.xml", mjcf_text("<geom type='hfield' hfield='h'/>", asset));
  EXPECT_TRUE(load_mjcf(file)->heightfields[0].elevation.empty());
  const auto read = load_mjcf(file, {.load_meshes = true});
  ASSERT_TRUE(accepted(read));
  EXPECT_EQ(read->heightfields[0].elevation, (std::vector<double>{0, .25, .5, 1}));
  write("h.bin", "short");
  EXPECT_TRUE(warned(load_mjcf(file, {.load_meshes = true}), Code::mesh_unreadable, 2, "shorter"));
}

TEST(OddLooks, AreNotesInMjcf) {
  for (const char* rgba : {"", "red", "1 2", "1 0 0 1 1", "nan 0 0 1"}) {
    const auto r = parse_mjcf(mjcf_text("<geom size='1' rgba='" + std::string(rgba) + "'/>"));
    ASSERT_TRUE(accepted(r)) << rgba;
    EXPECT_TRUE(says(r.diagnostics(), Severity::note, Code::ignored_element, 2, "it is not used")) << rgba;
    EXPECT_EQ(r->shapes[0].rgba, ShapeSpec{}.rgba);
  }
}

TEST(OddLooks, AreRemarksInUrdf) {
  const auto robot = [](const std::string& inside, const std::string& after = "") {
    return parse_urdf("<robot name='r'><link name='a'>" + inside + "</link>" + after + "</robot>");
  };
  const std::string ball = "<geometry><sphere radius='1'/></geometry>";
  const auto colour = robot("<visual>" + ball + "<material name='m'><color rgba=''/></material></visual>");
  ASSERT_TRUE(accepted(colour));
  EXPECT_EQ(colour->shapes.size(), 1u);
  EXPECT_TRUE(
      accepted(robot("", "<material><color rgba='1 1 1 1'/></material><material name='x'><color/></material>")));
  // A visual that cannot be understood is left out, a collision is an error.
  for (const char* odd : {"<sphere radius=''/>", "<sphere/>", "<box size='1 2'/>", "<box size='0 0 0'/>", "<mesh/>"}) {
    const std::string geometry = "<geometry>" + std::string(odd) + "</geometry>";
    const auto seen = robot("<visual>" + geometry + "</visual>");
    ASSERT_TRUE(accepted(seen)) << odd;
    EXPECT_TRUE(seen->shapes.empty()) << odd;
    EXPECT_GT(seen.diagnostics().count(Severity::warning), 0) << odd;
    if (std::string_view(odd) == "<box size='0 0 0'/>") continue;  // refused when the model is compiled
    EXPECT_FALSE(robot("<collision>" + geometry + "</collision>").ok()) << odd;
  }
}

TEST_F(OddFiles, ScalesWithTooManyNumbersKeepTheFirstThree) {
  write("one.obj", cube_obj("", 0, 1));
  const auto mjcf = load_mjcf(
      write("s.xml", mjcf_text(kMeshBody, "<asset><mesh name='m' file='one.obj' scale='2 1 1 1 1'/></asset>")));
  EXPECT_TRUE(warned(mjcf, Code::value_adjusted, 2, "5 numbers"));
  EXPECT_NEAR(mjcf->bodies[0].mass, 2, 1e-6);
  const std::string shape = "<geometry><mesh filename='one.obj' scale='2 3 4 1'/></geometry>";
  const auto urdf =
      load(write("s.urdf", "<robot name='r'><link name='a'><collision>" + shape + "</collision></link></robot>"),
           {.load_meshes = true});
  EXPECT_TRUE(warned(urdf, Code::value_adjusted, 1, "4 numbers"));
  EXPECT_NEAR(urdf->meshes[0].vertices.back().z, 0.4, 1e-7);
}

// Sets an environment variable for a while.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST_F(OddFiles, PackagesAreFoundWhereRosLooks) {
  write("ws/src/group/arm_description/m.obj", cube_obj("", 0, 1));
  write("install/share/hand_description/m.obj", cube_obj("", 0, 1));
  const auto robot = [&](const std::string& package) {
    return write(package + ".urdf", "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://" +
                                        package + "/m.obj'/></geometry></visual></link></robot>");
  };
  const auto path_of = [&](const std::string& package) { return load_urdf(robot(package))->meshes[0].file; };
  EXPECT_TRUE(warned(load_urdf(robot("arm_description")), Code::mesh_unreadable, 1, "ROS_PACKAGE_PATH"));
  for (const char* folder : {"ws/src", "ws/src/group", "ws/src/group/arm_description"}) {
    const Environment ros("ROS_PACKAGE_PATH", "/nowhere:" + (dir_ / folder).string());
    EXPECT_EQ(path_of("arm_description"), (dir_ / "ws/src/group/arm_description/m.obj").string()) << folder;
  }
  const Environment ament("AMENT_PREFIX_PATH", (dir_ / "install").string() + ":/opt/none");
  EXPECT_EQ(path_of("hand_description"), (dir_ / "install/share/hand_description/m.obj").string());
}

TEST_F(OddFiles, XacroIsNamedWithItsCommand) {
  const auto file =
      write("arm.urdf.xacro",
            "<robot name='r' xmlns:xacro='http://x'>\n<link name='${p}a'>\n<xacro:inertia m='1'/></link></robot>");
  const auto r = load(file);
  EXPECT_TRUE(refused(r, Code::unsupported_element, 3, "xacro arm.urdf.xacro > robot.urdf"));
  EXPECT_EQ(r.diagnostics().list().size(), 1u) << all_remarks(r.diagnostics());
  EXPECT_TRUE(
      accepted(load(write("expanded.urdf", "<robot name='r' xmlns:xacro='http://x'><link name='a'/></robot>"))));
}

}  // namespace
}  // namespace sinew
