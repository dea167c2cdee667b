// src/contact/contact_structures.cpp
#include "contact_structures.hpp"

#include <algorithm>

namespace sinew::contact {
namespace {

constexpr std::size_t kKept = 32;

bool same_pairs(const ContactStructure& s, const StepRows& rows) {
  const auto contacts = s.pairs.begin() + static_cast<std::ptrdiff_t>(s.joint_rows);
  return std::equal(s.pairs.begin(), contacts, rows.joints.begin(), rows.joints.end(),
                    [](const auto& p, const JointRow& r) { return p.first == r.node; }) &&
         std::equal(contacts, s.pairs.end(), rows.contacts.begin(), rows.contacts.end(),
                    [](const auto& p, const ContactPoint& c) { return p.first == c.node_a && p.second == c.node_b; });
}

}  // namespace

ContactStructure::ContactStructure(const Model& m, const delassus::Problem& p, Pairs of, std::size_t joints)
    : pairs(std::move(of)),
      joint_rows(joints),
      pv(m, p),
      K(p.entries().size()),
      lambda(static_cast<std::size_t>(p.rows())) {}

ContactStructure& ContactStructures::find(const StepRows& step) {
  const auto known =
      std::find_if(kept_.begin(), kept_.end(), [&](const ContactStructure& s) { return same_pairs(s, step); });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front();
  }
  if (kept_.size() == kKept) kept_.pop_back();
  Pairs pairs;
  for (const JointRow& r : step.joints) pairs.emplace_back(r.node, r.parent);
  for (const ContactPoint& c : step.contacts) pairs.emplace_back(c.node_a, c.node_b);
  std::vector<delassus::Entry> entries = loops_;
  const int first = loop_rows_ + static_cast<int>(step.joints.size());
  add_joint_row_entries(step.joints, loop_rows_, entries);
  add_contact_entries(step.contacts, first, entries, rows_each_);
  const int rows = first + rows_each_ * static_cast<int>(step.contacts.size());
  return kept_.emplace_front(model_, delassus::Problem(model_, rows, std::move(entries)), std::move(pairs),
                             step.joints.size());
}

}  // namespace sinew::contact
