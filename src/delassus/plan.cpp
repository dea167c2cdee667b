// src/delassus/plan.cpp
#include "sinew/delassus/plan.hpp"

#include <algorithm>

#include "sinew/base/view.hpp"

namespace sinew::delassus {
namespace {

bool is_free(const Model& m, int node) { return m.links<double>()[node].step == Step::free; }

// Whether columns come together on a node: its own, and those of each child.
bool paths_meet(const Model& m, const Problem& p, int node) {
  int arrivals = p.end_on(node) >= 0 ? 1 : 0;
  for (const int child : m.topology().children(node)) arrivals += p.supports(child) ? 1 : 0;
  return arrivals > 1;
}

void add_meeting_nodes(const Model& m, const Problem& p, std::vector<int>& out) {
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i)
    if (paths_meet(m, p, i) && !is_free(m, i)) out.push_back(i);
}

}  // namespace

std::vector<int> find_meeting_nodes(const Model& m, const Problem& p) {
  p.made_for().check("find_meeting_nodes", m, "the problem");
  std::vector<int> out;
  add_meeting_nodes(m, p, out);
  return out;
}

Plan::Plan(const Model& m, const Problem& p, std::span<const int> reduce) : made_for_(m) {
  stations_.reserve(m.nodes().size());
  assign(m, p, reduce);
}

void Plan::assign(const Model& m, const Problem& p, std::span<const int> reduce) {
  made_for_.check("Plan", m, "the plan");
  p.made_for().check("Plan", m, "the problem");
  for (const int node : reduce) check_index("Plan", "node", node, m.nodes().size());
  columns_ = p.columns();
  const int n = static_cast<int>(m.nodes().size());
  stations_.clear();
  for (auto* x : {&station_on_, &above_, &carries_}) x->assign(at(n), -1);
  for (auto* x : {&begin_, &end_}) x->assign(at(n), 0);
  kind_.assign(at(n), 0);
  for (const int node : reduce) kind_[node] = p.supports(node) ? 1 : 0;
  for (int i = n - 1; i > 0; --i) {  // columns of a station may meet others only at another station
    bool below = false;
    for (const int child : m.topology().children(i)) below |= kind_[child] != 0;
    if (p.supports(i) && (is_free(m, i) || (below && paths_meet(m, p, i)))) kind_[i] = 1;
    if (below && kind_[i] == 0) kind_[i] = 2;  // only passed by columns
  }

  travelling_ = p.columns();
  for (int i = 1; i < n; ++i) {
    const int parent = m.nodes()[i].parent;
    above_[i] = station_on_[parent] >= 0 ? station_on_[parent] : above_[parent];
    if (kind_[i] != 1) continue;
    station_on_[i] = static_cast<int>(stations_.size());
    stations_.push_back({i, above_[i], p.begin(i), p.end(i), travelling_, is_free(m, i)});
    travelling_ += 6;
  }

  for (std::size_t s = 0; s < stations_.size(); ++s) {
    Station& here = stations_[s];
    here.couples = skip(static_cast<int>(s), here.begin) < here.end;
    here.reached = here.couples || (here.above >= 0 && stations_[here.above].reached);
  }

  // Columns that pass a joint: the six of the station on the node or below it, otherwise those of the problem.
  for (int i = n - 1; i > 0; --i) {
    if (station_on_[i] >= 0) carries_[i] = station_on_[i];
    const int s = carries_[i];
    if (s < 0) {
      begin_[i] = p.begin(i), end_[i] = p.end(i);
    } else if (!stations_[s].free) {
      begin_[i] = stations_[s].basis, end_[i] = stations_[s].basis + 6;
    }
    const int parent = m.nodes()[i].parent;
    if (s >= 0 && carries_[parent] < 0) carries_[parent] = s;
  }
}

void Plan::check(const char* call, const Model& m, const Problem& p) const {
  made_for_.check(call, m, "the plan");
  check_size(call, "the plan's problem", at(columns_), at(p.columns()));
}

int Plan::skip(int station, int column) const {
  const Station& s = stations_[station];
  for (std::size_t t = at(station) + 1; t < stations_.size() && stations_[t].begin < s.end; ++t)
    if (stations_[t].above == station && stations_[t].begin <= column && column < stations_[t].end)
      return stations_[t].end;
  return column;
}

Plan make_pv_plan(const Model& m, const Problem& p) { return {m, p, {}}; }

std::vector<int> find_pvr_stations(const Model& m, const Problem& p) {
  std::vector<int> out;
  find_pvr_stations(m, p, out);
  return out;
}
void find_pvr_stations(const Model& m, const Problem& p, std::vector<int>& out) {
  p.made_for().check("find_pvr_stations", m, "the problem");
  out.clear();
  add_meeting_nodes(m, p, out);
  for (const EndEffector& e : p.ends())
    if (e.end - e.begin > 6) out.push_back(e.node);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}
Plan make_pvr_plan(const Model& m, const Problem& p) { return {m, p, find_pvr_stations(m, p)}; }

}  // namespace sinew::delassus
