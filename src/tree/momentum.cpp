// src/tree/momentum.cpp
#include "sinew/tree/momentum.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"
#include "tree/mass_centre.hpp"

namespace sinew {
namespace {

// Both sums, about the point o.
template <bool rates, class T>
void sum_up(const Model& m, MomentumWorkspace<T>& ws, const Vec3<T>& o) {
  const VelocityWorkspace<T>& w = ws.motion;
  Force<T> h{}, dh{};
  for (std::size_t i = 1; i < w.v.size(); ++i) {
    const RigidInertia<T> I = cast<T>(m.nodes()[i].inertia);
    const Transform<T>& X = w.kinematics.X[i];
    const Transform<T> Y{X.E, X.r - o};
    const Motion<T> u = in_node_axes(w.v[i], X);
    const Force<T> own = I * u;
    h += apply_inverse(Y, own);                                                                // [F08 2.61]
    if constexpr (rates) dh += apply_inverse(Y, I * in_node_axes(w.a[i], X) + cross(u, own));  // [F08 2.68]
  }
  ws.momentum = h;
  if constexpr (rates) ws.rate = dh;
}

}  // namespace

template <class T>
MomentumWorkspace<T>::MomentumWorkspace(const Model& m) : motion(m), rest(static_cast<std::size_t>(m.nv())) {}

template <class T>
const Force<T>& calc_momentum(const Model& m, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  check_state("calc_momentum", m, ws.motion.kinematics.made_for, q.size(), v.size());
  calc_velocities(m, ws.motion, q, v, time);
  sum_up<false>(m, ws, Vec3<T>{});
  return ws.momentum;
}
template <class T>
const Force<T>& calc_momentum_rate(const Model& m, MomentumWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, double time) {
  check_state("calc_momentum_rate", m, ws.motion.kinematics.made_for, q.size(), v.size());
  check_size("calc_momentum_rate", "a", a.size(), v.size());
  calc_accelerations(m, ws.motion, q, v, a, time);
  sum_up<true>(m, ws, Vec3<T>{});
  return ws.rate;
}

template <class T>
const Force<T>& calc_centroidal_momentum(const Model& m, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  check_state("calc_centroidal_momentum", m, ws.motion.kinematics.made_for, q.size(), v.size());
  calc_velocities(m, ws.motion, q, v, time);
  sum_up<false>(m, ws, mass_centre(m, ws.motion.kinematics.X));
  return ws.momentum;
}
// The motion of the centre of mass adds nothing: its velocity is parallel to the linear momentum.
template <class T>
const Force<T>& calc_centroidal_momentum_rate(const Model& m, MomentumWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                              double time) {
  check_state("calc_centroidal_momentum_rate", m, ws.motion.kinematics.made_for, q.size(), v.size());
  check_size("calc_centroidal_momentum_rate", "a", a.size(), v.size());
  calc_accelerations(m, ws.motion, q, v, a, time);
  sum_up<true>(m, ws, mass_centre(m, ws.motion.kinematics.X));
  return ws.rate;
}
template <class T>
const Force<T>& calc_centroidal_bias(const Model& m, MomentumWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  return calc_centroidal_momentum_rate(m, ws, q, v, In<T>(ws.rest), time);
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template struct MomentumWorkspace<T>;                                                                            \
  template const Force<T>& calc_momentum(const Model&, MomentumWorkspace<T>&, In<T>, In<T>, double);               \
  template const Force<T>& calc_momentum_rate(const Model&, MomentumWorkspace<T>&, In<T>, In<T>, In<T>, double);   \
  template const Force<T>& calc_centroidal_momentum(const Model&, MomentumWorkspace<T>&, In<T>, In<T>, double);    \
  template const Force<T>& calc_centroidal_momentum_rate(const Model&, MomentumWorkspace<T>&, In<T>, In<T>, In<T>, \
                                                         double);                                                  \
  template const Force<T>& calc_centroidal_bias(const Model&, MomentumWorkspace<T>&, In<T>, In<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
