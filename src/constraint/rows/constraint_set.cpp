// src/constraint/rows/constraint_set.cpp - which rows there are
#include "sinew/constraint/rows/constraint_set.hpp"

#include <iterator>

#include "constraint/rows/make_entries.hpp"
#include "constraint/rows/name_rows.hpp"

namespace sinew {
namespace {

bool is_active(const LoopSpec& l) { return l.active; }
bool is_active(const CouplingSpec& c) { return c.active; }
bool is_active(const TendonCouplingSpec& c) { return c.active; }
template <class T>
bool is_active(const T&) {
  return true;
}

// Constraints of each kind are numbered from 1, inactive ones too.
struct Numbers {
  int loops = 0, couplings = 0, tendons = 0, masks = 0, rolling = 0, custom = 0;
  int next(const LoopSpec&) { return ++loops; }
  int next(const CouplingSpec&) { return ++couplings; }
  int next(const TendonCouplingSpec&) { return ++tendons; }
  int next(const MaskConstraint&) { return ++masks; }
  int next(const RollingConstraint&) { return ++rolling; }
  int next(const std::shared_ptr<const CustomConstraint>&) { return ++custom; }
};

}  // namespace

ConstraintSet::ConstraintSet(const Model& m, std::vector<ConstraintSpec> more, bool with_those_of_the_model)
    : problem_(m, 0, {}) {
  check_specs(m, more);
  std::vector<delassus::Entry> entries;
  int rows = 0;
  Numbers numbers;
  const auto add = [&](const auto& spec) {
    const int number = numbers.next(spec);
    if (!is_active(spec)) return;
    NewConstraint c = make_constraint(m, spec, number);
    c.constraint.row = rows;
    c.constraint.entry = static_cast<int>(entries.size());
    c.constraint.entries = static_cast<int>(c.entries.size());
    for (const delassus::Entry& e : c.entries) entries.push_back({rows + e.row, e.node});
    constraint_of_.insert(constraint_of_.end(), c.constraint.row_names.size(), constraints());
    rows += c.constraint.rows();
    entries_.push_back(std::move(c.constraint));
  };
  if (with_those_of_the_model) {
    for (const LoopSpec& l : m.spec().loops) add(l);
    for (const CouplingSpec& c : m.spec().couplings) add(c);
    for (const TendonCouplingSpec& c : m.spec().tendon_couplings) add(c);
  }
  for (const ConstraintSpec& c : more) std::visit(add, c);
  problem_ = delassus::Problem(m, rows, entries);
}

ConstraintSet::~ConstraintSet() = default;
ConstraintSet::ConstraintSet(ConstraintSet&&) noexcept = default;
ConstraintSet& ConstraintSet::operator=(ConstraintSet&&) noexcept = default;

int ConstraintSet::constraints() const { return static_cast<int>(entries_.size()); }
const std::string& ConstraintSet::constraint_name(int constraint) const {
  check_index("constraint_name", "constraint", constraint, entries_.size());
  return entries_[constraint].name;
}
int ConstraintSet::constraint_of(int row) const {
  check_index("constraint_of", "row", row, constraint_of_.size());
  return constraint_of_[row];
}
std::string ConstraintSet::row_name(int row) const {
  const ConstraintEntry& c = entries_[constraint_of(row)];
  return c.name + ": " + c.row_names[row - c.row];
}
std::span<const ConstraintEntry> ConstraintSet::entries() const { return entries_; }

std::string name_rows(const std::vector<int>& rows, const ConstraintSet& set) {
  std::string out;
  int last = -1;
  for (const int r : rows) {
    const int c = set.constraint_of(r);
    const std::string all = set.row_name(r), own = all.substr(set.constraint_name(c).size() + 2);
    out += c == last ? ", " : (out.empty() ? "" : "); ") + set.constraint_name(c) + " (";
    out += own.substr(0, own.find(" of its frame"));
    last = c;
  }
  return out + (out.empty() ? "" : ")");
}

}  // namespace sinew
