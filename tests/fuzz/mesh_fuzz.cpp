// tests/fuzz/mesh_fuzz.cpp - any bytes as a mesh or as heights: refused with an error, or a mesh whose moments and hull
// can be found. The first byte chooses the format.
#include <cstddef>
#include <cstdint>

#include "io/heightfield_file.hpp"
#include "sinew/io/mesh.hpp"

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinew;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto mesh = [&](MeshFormat format) {
    const auto read = parse_mesh(text, format);
    if (!read) return;
    for (const MeshMatter m : {MeshMatter::signed_volume, MeshMatter::unsigned_volume, MeshMatter::surface})
      (void)calc_moments(*read, m);
    (void)convex_hull(read->vertices);
  };
  HeightfieldSpec field;
  switch (data[0]) {
    case 's': mesh(MeshFormat::stl); break;
    case 'o': mesh(MeshFormat::obj); break;
    case 'm': mesh(MeshFormat::msh); break;
    case 'd': mesh(MeshFormat::dae); break;
    case 'p': (void)parse_heightfield(text, true, field); break;
    case 'h': (void)parse_heightfield(text, false, field); break;
    default: break;
  }
  return 0;
}
