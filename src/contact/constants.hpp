// src/contact/constants.hpp - the constants of the formulations, with the reason for each
#pragma once
#include <cstddef>

namespace sinew::contact {

// ---- What counts as nothing (other tolerances: linear/tolerance.hpp)
// A determinant below this share of size^3 is rounding: the inertia is flat.
inline constexpr double kFlatInertia = 1e-30;

// ---- Warm starts
// An answer that was repeated once may be repeated within so many times `SolverOptions::repeat`: what it is wrong by
// adds up from step to step, but that it was right for two steps says that it does not mend an error of the one before.
inline constexpr double kRepeatLonger = 10;

// ---- Room that is kept (os)
inline constexpr std::size_t kKept = 4;    // patterns of rows per tree: contacts that come and go alternate among few
inline constexpr int kTreeContacts = 256;  // contacts of all trees together that room is made for, where there are many
inline constexpr int kFewTrees = 16;       // trees: no more, and each island gets room for every contact

}  // namespace sinew::contact
