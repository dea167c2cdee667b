// src/delassus/known_turns.hpp - the Delassus matrix at a position whose sines and cosines are known
#pragma once
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::delassus {

// As pv(), with the workspace of the dynamics; calc_response may follow. turns: one per node, such as aba leaves them.
void calc_matrix(const Model&, PvDynamicsWorkspace&, const std::vector<double>& q,
                 const std::vector<Turn<double>>& turns, const std::vector<Force<double>>& K, OutMatrix<double> W,
                 double time);

}  // namespace sinew::delassus
