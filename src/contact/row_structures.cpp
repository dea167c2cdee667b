// src/contact/row_structures.cpp
#include "row_structures.hpp"

#include <algorithm>

namespace sinew::contact {
namespace {

constexpr std::size_t kKept = 32;

}  // namespace

RowStructure::RowStructure(const Model& m, const delassus::Problem& p)
    : pv(m, p), K(p.entries().size()), lambda(static_cast<std::size_t>(p.rows())) {}

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
  if (kept_.size() == kKept) kept_.pop_back();
  return kept_.emplace_front(*model_, delassus::Problem(*model_, rows, {entries.begin(), entries.end()}));
}

}  // namespace sinew::contact
