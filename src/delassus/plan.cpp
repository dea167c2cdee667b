// src/delassus/plan.cpp
#include "sinew/delassus/plan.hpp"

#include <algorithm>

namespace sinew::delassus {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_free(const Model& m, int node) { return m.links<double>()[at(node)].step == Step::free; }

// Whether columns come together on a node: its own, and those of each child.
bool paths_meet(const Model& m, const Problem& p, int node) {
  int arrivals = p.end_on(node) >= 0 ? 1 : 0;
  for (const int child : m.topology().children(node)) arrivals += p.supports(child) ? 1 : 0;
  return arrivals > 1;
}

}  // namespace

std::vector<int> find_meeting_nodes(const Model& m, const Problem& p) {
  std::vector<int> out;
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i)
    if (paths_meet(m, p, i) && !is_free(m, i)) out.push_back(i);
  return out;
}

Plan::Plan(const Model& m, const Problem& p, std::span<const int> reduce)
    : station_on_(m.nodes().size(), -1), begin_(m.nodes().size()), end_(m.nodes().size()) {
  const int n = static_cast<int>(m.nodes().size());
  std::vector<char> is_station(at(n));
  for (const int node : reduce) is_station[at(node)] = p.supports(node) ? 1 : 0;
  for (int i = n - 1; i > 0; --i) {  // what a station sends on may meet nothing but at another station
    bool below = false;
    for (const int child : m.topology().children(i)) below |= is_station[at(child)] != 0;
    if (p.supports(i) && (is_free(m, i) || (below && paths_meet(m, p, i)))) is_station[at(i)] = 1;
    if (below && is_station[at(i)] == 0) is_station[at(i)] = 2;  // only passed by
  }

  travelling_ = p.columns();
  std::vector<int> above(at(n), -1);
  for (int i = 1; i < n; ++i) {
    const int parent = m.nodes()[at(i)].parent;
    above[at(i)] = station_on_[at(parent)] >= 0 ? station_on_[at(parent)] : above[at(parent)];
    if (is_station[at(i)] != 1) continue;
    station_on_[at(i)] = static_cast<int>(stations_.size());
    stations_.push_back({i, above[at(i)], p.begin(i), p.end(i), travelling_, is_free(m, i)});
    travelling_ += 6;
  }

  for (std::size_t s = 0; s < stations_.size(); ++s) {
    Station& here = stations_[s];
    here.couples = skip(static_cast<int>(s), here.begin) < here.end;
    here.reached = here.couples || (here.above >= 0 && stations_[at(here.above)].reached);
  }

  // Who passes a joint: the six of the station on the node or of the one below, else the columns themselves.
  std::vector<int> carries(at(n), -1);
  for (int i = n - 1; i > 0; --i) {
    if (station_on_[at(i)] >= 0) carries[at(i)] = station_on_[at(i)];
    const int s = carries[at(i)];
    if (s < 0) {
      begin_[at(i)] = p.begin(i), end_[at(i)] = p.end(i);
    } else if (!stations_[at(s)].free) {
      begin_[at(i)] = stations_[at(s)].basis, end_[at(i)] = stations_[at(s)].basis + 6;
    }
    const int parent = m.nodes()[at(i)].parent;
    if (s >= 0 && carries[at(parent)] < 0) carries[at(parent)] = s;
  }
}

int Plan::skip(int station, int column) const {
  const Station& s = stations_[at(station)];
  for (std::size_t t = at(station) + 1; t < stations_.size() && stations_[t].begin < s.end; ++t)
    if (stations_[t].above == station && stations_[t].begin <= column && column < stations_[t].end)
      return stations_[t].end;
  return column;
}

Plan make_pv_plan(const Model& m, const Problem& p) { return {m, p, {}}; }

std::vector<int> find_pvr_stations(const Model& m, const Problem& p) {
  std::vector<int> out = find_meeting_nodes(m, p);
  for (const EndEffector& e : p.ends())
    if (e.end - e.begin > 6) out.push_back(e.node);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}
Plan make_pvr_plan(const Model& m, const Problem& p) { return {m, p, find_pvr_stations(m, p)}; }

}  // namespace sinew::delassus
