// sinew/batch/kernel/device_world.hpp - the state of one world among all
#pragma once
#include "sinew/batch/kernel/device_record.hpp"

namespace sinew::device {

// One world of the arrays.
template <class R>
struct WorldState {
  R *q, *v, *control, *applied, *start_q, *start_v;
  // What the last step ended with, to start from.
  R* stop_z;
  int* keys;  // of contacts that pushed; -1 after the last
  R* touch_z;
  WorldReport<R>* report;
  StepRecord<R> record;
  SINEW_HD WorldState(const Scene<R>& s, const WorldArrays<R>& all, std::size_t i)
      : q(all.q + i * count(s.nq)),
        v(all.v + i * count(s.nv)),
        control(all.control + i * count(s.controls)),
        applied(all.applied + i * count(s.nv)),
        start_q(all.start_q + i * count(s.nq)),
        start_v(all.start_v + i * count(s.nv)),
        stop_z(all.stop_z + i * count(s.stops)),
        keys(all.keys + i * count(s.contacts)),
        touch_z(all.touch_z + i * count(3 * s.contacts)),
        report(all.report + i),
        record(s, all, i) {}
  static SINEW_HD std::size_t count(int n) { return static_cast<std::size_t>(n); }
};

// Begins again at the start.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void reset_world(const Team& team, const Scene<R>& s, const WorldState<R>& state) {
  team.each(s.nq, [&](int i) { state.q[i] = state.start_q[i]; });
  team.each(s.nv, [&](int i) { state.v[i] = state.start_v[i]; });
  team.each(s.stops, [&](int i) { state.stop_z[i] = 0; });
  team.each(s.contacts, [&](int i) { state.keys[i] = -1; });
  team.one([&] { *state.report = {}; });
  if (!state.record.is_asked()) return;
  team.each(s.nv, [&](int i) { state.record.rates[i] = 0; });
  team.each(s.controls, [&](int i) { state.record.forces[i] = 0; });
  team.one([&] { *state.record.pushing = 0; });
}

}  // namespace sinew::device
