// src/derivative/delassus_slopes.cpp
#include "sinew/derivative/delassus_slopes.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/driver.hpp"

namespace sinew {

template <class T>
DelassusSlopesWorkspace<T>::DelassusSlopesWorkspace(const Model& m)
    : forward(m),
      inverse(m),
      rest(at(m.nv())),
      a(rest),
      b(rest),
      tau0(rest),
      tau(rest),
      dq0(at(m.nv()) * at(m.nv())),
      dq(dq0),
      dv(dq0),
      M(dq0) {}

template <class T>
T calc_delassus_slopes(const Model& m, DelassusSlopesWorkspace<T>& ws, In<T> q,
                       std::type_identity_t<VectorView<const Force<T>>> F,
                       std::type_identity_t<VectorView<const Force<T>>> G, Out<T> dy, double time) {
  const char* call = "calc_delassus_slopes";
  const std::size_t nv = at(m.nv());
  check_position(call, m, ws.inverse.made_for, q.size());
  check_size(call, "F", F.size(), m.bodies().size());
  check_size(call, "G", G.size(), m.bodies().size());
  check_coordinates(call, "dy", m, dy.size());
  const auto square = [&](std::vector<T>& x) { return MatrixView<T>(x.data(), nv, nv); };
  const auto differentiate = [&](In<T> x, VectorView<const Force<T>> forces, Out<T> tau, std::vector<T>& dq) {
    calc_rnea_derivatives(m, ws.inverse, q, ws.rest, x, tau, square(dq), square(ws.dv), square(ws.M), {forces, time});
  };
  // With tau0, the joint forces that hold the mechanism, the forces alone accelerate it.
  differentiate(ws.rest, {}, ws.tau0, ws.dq0);
  aba(m, ws.forward, q, ws.rest, ws.tau0, ws.a, {F, time});
  aba(m, ws.forward, q, ws.rest, ws.tau0, ws.b, {G, time});

  differentiate(ws.rest, G, ws.tau, ws.dq);
  T y{};
  for (std::size_t k = 0; k < nv; ++k) {
    y = y + ws.a[k] * (ws.tau0[k] - ws.tau[k]);
    dy[k] = T{};
    for (std::size_t i = 0; i < nv; ++i) dy[k] = dy[k] + ws.a[i] * (ws.dq0[i * nv + k] - ws.dq[i * nv + k]);
  }
  differentiate(ws.a, F, ws.tau, ws.dq);
  for (std::size_t k = 0; k < nv; ++k)
    for (std::size_t i = 0; i < nv; ++i) dy[k] = dy[k] + ws.b[i] * (ws.dq0[i * nv + k] - ws.dq[i * nv + k]);  // (1)
  return y;
}

#define SINEW_INSTANTIATE(T)                                                        \
  template struct DelassusSlopesWorkspace<T>;                                       \
  template T calc_delassus_slopes(const Model&, DelassusSlopesWorkspace<T>&, In<T>, \
                                  std::type_identity_t<VectorView<const Force<T>>>, \
                                  std::type_identity_t<VectorView<const Force<T>>>, Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
