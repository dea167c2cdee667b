// sinew/model/triangle_mesh.hpp - triangle meshes: convex hull; volume, centre and inertia
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/spatial/mat3.hpp"

namespace sinew {

struct TriangleMesh {
  std::vector<Vec3<double>> vertices;         // [m]
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside; empty: a cloud of points
  std::vector<std::size_t> objects;           // first triangle of each object of a file with several; empty: one object
};

// Smallest convex mesh around the points. An error when they lie in one plane.
Result<TriangleMesh> convex_hull(const std::vector<Vec3<double>>& points);

// Where the mass is. `signed_volume`: inside, exact for a closed mesh. `unsigned_volume`: inside, adding the pyramids
// over the triangles without their sign (MuJoCo's "legacy" rule). `surface`: on the triangles.
enum class MeshMatter { signed_volume, unsigned_volume, surface };

// Size, centre and inertia of a mesh.
struct MeshMoments {
  double size = 0;       // volume [m^3], or area [m^2] for `surface`
  Vec3<double> centre;   // centre of mass [m]
  Sym3<double> inertia;  // about the centre, for density 1
};

// Objects are taken one by one, and added. All zero for a mesh without triangles; a flat or inside-out mesh gives a
// size <= 0.
MeshMoments calc_moments(const TriangleMesh&, MeshMatter);

}  // namespace sinew
