// src/delassus/pv.cpp
#include "sinew/delassus/pv.hpp"

#include <algorithm>

#include "base/traced_pass.hpp"
#include "pv_run.hpp"

namespace sinew::delassus {
template <class T>
PvWorkspace<T>::PvWorkspace(const Model& m, const Problem& problem_in, Plan plan_in)
    : problem(problem_in), plan(std::move(plan_in)), inertias(m), first(node_count(m)), last(node_count(m)) {
  problem.made_for().check("PvWorkspace", m, "the problem");
  plan.check("PvWorkspace", m, problem);
  resize();
}

template <class T>
void PvWorkspace<T>::reserve(const Model& m, int rows, int entries) {
  // A station holds all columns below it, so a column is on at most one station per node above it.
  std::vector<std::size_t> depth(node_count(m));
  for (std::size_t i = 1; i < depth.size(); ++i) depth[i] = depth[m.nodes()[i].parent] + 1;
  const std::size_t nodes = node_count(m), most = *std::max_element(depth.begin(), depth.end()) * at(entries);
  const std::size_t all = at(entries) + 6 * nodes;
  problem.reserve(rows, entries);
  travelling.reserve(6 * (all + kRoom)), u.reserve(all + 2 * kRoom);
  Lambda.reserve(at(entries + kRoom) * at(entries + 1)), Omega.reserve(at(kOmegaSize) * nodes + at(kRoom));
  entry_of.reserve(at(entries)), stations.reserve(nodes);
  per_station.reserve(2 * most), station_columns.reserve(12 * (most + at(kRoom) * nodes));
}

template <class T>
void PvWorkspace<T>::resize() {
  stride = problem.columns() + kRoom;
  travelling.assign(6 * at(plan.travelling() + kRoom), T());
  Lambda.assign(at(stride) * at(problem.columns() + 1), T());
  Omega.assign(at(kOmegaSize) * plan.stations().size() + at(kRoom), T());
  u.assign(at(plan.travelling() + 2 * kRoom), T());
  begin.clear(), end.clear(), station_on.clear(), entry_of.clear(), stations.clear();
  for (int i = 0; i < static_cast<int>(first.size()); ++i) {
    begin.push_back(plan.begin(i)), end.push_back(plan.end(i));
    station_on.push_back(plan.station_on(i));
  }
  std::fill(first.begin(), first.end(), 0), std::fill(last.begin(), last.end(), 0);
  for (const EndEffector& e : problem.ends()) first[e.node] = e.begin, last[e.node] = e.end;
  for (int c = 0; c < problem.columns(); ++c) entry_of.push_back(problem.entry_of(c));

  std::size_t columns = 0, numbers = 0;
  for (const Station& s : plan.stations()) {
    columns += at(s.end - s.begin);
    numbers += 12 * at(s.end - s.begin + kRoom);
  }
  per_station.resize(2 * columns);
  station_columns.assign(numbers, T());
  int *skip = per_station.data(), *direct = skip + columns;
  T* space = station_columns.data();
  for (int i = 0; i < static_cast<int>(plan.stations().size()); ++i) {
    const Station& s = plan.stations()[i];
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
  check_call<T>("pv", m, ws.problem, q, K, W);
  prepare(m, ws.inertias, q.data(), time, false);
  calc_lambda(m, ws, q.data(), K.data());
  to_rows(ws.problem, ws.Lambda.data(), ws.stride, W);
}

#define SINEW_INSTANTIATE(T)      \
  template struct PvWorkspace<T>; \
  template void pv(const Model&, PvWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
