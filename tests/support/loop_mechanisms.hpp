// tests/support/loop_mechanisms.hpp - closed loops at a state that obeys them, for tests of constrained dynamics
#pragma once
#include <string>
#include <vector>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

inline constexpr ConstrainedMethod kMethods[] = {ConstrainedMethod::kkt,        ConstrainedMethod::multipliers,
                                                 ConstrainedMethod::projection, ConstrainedMethod::sparse,
                                                 ConstrainedMethod::proximal,   ConstrainedMethod::pv};

struct LoopCase {
  std::string name;
  ModelSpec spec;
  int rank;
};
// A four-bar whose opposite links are equal is singular where it lies flat; here it nearly does.
inline std::vector<LoopCase> loop_cases() {
  return {{"four_bar", mechanisms::four_bar(), 2},
          {"crank_slider", mechanisms::crank_slider(), 2},
          {"crank_piston", mechanisms::crank_piston(), 2},
          {"stewart_platform", mechanisms::stewart_platform(), 18},
          {"scissor_lift", mechanisms::scissor_lift(), 6},
          {"bricard", mechanisms::bricard(), 4},
          {"near_singular",
           mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = 2e-3}), 2}};
}

// Neutral position, a random velocity that the loops allow, random forces.
struct LoopState {
  Model model;
  ConstraintSet set;
  TreeState s;
  std::vector<double> tau;
  explicit LoopState(const ModelSpec& spec, std::uint64_t seed = 1) : model(compile(spec).value()), set(model) {
    Random rng(seed);
    s.q.assign(model.neutral().begin(), model.neutral().end());
    s.v = random_numbers(rng, model.nv());
    s.a = std::vector<double>(s.v.size());
    tau = random_numbers(rng, model.nv());
    ManifoldWorkspace ws(model, set);
    project_velocity(model, set, ws, s.q, s.v);
  }
};

// A system at a state, ready for any method.
struct LoopSystem {
  LoopState l;
  ConstraintRows rows;
  ConstrainedSystem s;
  std::vector<double> C;
  explicit LoopSystem(const ModelSpec& spec)
      : l(spec), rows(l.model, l.set), s(l.model, l.set.problem()), C(l.s.v.size()) {
    calc_constraint_rows(l.model, l.set, rows, l.s.q, l.s.v);
    CrbaWorkspace<double> crba(l.model);
    RneaWorkspace<double> rnea(l.model);
    crba_packed(l.model, crba, l.s.q, s.H);
    get_constraint_jacobian(l.model, l.set, rows, s.jacobian());
    calc_bias(l.model, rnea, l.s.q, l.s.v, C);
    for (std::size_t i = 0; i < C.size(); ++i) s.f[i] = l.tau[i] - C[i];
    s.k = rows.k;
    factor(l.model.dof_tree(), s);
  }
};

}  // namespace sinew::test
