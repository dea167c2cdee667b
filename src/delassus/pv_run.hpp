// src/delassus/pv_run.hpp - the sweeps of pv over a model, after prepare(): ws.Lambda over the problem's columns
#pragma once
#include "driver.hpp"
#include "sinew/delassus/kernel/pv_sweeps.hpp"
#include "sinew/delassus/pv.hpp"

namespace sinew::delassus {

inline constexpr int kRoom = 16;  // room for one more register

// make_carry(scratch): what travels, a CarryRows or more.
template <class T, class MakeCarry>
void calc_lambda(const Model& m, PvWorkspace<T>& ws, const T* q, const Force<T>* K, MakeCarry&& make_carry) {
  std::fill(ws.Lambda.begin(), ws.Lambda.end(), lit<T>(0));
  std::fill(ws.Omega.begin(), ws.Omega.end(), lit<T>(0));
  const ArticulatedScratch<T> inertias = scratch_of(ws.inertias);
  const PvScratch<T> scratch{K,
                             ws.begin.data(),
                             ws.end.data(),
                             ws.first.data(),
                             ws.last.data(),
                             ws.entry_of.data(),
                             ws.station_on.data(),
                             ws.problem.columns(),
                             {ws.travelling.data(), ws.plan.travelling() + kRoom},
                             ws.Lambda.data(),
                             ws.stride,
                             ws.Omega.data(),
                             ws.u.data(),
                             inertias.k,
                             inertias.Dinv,
                             ws.stations.data(),
                             static_cast<int>(ws.stations.size())};
  const auto links = links_of<T>(m);
  pv_sweeps<T>(links.data(), static_cast<int>(links.size()), inertias, scratch, m.dof_tree().velocities().data(),
               m.armature().data(), StoredTurns<T>{ws.inertias.turns.data()}, ShiftOf<T>{q}, make_carry(scratch));
}
template <class T>
void calc_lambda(const Model& m, PvWorkspace<T>& ws, const T* q, const Force<T>* K) {
  calc_lambda(m, ws, q, K, [](const PvScratch<T>& scratch) { return detail::CarryRows<T>{scratch}; });
}

}  // namespace sinew::delassus
