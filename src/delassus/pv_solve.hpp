// src/delassus/pv_solve.hpp - steps (2) to (5) of sinew/delassus/pv_dynamics.hpp
#pragma once
#include "driver.hpp"
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::delassus {

using Links = std::span<const Link<double>>;
inline StoredTurns<double> turns_of(const PvDynamicsWorkspace& ws) { return {ws.pv.inertias.turns.data()}; }
struct SupportingNodes {
  const Problem& problem;
  bool operator()(int i) const { return problem.supports(i); }
};
inline double along(const PvDynamicsWorkspace& ws, const Force<double>* K, std::size_t e) {
  return dot(ws.accelerations[ws.pv.problem.entries()[e].node], K[e]);
}

// x and lambda with J x = ws.k, where turns, general joints and ws.forces are known.
PvOutcome solve_from_forces(const Model&, PvDynamicsWorkspace&, const double* q, const double* f,
                            const Force<double>* K, double* x, double* lambda);

}  // namespace sinew::delassus
