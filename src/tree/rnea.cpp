// src/tree/rnea.cpp
#include "sinew/tree/rnea.hpp"

#include "base/scalar_pass.hpp"
#include "driver.hpp"

namespace sinew {

template <class T>
RneaWorkspace<T>::RneaWorkspace(const Model& m)
    : angles(padded_nodes(m)),
      zeros(static_cast<std::size_t>(m.nv())),
      turns(node_count(m)),
      f(node_count(m)),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      external(node_count(m)),
      slots(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())) {}

namespace {
struct Terms {
  bool gravity = true, still = false;
};

template <class T>
void sweep_out_and_back(const Model& m, RneaWorkspace<T>& ws, const T* q, const T* v, const T* a, T* tau,
                        Force<T>* external, double time, Terms terms) {
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const RneaScratch<T> scratch{ws.f.data(), ws.slots.data(), ws.slot_loads.data(), ws.general.data(), external};
  calc_turns(links.data(), n, q, ws.angles.data(), ws.turns.data());
  rnea_sweeps<T>(links.data(), n, scratch, cast<ConstantOf<T>>(m.gravity()), terms.gravity, v, a, m.armature().data(),
                 tau, StoredTurns<T>{ws.turns.data()}, ShiftOf<T>{q}, JointMotionOf<T>{m, q, v, time, terms.still});
}
template <class T>
void check_workspace(const char* call, const Model& m, const RneaWorkspace<T>& ws) {
  check_size(call, "workspace", ws.f.size(), node_count(m));
}
}  // namespace

template <class T>
void rnea(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
          const std::type_identity_t<Surroundings<T>>& s) {
  check_workspace("rnea", m, ws);
  check_positions("rnea", m, q.size());
  check_coordinates("rnea", "v", m, v.size());
  check_coordinates("rnea", "a", m, a.size());
  check_coordinates("rnea", "tau", m, tau.size());
  sweep_out_and_back(m, ws, q.data(), v.data(), a.data(), tau.data(), gather_external("rnea", m, s, ws.external),
                     s.time, {});
}

template <class T>
void calc_bias(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h,
               const std::type_identity_t<Surroundings<T>>& s) {
  rnea(m, ws, q, v, ws.zeros, h, s);
}

template <class T>
void calc_gravity(const Model& m, RneaWorkspace<T>& ws, In<T> q, Out<T> g, double time) {
  check_workspace("calc_gravity", m, ws);
  check_positions("calc_gravity", m, q.size());
  check_coordinates("calc_gravity", "g", m, g.size());
  const T* o = ws.zeros.data();
  sweep_out_and_back<T>(m, ws, q.data(), o, o, g.data(), nullptr, time, {true, true});
}

template <class T>
void multiply_by_mass(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> x, Out<T> Mx, double time) {
  check_workspace("multiply_by_mass", m, ws);
  check_positions("multiply_by_mass", m, q.size());
  check_coordinates("multiply_by_mass", "x", m, x.size());
  check_coordinates("multiply_by_mass", "Mx", m, Mx.size());
  sweep_out_and_back<T>(m, ws, q.data(), ws.zeros.data(), x.data(), Mx.data(), nullptr, time, {false, true});
}

#define SINEW_INSTANTIATE(T)                                                          \
  template struct RneaWorkspace<T>;                                                   \
  template void rnea(const Model&, RneaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>,    \
                     const std::type_identity_t<Surroundings<T>>&);                   \
  template void calc_bias(const Model&, RneaWorkspace<T>&, In<T>, In<T>, Out<T>,      \
                          const std::type_identity_t<Surroundings<T>>&);              \
  template void calc_gravity(const Model&, RneaWorkspace<T>&, In<T>, Out<T>, double); \
  template void multiply_by_mass(const Model&, RneaWorkspace<T>&, In<T>, In<T>, Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
