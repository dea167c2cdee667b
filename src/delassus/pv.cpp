// src/delassus/pv.cpp
#include "sinew/delassus/pv.hpp"

#include <algorithm>

#include "pv_run.hpp"

namespace sinew::delassus {
template <class T>
PvWorkspace<T>::PvWorkspace(const Model& m, const Problem& problem_in, Plan plan_in)
    : problem(problem_in),
      plan(std::move(plan_in)),
      inertias(m),
      first(node_count(m)),
      last(node_count(m)),
      travelling(6 * at(plan.travelling() + kRoom)),
      Lambda(at(problem.columns() + kRoom) * at(problem.columns() + 1)),
      Omega(at(kOmegaSize) * plan.stations().size() + at(kRoom)),
      u(at(plan.travelling() + 2 * kRoom)),
      stride(problem.columns() + kRoom) {
  for (int i = 0; i < static_cast<int>(node_count(m)); ++i) {
    begin.push_back(plan.begin(i)), end.push_back(plan.end(i));
    station_on.push_back(plan.station_on(i));
  }
  for (const EndEffector& e : problem.ends()) first[at(e.node)] = e.begin, last[at(e.node)] = e.end;
  for (int c = 0; c < problem.columns(); ++c) entry_of.push_back(problem.entry_of(c));

  std::size_t columns = 0, numbers = 0;
  for (const Station& s : plan.stations()) {
    columns += at(s.end - s.begin);
    numbers += 12 * at(s.end - s.begin + kRoom);
  }
  per_station.resize(2 * columns);
  station_columns.resize(numbers);
  int *skip = per_station.data(), *direct = skip + columns;
  T* space = station_columns.data();
  for (int i = 0; i < static_cast<int>(plan.stations().size()); ++i) {
    const Station& s = plan.stations()[at(i)];
    const int n = s.end - s.begin, room = n + kRoom;
    for (int c = 0; c < n; ++c) {
      const int next = plan.skip(i, s.begin + c);
      skip[c] = next - s.begin;
      direct[c] = next == s.begin + c ? 1 : 0;
    }
    stations.push_back({s.begin,
                        s.end,
                        s.above,
                        s.free,
                        s.couples,
                        s.reached,
                        skip,
                        direct,
                        {travelling.data() + s.basis, plan.travelling() + kRoom},
                        Omega.data() + (s.basis - problem.columns()) * kOmegaStride,
                        {space, room},
                        {space + 6 * room, room}});
    skip += n, direct += n, space += 12 * room;
  }
}

template <class T>
void pv(const Model& m, PvWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  check_call<T>("pv", m, ws.problem, ws.begin.size(), q, K, W);
  prepare(m, ws.inertias, q.data(), time, false);
  calc_lambda(m, ws, q.data(), K.data());
  to_rows(ws.problem, ws.Lambda.data(), ws.stride, W);
}

#define SINEW_INSTANTIATE(T)      \
  template struct PvWorkspace<T>; \
  template void pv(const Model&, PvWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
