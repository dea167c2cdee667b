// src/tree/aba.cpp
#include "sinew/tree/aba.hpp"

#include "base/traced_pass.hpp"
#include "driver.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/kernel/aba_sweeps.hpp"

namespace sinew {

template <class T>
AbaWorkspace<T>::AbaWorkspace(const Model& m)
    : made_for(m),
      angles(padded_nodes(m)),
      zeros(static_cast<std::size_t>(m.nv())),
      turns(node_count(m)),
      links(node_count(m)),
      slot_rates(static_cast<std::size_t>(m.branch_slots())),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      slot_motions(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())),
      joints(static_cast<std::size_t>(m.general_joints())),
      external(node_count(m)) {}

namespace {
template <class T>
void sweep_three_times(const Model& m, std::span<const Link<ConstantOf<T>>> links, AbaWorkspace<T>& ws, const T* q,
                       const T* v, const T* tau, T* a, Force<T>* external, double time, bool moving) {
  const int n = static_cast<int>(links.size());
  const AbaScratch<T> scratch{ws.links.data(),
                              ws.slot_rates.data(),
                              ws.slot_loads.data(),
                              ws.slot_motions.data(),
                              ws.general.data(),
                              ws.joints.data(),
                              external};
  calc_turns(links.data(), n, q, ws.angles.data(), ws.turns.data());
  aba_sweeps<T>(links.data(), n, scratch, cast<ConstantOf<T>>(m.gravity()), moving, v, tau, m.armature().data(), a,
                StoredTurns<T>{ws.turns.data()}, ShiftOf<T>{q}, JointMotionOf<T>{m, q, v, time, !moving});
}
template <class T>
void check_and_sweep(const Model& m, std::span<const Link<ConstantOf<T>>> links, AbaWorkspace<T>& ws, In<T> q, In<T> v,
                     In<T> tau, Out<T> a, const Surroundings<T>& s) {
  ws.made_for.check("aba", m);
  check_positions("aba", m, q.size());
  check_coordinates("aba", "v", m, v.size());
  check_coordinates("aba", "tau", m, tau.size());
  check_coordinates("aba", "a", m, a.size());
  sweep_three_times(m, links, ws, q.data(), v.data(), tau.data(), a.data(), gather_external("aba", m, s, ws.external),
                    s.time, true);
}
}  // namespace

template <class T>
void aba(const Model& m, AbaWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& s) {
  check_and_sweep(m, links_of<T>(m), ws, q, v, tau, a, s);
}

template <class T>
void aba(const EquivalentModel& m, AbaWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& s) {
  check_and_sweep(m.model(), m.links<ConstantOf<T>>(), ws, q, v, tau, a, s);
}

template <class T>
void multiply_by_mass_inverse(const Model& m, AbaWorkspace<T>& ws, In<T> q, In<T> x, Out<T> y, double time) {
  ws.made_for.check("multiply_by_mass_inverse", m);
  check_positions("multiply_by_mass_inverse", m, q.size());
  check_coordinates("multiply_by_mass_inverse", "x", m, x.size());
  check_coordinates("multiply_by_mass_inverse", "y", m, y.size());
  sweep_three_times<T>(m, links_of<T>(m), ws, q.data(), ws.zeros.data(), x.data(), y.data(), nullptr, time, false);
}

#define SINEW_INSTANTIATE(T)                                                               \
  template struct AbaWorkspace<T>;                                                         \
  template void aba(const Model&, AbaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>,           \
                    const std::type_identity_t<Surroundings<T>>&);                         \
  template void aba(const EquivalentModel&, AbaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                    const std::type_identity_t<Surroundings<T>>&);                         \
  template void multiply_by_mass_inverse(const Model&, AbaWorkspace<T>&, In<T>, In<T>, Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
