// sinew/batch/kernel/device_surface.hpp - contact points of a convex solid on a surface of triangles of one world
// The CPU's text, sinew/contact/kernel/surface_contacts.hpp, with fixed room, in double as in device_convex.hpp. A lane
// goes through all triangles near a solid. The surface does not change: all worlds read the same tables.
#pragma once
#include "sinew/batch/kernel/device_convex.hpp"
#include "sinew/contact/kernel/surface_contacts.hpp"

namespace sinew::device {

// What a pair leaves at most. While it is looked for there is room for more: points that several triangles have, and
// those of planes before they are thinned out.
inline constexpr int kMostSurfacePoints = 128;

class SurfacePoints {
 public:
  SINEW_HD SurfacePoints() {}  // points are not set before they are added
  SINEW_HD std::size_t size() const { return size_; }
  SINEW_HD void resize(std::size_t n) { size_ = n; }
  SINEW_HD TouchPoint& operator[](std::size_t i) { return points[i]; }
  SINEW_HD void push_back(const TouchPoint& p) {
    if (size_ < kMost)
      points[size_++] = p;
    else
      full_ = true;
  }
  SINEW_HD void add(const Vec3<double>& p, const Vec3<double>& n, double gap, std::uint32_t a, std::uint32_t b) {
    push_back({p, n, gap, a, b});
  }
  SINEW_HD bool is_full() const { return full_; }  // something had no room

 private:
  static constexpr std::size_t kMost = 192;
  union {
    TouchPoint points[kMost];
  };
  std::size_t size_ = 0;
  bool full_ = false;
};

template <class R>
struct DeviceSurfaceTools {
  using Solid = contact::SolidOf<DeviceRoom<R>>;
  using Points = SurfacePoints;
  using Vector = contact::Vector;

  SINEW_HD static contact::Approach find_approach(const Solid& a, const Solid& b, double reach) {
    return contact::ApproachSearch<Solid>(a, b).run(reach);
  }
  SINEW_HD static double add_patches(const Solid& a, const Solid& b, const Vector& n, double separation,
                                     const Vector& origin, double reach, Points& out) {
    return contact::put_patches(a, b, n, separation, origin, reach, out);
  }
  SINEW_HD static void add_contacts(const Solid& a, const Solid& b, const contact::Approach& at, const Vector& origin,
                                    double reach, Points& out) {
    contact::put_contacts(a, b, at, origin, reach, out);
  }
  struct Sort {
    template <class Before>
    SINEW_HD void operator()(Points& points, std::size_t first, std::size_t last, const Before& before) const {
      for (std::size_t i = first + 1; i < last; ++i) {
        const TouchPoint p = points[i];
        std::size_t k = i;
        for (; k > first && before(p, points[k - 1]); --k) points[k] = points[k - 1];
        points[k] = p;
      }
    }
  };
  SINEW_HD static Sort sort() { return {}; }
};

template <class R>
SINEW_HD contact::SurfaceView surface_of(const Scene<R>& s, const SceneShape<R>& shape) {
  const SceneSurface& at = s.surface[shape.surface];
  return {s.surface_vertex + at.vertex, s.surface_facet + at.facet, s.surface_node + at.node,
          s.surface_order + at.facet};
}

// The points of a solid on a surface that stands at X. out: as in convex_contacts.hpp, with overflow(), which says that
// there are more than could be looked at.
SINEW_HD_CALLER
template <class R, class Out>
SINEW_HD_LARGE void collide_surface(const WideShape<R>& a, const contact::SurfaceView& surface, const Transform<R>& X,
                                    double reach, Out& out) {
  const Vec3<double> origin = a.X.r;
  const contact::SolidOf<DeviceRoom<R>> solid = a.solid(origin);
  const Transform<double> placed = widen(X);
  const contact::Facets facets(surface, placed);
  SurfacePoints points;
  contact::SurfaceContacts<DeviceSurfaceTools<R>>(solid, facets, origin, reach, points).find();
  if (points.is_full()) return out.overflow();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TouchPoint& p = points[i];
    out.add(p.point, p.normal, p.gap, p.feature_a, p.feature_b);
  }
}

}  // namespace sinew::device
