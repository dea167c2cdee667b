// src/spatial/active_forces.cpp
#include "sinew/spatial/active_forces.hpp"

#include <stdexcept>
#include <string>

#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew {

ForceSubspace make_active_forces(const MotionSubspace& S, const ForceSubspace& directions) {
  const std::size_t n = at(S.size());
  if (directions.size() != S.size())
    throw std::invalid_argument("make_active_forces: there are " + std::to_string(directions.size()) +
                                " directions for " + std::to_string(n) + " freedoms; give one for each");
  // S^T directions, columns of both scaled to unit size.
  const auto size_of = [](const auto& x) { return norm(x.ang) + norm(x.lin); };
  std::array<double, 36> power{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      power[i * n + j] = dot(S[int(i)], directions[int(j)]) / (size_of(S[int(i)]) * size_of(directions[int(j)]));
  const linear::PivotedElimination e = linear::eliminate({power.data(), n, n}, linear::kDependent);
  if (e.rank < S.size())
    throw std::domain_error("make_active_forces: the directions cannot drive the joint: " +
                            std::to_string(S.size() - e.rank) + " of its freedoms get no power from them");
  ForceSubspace out;
  for (std::size_t c = 0; c < n; ++c) {
    std::array<double, 6> unit{}, y{}, work{};
    unit[c] = 1 / size_of(S[int(c)]);
    linear::solve(e, unit.data(), y.data(), work.data());
    Force<double> sum{};
    for (std::size_t j = 0; j < n; ++j) sum += (y[j] / size_of(directions[int(j)])) * directions[int(j)];
    out.push_back(sum);  // [F08 3.35]
  }
  return out;
}

JointForceParts split_joint_force(const Force<double>& f, const MotionSubspace& S, const ForceSubspace& active) {
  if (active.size() != S.size())
    throw std::invalid_argument("split_joint_force: there are " + std::to_string(active.size()) +
                                " active forces for " + std::to_string(S.size()) + " freedoms");
  JointForceParts out;
  for (int k = 0; k < S.size(); ++k) {
    out.tau[at(k)] = dot(S[k], f);  // [F08 3.37]
    out.active += out.tau[at(k)] * active[k];
  }
  out.constraint = f - out.active;
  return out;
}

}  // namespace sinew
