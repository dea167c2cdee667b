// src/contact/contact_structures.cpp
#include "contact_structures.hpp"

#include <algorithm>

namespace sinew::contact {
namespace {

constexpr std::size_t kKept = 32;

bool same_pairs(const Pairs& pairs, std::span<const ContactPoint> contacts) {
  return std::equal(pairs.begin(), pairs.end(), contacts.begin(), contacts.end(),
                    [](const auto& p, const ContactPoint& c) { return p.first == c.node_a && p.second == c.node_b; });
}

}  // namespace

ContactStructure::ContactStructure(const Model& m, const delassus::Problem& p, Pairs of)
    : pairs(std::move(of)), pv(m, p), K(p.entries().size()), lambda(static_cast<std::size_t>(p.rows())) {}

ContactStructure& ContactStructures::find(std::span<const ContactPoint> contacts) {
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const ContactStructure& s) { return same_pairs(s.pairs, contacts); });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front();
  }
  if (kept_.size() == kKept) kept_.pop_back();
  Pairs pairs;
  for (const ContactPoint& c : contacts) pairs.emplace_back(c.node_a, c.node_b);
  std::vector<delassus::Entry> entries = loops_;
  add_contact_entries(contacts, loop_rows_, entries, rows_each_);
  const int rows = loop_rows_ + rows_each_ * static_cast<int>(contacts.size());
  return kept_.emplace_front(model_, delassus::Problem(model_, rows, std::move(entries)), std::move(pairs));
}

}  // namespace sinew::contact
