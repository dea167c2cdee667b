// tests/tree/floating_trees.hpp - random trees on a floating base, for the tests of floating_base
#pragma once
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/floating_base.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
// A random tree all of whose bodies hang on a free first body; the free joint stands anywhere among the joints.
inline ModelSpec floating_tree(std::uint64_t seed, int bodies) {
  ModelSpec spec = random_tree(seed, {.bodies = bodies});
  Random rng(seed + 77);
  for (std::size_t i = 1; i < spec.joints.size(); ++i) {
    JointSpec& j = spec.joints[i];
    if (j.parent == spec.world) j.parent = "body0";
    if (j.kind == JointKind::revolute) j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
  }
  JointSpec base = random_joint(rng, JointKind::free, "base");
  base.reversed = false;
  base.parent = spec.world, base.child = "body0";
  spec.joints.front() = base;
  std::swap(spec.joints.front(), spec.joints[rng.below(bodies)]);
  return spec;
}
template <class Body>
void for_floating_trees(int count, Body body) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(static_cast<std::uint64_t>(seed));
    body(compile(floating_tree(static_cast<std::uint64_t>(seed), 1 + seed % 10)).value(), rng);
  }
}
inline std::vector<Force<double>> random_external(const Model& m, Random& rng) {
  std::vector<Force<double>> out;
  for (std::size_t b = 0; b < m.bodies().size(); ++b) out.push_back({random_vec(rng), random_vec(rng)});
  return out;
}
// What M does to rounding errors.
inline double condition(const Model& m, const TreeState& s) {
  const MatrixXd M = naive_mass_matrix(m, s.q, 0.4);
  return 10 * M.norm() * dense_inverse(M).norm();  // forces are ten times the accelerations
}
inline std::vector<double> without_base(const FloatingBase& base, const std::vector<double>& x) {
  std::vector<double> out;
  for (const int v : base.joints) out.push_back(x[v]);
  return out;
}
inline FloatingCoefficients<double> coefficients_of(const Model& m, FloatingBaseWorkspace<double>& ws,
                                                    const TreeState& s, const Surroundings<double>& around = {}) {
  FloatingCoefficients<double> out(ws.base);
  calc_floating_coefficients(m, ws, s.q, s.v, out, around);
  return out;
}

// 1 Closed form ------------------------------------------------------------------------------------------------------

}  // namespace sinew::test
