// src/contact/ray.cpp
#include "sinew/contact/ray.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sinew {
namespace {

constexpr double kParallel = 1e-15;  // smaller slopes count as zero

// The nearest of two distances that lies ahead.
struct Nearest {
  double t = -1;
  void see(double x) {
    if (x >= 0 && (t < 0 || x < t)) t = x;
  }
};

// Both roots of a t^2 + 2 b t + c; false: none.
bool find_roots(double a, double b, double c, double& first, double& second) {
  const double d = b * b - a * c;
  if (!(d >= 0) || !(a > kParallel)) return false;
  first = (-b - std::sqrt(d)) / a, second = (-b + std::sqrt(d)) / a;
  return true;
}

[[noreturn]] void refuse_ray(ShapeKind kind) {
  throw std::invalid_argument("cast_ray: a " + std::string(to_string(kind)) + " is made of triangles; cast on those");
}

void see_ball(const Vec3<double>& from, const Vec3<double>& to, double radius, auto&& keep, Nearest& out) {
  double t[2];
  if (!find_roots(dot(to, to), dot(from, to), dot(from, from) - radius * radius, t[0], t[1])) return;
  for (const double x : t)
    if (keep(from + x * to)) out.see(x);
}

// The side of a cylinder along z.
void see_side(const Vec3<double>& from, const Vec3<double>& to, double radius, double half, Nearest& out) {
  double t[2];
  const double a = to.x * to.x + to.y * to.y, b = from.x * to.x + from.y * to.y;
  if (!find_roots(a, b, from.x * from.x + from.y * from.y - radius * radius, t[0], t[1])) return;
  for (const double x : t)
    if (std::abs(from.z + x * to.z) <= half) out.see(x);
}

}  // namespace

double cast_ray(ShapeKind kind, const std::array<double, 3>& size, const Vec3<double>& from,
                const Vec3<double>& direction) {
  const Vec3<double>&p = from, &u = direction;
  Nearest out;
  const auto everywhere = [](const Vec3<double>&) { return true; };
  switch (kind) {
    case ShapeKind::plane: {
      if (!(u.z < -kParallel)) return -1;
      const double t = -p.z / u.z;
      const Vec3<double> hit = p + t * u;
      const bool on = (size[0] <= 0 || std::abs(hit.x) <= size[0]) && (size[1] <= 0 || std::abs(hit.y) <= size[1]);
      if (on) out.see(t);
      break;
    }
    case ShapeKind::sphere: see_ball(p, u, size[0], everywhere, out); break;
    case ShapeKind::ellipsoid: {
      const auto shrink = [&](const Vec3<double>& x) {
        return Vec3<double>{x.x / size[0], x.y / size[1], x.z / size[2]};
      };
      see_ball(shrink(p), shrink(u), 1, everywhere, out);
      break;
    }
    case ShapeKind::box: {
      const std::array<double, 3> start{p.x, p.y, p.z}, along{u.x, u.y, u.z};
      for (std::size_t k = 0; k < 3; ++k) {
        if (std::abs(along[k]) < kParallel) continue;
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        for (const double face : {-size[k], size[k]}) {
          const double t = (face - start[k]) / along[k];
          if (std::abs(start[i] + t * along[i]) <= size[i] && std::abs(start[j] + t * along[j]) <= size[j]) out.see(t);
        }
      }
      break;
    }
    case ShapeKind::cylinder:
      see_side(p, u, size[0], size[1], out);
      for (const double cap : {-size[1], size[1]}) {
        if (std::abs(u.z) < kParallel) break;
        const double t = (cap - p.z) / u.z, x = p.x + t * u.x, y = p.y + t * u.y;
        if (x * x + y * y <= size[0] * size[0]) out.see(t);
      }
      break;
    case ShapeKind::capsule:
      see_side(p, u, size[0], size[1], out);
      for (const double side : {-1.0, 1.0}) {
        const Vec3<double> centre{0, 0, side * size[1]};
        see_ball(
            p - centre, u, size[0], [&](const Vec3<double>& x) { return side * x.z >= 0; }, out);
      }
      break;
    case ShapeKind::mesh:
    case ShapeKind::heightfield: refuse_ray(kind);
  }
  return out.t;
}

double cast_ray(const std::array<Vec3<double>, 3>& triangle, const Vec3<double>& from, const Vec3<double>& direction) {
  const Vec3<double> a = triangle[1] - triangle[0], b = triangle[2] - triangle[0], n = cross(direction, b);
  const double det = dot(a, n);
  if (std::abs(det) < kParallel * norm(a) * norm(b)) return -1;
  const Vec3<double> away = from - triangle[0], m = cross(away, a);
  const double s = dot(away, n) / det, r = dot(direction, m) / det, t = dot(b, m) / det;
  return s >= 0 && r >= 0 && s + r <= 1 && t >= 0 ? t : -1;
}

bool holds_point(ShapeKind kind, const std::array<double, 3>& size, const Vec3<double>& p) {
  const double across = p.x * p.x + p.y * p.y;
  switch (kind) {
    case ShapeKind::plane: return false;
    case ShapeKind::sphere: return dot(p, p) <= size[0] * size[0];
    case ShapeKind::box: return std::abs(p.x) <= size[0] && std::abs(p.y) <= size[1] && std::abs(p.z) <= size[2];
    case ShapeKind::cylinder: return across <= size[0] * size[0] && std::abs(p.z) <= size[1];
    case ShapeKind::capsule: {
      const double z = std::max(0.0, std::abs(p.z) - size[1]);
      return across + z * z <= size[0] * size[0];
    }
    case ShapeKind::ellipsoid: {
      const double x = p.x / size[0], y = p.y / size[1], z = p.z / size[2];
      return x * x + y * y + z * z <= 1;
    }
    case ShapeKind::mesh:
    case ShapeKind::heightfield: break;
  }
  refuse_ray(kind);
}

}  // namespace sinew
