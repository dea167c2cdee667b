// apps/common/describe.cpp
#include "common/describe.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sinew::app {
int body_of(const Model& m, int node) {
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    if (m.bodies()[b].node == node && merged_into(m, static_cast<int>(b)) < 0) return static_cast<int>(b);
  return 0;
}

std::vector<int> branch_points(const Model& m) {
  std::vector<int> bodies;
  for (const int node : m.topology().branch_points()) bodies.push_back(body_of(m, node));
  return bodies;
}

int merged_into(const Model& m, int body) {
  int b = body;
  while (b > 0 && m.joints()[m.bodies()[b].joint].nodes.empty()) b = m.bodies()[b].parent;
  return b == body ? -1 : b;
}

KinematicsWorkspace<double> kinematics_at_neutral(const Model& m) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, m.neutral());
  return ws;
}

double loop_gap(const LoopEntry& l, const KinematicsWorkspace<double>& ws) {
  return norm((l.in_a * ws.X[l.node_a]).r - (l.in_b * ws.X[l.node_b]).r);
}

std::string formula(const CouplingSpec& c) {
  std::string sum = c.offset != 0 ? fmt::format("{:g}", c.offset) : "";
  for (const CouplingTerm& t : c.terms)
    for (std::size_t k = 0; k < t.coefficients.size(); ++k) {
      const double a = t.coefficients[k];
      if (a == 0) continue;
      const std::string sign = sum.empty() ? (a < 0 ? "-" : "") : (a < 0 ? " - " : " + ");
      const std::string factor = std::abs(a) == 1 ? "" : fmt::format("{:g} ", std::abs(a));
      const std::string base = t.reference == 0 ? t.joint : fmt::format("({} - {:g})", t.joint, t.reference);
      sum += sign + factor + base + (k > 0 ? fmt::format("^{}", k + 1) : "");
    }
  return c.dependent + " = " + (sum.empty() ? "0" : sum);
}

}  // namespace sinew::app
