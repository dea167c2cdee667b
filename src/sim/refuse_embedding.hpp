// src/sim/refuse_embedding.hpp - a position at which loops cannot be embedded
#pragma once
#include "sinew/constraint/embedding/embedding.hpp"

namespace sinew {

// Throws StepRefused with the time and the reason unless the report says ready.
void refuse_unless_ready(const EmbeddingReport&, const Model&, const ConstraintSet&, double time);

}  // namespace sinew
