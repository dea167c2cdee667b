// src/model/principal_axes.cpp - Jacobi's method: eliminates the largest product of inertia first, by the smaller
// rotation
#include "sinew/model/principal_axes.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "sinew/spatial/orientation.hpp"
#include "sinew/spatial/rotate.hpp"

namespace sinew {

Quaternion<double> find_principal_axes(const Sym3<double>& inertia) {
  Quaternion<double> q;
  const auto seen = [&] { return rotate(to_rotation(q), inertia); };
  const auto turn_about = [&](std::size_t axis, double angle) {
    const Vec3<double> a{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0};
    q = normalized(q * quaternion_from_axis_angle(a, angle));
  };
  constexpr int kSweeps = 60;  // it converges in about six
  for (int i = 0; i < kSweeps; ++i) {
    const Sym3<double> I = seen();
    const std::array<double, 3> off{I.yz, I.xz, I.xy};  // eliminated by rotations about x, y, z
    const std::array<double, 3> gap{I.zz - I.yy, I.xx - I.zz, I.yy - I.xx};
    std::size_t k = 2;
    if (std::abs(off[1]) > std::abs(off[k])) k = 1;
    if (std::abs(off[0]) > std::abs(off[k])) k = 0;
    if (!(std::abs(off[k]) > 1e-16 * (std::abs(I.xx) + std::abs(I.yy) + std::abs(I.zz)))) break;
    const double tau = gap[k] / (2 * off[k]);
    turn_about(k, -std::atan((tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1, tau))));
  }
  for (const std::size_t k : {0u, 1u, 0u}) {
    const Sym3<double> I = seen();
    const std::array<double, 3> d{I.xx, I.yy, I.zz};
    if (d[k] < d[k + 1]) turn_about((k + 2) % 3, std::numbers::pi / 2);
  }
  return q;
}

}  // namespace sinew
