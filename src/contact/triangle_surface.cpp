// src/contact/triangle_surface.cpp
#include "sinew/contact/triangle_surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sinew {
namespace {

void grow(Bounds& b, const Vec3<double>& p) {
  b.low = {std::min(b.low.x, p.x), std::min(b.low.y, p.y), std::min(b.low.z, p.z)};
  b.high = {std::max(b.high.x, p.x), std::max(b.high.y, p.y), std::max(b.high.z, p.z)};
}

// Files often repeat a vertex in each triangle: equal ones become one.
void merge_vertices(TriangleMesh& m) {
  std::vector<int> by_place(m.vertices.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  const auto key = [&](int i) {
    const Vec3<double>& v = m.vertices[i];
    return std::array{v.x, v.y, v.z};
  };
  std::stable_sort(by_place.begin(), by_place.end(), [&](int i, int j) { return key(i) < key(j); });
  std::vector<int> first(m.vertices.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    const bool again = i > 0 && m.vertices[by_place[i]] == m.vertices[by_place[i - 1]];
    first[by_place[i]] = again ? first[by_place[i - 1]] : by_place[i];
  }
  for (auto& t : m.triangles)
    for (int& v : t) v = first[v];
}

}  // namespace

TriangleSurface::TriangleSurface(TriangleMesh mesh) {
  merge_vertices(mesh);
  vertices_ = std::move(mesh.vertices);
  for (const auto& t : mesh.triangles) {
    const Vec3<double>& p = vertex(t[0]);
    const Vec3<double> n = cross(vertex(t[1]) - p, vertex(t[2]) - p);
    if (const double length = norm(n); length > 0)
      facets_.push_back({.corners = {t[0], t[1], t[2]}, .normal = (1 / length) * n});
  }
  if (facets_.empty())
    throw std::invalid_argument("TriangleSurface: the mesh has no triangle with an area; check its vertices");
  join_neighbours();
  order_.resize(facets_.size());
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.push_back({{}, 0, static_cast<int>(facets_.size())});
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) split(i);
}

// Facets with a common edge in opposite directions are neighbours, unless more than two facets share the edge.
void TriangleSurface::join_neighbours() {
  struct Side {
    std::pair<int, int> edge;
    int facet, k;
  };
  std::vector<Side> sides;
  for (int f = 0; f < static_cast<int>(facets_.size()); ++f)
    for (int k = 0; k < 3; ++k) {
      const auto& c = facets_[f].corners;
      sides.push_back({std::minmax(c[k], c[(k + 1) % 3]), f, k});
    }
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.edge < b.edge; });
  int number = 0;
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end, ++number) {
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    for (std::size_t s = i; s < end; ++s) facets_[sides[s].facet].edges[sides[s].k] = number;
    const auto start = [&](const Side& s) { return facets_[s.facet].corners[s.k]; };
    if (end != i + 2 || start(sides[i]) == start(sides[i + 1])) continue;
    for (const auto& [s, t] : {std::pair{i, i + 1}, std::pair{i + 1, i}})
      facets_[sides[s].facet].across[sides[s].k] = sides[t].facet;
  }
}

// Halves a node's facets along the longest side of its bounds.
void TriangleSurface::split(int node) {
  constexpr int kFew = 4;
  const auto [unused, first, count] = nodes_[node];
  const auto begin = order_.begin() + first, end = begin + count;
  Bounds b{vertex(facets_[*begin].corners[0]), vertex(facets_[*begin].corners[0])};
  for (auto f = begin; f != end; ++f)
    for (const int v : facets_[*f].corners) grow(b, vertex(v));
  nodes_[node].bounds = b;
  if (count <= kFew) return;
  const Vec3<double> d = b.high - b.low;
  const auto side = d.x >= d.y && d.x >= d.z ? &Vec3<double>::x : d.y >= d.z ? &Vec3<double>::y : &Vec3<double>::z;
  const auto middle = [&](int f) {
    double sum = 0;
    for (const int v : facets_[f].corners) sum += vertex(v).*side;
    return sum;
  };
  std::nth_element(begin, begin + count / 2, end, [&](int f, int g) {
    return std::pair{middle(f), f} < std::pair{middle(g), g};
  });
  nodes_[node].first = static_cast<int>(nodes_.size()), nodes_[node].count = 0;
  nodes_.push_back({{}, first, count / 2});
  nodes_.push_back({{}, first + count / 2, count - count / 2});
}

TriangleMesh make_mesh(const HeightfieldSpec& h) {
  TriangleMesh m;
  const auto [half_x, half_y, top, bottom] = h.size;
  for (int r = 0; r < h.rows; ++r)
    for (int c = 0; c < h.cols; ++c)
      m.vertices.push_back({half_x * (2.0 * c / (h.cols - 1) - 1), half_y * (2.0 * r / (h.rows - 1) - 1),
                            top * h.elevation[r * h.cols + c]});
  for (int r = 0; r + 1 < h.rows; ++r)
    for (int c = 0; c + 1 < h.cols; ++c) {
      const int i = r * h.cols + c, up = i + h.cols;
      m.triangles.push_back({i, i + 1, up + 1});
      m.triangles.push_back({i, up + 1, up});
    }
  return m;
}

}  // namespace sinew
