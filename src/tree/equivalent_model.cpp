// src/tree/equivalent_model.cpp
#include "sinew/tree/equivalent_model.hpp"

#include "base/traced_pass.hpp"
#include "move_inertias.hpp"
#include "rnea_driver.hpp"

namespace sinew {

#if SINEW_FIRST_PASS
EquivalentModel::EquivalentModel(const Model& m)
    : model_(m),
      links_(m.links<double>().begin(), m.links<double>().end()),
      float_links_(m.links<float>().begin(), m.links<float>().end()) {
  std::vector<RigidInertia<double>> inertias;
  for (const Node& n : m.nodes()) inertias.push_back(n.inertia);
  move_inertias(m, ThirdZero::second_moment_zz, inertias);
  for (Link<double>& l : links_) l.mc = 0;
  for (std::size_t i = links_.size() - 1; i > 0; --i) {
    Link<double>& l = links_[i];
    l.m = inertias[i].m, l.h = inertias[i].h, l.I = inertias[i].I;
    const double half = (l.I.xx + l.I.yy + l.I.zz) / 2;
    l.J = Sym3<double>::diagonal(half, half, half) - l.I;
    if (l.step == Step::revolute) l.J.zz = 0;  // it is zero up to rounding
    l.mc += l.m;
    l.mc_a = l.mc * l.a, l.mc_d = l.mc * l.d;
    links_[l.parent].mc += l.mc;
    Link<float>& f = float_links_[i];
    f.m = static_cast<float>(l.m), f.mc = static_cast<float>(l.mc);
    f.mc_a = static_cast<float>(l.mc_a), f.mc_d = static_cast<float>(l.mc_d);
    f.h = cast<float>(l.h), f.I = cast<float>(l.I), f.J = cast<float>(l.J);
  }
}
#endif

template <class T>
void rnea(const EquivalentModel& e, RneaWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
          const std::type_identity_t<Surroundings<T>>& s) {
  const Model& m = e.model();
  check_rnea_sizes("rnea", m, ws, q, v, a, tau);
  sweep_out_and_back<T, EquivalentInertias>(m, e.links<ConstantOf<T>>(), ws, q.data(), v.data(), a.data(), tau.data(),
                                            gather_external("rnea", m, s, ws.external), s.time, {});
}

template <class T>
void calc_bias(const EquivalentModel& e, RneaWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h,
               const std::type_identity_t<Surroundings<T>>& s) {
  rnea(e, ws, q, v, ws.zeros, h, s);
}

#define SINEW_INSTANTIATE(T)                                                                 \
  template void rnea(const EquivalentModel&, RneaWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                     const std::type_identity_t<Surroundings<T>>&);                          \
  template void calc_bias(const EquivalentModel&, RneaWorkspace<T>&, In<T>, In<T>, Out<T>,   \
                          const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
