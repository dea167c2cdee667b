// tests/io/collada_test.cpp - COLLADA meshes: every primitive, transforms, units, instances, hostile files
#include <cmath>

#include "io/remarks.hpp"
#include "sinew/io/mesh.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

const std::string kPlaces = "0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1";  // corners of a cube

std::string source(const std::string& id, const std::string& array, int count, const std::string& more = "") {
  return "<source id='" + id + "'><float_array id='" + id + "a' count='24'>" + array +
         "</float_array><technique_common><accessor source='#" + id + "a' count='" + std::to_string(count) +
         "' stride='3'" + more + "/></technique_common></source>";
}
const std::string kInput = "<input semantic='VERTEX' source='#v' offset='0'/>";

std::string geometry(const std::string& faces) {
  return "<geometry id='g'><mesh>" + source("s", kPlaces, 8) +
         "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>" + faces + "</mesh></geometry>";
}
std::string collada(const std::string& faces, const std::string& nodes, const std::string& asset = "",
                    const std::string& more = "") {
  return "<?xml version='1.0'?><COLLADA xmlns='http://x' version='1.4.1'><asset>" + asset +
         "</asset><library_geometries>" + geometry(faces) + "</library_geometries>" + more +
         "<library_visual_scenes><visual_scene id='scene'>" + nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>";
}

// The six sides of the cube, seen from outside.
const std::string kQuads = "0 2 3 1  4 5 7 6  0 1 5 4  2 6 7 3  0 4 6 2  1 3 7 5";
const std::string kTriangles = "0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5";
const std::string kPolylist =
    "<polylist count='6'>" + kInput + "<vcount>4 4 4 4 4 4</vcount><p>" + kQuads + "</p></polylist>";
const std::string kHere = "<node><instance_geometry url='#g'/></node>";

MeshMoments moments_of(const std::string& text) {
  const auto mesh = parse_mesh(text, MeshFormat::dae);
  EXPECT_TRUE(accepted(mesh));
  return mesh ? calc_moments(*mesh, MeshMatter::signed_volume) : MeshMoments{};
}
void expect_unit_cube(const std::string& faces) {
  const MeshMoments m = moments_of(collada(faces, kHere));
  EXPECT_NEAR(m.size, 1, 1e-15);
  EXPECT_NEAR(norm(m.centre - Vec3<double>{.5, .5, .5}), 0, 1e-15);
}

TEST(Collada, EveryPrimitiveGivesTheSameCube) {
  expect_unit_cube("<triangles count='12'>" + kInput + "<p>" + kTriangles + "</p></triangles>");
  expect_unit_cube(kPolylist);
  expect_unit_cube("<polygons count='6'>" + kInput +
                   "<p>0 2 3 1</p><p>4 5 7 6</p><p>0 1 5 4</p><p>2 6 7 3</p><p>0 4 6 2</p><p>1 3 7 5</p></polygons>");
  expect_unit_cube("<trifans count='2'>" + kInput + "<p>0 2 3 1 5 4 6 2</p><p>7 6 4 5 1 3 2 6</p></trifans>");
  expect_unit_cube("<tristrips count='6'>" + kInput +
                   "<p>0 2 1 3</p><p>4 5 6 7</p><p>0 1 4 5</p><p>2 6 3 7</p><p>0 4 2 6</p><p>1 3 5 7</p></tristrips>");
  // Two inputs: every second number is a normal's.
  std::string with_normals = "<triangles count='12'>" + kInput + "<input semantic='NORMAL' source='#s' offset='1'/><p>";
  for (const char c : kTriangles) with_normals += c == ' ' ? " 0 " : std::string(1, c);
  expect_unit_cube(with_normals + " 0</p></triangles>");
  // Two groups, as with two materials; comments split text.
  expect_unit_cube("<triangles>" + kInput +
                   "<p>0 2 3 0 3 1 4 5 7 4 7<!-- x --> 6 0 1 5 0 5 4</p></triangles><triangles>" + kInput +
                   "<p>2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5</p></triangles><lines><p/></lines>");
}

TEST(Collada, TransformsAreAppliedFromTheOutside) {
  const std::string nodes =
      "<node><translate>10 0 0</translate><rotate>0 0 2 90</rotate><scale>2 1 1</scale>"
      "<node><matrix>1 0 0 0  0 1 0 0  0 0 1 5  0 0 0 1</matrix><instance_geometry url='#g'/></node></node>";
  const MeshMoments m = moments_of(collada(kPolylist, nodes));
  EXPECT_NEAR(m.size, 2, 1e-14);
  EXPECT_NEAR(norm(m.centre - Vec3<double>{9.5, 1, 5.5}), 0, 1e-13);  // x -> 2 x along y, y -> -x
}

TEST(Collada, UnitsScaleAndTheUpAxisIsNotApplied) {
  const MeshMoments m =
      moments_of(collada(kPolylist, "<node><translate>0 0 3</translate><instance_geometry url='#g'/></node>",
                         "<unit name='centimeter' meter='0.01'/><up_axis>Y_UP</up_axis>"));
  EXPECT_NEAR(m.size, 1e-6, 1e-20);
  EXPECT_NEAR(norm(m.centre - Vec3<double>{.005, .005, .035}), 0, 1e-16);
}

TEST(Collada, MirrorsKeepTheOutsideOutside) {
  EXPECT_NEAR(moments_of(collada(kPolylist, "<node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>")).size, 1,
              1e-15);
}

TEST(Collada, InstancesAddUp) {
  const std::string library =
      "<library_nodes><node id='n'><translate>0 5 0</translate><instance_geometry url='#g'/></node></library_nodes>"
      "<library_controllers><controller id='c'><skin source='#g'><bind_shape_matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1"
      "</bind_shape_matrix></skin></controller></library_controllers>";
  const MeshMoments m = moments_of(
      collada(kPolylist, kHere + "<node><instance_node url='#n'/><instance_controller url='#c'/></node>", "", library));
  EXPECT_NEAR(m.size, 3, 1e-14);
  EXPECT_NEAR(norm(m.centre - Vec3<double>{.5 + 7.0 / 3, .5 + 5.0 / 3, .5}), 0, 1e-14);
}

TEST(Collada, WithoutASceneTheMeshesStandAsTheyAre) {
  const std::string text = "<COLLADA><library_geometries>" + geometry(kPolylist) + "</library_geometries></COLLADA>";
  EXPECT_NEAR(moments_of(text).size, 1, 1e-15);
}

TEST(Collada, FaultsAreNamed) {
  const auto refuses = [](const std::string& text, std::string_view part) {
    return refused(parse_mesh(text, MeshFormat::dae, "a.dae"), Code::mesh_unreadable, 0, part);
  };
  EXPECT_TRUE(refuses("<robot/>", "not COLLADA"));
  EXPECT_TRUE(refuses("<COLLADA>", "line 1"));
  EXPECT_TRUE(refuses(collada("", kHere), "no triangles"));
  EXPECT_TRUE(refuses(collada(kPolylist, "<node><instance_geometry url='#none'/></node>"), "names no <geometry>"));
  EXPECT_TRUE(refuses(collada(kPolylist, "<node><instance_geometry url='#v'/></node>"), "names no <geometry>"));
  EXPECT_TRUE(refuses(collada(kPolylist, "<node><rotate>0 0 1</rotate></node>" + kHere), "must have 4"));
  EXPECT_TRUE(refuses(collada(kPolylist, "<node><scale>1 1 x</scale></node>"), "not a number"));
  EXPECT_TRUE(refuses(collada(kPolylist, kHere, "<unit meter='0'/>"), "length > 0"));
  EXPECT_TRUE(refuses(collada("<triangles>" + kInput + "<p>0 1 8</p></triangles>", kHere), "vertex 8 of 8"));
  EXPECT_TRUE(refuses(collada("<triangles>" + kInput + "<p>0 1 -1</p></triangles>", kHere), "vertex -1"));
  EXPECT_TRUE(refuses(collada("<triangles>" + kInput + "<p>0 1</p></triangles>", kHere), "three corners"));
  EXPECT_TRUE(refuses(collada("<triangles><p>0 1 2</p></triangles>", kHere), "no VERTEX"));
  EXPECT_TRUE(refuses(collada("<polylist>" + kInput + "<vcount>5</vcount><p>0 1 2</p></polylist>", kHere), "fewer"));
  EXPECT_TRUE(refuses(collada("<polylist>" + kInput + "<vcount>3</vcount><p>0 1 2 3</p></polylist>", kHere), "more"));
  EXPECT_TRUE(refuses(
      collada("<polygons>" + kInput + "<ph><p>0 1 2</p><h>3 4 5</h></ph><p>0 1 2</p></polygons>", kHere), "holes"));
  std::string claims = collada(kPolylist, kHere);
  claims.replace(claims.find("count='8'"), 9, "count='9'");
  EXPECT_TRUE(refuses(claims, "claims 9 places"));
}

TEST(Collada, NodesThatMultiplyAreBounded) {
  const std::string circle = "<library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>";
  EXPECT_TRUE(
      refused(parse_mesh(collada(kPolylist, "<node><instance_node url='#n'/></node>", "", circle), MeshFormat::dae),
              Code::mesh_unreadable, 0, "refers to itself"));
  std::string doubling = "<library_nodes><node id='n0'><instance_geometry url='#g'/></node>";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "<instance_node url='#n" + std::to_string(i - 1) + "'/>";
    doubling += "<node id='n" + std::to_string(i) + "'>" + below + below + "</node>";
  }
  EXPECT_TRUE(refused(
      parse_mesh(collada(kPolylist, "<node><instance_node url='#n39'/></node>", "", doubling + "</library_nodes>"),
                 MeshFormat::dae),
      Code::mesh_unreadable, 0, "too often"));
}

}  // namespace
}  // namespace sinew
