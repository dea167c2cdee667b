// sinew/io/mesh.hpp - triangle meshes: STL (binary and ASCII), OBJ, MuJoCo's MSH; their volume, centre and inertia
// Vertices are read as floats, as the files hold them, and kept as doubles. Triangles run counter-clockwise seen
// from outside. What a file claims (counts, indices) is checked against what it holds.
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/spatial/mat3.hpp"

namespace sinew {

struct TriangleMesh {
  std::vector<Vec3<double>> vertices;         // [m]
  std::vector<std::array<int, 3>> triangles;  // empty: a cloud of points
};

enum class MeshFormat { stl, obj, msh };

inline constexpr std::size_t kMaxMeshBytes = std::size_t{1} << 30;

// The format comes from the extension, any case.
Result<TriangleMesh> read_mesh(const std::filesystem::path& file);
Result<TriangleMesh> parse_mesh(std::string_view bytes, MeshFormat format, const std::string& file = {});

// Smallest convex mesh around the points. An error when they lie in one plane.
Result<TriangleMesh> convex_hull(const std::vector<Vec3<double>>& points);

// How the triangles stand for matter. `signed_volume` is the exact one for a closed mesh; `unsigned_volume` adds the
// pyramids over the triangles without their sign, which is MuJoCo's "legacy" rule; `surface` puts it on the triangles.
enum class MeshMatter { signed_volume, unsigned_volume, surface };

struct MeshMoments {
  double size = 0;       // volume [m^3], or area [m^2] for `surface`
  Vec3<double> centre;   // centre of mass [m]
  Sym3<double> inertia;  // about the centre, for density 1
};

// All zero for a mesh without triangles; a flat or inside-out mesh gives a size <= 0.
MeshMoments calc_moments(const TriangleMesh&, MeshMatter);

}  // namespace sinew
