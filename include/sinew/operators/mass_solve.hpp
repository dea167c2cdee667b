// sinew/operators/mass_solve.hpp - M^-1 T of an SKO model, without bias terms, from articulated inertias that are known
//   solve_riccati(model, ws.riccati);  solve_mass(model, ws, T, x);      O(N) for each T
// The two sweeps of forward dynamics [J11 58a-58g] with a = b = 0: many right-hand sides share one Riccati solution.
#pragma once
#include "sinew/operators/sko_dynamics.hpp"

namespace sinew::sko {

// accelerations = M^-1 forces, by the recursions of the articulated inertias. O(N).
void solve_mass(const SkoModel<double>&, SkoDynamics<double>&, In<double> forces, Out<double> accelerations);

}  // namespace sinew::sko
