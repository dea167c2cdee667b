// src/lcp/check.hpp - checks of a problem before it is solved
#pragma once
#include "sinew/lcp/problem.hpp"
#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::lcp {

// Throw std::invalid_argument that names the field: sizes, a negative friction coefficient or preload.
void check(const Problem&, std::size_t z_size);
void check(const FrictionProblem&, std::size_t z_size);
void check(const SparseProblem&, std::size_t z_size);
// The limits of lcp/polyhedral.hpp.
void check_pyramids(const FrictionProblem&, int directions);

bool is_finite(MatrixView<const double>);
bool is_finite(const Problem&);  // bounds may be infinite
bool is_finite(const FrictionProblem&);
bool is_finite(const SparseProblem&);
bool has_finite_vectors(const FrictionProblem&);  // all but W
// The first row whose bounds allow no number; -1: none.
int find_crossed_bounds(const Problem&);

}  // namespace sinew::lcp
