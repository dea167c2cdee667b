// src/constraint/solve/dependence_slopes.cpp
#include "constraint/solve/dependence_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

// Entry i of N^T x.
template <class F>
double gap_of(const RowDependence& d, int i, F x) {
  double gap = x(at(d.order[at(d.rank + i)]));
  for (int j = 0; j < d.rank; ++j) gap -= d.combination(i)[j] * x(at(d.order[at(j)]));
  return gap;
}
void add_name(std::vector<int>& names, int name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

void fill_sample(std::vector<double>& x, double seed) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = std::sin(seed + 12.9898 * double(i)) * 43758.5453;
    x[i] = 2 * (y - std::floor(y)) - 1;
  }
}
void fill_nan(const MatrixView<double>& x) {
  for (std::size_t i = 0; i < x.rows(); ++i)
    std::fill_n(x.data() + i * x.stride(), x.cols(), std::numeric_limits<double>::quiet_NaN());
}

void calc_row_units(const ForceEquation& e, std::vector<double>& unit) {
  for (std::size_t r = 0; r < unit.size(); ++r)
    unit[r] = e.row_scale[r] > 0 ? e.row_scale[r] : e.full[r] > 0 ? 1 / e.full[r] : 0;
}

double name_gaps(const ForceEquation& e, const RankOptions& o, In<double> unit, const MatrixView<double>& D,
                 In<double> sizes, DerivativeCertificate& out) {
  const RowDependence& d = e.dependence;
  double level = 0;
  for (std::size_t r = 0; r < D.rows(); ++r) {
    double most = sizes[r];
    for (std::size_t k = 0; k < D.cols(); ++k) most = std::max(most, std::abs(D(r, k)));
    level = std::max(level, unit[r] * most);
  }
  for (int i = 0; i < d.rest(); ++i) {
    const int implied = d.order[at(d.rank + i)];
    for (std::size_t k = 0; k < D.cols(); ++k) {
      const double gap = gap_of(d, i, [&](std::size_t r) { return D(r, k); });
      if (!(unit[at(implied)] * std::abs(gap) > o.consistency_tolerance * level)) continue;
      add_name(out.rows, implied);
      add_name(out.coordinates, static_cast<int>(k));
    }
  }
  return level;
}

bool has_gap_along(const ForceEquation& e, const RankOptions& o, In<double> unit, const MatrixView<double>& D_q,
                   In<double> x, const MatrixView<double>& D_v, In<double> y, double level) {
  const RowDependence& d = e.dependence;
  double length = 0;
  for (const double t : x) length += std::abs(t);
  for (const double t : y) length += std::abs(t);
  for (int i = 0; i < d.rest(); ++i) {
    double along = 0;
    for (std::size_t k = 0; k < x.size(); ++k)
      along += gap_of(d, i, [&](std::size_t r) { return x[k] * D_q(r, k) + y[k] * D_v(r, k); });
    if (unit[at(d.order[at(d.rank + i)])] * std::abs(along) > o.consistency_tolerance * level * length) return true;
  }
  return false;
}

}  // namespace sinew
