// src/io/mesh_formats.cpp - STL, OBJ, MSH
#include "io/mesh_formats.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "io/number_words.hpp"
#include "io/polygon.hpp"

namespace sinew {
namespace {

static_assert(std::endian::native == std::endian::little, "mesh files are little-endian");

template <class T>
T load(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
Vec3<double> load_vertex(const char* p) { return {load<float>(p), load<float>(p + 4), load<float>(p + 8)}; }

// Gives equal vertices one index.
class Merger {
 public:
  explicit Merger(TriangleMesh& m) : mesh_(m) {}
  void reserve(std::size_t n) { seen_.reserve(n); }
  int index(Vec3<double> v) {
    v = v + Vec3<double>{};  // -0 and 0 are one place
    const auto [it, fresh] = seen_.try_emplace(v, static_cast<int>(mesh_.vertices.size()));
    if (fresh) mesh_.vertices.push_back(v);
    return it->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const Vec3<double>& v) const {
      std::uint64_t h = 0;
      for (const double x : {v.x, v.y, v.z})
        h = (h ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
      return h;
    }
  };
  TriangleMesh& mesh_;
  std::unordered_map<Vec3<double>, int, Hash> seen_;
};

bool parse_vertex(Words& words, Vec3<double>& v) {
  float x = 0, y = 0, z = 0;
  if (!parse_number(words.next(), x) || !parse_number(words.next(), y) || !parse_number(words.next(), z)) return false;
  v = {x, y, z};
  return true;
}

std::string parse_ascii_stl(std::string_view text, TriangleMesh& mesh) {
  Words words(text);
  Merger merger(mesh);
  std::array<int, 3> t{};
  std::size_t n = 0;
  for (std::string_view w = words.next(); !w.empty(); w = words.next()) {
    if (w == "endloop" && n != 3) return "a facet has " + std::to_string(n) + " vertices, not 3";
    if (w == "endloop") mesh.triangles.push_back(t), n = 0;
    if (w != "vertex") continue;
    Vec3<double> v;
    if (n == 3 || !parse_vertex(words, v)) return "a facet is not three vertices of three numbers";
    t[n++] = merger.index(v);
  }
  return n == 0 && !mesh.triangles.empty() ? "" : "the text ends within a facet or has none";
}

// One corner of an OBJ face: "7", "7/1", "7/1/2", "7//2"; negative counts back from the last vertex.
bool parse_corner(std::string_view w, std::size_t count, int& index) {
  long i = 0;
  if (!parse_number(w.substr(0, w.find('/')), i)) return false;
  const long n = static_cast<long>(count);
  i = i < 0 ? n + i : i - 1;
  index = static_cast<int>(i);
  return i >= 0 && i < n;
}

}  // namespace

std::string parse_stl(std::string_view bytes, TriangleMesh& mesh) {
  constexpr std::size_t kHeader = 84, kFacet = 50;
  const std::size_t claimed = bytes.size() < kHeader ? 0 : load<std::uint32_t>(bytes.data() + 80);
  const bool fits = bytes.size() >= kHeader && claimed <= (bytes.size() - kHeader) / kFacet;
  // "solid" opens ASCII files, and some binary ones: those have exactly the length that they claim.
  if (bytes.starts_with("solid") && !(fits && bytes.size() == kHeader + claimed * kFacet))
    return parse_ascii_stl(bytes, mesh);
  if (bytes.size() < kHeader) return "shorter than the header of a binary STL";
  if (!fits || claimed == 0)
    return "the header claims " + std::to_string(claimed) + " triangles, the file holds " +
           std::to_string((bytes.size() - kHeader) / kFacet);
  Merger merger(mesh);
  merger.reserve(claimed);
  mesh.triangles.reserve(claimed);
  const char* p = bytes.data() + kHeader;
  for (std::size_t i = 0; i < claimed; ++i, p += kFacet)
    mesh.triangles.push_back(
        {merger.index(load_vertex(p + 12)), merger.index(load_vertex(p + 24)), merger.index(load_vertex(p + 36))});
  return {};
}

std::string parse_obj(std::string_view text, TriangleMesh& mesh) {
  int line = 0;
  bool fresh = true;  // an object begins with the next face
  std::vector<int> corners;
  while (!text.empty()) {
    ++line;
    const auto at_line = [&](const std::string& problem) { return "line " + std::to_string(line) + ": " + problem; };
    const std::size_t end = std::min(text.find('\n'), text.size());
    Words words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view key = words.next();
    if (key == "v") {
      Vec3<double> v;
      if (!parse_vertex(words, v)) return at_line("a vertex is three numbers");
      mesh.vertices.push_back(v);
    } else if (key == "o" || key == "g") {
      fresh = true;
    } else if (key == "f") {
      corners.clear();
      for (std::string_view w = words.next(); !w.empty(); w = words.next())
        if (!parse_corner(w, mesh.vertices.size(), corners.emplace_back()))
          return at_line("face corner '" + std::string(w.substr(0, 40)) + "' names no vertex");
      if (fresh) mesh.objects.push_back(mesh.triangles.size());
      fresh = false;
      if (const std::string problem = cut_polygon(mesh.vertices, corners, mesh.triangles); !problem.empty())
        return at_line(problem);
    }
  }
  if (mesh.objects.size() < 2) mesh.objects.clear();
  return {};
}

std::string parse_msh(std::string_view bytes, TriangleMesh& mesh) {
  if (bytes.size() < 16) return "shorter than the header of an MSH file";
  std::array<std::uint64_t, 4> n{};  // vertices, normals, texture coordinates, faces
  for (std::size_t i = 0; i < 4; ++i) {
    const auto v = load<std::int32_t>(bytes.data() + 4 * i);
    if (v < 0) return "a count in the header is negative";
    n[i] = static_cast<std::uint64_t>(v);
  }
  const std::uint64_t need = 16 + 12 * (n[0] + n[1] + n[3]) + 8 * n[2];
  if (need != bytes.size())
    return "the header claims " + std::to_string(need) + " bytes, the file holds " + std::to_string(bytes.size());
  const char* p = bytes.data() + 16;
  mesh.vertices.reserve(n[0]);
  for (std::uint64_t i = 0; i < n[0]; ++i, p += 12) mesh.vertices.push_back(load_vertex(p));
  p += 12 * n[1] + 8 * n[2];
  mesh.triangles.reserve(n[3]);
  for (std::uint64_t i = 0; i < n[3]; ++i, p += 12) {
    std::array<int, 3> t{};
    for (std::size_t k = 0; k < 3; ++k) {
      t[k] = load<std::int32_t>(p + 4 * k);
      if (t[k] < 0 || static_cast<std::uint64_t>(t[k]) >= n[0]) return "face " + std::to_string(i) + " names no vertex";
    }
    mesh.triangles.push_back(t);
  }
  return {};
}

}  // namespace sinew
