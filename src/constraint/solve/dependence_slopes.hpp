// src/constraint/solve/dependence_slopes.hpp - whether rows that others imply stay implied when the state changes
// N^T K = 0 for the rows as they are. What the rows demand may change by D (rows x nv); N^T D = 0 keeps it consistent.
// All is compared in the metric of H^-1, as ranks are.
#pragma once
#include "sinew/constraint/solve/constrained_derivatives.hpp"
#include "sinew/constraint/solve/force_equation.hpp"

namespace sinew {

// Numbers between -1 and 1 without a pattern, the same in every call.
void fill_sample(std::vector<double>& x, double seed);
void fill_nan(const MatrixView<double>& x);

// After factor(ForceEquation): row_scale, and for a row of zeros what it would be if nothing in it cancelled.
void calc_row_units(const ForceEquation&, std::vector<double>& unit);
// Names the implied rows whose own change is not the one that the others give them, and the coordinates along which
// that is so. sizes: of the terms of each row. Returns the size of what is compared.
double name_gaps(const ForceEquation&, const RankOptions&, In<double> unit, const MatrixView<double>& D,
                 In<double> sizes, DerivativeCertificate& out);
// True where N^T (D_q x + D_v y) is not zero: the rows do not stay dependent along that change of the state.
bool has_gap_along(const ForceEquation&, const RankOptions&, In<double> unit, const MatrixView<double>& D_q,
                   In<double> x, const MatrixView<double>& D_v, In<double> y, double level);

}  // namespace sinew
