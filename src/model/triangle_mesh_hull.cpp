// src/model/triangle_mesh_hull.cpp - convex hull by quickhull [Barber, Dobkin, Huhdanpaa 1996]
// Terms: a facet keeps the points above its plane; the horizon is the ring of edges between facets that the new
// point sees and those it does not. Points within `eps` of a plane count as on it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {
namespace {

using V = Vec3<double>;

struct Facet {
  std::array<int, 3> v{};
  std::array<int, 3> next{-1, -1, -1};  // facet across edge v[k], v[k+1]
  V n;                                  // unit outward normal
  double d = 0;
  std::vector<int> above;
  bool dead = false;
};

class Hull {
 public:
  explicit Hull(const std::vector<V>& p) : p_(p) {}

  // False when the points are flat or the arithmetic fails.
  bool build() {
    if (!seed()) return false;
    for (std::size_t f = 0; f < facets_.size(); ++f)
      while (!facets_[f].dead && !facets_[f].above.empty())
        if (!add(static_cast<int>(f))) return false;
    return true;
  }

  TriangleMesh mesh() const {
    TriangleMesh m;
    std::vector<int> index(p_.size(), -1);
    for (const Facet& f : facets_) {
      if (f.dead) continue;
      std::array<int, 3> t{};
      for (std::size_t k = 0; k < 3; ++k) {
        int& i = index[f.v[k]];
        if (i < 0) i = static_cast<int>(m.vertices.size()), m.vertices.push_back(p_[f.v[k]]);
        t[k] = i;
      }
      m.triangles.push_back(t);
    }
    return m;
  }

 private:
  double height(const Facet& f, int i) const { return dot(f.n, p_[i]) - f.d; }

  int make(int a, int b, int c) {
    Facet f;
    f.v = {a, b, c};
    const V n = cross(p_[b] - p_[a], p_[c] - p_[a]);
    const double length = norm(n);
    f.n = length > 0 ? (1 / length) * n : V{};
    f.d = dot(f.n, p_[a]);
    facets_.push_back(std::move(f));
    return static_cast<int>(facets_.size()) - 1;
  }

  // The first tetrahedron: far apart along an axis, far from the line, far from the plane.
  bool seed() {
    if (p_.size() < 4) return false;
    double extent = 0;
    int a = 0, b = 0;
    for (const auto axis : {&V::x, &V::y, &V::z}) {
      const auto less = [&](const V& l, const V& r) { return l.*axis < r.*axis; };
      const auto [lo, hi] = std::minmax_element(p_.begin(), p_.end(), less);
      if ((*hi).*axis - (*lo).*axis <= extent) continue;
      extent = (*hi).*axis - (*lo).*axis;
      a = static_cast<int>(lo - p_.begin()), b = static_cast<int>(hi - p_.begin());
    }
    eps_ = 1e-12 * extent;
    if (!(extent > 0)) return false;
    const V line = p_[b] - p_[a];
    const auto farthest = [&](auto&& measure) {
      int best = -1;
      double most = 0;
      for (int i = 0; i < static_cast<int>(p_.size()); ++i)
        if (const double m = std::abs(measure(p_[i])); m > most) most = m, best = i;
      return std::pair{best, most};
    };
    const auto [c, off_line] = farthest([&](const V& q) { return norm(cross(line, q - p_[a])) / norm(line); });
    if (c < 0 || off_line < 1e3 * eps_) return false;
    V n = cross(line, p_[c] - p_[a]);
    n = (1 / norm(n)) * n;
    auto [e, off_plane] = farthest([&](const V& q) { return dot(n, q - p_[a]); });
    if (e < 0 || off_plane < 1e3 * eps_) return false;
    if (dot(n, p_[e] - p_[a]) > 0) std::swap(a, b);
    make(a, b, c), make(a, e, b), make(b, e, c), make(c, e, a);
    facets_[0].next = {1, 2, 3}, facets_[1].next = {3, 2, 0}, facets_[2].next = {1, 3, 0}, facets_[3].next = {2, 1, 0};
    std::vector<int> all(p_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    share_out(all, 0);
    return true;
  }

  // Gives each point to the first facet from `first` on that it lies above.
  void share_out(const std::vector<int>& points, std::size_t first) {
    for (const int i : points)
      for (std::size_t f = first; f < facets_.size(); ++f)
        if (height(facets_[f], i) > eps_) {
          facets_[f].above.push_back(i);
          break;
        }
  }

  // Replaces the facets that the highest point above facet f sees by a cone from that point.
  bool add(int f) {
    auto& above = facets_[f].above;
    const int apex = *std::max_element(above.begin(), above.end(),
                                       [&](int l, int r) { return height(facets_[f], l) < height(facets_[f], r); });
    std::vector<int> seen{f}, loose;
    std::unordered_map<int, std::pair<int, int>> ring;  // edge start -> its end, the facet behind it
    facets_[f].dead = true;
    for (std::size_t s = 0; s < seen.size(); ++s) {
      const Facet& g = facets_[seen[s]];
      loose.insert(loose.end(), g.above.begin(), g.above.end());
      for (std::size_t k = 0; k < 3; ++k) {
        const int h = g.next[k];
        if (facets_[h].dead) continue;
        if (height(facets_[h], apex) > eps_) {
          facets_[h].dead = true;
          seen.push_back(h);
        }
      }
    }
    for (const int s : seen)
      for (std::size_t k = 0; k < 3; ++k) {
        const Facet& g = facets_[s];
        if (facets_[g.next[k]].dead) continue;
        if (!ring.try_emplace(g.v[k], g.v[(k + 1) % 3], g.next[k]).second) return false;
      }
    for (const int s : seen) facets_[s].above = {};
    if (ring.size() < 3) return false;

    const std::size_t first = facets_.size();
    int start = ring.begin()->first, from = start;
    do {
      const auto edge = ring.find(from);
      if (edge == ring.end()) return false;
      const auto [to, behind] = edge->second;
      const int n = make(from, to, apex);
      facets_[n].next[0] = behind;
      auto& back = facets_[behind];
      for (std::size_t k = 0; k < 3; ++k)
        if (back.v[k] == to && back.v[(k + 1) % 3] == from) back.next[k] = n;
      ring.erase(edge);
      from = to;
    } while (from != start);
    if (!ring.empty()) return false;
    const std::size_t count = facets_.size() - first;
    for (std::size_t i = 0; i < count; ++i) {
      facets_[first + i].next[1] = static_cast<int>(first + (i + 1) % count);
      facets_[first + i].next[2] = static_cast<int>(first + (i + count - 1) % count);
    }
    std::erase(loose, apex);
    share_out(loose, first);
    return true;
  }

  const std::vector<V>& p_;
  std::vector<Facet> facets_;
  double eps_ = 0;
};

}  // namespace

Result<TriangleMesh> convex_hull(const std::vector<V>& points) {
  Diagnostics out;
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max() / 4))
    out.add(Code::too_many_elements, "mesh", "too many points for a convex hull", "use a coarser mesh");
  Hull hull(points);
  if (!out.has_errors() && !hull.build())
    out.add(Code::mesh_volume, "mesh",
            "the points have no convex hull with a volume: fewer than 4, or all in one plane",
            "add points outside that plane");
  if (out.has_errors()) return out;
  return hull.mesh();
}

}  // namespace sinew
