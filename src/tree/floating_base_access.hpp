// src/tree/floating_base_access.hpp - the numbers of a floating base inside the vectors of its model
#pragma once
#include "sinew/tree/floating_base.hpp"

namespace sinew {

// Joint coordinate of velocity coordinate v.
inline int joint_of(const FloatingBase& base, int v) { return v < base.v ? v : v - 6; }

// The force on the base that is given as tau of its coordinates.
template <class T>
Force<T> force_of_base(const FloatingBase& base, In<T> tau) {
  const T* t = tau.data() + base.v;
  return {{t[0], t[1], t[2]}, {t[3], t[4], t[5]}};
}
template <class T>
void set_base(const FloatingBase& base, const Motion<T>& a0, Out<T> a) {
  T* out = a.data() + base.v;
  out[0] = a0.ang.x, out[1] = a0.ang.y, out[2] = a0.ang.z;
  out[3] = a0.lin.x, out[4] = a0.lin.y, out[5] = a0.lin.z;
}

// Fills ws.Ic from ws.motions.
template <class T>
void calc_composite_inertias(const Model& m, FloatingBaseWorkspace<T>& ws) {
  const std::size_t first = static_cast<std::size_t>(ws.base.node);
  for (std::size_t i = first; i < ws.Ic.size(); ++i) ws.Ic[i] = cast<T>(m.nodes()[i].inertia);
  for (std::size_t i = ws.Ic.size() - 1; i > first; --i) {
    const std::size_t up = static_cast<std::size_t>(m.nodes()[i].parent);
    ws.Ic[up] = ws.Ic[up] + apply_inverse(ws.motions.X[i], ws.Ic[i]);
  }
}

}  // namespace sinew
