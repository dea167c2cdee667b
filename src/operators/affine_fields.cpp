// src/operators/affine_fields.cpp
#include "operators/affine_fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "operators/moments.hpp"
#include "sinew/base/view.hpp"

namespace sinew::sko {
namespace {

Vec3<double> axis_of(int k) { return {k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0}; }
std::array<double, 3> numbers_of(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
std::array<Vec3<double>, 3> columns_of(const Mat3<double>& a) {
  return {Vec3<double>{a.xx, a.yx, a.zx}, {a.xy, a.yy, a.zy}, {a.xz, a.yz, a.zz}};
}

// sum s s^T of an inertia about the origin.
Mat3<double> calc_place_moments(const Sym3<double>& I) {
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  return {half - I.xx, -I.xy, -I.xz, -I.xy, half - I.yy, -I.yz, -I.xz, -I.yz, half - I.zz};
}

}  // namespace

// With g = a + b . s:  sum g = a m + b . h,  sum g s = a h + J b.
Vec3<double> AffineFields::momentum(const AffineField& f) const {
  return (f.a * rigid.m + dot(f.b, rigid.h)) * axis_of(f.axis);
}
Mat3<double> AffineFields::with_place(const AffineField& f) const {
  return outer(f.a * rigid.h + J * f.b, axis_of(f.axis));
}
Mat3<double> AffineFields::with_shape(const AffineField& f, const FlexibleBody& body, std::size_t mode) const {
  return outer(axis_of(f.axis), f.a * body.momentum[mode] + transpose_times(body.first_moments[mode], f.b));
}
Mat3<double> AffineFields::with_each_other(const AffineField& f, const AffineField& g) const {
  const double sum = f.a * g.a * rigid.m + dot(f.a * g.b + g.a * f.b, rigid.h) + dot(f.b, J * g.b);
  return sum * outer(axis_of(f.axis), axis_of(g.axis));
}

AffineFields find_affine_fields(const FlexibleBody& body) {
  AffineFields out;
  out.rigid = body.rigid;
  out.J = calc_place_moments(body.rigid.I);
  if (body.stiffening.empty()) return out;
  const auto m = at(body.modes);

  // Functions g: the constant, then what is left of x, y, z [Gram-Schmidt]; a body without width has fewer. Scaled to
  // the size of the body, so that rounding can be told from width.
  std::vector<AffineField> functions;
  constexpr double kNoWidth = 1e-10;
  for (int k = -1; k < 3; ++k) {
    AffineField g;
    (k < 0 ? g.a : k == 0 ? g.b.x : k == 1 ? g.b.y : g.b.z) = 1;
    const auto product = [&](const AffineField& x, const AffineField& y) {
      const Mat3<double> sum = out.with_each_other({x.a, x.b, 0}, {y.a, y.b, 0});
      return sum.xx;
    };
    const double whole = k < 0 ? 0 : out.J.xx + out.J.yy + out.J.zz;
    for (int twice = 0; twice < 2; ++twice)
      for (const AffineField& f : functions) {
        const double d = product(g, f);
        g.a -= d * f.a, g.b -= d * f.b;
      }
    const double square = product(g, g);
    if (!(square > kNoWidth * whole)) continue;
    const double scale = 1 / std::sqrt(square);
    functions.push_back({scale * g.a, scale * g.b, 0});
  }

  double largest = 0;
  std::vector<double> found;  // ((functions 3) m^2)
  for (int axis = 0; axis < 3; ++axis)
    for (const AffineField& g : functions)
      for (std::size_t ij = 0; ij < m * m; ++ij) {
        const Vec3<double> column = columns_of(body.stiffening[ij])[at(axis)];
        found.push_back(g.a * numbers_of(body.second_momentum[ij])[at(axis)] + dot(g.b, column));
        largest = std::max(largest, std::abs(found.back()));
      }
  constexpr double kNone = 1e-13;
  std::size_t first = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const AffineField& g : functions) {
      const auto begin = found.begin() + static_cast<std::ptrdiff_t>(first),
                 end = begin + static_cast<std::ptrdiff_t>(m * m);
      if (std::any_of(begin, end, [&](double c) { return std::abs(c) > kNone * largest; })) {
        out.fields.push_back({g.a, g.b, axis});
        out.C.insert(out.C.end(), begin, end);
      }
      first += m * m;
    }

  // What the fields give must be what was given.
  constexpr double kFits = 1e-6;
  double size = 0, off = 0;
  for (std::size_t ij = 0; ij < m * m; ++ij) {
    Vec3<double> left = body.second_momentum[ij];
    Mat3<double> rest = body.stiffening[ij];
    const auto most = [](const Mat3<double>& a) {
      return std::max({std::abs(a.xx), std::abs(a.xy), std::abs(a.xz), std::abs(a.yx), std::abs(a.yy), std::abs(a.yz),
                       std::abs(a.zx), std::abs(a.zy), std::abs(a.zz)});
    };
    const double radius = std::sqrt((out.J.xx + out.J.yy + out.J.zz) / out.rigid.m);
    size = std::max({size, radius * norm(left), most(rest)});
    for (std::size_t r = 0; r < out.fields.size(); ++r) {
      left -= out.C[r * m * m + ij] * out.momentum(out.fields[r]);
      rest = rest - out.C[r * m * m + ij] * out.with_place(out.fields[r]);
    }
    off = std::max({off, radius * norm(left), most(rest)});
  }
  if (off > kFits * size)
    throw std::invalid_argument(
        "flexible body '" + body.body +
        "': second-order momentum and stiffening do not belong to a body with this mass, centre "
        "and inertia: " +
        std::to_string(off / size) + " of them cannot be made by its points");
  return out;
}

}  // namespace sinew::sko
