// src/batch/cpu_large.hpp - large friction problems of a device without a device: a block of warps one after the other
// Compiled once for each real number, in units of their own.
#pragma once
#include "cpu_backend.hpp"

namespace sinew::device {

template <class R>
void solve_large(Order order, const Scene<R>& s, const Workspace<R>& w, const WorldState<R>& state) {
  const SerialBlock team{{order}};
  solve_rest<Effort::quick>(team, s, w, state);
  solve_rest<Effort::all>(team, s, w, state);
}

}  // namespace sinew::device
