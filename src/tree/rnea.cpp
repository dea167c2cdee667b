// src/tree/rnea.cpp
#include "sinew/tree/rnea.hpp"

#include "base/traced_pass.hpp"
#include "rnea_driver.hpp"

namespace sinew {

template <class T>
RneaWorkspace<T>::RneaWorkspace(const Model& m)
    : made_for(m),
      angles(padded_nodes(m)),
      zeros(static_cast<std::size_t>(m.nv())),
      turns(node_count(m)),
      f(node_count(m)),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      external(node_count(m)),
      slots(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())) {}

template <class T>
void rnea(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
          const std::type_identity_t<Surroundings<T>>& s) {
  check_rnea_sizes("rnea", m, ws, q, v, a, tau);
  sweep_out_and_back(m, links_of<T>(m), ws, q.data(), v.data(), a.data(), tau.data(),
                     gather_external("rnea", m, s, ws.external), s.time, {});
}

template <class T>
void calc_bias(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h,
               const std::type_identity_t<Surroundings<T>>& s) {
  rnea(m, ws, q, v, ws.zeros, h, s);
}

template <class T>
void calc_gravity(const Model& m, RneaWorkspace<T>& ws, In<T> q, Out<T> g, double time) {
  ws.made_for.check("calc_gravity", m);
  check_positions("calc_gravity", m, q.size());
  check_coordinates("calc_gravity", "g", m, g.size());
  const T* o = ws.zeros.data();
  sweep_out_and_back<T>(m, links_of<T>(m), ws, q.data(), o, o, g.data(), nullptr, time, {true, true});
}

template <class T>
void multiply_by_mass(const Model& m, RneaWorkspace<T>& ws, In<T> q, In<T> x, Out<T> Mx, double time) {
  ws.made_for.check("multiply_by_mass", m);
  check_positions("multiply_by_mass", m, q.size());
  check_coordinates("multiply_by_mass", "x", m, x.size());
  check_coordinates("multiply_by_mass", "Mx", m, Mx.size());
  sweep_out_and_back<T>(m, links_of<T>(m), ws, q.data(), ws.zeros.data(), x.data(), Mx.data(), nullptr, time,
                        {false, true});
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
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
