// src/generate/factor_calls.hpp - M^-1 and derivatives of forward dynamics by the factors of M
// Shorter than articulated bodies on arms: a column of M^-1 costs what the freedoms above one are, and most of a column
// of dtau/dq is zero where limbs are many.
#pragma once
#include "generate/arguments.hpp"

namespace sinew::generate {

void call_mass_inverse_by_factor(const Arguments<Traced>&);
void call_daba_by_factor(const Arguments<Traced>&);

}  // namespace sinew::generate
