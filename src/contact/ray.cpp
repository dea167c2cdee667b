// src/contact/ray.cpp
#include "sinew/contact/ray.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/contact/kernel/ray.hpp"

namespace sinew {
namespace {

constexpr double kParallel = contact::kParallel<double>;

[[noreturn]] void refuse_ray(ShapeKind kind) {
  throw std::invalid_argument("cast_ray: a " + std::string(to_string(kind)) + " is made of triangles; cast on those");
}

}  // namespace

double cast_ray(ShapeKind kind, const std::array<double, 3>& size, const Vec3<double>& from,
                const Vec3<double>& direction) {
  if (kind == ShapeKind::mesh || kind == ShapeKind::heightfield) refuse_ray(kind);
  return contact::meet_ray(kind, size.data(), from, direction);
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
