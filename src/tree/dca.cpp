// src/tree/dca.cpp
#include "sinew/tree/dca.hpp"

#include "base/scalar_pass.hpp"
#include "dca_run.hpp"

namespace sinew {

template <class T>
DcaWorkspace<T>::DcaWorkspace(const Model& m, DcaPlan of_model)
    : plan(std::move(of_model)),
      motions(m),
      X(plan.bodies.size()),
      c(plan.bodies.size()),
      beta(plan.bodies.size()),
      S(at(m.nv())),
      tau(at(m.nv())),
      steps(at(m.nv())),
      W(plan.bodies.size()),
      active(plan.bodies.size()),
      external(plan.bodies.size()),
      Phi(plan.phi_size),
      G(plan.g_size),
      GW(plan.g_size),
      b(plan.handle_count),
      f(plan.handle_count),
      Z(plan.closings),
      y0(plan.closings),
      y(plan.closings),
      ranks(plan.closings),
      tie_forces(plan.entries),
      tie_k(plan.rows),
      still(m.nodes().size()) {}

template <class T>
void dca(const Model& m, DcaWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& around) {
  dca_steps::run_dca("dca", m, ws, q, v, tau, a, around, dca_steps::OneAfterTheOther{});
}

#if SINEW_FIRST_PASS
int dca_with_ties(const Model& m, DcaWorkspace<double>& ws, In<double> q, In<double> v, In<double> tau,
                  VectorView<const Force<double>> forces, In<double> k, Out<double> a, Out<double> y,
                  const Surroundings<double>& around) {
  const char* call = "dca_with_ties";
  ws.motions.made_for.check(call, m);
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "a", a.size(), at(m.nv()));
  check_size(call, "forces", forces.size(), ws.plan.entries);
  check_size(call, "k", k.size(), ws.plan.rows);
  check_size(call, "y", y.size(), ws.plan.rows);
  calc_node_motions(call, m, ws.motions, q, v, around);
  // K dv/dt = F^T (a - the a where dv/dt = 0)
  ws.still[0] = {{}, -m.gravity()};
  for (std::size_t i = 1; i < ws.still.size(); ++i)
    ws.still[i] = apply(ws.motions.X[i], ws.still[m.nodes()[i].parent]) + ws.motions.c[i];
  for (std::size_t r = 0; r < k.size(); ++r) ws.tie_k[r] = k[r];
  for (std::size_t t = 0; t < ws.plan.ties.size(); ++t)
    for (std::size_t e = 0; e < ws.plan.ties[t].entries.size(); ++e) {
      const DcaTie::Entry& entry = ws.plan.ties[t].entries[e];
      const Force<double>& F = ws.tie_forces[ws.plan.first_entry[t] + e] = forces[ws.plan.first_entry[t] + e];
      ws.tie_k[ws.plan.first_row[t] + at(entry.row)] += dot(ws.still[entry.node], F);
    }
  dca_steps::run_up(m, ws, tau, dca_steps::OneAfterTheOther{});
  dca_steps::run_down(m, ws, a, dca_steps::OneAfterTheOther{});
  int rank = 0;
  for (const DcaPlan::Assembly& s : ws.plan.assemblies) {
    if (s.kind != DcaPlan::Kind::tie) continue;
    rank += ws.ranks[s.closing];
    for (int r = 0; r < ws.plan.ties[s.tie].rows; ++r) y[ws.plan.first_row[s.tie] + at(r)] = ws.y[s.closing][at(r)];
  }
  return rank;
}
#endif

#define SINEW_INSTANTIATE(T)                                                     \
  template struct DcaWorkspace<T>;                                               \
  template void dca(const Model&, DcaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                    const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
