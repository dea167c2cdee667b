// src/model/validate.hpp - the laws a spec must obey before it is compiled
#pragma once
#include "sinew/base/diagnostic.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

// Names unique and known, numbers finite, masses and inertias physical, frames orthonormal, limits in order.
void validate(const ModelSpec&, Diagnostics&);

// Ascending principal moments of inertia.
Vec3<double> principal_moments(const Sym3<double>&);

}  // namespace sinew
