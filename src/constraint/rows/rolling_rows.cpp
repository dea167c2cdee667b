// src/constraint/rows/rolling_rows.cpp - a sphere on a plane: the two material points in contact have one velocity
// Seen from the plane (z its normal), with the sphere's centre at c and P = c - radius z:
//   u = v + w x P = 0,   du/dt = dv + dw x P + w x dc,   dc = v + w x c
#include "constraint/rows/pair_rows.hpp"
#include "sinew/base/dual.hpp"

namespace sinew {

bool has_constant_forces(const RollingRows&) { return false; }

template <class T>
void calc_pair_rows(const RollingRows& rolling, const PairState<T>& m, double, PairRow<T>* out) {
  const T o = lit<T>(0), i = lit<T>(1), radius = lit<T>(rolling.radius);
  const Vec3<T> c = m.X.r, P = c - Vec3<T>{o, o, radius};
  // In the plane's coordinates. The rate that the plane sees is the one that b sees: they differ by u x u.
  const Motion<T> v = apply_inverse(m.X, m.u), dv = apply_inverse(m.X, m.w);
  const Vec3<T> u = v.lin + cross(v.ang, P);
  const Vec3<T> du = dv.lin + cross(dv.ang, P) + cross(v.ang, v.lin + cross(v.ang, c));

  const Vec3<T> axes[] = {{o, o, i}, {i, o, o}, {o, i, o}};
  for (int r = 0; r < 3; ++r)
    out[r] = {apply(m.X, Force<T>{cross(P, axes[r]), axes[r]}), dot(axes[r], du), o, dot(axes[r], u)};
  out[0].position = c.z - radius;
}
template void calc_pair_rows(const RollingRows&, const PairState<double>&, double, PairRow<double>*);
template void calc_pair_rows(const RollingRows&, const PairState<Dual>&, double, PairRow<Dual>*);

void calc_rows(const RollingRows& rolling, const ConstraintState& state, RowWriter out) {
  const PairState<double> m = to_pair_state(calc_relative_motion(rolling.frames, state.motion));
  PairRow<double> rows[3];
  calc_pair_rows(rolling, m, state.time, rows);
  write_rows(rolling.frames, m.X, rows, 3, out);
}

}  // namespace sinew
