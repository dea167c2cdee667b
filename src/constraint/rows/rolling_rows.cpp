// src/constraint/rows/rolling_rows.cpp - a sphere on a plane: the two material points in contact have one velocity
// Seen from the plane (z its normal), with the sphere's centre at c and P = c - radius z:
//   u = v + w x P = 0,   du/dt = dv + dw x P + w x dc,   dc = v + w x c
#include "constraint/rows/frame_pair.hpp"

namespace sinew {

void calc_rows(const RollingRows& rolling, const ConstraintState& state, RowWriter out) {
  const RelativeMotion m = calc_relative_motion(rolling.frames, state.motion);
  const Vec3<double> c = m.X.r, P = c - Vec3<double>{0, 0, rolling.radius};
  // In the plane's coordinates; the rate is the one that the plane sees.
  const Motion<double> v = apply_inverse(m.X, m.velocity());
  const Motion<double> dv = apply_inverse(m.X, m.a_b - m.a_a - cross(m.v_a, m.v_b));
  const Vec3<double> u = v.lin + cross(v.ang, P);
  const Vec3<double> du = dv.lin + cross(dv.ang, P) + cross(v.ang, v.lin + cross(v.ang, c));

  const Vec3<double> axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int r = 0; r < 3; ++r) {
    const Force<double> f{cross(P, axes[r]), axes[r]};
    out.K = put_on_both_sides(rolling.frames, m.X, apply(m.X, f), out.K);
    out.k[r] = -dot(axes[r], du);
    out.velocity[r] = dot(axes[r], u);
    out.position[r] = 0;
  }
  out.position[0] = c.z - rolling.radius;
}

}  // namespace sinew
