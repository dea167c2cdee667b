// src/constraint/rows/measure_rows.cpp
#include "constraint/rows/measure_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// out of each row: the sum over its entries of size(force, node).
template <class Size>
void add_up(const ConstraintSet& set, const ConstraintRows& rows, std::vector<double>& out, Size size) {
  std::fill(out.begin(), out.end(), 0.0);
  const auto entries = set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (entries[e].node > 0) out[entries[e].row] += size(norm(rows.K[e].ang), norm(rows.K[e].lin), at(entries[e].node));
}

}  // namespace

void measure_rows(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, std::vector<double>& full) {
  double mass = 0, moment = 0;
  for (const Node& n : m.nodes()) {
    mass = std::max(mass, n.inertia.m);
    moment = std::max({moment, n.inertia.I.xx, n.inertia.I.yy, n.inertia.I.zz});
  }
  const double per_turn = moment > 0 ? 1 / std::sqrt(moment) : 0, per_shift = mass > 0 ? 1 / std::sqrt(mass) : 0;
  add_up(set, rows, full, [&](double turn, double shift, std::size_t) { return turn * per_turn + shift * per_shift; });
}

void measure_velocities(const ConstraintSet& set, const ConstraintRows& rows, std::vector<double>& made_of) {
  add_up(set, rows, made_of, [&](double turn, double shift, std::size_t i) {
    return turn * norm(rows.motion.v[i].ang) + shift * norm(rows.motion.v[i].lin);
  });
}

void measure_accelerations(const ConstraintSet& set, const ConstraintRows& rows, double rate,
                           std::vector<double>& made_of) {
  add_up(set, rows, made_of, [&](double turn, double shift, std::size_t i) {
    const Motion<double>&v = rows.motion.v[i], &a = rows.motion.a[i];
    const double w = norm(v.ang), s = norm(v.lin);
    return turn * (norm(a.ang) + w * w + rate * w) + shift * (norm(a.lin) + w * s + rate * s);
  });
}

}  // namespace sinew
