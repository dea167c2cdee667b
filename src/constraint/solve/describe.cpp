// src/constraint/solve/describe.cpp - a certificate in words
#include <fmt/format.h>

#include "constraint/rows/name_rows.hpp"
#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/solve/constrained_derivatives.hpp"

namespace sinew {
namespace {

// "joint 'elbow' (velocity coordinate 2 of 3, body 'forearm')"
std::string name_coordinate(const Model& m, int v) {
  for (const JointEntry& j : m.joints())
    if (v >= j.v && v < j.v + j.nv)
      return fmt::format("joint '{}' (velocity coordinate {} of {}, body '{}')", j.name, v - j.v + 1, j.nv,
                         m.bodies()[j.child].name);
  return fmt::format("velocity coordinate {}", v);
}

std::string describe_uncertainty(const SolveCertificate& c, const Model& m, const ConstraintSet& set) {
  const std::string off = fmt::format("the acceleration may be off by {:.1e} of its scale, {:.1e} counts as solved",
                                      c.acceleration_error, c.acceleration_tolerance);
  if (c.culprit == "inertia")
    return fmt::format("{}: {} moves hardly any inertia", off, name_coordinate(m, c.culprit_index));
  if (c.culprit_index < 0) return off + ": rows are nearly dependent";
  return fmt::format("{}: other rows nearly imply {}", off, set.row_name(c.culprit_index));
}

}  // namespace

std::vector<std::string> describe(const SolveCertificate& c, const Model& m, const ConstraintSet& set) {
  std::vector<std::string> out;
  switch (c.status) {
    case SolveStatus::solved: break;
    case SolveStatus::inconsistent:
      out.push_back("inconsistent: no acceleration obeys " + name_rows(c.contradicting, set));
      break;
    case SolveStatus::not_reached:
      out.push_back(
          fmt::format("not reached: residuals are {:.1e} of {:.1e} in the equation of motion, {:.1e} of "
                      "{:.1e} in the rows; {:.1e} of these counts as solved",
                      c.dynamics_residual, c.dynamics_scale, c.constraint_residual, c.constraint_scale, c.tolerance));
      if (!c.culprit.empty()) out.push_back(describe_uncertainty(c, m, set));
      if (!c.contradicting.empty()) out.push_back("not obeyed: " + name_rows(c.contradicting, set));
      break;
    case SolveStatus::singular:
      out.push_back(
          fmt::format("singular: {} moves no inertia; give what it carries mass and inertia, or the joint "
                      "an armature",
                      name_coordinate(m, c.culprit_index)));
      break;
    case SolveStatus::non_finite:
      out.push_back(fmt::format("non-finite: entry {} of {}", c.culprit_index, c.culprit));
      break;
  }
  return out;
}

std::string_view to_string(DerivativeStatus s) {
  constexpr std::string_view kNames[] = {"exact", "along constraints", "rank changes", "not accurate", "not solved"};
  return kNames[static_cast<std::size_t>(s)];
}

std::vector<std::string> describe(const DerivativeCertificate& c, const Model& m, const ConstraintSet& set) {
  std::string moving;
  for (const int k : c.coordinates) moving += (moving.empty() ? "" : "; ") + name_coordinate(m, k);
  switch (c.status) {
    case DerivativeStatus::exact: break;
    case DerivativeStatus::along_constraints:
      return {"along constraints: the other rows imply " + name_rows(c.rows, set) +
              " only where the constraints hold; the derivatives hold for changes that keep them, not along " + moving};
    case DerivativeStatus::rank_changes:
      return {"rank changes: " + name_rows(c.rows, set) +
              " become independent, or contradict, along allowed motions; there is no derivative along " + moving};
    case DerivativeStatus::not_accurate:
      return {fmt::format("not accurate: the derivatives miss the rows by {:.1e} of {:.1e}", c.residual, c.scale)};
    case DerivativeStatus::not_solved: return {"not solved: the solution is " + std::string(to_string(c.solution))};
  }
  return {};
}

}  // namespace sinew
