// sinew/derivative/inertia_derivatives.hpp - derivatives of forward dynamics and momentum by inertial parameters
//   da/dpi: nv x 10 (bodies - 1);   dh/dpi of the centroidal momentum: 6 x 10 (bodies - 1).
// pi and the order of its numbers: tree/regressor.hpp, whose Y is dtau/dpi. Differentiate tau(pi, a(pi)) = tau; and
// with the momentum h about the centre of mass c, both functions of pi, the mass m of all and the linear momentum p:
//   (1) da/dpi = -M^-1 Y(q, v, a)
//   (2) dh/dpi = (dh/dpi about a point that stays) - dc/dpi x p in the angular part,   dc/dpi = (d(m c) - c dm) / m
// Bodies that are welded to the world have zeros. O(n d) per column of (1), d the depth of the tree; O(n) for (2).
// A coordinate that moves no inertia gives infinities or NaN in (1), as in tree/aba.hpp.
#pragma once
#include <vector>

#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew {

// Scratch of both calls, sized once; nothing in it is a result.
template <class T>
struct InertiaDerivativesWorkspace {
  explicit InertiaDerivativesWorkspace(const Model&);
  AbaWorkspace<T> forward;
  RegressorWorkspace<T> regressor;
  CrbaWorkspace<T> crba;  // makes M
  LtdlFactor<T> factor;   // of M
  std::vector<T> column;  // (nv)
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
// a: the accelerations too.
template <class T>
void calc_aba_inertia_derivatives(const Model&, InertiaDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
                                  OutMatrix<T> da, const std::type_identity_t<Surroundings<T>>& = {});
// Axes of the world, about the centre of mass, as in tree/momentum.hpp. `time` matters to prescribed joints only.
template <class T>
void calc_centroidal_momentum_inertia_derivatives(const Model&, InertiaDerivativesWorkspace<T>&, In<T> q, In<T> v,
                                                  OutMatrix<T> dh, double time = 0);

}  // namespace sinew
