// sinew/batch/kernel/device_one_contact.hpp - Coulomb's law at one contact, others held: the step of a sweep
#pragma once
#include <cmath>

#include "sinew/batch/kernel/device_workspace.hpp"

namespace sinew::device {

// Of the precision.
template <class R>
struct LawNumbers {
  static constexpr R kShift =
      Numbers<R>::kSingle ? R(1e-6) : R(1e-10);  // of Newton's matrix, whose diagonal is about 1
  static constexpr R kShiftOfMany =
      Numbers<R>::kSingle ? R(1e-4) : R(1e-10);  // where unknowns outnumber freedoms (device_large.hpp)
  static constexpr R kProximal = Numbers<R>::kSingle ? R(1e-5) : R(1e-9);  // of the tangents of one contact
  static constexpr R kLeastMotion =
      Numbers<R>::kSingle ? R(1e-9) : R(1e-14);  // of the largest entry: less does not move
  static constexpr R kLeastPivot = Numbers<R>::kSingle ? R(1e-12) : R(1e-20);
  static constexpr R kRatio = Numbers<R>::kSingle ? R(4e-7) : R(1e-15);  // of the radius of a cone
};

// One contact, exactly: u is its velocity with z acting. The tangential impulse of a sliding contact is
// x = -(s + ratio)^-1 c, and ratio is where |x| is the radius of the cone.
template <class R>
SINEW_HD void solve_one_contact(const R* u, LawBlock<R>& block, R* z) {
  using std::abs, std::sqrt;
  const R un = u[0], g1 = block.g1, g2 = block.g2, mu = block.mu, s11 = block.s11, s12 = block.s12, s22 = block.s22;
  const R bn = un * block.inverse - z[0] - (g1 * z[1] + g2 * z[2]);
  if (!(bn < 0)) {
    z[0] = z[1] = z[2] = 0;
    return;
  }
  const R c1 = u[1] - g1 * un - (s11 * z[1] + s12 * z[2]), c2 = u[2] - g2 * un - (s12 * z[1] + s22 * z[2]);
  R x1 = 0, x2 = 0, inverse = 0;
  const auto find = [&](R ratio) {
    const R p = s11 + ratio, q = s22 + ratio;
    inverse = 1 / (p * q - s12 * s12);
    x1 = -(q * c1 - s12 * c2) * inverse, x2 = -(p * c2 - s12 * c1) * inverse;
  };
  if (mu == 0) {
    z[0] = -bn, z[1] = z[2] = 0;
    return;
  }
  find(0);
  R normal = -bn - (g1 * x1 + g2 * x2), radius = mu * normal;
  if (normal >= 0 && x1 * x1 + x2 * x2 <= radius * radius) {
    z[0] = normal, z[1] = x1, z[2] = x2;
    return;
  }
  // Slides. Newton's method on 1 / |x| - 1 / radius, which is nearly linear in the ratio, within a bracket.
  R low = 0, high = Numbers<R>::kLargest, ratio = block.ratio > 0 ? block.ratio : (s11 + s22) / 4;
  for (int step = 0; step < 40; ++step) {
    find(ratio);
    const R p = s11 + ratio, q = s22 + ratio;
    const R d1 = -(q * x1 - s12 * x2) * inverse, d2 = -(p * x2 - s12 * x1) * inverse;
    const R length = sqrt(x1 * x1 + x2 * x2);
    const R allowed = -mu * (bn + g1 * x1 + g2 * x2), allowed_slope = -mu * (g1 * d1 + g2 * d2);
    (length > allowed ? low : high) = ratio;
    if (!(abs(length - allowed) > LawNumbers<R>::kRatio * length)) break;
    R next = -1;
    if (allowed > 0) {
      const R over = 1 / length, part = allowed * over, slope = (x1 * d1 + x2 * d2) * over;
      next = ratio - part * (allowed - length) / (allowed_slope - part * part * slope);
    }
    if (!(next > low && next < high))
      next = high == Numbers<R>::kLargest ? 4 * max(low, (s11 + s22) / 4)
             : low > 0                    ? sqrt(low) * sqrt(high)
                                          : high / 10;
    if (next == ratio) break;
    ratio = next;
  }
  block.ratio = ratio;
  normal = max(R(0), -bn - (g1 * x1 + g2 * x2));
  const R length = sqrt(x1 * x1 + x2 * x2), fit = length > 0 ? mu * normal / length : R(0);
  z[0] = normal, z[1] = fit * x1, z[2] = fit * x2;
}

}  // namespace sinew::device
