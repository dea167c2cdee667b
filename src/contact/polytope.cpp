// src/contact/polytope.cpp
#include "sinew/contact/polytope.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace sinew {
namespace {

// Faces grow from the largest triangles over all neighbours that lie in their plane.
class FaceMaker {
 public:
  explicit FaceMaker(const TriangleMesh& m) : m_(m), face_(m.triangles.size(), -1) {
    double extent = 0;
    for (const Vec3<double>& v : m.vertices) extent = std::max({extent, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
    flat_ = 4 * 0x1p-24 * extent;
    for (int t = 0; t < static_cast<int>(m.triangles.size()); ++t)
      for (int k = 0; k < 3; ++k) behind_[{from(t, k), to(t, k)}] = t;
  }

  // Rings of vertices, counter-clockwise.
  std::vector<std::vector<int>> make() {
    std::vector<int> by_size(m_.triangles.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    std::stable_sort(by_size.begin(), by_size.end(), [&](int s, int t) { return norm(area(s)) > norm(area(t)); });
    std::vector<std::vector<int>> rings;
    for (const int t : by_size)
      if (face_[t] < 0)
        if (std::vector<int> ring = grow(t, static_cast<int>(rings.size())); !ring.empty())
          rings.push_back(std::move(ring));
    return rings;
  }

 private:
  int from(int t, int k) const { return m_.triangles[t][k]; }
  int to(int t, int k) const { return m_.triangles[t][(k + 1) % 3]; }
  Vec3<double> vertex(int t, int k) const { return m_.vertices[from(t, k)]; }
  Vec3<double> area(int t) const { return cross(vertex(t, 1) - vertex(t, 0), vertex(t, 2) - vertex(t, 0)); }

  std::vector<int> grow(int seed, int number) {
    Vec3<double> n = area(seed);
    n = (1 / norm(n)) * n;
    const double height = dot(n, vertex(seed, 0));
    const auto lies_flat = [&](int t) {
      for (int k = 0; k < 3; ++k)
        if (std::abs(dot(n, vertex(t, k)) - height) > flat_) return false;
      return dot(n, area(t)) > 0;
    };
    std::vector<int> members{seed};
    face_[seed] = number;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const int t = behind_.at({to(members[i], k), from(members[i], k)});
        if (face_[t] < 0 && lies_flat(t)) face_[t] = number, members.push_back(t);
      }
    // The border: edges whose other triangle is not a member.
    std::map<int, int> next;
    for (const int t : members)
      for (int k = 0; k < 3; ++k)
        if (face_[behind_.at({to(t, k), from(t, k)})] != number) next[from(t, k)] = to(t, k);
    std::vector<int> ring;
    for (int v = next.begin()->first; ring.size() < next.size(); v = next.at(v)) ring.push_back(v);
    return ring;
  }

  const TriangleMesh& m_;
  std::vector<int> face_;
  std::map<std::pair<int, int>, int> behind_;  // edge -> the triangle that has it in this direction
  double flat_ = 0;
};

}  // namespace

Polytope make_polytope(const TriangleMesh& hull) {
  Polytope out;
  std::vector<int> number(hull.vertices.size(), -1);
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& ring : FaceMaker(hull).make()) {
    Polytope::Face face{{}, static_cast<int>(out.corners.size()), static_cast<int>(ring.size())};
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const int v = ring[i], next = ring[(i + 1) % ring.size()];
      face.normal += cross(hull.vertices[v] - hull.vertices[ring[0]], hull.vertices[next] - hull.vertices[ring[0]]);
      if (number[v] < 0) {
        number[v] = static_cast<int>(out.vertices.size());
        out.vertices.push_back(hull.vertices[v]);
      }
      out.corners.push_back(number[v]);
      out.edges.push_back(edges.try_emplace(std::minmax(v, next), static_cast<int>(edges.size())).first->second);
    }
    face.normal = (1 / norm(face.normal)) * face.normal;
    out.faces.push_back(face);
  }
  for (const Vec3<double>& v : out.vertices)
    out.extent = std::max({out.extent, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  // Each corner of a face is a step from its vertex to the next.
  out.start.assign(out.vertices.size() + 1, 0);
  for (const int v : out.corners) ++out.start[v + 1];
  std::partial_sum(out.start.begin(), out.start.end(), out.start.begin());
  std::vector<int> filled = out.start;
  out.neighbours.resize(out.corners.size()), out.around.resize(out.corners.size());
  for (int f = 0; f < static_cast<int>(out.faces.size()); ++f) {
    const auto [n, first, count] = out.faces[f];
    for (int i = 0; i < count; ++i) {
      const int slot = filled[out.corners[first + i]]++;
      out.neighbours[slot] = out.corners[first + (i + 1) % count], out.around[slot] = f;
    }
  }
  return out;
}

int Polytope::find_support(const Vec3<double>& d) const {
  return contact::find_farthest(*this, static_cast<int>(vertices.size()), d);
}
int Polytope::find_support(const Vec3<double>& d, int begin) const {
  return contact::find_farthest(*this, static_cast<int>(vertices.size()), d, begin);
}

}  // namespace sinew
