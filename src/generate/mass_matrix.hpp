// src/generate/mass_matrix.hpp - the joint-space inertia matrix of the equivalent model, which has the most zeros
#pragma once
#include <vector>

#include "sinew/base/traced.hpp"
#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew::generate {

// Packed by model.dof_tree().
std::vector<Traced> pack_mass_matrix(const Model&, VectorView<const Traced> q);

}  // namespace sinew::generate
