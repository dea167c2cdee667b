// src/model/triangle_mesh.cpp - moments
// A mesh is the sum of pyramids over its triangles [O'Rourke, Computational Geometry in C, 1.3.8]. The first pass
// takes them from the centroid of the surface and finds the centre of mass, the second from there.
#include "sinew/model/triangle_mesh.hpp"

#include <cmath>

namespace sinew {
namespace {

struct Corner {
  Vec3<double> a, b, c;
};
Corner corners(const TriangleMesh& m, const std::array<int, 3>& t) {
  const auto at = [&](int i) { return m.vertices[i]; };
  return {at(t[0]), at(t[1]), at(t[2])};
}
Vec3<double> middle(const Corner& k) { return (1.0 / 3) * (k.a + k.b + k.c); }
// Twice the area, along the outward normal.
Vec3<double> normal(const Corner& k) { return cross(k.b - k.a, k.c - k.a); }

// Weight of one triangle: the volume of its pyramid over `apex`, or its area.
double weigh(const Corner& k, const Vec3<double>& apex, MeshMatter matter) {
  const Vec3<double> n = normal(k);
  if (matter == MeshMatter::surface) return norm(n) / 2;
  const double v = dot(middle(k) - apex, n) / 6;
  return matter == MeshMatter::unsigned_volume ? std::abs(v) : v;
}

Vec3<double> surface_centroid(const TriangleMesh& m) {
  double area = 0;
  Vec3<double> sum;
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double a = norm(normal(k)) / 2;
    area += a;
    sum += a * middle(k);
  }
  return area > 0 ? (1 / area) * sum : Vec3<double>{};
}

MeshMoments calc_moments_of_one(const TriangleMesh& m, MeshMatter matter) {
  const Vec3<double> apex = surface_centroid(m);
  MeshMoments out;
  double total = 0;
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double w = weigh(k, apex, matter);
    total += w;
    out.centre += w * (matter == MeshMatter::surface ? middle(k) : 0.75 * middle(k) + 0.25 * apex);
  }
  if (!(total > 0)) return {total, {}, {}};
  out.centre = (1 / total) * out.centre;

  Sym3<double> P;  // second moments about the centre
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double w = weigh(k, out.centre, matter);
    out.size += w;
    const Vec3<double> a = k.a - out.centre, b = k.b - out.centre, c = k.c - out.centre, s = a + b + c;
    for (const Vec3<double>& d : {a, b, c, s})
      P = P + w * Sym3<double>{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z};
  }
  P = (matter == MeshMatter::surface ? 1.0 / 12 : 1.0 / 20) * P;
  out.inertia = {P.yy + P.zz, -P.xy, -P.xz, P.xx + P.zz, -P.yz, P.xx + P.yy};
  return out;
}

// Sum of the moments of parts.
MeshMoments add(const std::vector<MeshMoments>& parts) {
  MeshMoments out;
  for (const MeshMoments& p : parts) out.size += p.size, out.centre += p.size * p.centre;
  if (!(out.size > 0)) return {out.size, {}, {}};
  out.centre = (1 / out.size) * out.centre;
  for (const MeshMoments& p : parts) {
    const Vec3<double> d = p.centre - out.centre;
    const double square = dot(d, d);
    out.inertia = out.inertia + p.inertia + p.size * Sym3<double>{square - d.x * d.x, -d.x * d.y, -d.x * d.z,
                                                                  square - d.y * d.y, -d.y * d.z, square - d.z * d.z};
  }
  return out;
}

}  // namespace

MeshMoments calc_moments(const TriangleMesh& m, MeshMatter matter) {
  if (m.objects.empty()) return calc_moments_of_one(m, matter);
  std::vector<MeshMoments> parts;
  for (std::size_t k = 0; k < m.objects.size(); ++k) {
    const auto begin = static_cast<std::ptrdiff_t>(m.objects[k]);
    const auto end = static_cast<std::ptrdiff_t>(k + 1 < m.objects.size() ? m.objects[k + 1] : m.triangles.size());
    parts.push_back(
        calc_moments_of_one({m.vertices, {m.triangles.begin() + begin, m.triangles.begin() + end}}, matter));
  }
  return add(parts);
}

}  // namespace sinew
