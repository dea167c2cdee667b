// tests/io/mesh_test.cpp - mesh files in three formats, moments against closed forms, the convex hull, hostile bytes
#include "sinew/io/mesh.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "io/remarks.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

const std::string kObj =
    "# tetrahedron\nv 0 0 0\nv +1 0 0 0.5 0.5 0.5\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/4\nf -4//1 -1//1 -2//1\nf 2 "
    "3 4\n";

template <class T>
void put(std::string& s, T v) {
  char bytes[sizeof v];
  std::memcpy(bytes, &v, sizeof v);
  s.append(bytes, sizeof v);
}

std::string binary_stl(const TriangleMesh& m, std::uint32_t claimed) {
  std::string s(80, ' ');
  put(s, claimed);
  for (const auto& t : m.triangles) {
    for (int i = 0; i < 3; ++i) put(s, 0.0f);
    for (const int i : t)
      for (const double x : {m.vertices[std::size_t(i)].x, m.vertices[std::size_t(i)].y, m.vertices[std::size_t(i)].z})
        put(s, float(x));
    put(s, std::uint16_t{0});
  }
  return s;
}
std::string ascii_stl(const TriangleMesh& m) {
  std::string s = "solid thing\n";
  for (const auto& t : m.triangles) {
    s += "facet normal 0 0 0\nouter loop\n";
    for (const int i : t) {
      const auto& v = m.vertices[std::size_t(i)];
      s += "vertex " + std::to_string(v.x) + ' ' + std::to_string(v.y) + ' ' + std::to_string(v.z) + '\n';
    }
    s += "endloop\nendfacet\n";
  }
  return s + "endsolid thing\n";
}
std::string msh(const TriangleMesh& m) {
  std::string s;
  for (const std::size_t n : {m.vertices.size(), m.vertices.size(), m.vertices.size(), m.triangles.size()})
    put(s, std::int32_t(n));
  for (const auto& v : m.vertices)
    for (const double x : {v.x, v.y, v.z}) put(s, float(x));
  for (std::size_t i = 0; i < 5 * m.vertices.size(); ++i) put(s, 0.0f);  // normals and texture coordinates
  for (const auto& t : m.triangles)
    for (const int i : t) put(s, std::int32_t{i});
  return s;
}

void expect_unit_tetrahedron(const Result<TriangleMesh>& mesh) {
  ASSERT_TRUE(accepted(mesh));
  EXPECT_EQ(mesh->vertices.size(), 4u);
  EXPECT_EQ(mesh->triangles.size(), 4u);
  for (const MeshMatter rule : {MeshMatter::signed_volume, MeshMatter::unsigned_volume}) {
    const MeshMoments m = calc_moments(*mesh, rule);
    EXPECT_NEAR(m.size, 1.0 / 6, 1e-16);
    EXPECT_NEAR(m.centre.x, .25, 1e-16);
    EXPECT_NEAR(m.inertia.xx, 2 * (1.0 / 60 - 1.0 / 96), 1e-16);  // int x^2 = 1/60 about the corner
    EXPECT_NEAR(m.inertia.xy, -(1.0 / 120 - 1.0 / 96), 1e-16);    // int x y = 1/120
  }
}

TEST(Mesh, EveryFormatGivesTheSameTetrahedron) {
  const auto obj = parse_mesh(kObj, MeshFormat::obj);
  expect_unit_tetrahedron(obj);
  expect_unit_tetrahedron(parse_mesh(binary_stl(*obj, 4), MeshFormat::stl));
  expect_unit_tetrahedron(parse_mesh(ascii_stl(*obj), MeshFormat::stl));
  expect_unit_tetrahedron(parse_mesh(msh(*obj), MeshFormat::msh));
  std::string solid = binary_stl(*obj, 4);  // a binary file may begin like an ASCII one
  solid.replace(0, 5, "solid");
  expect_unit_tetrahedron(parse_mesh(solid, MeshFormat::stl));
}

TEST(Mesh, PolygonsBecomeFans) {
  const auto m = parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", MeshFormat::obj);
  ASSERT_TRUE(accepted(m));
  EXPECT_EQ(m->triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_DOUBLE_EQ(calc_moments(*m, MeshMatter::surface).size, 1);
  EXPECT_EQ(calc_moments(*m, MeshMatter::signed_volume).size, 0);
  EXPECT_EQ(calc_moments({}, MeshMatter::surface).size, 0);
}

TEST(Mesh, WhatAFileClaimsIsChecked) {
  const TriangleMesh tet = *parse_mesh(kObj, MeshFormat::obj);
  const auto bad = [](const std::string& bytes, MeshFormat f) {
    return refused(parse_mesh(bytes, f, "m"), Code::mesh_unreadable);
  };
  EXPECT_TRUE(bad(binary_stl(tet, 0x7fffffff), MeshFormat::stl));
  EXPECT_TRUE(bad(binary_stl(tet, 5), MeshFormat::stl));
  EXPECT_TRUE(bad(std::string(84, '\0'), MeshFormat::stl));
  EXPECT_TRUE(bad("solid x\nfacet\nouter loop\nvertex 1 2\n", MeshFormat::stl));
  EXPECT_TRUE(bad("solid x\nvertex 0 0 0\nvertex 0 0 1\nendloop\n", MeshFormat::stl));
  for (const char* face : {"f 1 2 9", "f 0 1 2", "f 1 2", "f 1 2 x", "f -9 1 2", "v 1 2", "v nan 0 0", "v 1e99 0 0"})
    EXPECT_TRUE(bad("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + std::string(face), MeshFormat::obj)) << face;
  std::string m = msh(tet);
  EXPECT_TRUE(bad(m + "x", MeshFormat::msh));
  const std::int32_t many = 0x7fffffff, none = -1;
  for (const std::int32_t n : {many, none})
    for (std::size_t at = 0; at < 16; at += 4) {
      std::string changed = m;
      std::memcpy(changed.data() + at, &n, 4);
      EXPECT_TRUE(bad(changed, MeshFormat::msh));
    }
  std::memcpy(m.data() + m.size() - 4, &many, 4);
  EXPECT_TRUE(bad(m, MeshFormat::msh));
  for (const MeshFormat f : {MeshFormat::stl, MeshFormat::obj, MeshFormat::msh}) EXPECT_TRUE(bad("", f));
  EXPECT_TRUE(refused(read_mesh("/nowhere/m.stl"), Code::mesh_unreadable));
  EXPECT_TRUE(refused(read_mesh("/nowhere/m.ply"), Code::mesh_unreadable));
}

TEST(Mesh, HullOfABoxWithPointsInside) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Vec3<double>> p;
  for (int i = 0; i < 500; ++i) p.push_back({u(random), 2 * u(random), 3 * u(random)});
  for (int i = 0; i < 200; ++i) p.push_back({1, 2 * u(random), 3 * u(random)});  // on a face
  for (int i = 0; i < 8; ++i) p.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 2.0 : -2.0, i & 4 ? 3.0 : -3.0});
  const auto hull = convex_hull(p);
  ASSERT_TRUE(accepted(hull));
  const MeshMoments m = calc_moments(*hull, MeshMatter::signed_volume);
  EXPECT_NEAR(m.size, 48, 3e-13);
  EXPECT_TRUE(test::is_small(norm(m.centre), 1e-14));
  EXPECT_NEAR(m.inertia.xx, 48 * (4 + 9) / 3.0, 1e-12);
  EXPECT_NEAR(calc_moments(*hull, MeshMatter::surface).size, 8 * (2 + 6 + 3), 5e-13);
}

TEST(Mesh, HullOfASphereIsClosedAndOutward) {
  std::mt19937 random(3);
  std::normal_distribution<double> g;
  std::vector<Vec3<double>> p;
  for (int i = 0; i < 4000; ++i) {
    const Vec3<double> v{g(random), g(random), g(random)};
    p.push_back((1 / norm(v)) * v);
  }
  const auto hull = convex_hull(p);
  ASSERT_TRUE(accepted(hull));
  EXPECT_EQ(hull->vertices.size(), 4000u);
  EXPECT_EQ(hull->triangles.size(), 2 * 4000u - 4);  // Euler
  for (const auto& t : hull->triangles) {
    const auto& a = hull->vertices[std::size_t(t[0])];
    const Vec3<double> n = cross(hull->vertices[std::size_t(t[1])] - a, hull->vertices[std::size_t(t[2])] - a);
    EXPECT_GT(dot(n, a), 0);
  }
}

TEST(Mesh, FlatPointsHaveNoHull) {
  EXPECT_TRUE(refused(convex_hull({}), Code::mesh_volume));
  EXPECT_TRUE(refused(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), Code::mesh_volume));
  EXPECT_TRUE(refused(convex_hull({{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {.3, .2, 1}}), Code::mesh_volume));
  EXPECT_TRUE(refused(convex_hull(std::vector<Vec3<double>>(9, {1, 2, 3})), Code::mesh_volume));
}

}  // namespace
}  // namespace sinew
