// src/constraint/rows/make_entries.hpp - from what a user writes to compiled constraints
// All throw std::invalid_argument naming the constraint, what is wrong and the repair.
#pragma once
#include <span>

#include "constraint/rows/constraint_entry.hpp"

namespace sinew {

// One constraint with its entries, whose rows count from 0.
struct NewConstraint {
  ConstraintEntry constraint;
  std::vector<delassus::Entry> entries;
};

// number: among those of its kind, from 1; it tells constraints without a name apart.
NewConstraint make_constraint(const Model&, const LoopSpec&, int number);
NewConstraint make_constraint(const Model&, const CouplingSpec&, int number);
NewConstraint make_constraint(const Model&, const TendonCouplingSpec&, int number);
NewConstraint make_constraint(const Model&, const MaskConstraint&, int number);
NewConstraint make_constraint(const Model&, const RollingConstraint&, int number);
NewConstraint make_constraint(const Model&, const std::shared_ptr<const CustomConstraint>&, int number);

// The laws of model/validate for loops and couplings that were added to those of the model.
void check_specs(const Model&, std::span<const ConstraintSpec> more);

}  // namespace sinew
