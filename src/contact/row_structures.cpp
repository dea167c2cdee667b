// src/contact/row_structures.cpp
#include "row_structures.hpp"

#include <algorithm>
#include <iterator>

#include "constants.hpp"

namespace sinew::contact {

RowStructure::RowStructure(const Model& m, const delassus::Problem& p)
    : pv(m, p), K(p.entries().size()), lambda(static_cast<std::size_t>(p.rows())) {}

void RowStructure::assign(const Model& m, int rows, std::span<const delassus::Entry> entries) {
  pv.assign(m, rows, entries);
  K.resize(entries.size()), lambda.resize(static_cast<std::size_t>(rows));
}

void RowStructure::reserve(const Model& m, int rows, int entries) {
  pv.reserve(m, rows, entries);
  K.reserve(static_cast<std::size_t>(entries)), lambda.reserve(static_cast<std::size_t>(rows));
}

void RowStructures::reserve(int rows, int entries) {
  while (kept_.size() < kKept) kept_.emplace_back(*model_, delassus::Problem(*model_, 0, {}));
  for (RowStructure& s : kept_) s.reserve(*model_, rows, entries);
}

RowStructure& RowStructures::find(std::span<const delassus::Entry> entries, int rows) {
  const auto is_it = [&](const RowStructure& s) {
    const auto has = s.pv.pv.problem.entries();
    return s.pv.pv.problem.rows() == rows &&
           std::equal(has.begin(), has.end(), entries.begin(), entries.end(),
                      [](const auto& a, const auto& b) { return a.row == b.row && a.node == b.node; });
  };
  const auto known = std::find_if(kept_.begin(), kept_.end(), is_it);
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front();
  }
  if (kept_.size() < kKept)
    kept_.emplace_front(*model_, delassus::Problem(*model_, 0, {}));
  else
    kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
  kept_.front().assign(*model_, rows, entries);
  return kept_.front();
}

}  // namespace sinew::contact
