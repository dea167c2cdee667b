// tests/fuzz/mesh_fuzz.cpp - any bytes as a mesh: refused with an error, or a mesh whose moments and hull can be found
#include "fuzz/target.hpp"
#include "sinew/io/mesh.hpp"

namespace sinew::fuzz {
namespace {

template <MeshFormat format>
void read_mesh_of(std::string_view bytes) {
  const auto read = parse_mesh(bytes, format);
  if (!read) return;
  for (const MeshMatter m : {MeshMatter::signed_volume, MeshMatter::unsigned_volume, MeshMatter::surface})
    (void)calc_moments(*read, m);
  (void)convex_hull(read->vertices);
}

}  // namespace

const Target kStl("stl", read_mesh_of<MeshFormat::stl>);
const Target kObj("obj", read_mesh_of<MeshFormat::obj>);
const Target kMsh("msh", read_mesh_of<MeshFormat::msh>);
const Target kCollada("collada", read_mesh_of<MeshFormat::dae>);

}  // namespace sinew::fuzz
