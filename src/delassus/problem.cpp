// src/delassus/problem.cpp
#include "sinew/delassus/problem.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace sinew::delassus {

Problem::Problem(const Model& m, int rows, std::vector<Entry> entries)
    : rows_(rows),
      entries_(std::move(entries)),
      begin_(m.nodes().size()),
      end_(m.nodes().size()),
      end_on_(m.nodes().size(), -1) {
  const auto complain = [](const std::string& what, int got, std::size_t count) {
    throw std::invalid_argument("delassus problem: an entry names " + what + " " + std::to_string(got) +
                                ", there are " + std::to_string(count));
  };
  if (rows < 0) throw std::invalid_argument("delassus problem: " + std::to_string(rows) + " rows");
  for (const Entry& e : entries_) {
    if (e.row < 0 || e.row >= rows) complain("row", e.row, at(rows));
    if (e.node < 0 || at(e.node) >= m.nodes().size()) complain("node", e.node, m.nodes().size());
  }

  // Columns: entries by node, those on the world left out. Nodes are numbered depth first, so subtrees are runs.
  std::vector<int> order(entries_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return entries_[at(a)].node < entries_[at(b)].node; });
  for (const int e : order) {
    const int node = entries_[at(e)].node, column = columns();
    if (node == 0) continue;
    if (ends_.empty() || ends_.back().node != node) {
      end_on_[at(node)] = static_cast<int>(ends_.size());
      ends_.push_back({node, column, column});
    }
    ++ends_.back().end;
    entry_of_.push_back(e);
    row_of_.push_back(entries_[at(e)].row);
    plain_ &= row_of_.back() == column && e == column;
  }
  plain_ &= columns() == rows;
  column_of_.assign(at(rows), -1);
  for (int c = 0; c < columns(); ++c) column_of_[at(row_of_[at(c)])] = c;
  one_entry_a_row_ = columns() == rows && std::count(column_of_.begin(), column_of_.end(), -1) == 0;

  // The runs of subtrees: a node's own columns come first, then those of its children in turn.
  for (const EndEffector& e : ends_) begin_[at(e.node)] = e.begin, end_[at(e.node)] = e.end;
  for (std::size_t i = m.nodes().size(); i-- > 1;) {
    const std::size_t p = at(m.nodes()[i].parent);
    if (begin_[i] == end_[i]) continue;
    if (begin_[p] == end_[p])
      begin_[p] = begin_[i], end_[p] = end_[i];
    else
      begin_[p] = std::min(begin_[p], begin_[i]), end_[p] = std::max(end_[p], end_[i]);
  }
}

}  // namespace sinew::delassus
