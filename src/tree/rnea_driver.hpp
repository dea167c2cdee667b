// src/tree/rnea_driver.hpp - the sweeps of the recursive Newton-Euler algorithm over a model
#pragma once
#include "driver.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

struct RneaTerms {
  bool gravity = true, still = false;
};

template <class T>
void check_rnea_sizes(const char* call, const Model& m, const RneaWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                      Out<T> tau) {
  ws.made_for.check(call, m);
  check_positions(call, m, q.size());
  check_coordinates(call, "v", m, v.size());
  check_coordinates(call, "a", m, a.size());
  check_coordinates(call, "tau", m, tau.size());
}

// `links`: those of the model, or of a model that is equivalent to it.
template <class T, class Inertias = ModelInertias>
void sweep_out_and_back(const Model& m, std::span<const Link<ConstantOf<T>>> links, RneaWorkspace<T>& ws, const T* q,
                        const T* v, const T* a, T* tau, Force<T>* external, double time, RneaTerms terms) {
  const int n = static_cast<int>(links.size());
  const RneaScratch<T> scratch{ws.f.data(), ws.slots.data(), ws.slot_loads.data(), ws.general.data(), external};
  calc_turns(links.data(), n, q, ws.angles.data(), ws.turns.data());
  rnea_sweeps<T, Inertias>(links.data(), n, scratch, cast<ConstantOf<T>>(m.gravity()), terms.gravity, v, a,
                           m.armature().data(), tau, StoredTurns<T>{ws.turns.data()}, ShiftOf<T>{q},
                           JointMotionOf<T>{m, q, v, time, terms.still});
}

}  // namespace sinew
