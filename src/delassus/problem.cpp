// src/delassus/problem.cpp
#include "sinew/delassus/problem.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sinew::delassus {

Problem::Problem(const Model& m, int rows, const std::vector<Entry>& entries) : made_for_(m) {
  assign(m, rows, entries);
}

void Problem::reserve(int rows, int entries) {
  entries_.reserve(at(entries)), ends_.reserve(at(entries));
  for (auto* x : {&entry_of_, &row_of_}) x->reserve(at(entries));
  column_of_.reserve(at(rows));
}

void Problem::assign(const Model& m, int rows, std::span<const Entry> entries) {
  made_for_.check("delassus problem", m, "the problem");
  const auto complain = [](const std::string& what, int got, std::size_t count) {
    throw std::invalid_argument("delassus problem: an entry names " + what + " " + std::to_string(got) +
                                " (there are " + std::to_string(count) + ", counted from 0)");
  };
  if (rows < 0)
    throw std::invalid_argument("delassus problem: it has " + std::to_string(rows) + " rows, give 0 or more");
  for (const Entry& e : entries) {
    if (e.row < 0 || e.row >= rows) complain("row", e.row, at(rows));
    if (e.node < 0 || at(e.node) >= m.nodes().size()) complain("node", e.node, m.nodes().size());
  }

  rows_ = rows;
  entries_.assign(entries.begin(), entries.end());

  // Columns: entries by node, those on the world left out. Nodes are numbered depth first, so subtrees are runs.
  const std::size_t nodes = m.nodes().size();
  begin_.assign(nodes, 0), end_.assign(nodes, 0), end_on_.assign(nodes, -1);
  for (const Entry& e : entries) end_[e.node] += e.node != 0;
  int count = 0;
  ends_.clear();
  for (std::size_t i = 1; i < nodes; ++i) {
    if (end_[i] == 0) continue;
    end_on_[i] = static_cast<int>(ends_.size());
    ends_.push_back({static_cast<int>(i), count, count + end_[i]});
    count += end_[i];
    begin_[i] = end_[i] = ends_.back().begin;
  }
  entry_of_.resize(at(count)), row_of_.resize(at(count));
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (entries[e].node == 0) continue;
    const std::size_t column = at(end_[entries[e].node]++);
    entry_of_[column] = static_cast<int>(e), row_of_[column] = entries[e].row;
  }
  plain_ = columns() == rows;
  for (int c = 0; c < columns(); ++c) plain_ &= row_of_[c] == c && entry_of_[c] == c;
  column_of_.assign(at(rows), -1);
  for (int c = 0; c < columns(); ++c) column_of_[row_of_[c]] = c;
  one_entry_a_row_ = columns() == rows && std::count(column_of_.begin(), column_of_.end(), -1) == 0;

  // The runs of subtrees: a node's own columns come first, then those of its children in turn.
  for (std::size_t i = nodes; i-- > 1;) {
    const std::size_t p = at(m.nodes()[i].parent);
    if (begin_[i] == end_[i]) continue;
    if (begin_[p] == end_[p])
      begin_[p] = begin_[i], end_[p] = end_[i];
    else
      begin_[p] = std::min(begin_[p], begin_[i]), end_[p] = std::max(end_[p], end_[i]);
  }
}

}  // namespace sinew::delassus
