// sinew/contact/kernel/ray.hpp - where a ray meets a shape that is not made of triangles, for CPU and device
// As sinew/contact/ray.hpp has it; a mesh or heightfield is met nowhere. R: double or float.
#pragma once
#include <cmath>

#include "sinew/model/shape_spec.hpp"
#include "sinew/spatial/vec3.hpp"

namespace sinew::contact {

// The nearest of distances that lies ahead.
template <class R>
struct NearestAhead {
  R t = -1;
  SINEW_HD void see(const R& x) {
    if (x >= 0 && (t < 0 || x < t)) t = x;
  }
};

template <class R>
inline constexpr R kParallel = R(1e-15);  // smaller slopes count as zero

// Both roots of a t^2 + 2 b t + c; false: none.
template <class R>
SINEW_HD bool find_ray_roots(const R& a, const R& b, const R& c, R* t) {
  using std::sqrt;
  const R d = b * b - a * c;
  if (!(d >= 0) || !(a > kParallel<R>)) return false;
  t[0] = (-b - sqrt(d)) / a, t[1] = (-b + sqrt(d)) / a;
  return true;
}

// keep(point): whether that part of the ball is there.
SINEW_HD_CALLER
template <class R, class Keep>
SINEW_HD void see_ball(const Vec3<R>& p, const Vec3<R>& u, const R& radius, Keep&& keep, NearestAhead<R>& out) {
  R t[2];
  if (!find_ray_roots<R>(dot(u, u), dot(p, u), dot(p, p) - radius * radius, t)) return;
  for (int i = 0; i < 2; ++i)
    if (keep(p + t[i] * u)) out.see(t[i]);
}

// The side of a cylinder along z.
template <class R>
SINEW_HD void see_side(const Vec3<R>& p, const Vec3<R>& u, const R& radius, const R& half, NearestAhead<R>& out) {
  using std::abs;
  R t[2];
  if (!find_ray_roots<R>(u.x * u.x + u.y * u.y, p.x * u.x + p.y * u.y, p.x * p.x + p.y * p.y - radius * radius, t))
    return;
  for (int i = 0; i < 2; ++i)
    if (abs(p.z + t[i] * u.z) <= half) out.see(t[i]);
}

template <class R>
SINEW_HD R meet_ray(ShapeKind kind, const R* size, const Vec3<R>& p, const Vec3<R>& u) {
  using std::abs;
  NearestAhead<R> out;
  const auto everywhere = [](const Vec3<R>&) { return true; };
  if (kind == ShapeKind::plane) {
    if (!(u.z < -kParallel<R>)) return -1;
    const R t = -p.z / u.z;
    const Vec3<R> hit = p + t * u;
    if ((size[0] <= 0 || abs(hit.x) <= size[0]) && (size[1] <= 0 || abs(hit.y) <= size[1])) out.see(t);
  } else if (kind == ShapeKind::sphere) {
    see_ball(p, u, size[0], everywhere, out);
  } else if (kind == ShapeKind::ellipsoid) {
    const auto shrink = [&](const Vec3<R>& x) { return Vec3<R>{x.x / size[0], x.y / size[1], x.z / size[2]}; };
    see_ball(shrink(p), shrink(u), R(1), everywhere, out);
  } else if (kind == ShapeKind::box) {
    const R start[3] = {p.x, p.y, p.z}, along[3] = {u.x, u.y, u.z};
    for (int k = 0; k < 3; ++k) {
      if (abs(along[k]) < kParallel<R>) continue;
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      for (int side = -1; side <= 1; side += 2) {
        const R t = ((side < 0 ? -size[k] : size[k]) - start[k]) / along[k];
        if (abs(start[i] + t * along[i]) <= size[i] && abs(start[j] + t * along[j]) <= size[j]) out.see(t);
      }
    }
  } else if (kind == ShapeKind::cylinder) {
    see_side(p, u, size[0], size[1], out);
    for (int side = -1; side <= 1 && !(abs(u.z) < kParallel<R>); side += 2) {
      const R t = ((side < 0 ? -size[1] : size[1]) - p.z) / u.z, x = p.x + t * u.x, y = p.y + t * u.y;
      if (x * x + y * y <= size[0] * size[0]) out.see(t);
    }
  } else if (kind == ShapeKind::capsule) {
    see_side(p, u, size[0], size[1], out);
    for (int side = -1; side <= 1; side += 2) {
      const R sign = R(side);
      const auto beyond = [&](const Vec3<R>& x) { return sign * x.z >= 0; };
      see_ball(Vec3<R>{p.x, p.y, p.z - sign * size[1]}, u, size[0], beyond, out);
    }
  }
  return out.t;
}

}  // namespace sinew::contact
