// src/constraint/rows/pair_rows.hpp - rows between a frame on a and a frame on b, as functions of their relative motion
// In the coordinates of frame b: where b stands (X), how it moves relative to a (u), and the rate of u that b sees (w).
// For double, and for Dual by the derivatives of the rows.
#pragma once
#include "constraint/rows/frame_pair.hpp"
#include "sinew/base/dual.hpp"

namespace sinew {

template <class T>
struct PairState {
  Transform<T> X;  // b <- a
  Motion<T> u, w;
};
inline PairState<double> to_pair_state(const RelativeMotion& m) { return {m.X, m.velocity(), m.acceleration()}; }

// One row. T is the force on b; its reaction is that on a.
template <class T>
struct PairRow {
  Force<T> T_b;
  T rate{};  // K dv/dt - k; -k where w is that of dv/dt = 0
  T position{}, velocity{};
};

// True where T is constant in frame b, so that the rate is T . w and the velocity error T . u.
bool has_constant_forces(const LoopRows&);
bool has_constant_forces(const MaskRows&);
bool has_constant_forces(const RollingRows&);

template <class T>
void calc_pair_rows(const LoopRows&, const PairState<T>&, double time, PairRow<T>* out);
// Not those along the axes of the world.
template <class T>
void calc_pair_rows(const MaskRows&, const PairState<T>&, double time, PairRow<T>* out);
template <class T>
void calc_pair_rows(const RollingRows&, const PairState<T>&, double time, PairRow<T>* out);

// Rows along the axes of the world: what they hold of b's pose relative to a. E: frame b <- world. out: one per row.
template <class T>
void calc_world_positions(const MaskRows&, const Transform<T>& X, const Rotation<T>& E, T* out);

// A constraint of a program that has rows of this kind, and so can be differentiated.
class PairConstraint : public CustomConstraint {
 public:
  virtual const FramePair& frames() const = 0;
  virtual void calc_rows_of_pair(const PairState<double>&, double time, PairRow<double>* out) const = 0;
  virtual void calc_rows_of_pair(const PairState<Dual>&, double time, PairRow<Dual>* out) const = 0;
};
template <class T>
void calc_pair_rows(const PairConstraint& c, const PairState<T>& m, double time, PairRow<T>* out) {
  c.calc_rows_of_pair(m, time, out);
}

// Writes rows of a pair of frames as rows of the set.
inline void write_rows(const FramePair& frames, const Transform<double>& X, const PairRow<double>* rows, int count,
                       RowWriter out) {
  for (int r = 0; r < count; ++r) {
    out.K = put_on_both_sides(frames, X, rows[r].T_b, out.K);  // [F08 8.19, 8.20]
    out.k[r] = -rows[r].rate;
    out.position[r] = rows[r].position;
    out.velocity[r] = rows[r].velocity;
  }
}

}  // namespace sinew
