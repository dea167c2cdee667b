// sinew/derivative/coriolis_derivatives.hpp - derivatives of the Coriolis matrix times a vector
//   C(q, v) w,   d(C w)/dq,   d(C w)/dv;   nv x nv each.   O(n d), d the depth of the tree.
// C is that of tree/coriolis.hpp: of all factors with C v + g = h that for which dM/dt - 2 C is skew, Christoffel's. C
// w is linear in v. Velocities of joints that turn in space (planar, spherical, free) are not the rates of positions;
// with their bracket c(v, w), v x w of the joint's own motions and zero for all others, and without armature
//   (1) C(q, v) w - C(q, w) v = M c(v, w)
//   (2) C(q, v) w = 1/2 (dh/dv w + M c(v, w))        because h(q, v) - g is quadratic in v
//   (3) d(C w)/dq = 1/2 (d/de) dtau/dq(q, v + e w, e c(v, w))     by calc_rnea_derivatives in Dual
//   (4) d(C w)/dv_k = C(q, w)_k + M c(unit_k, w)
// Armature is in (4) as in tree/coriolis.hpp, and not in (3): it does not change with q.
// dq and joints: as in derivative/rnea_derivatives.hpp.
#pragma once
#include <vector>

#include "sinew/base/dual.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/tree/coriolis.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
struct CoriolisDerivativesWorkspace {
  // Throws std::invalid_argument naming a joint that moves by a law of time, whose C has parts that v does not cause,
  // or that a user wrote.
  explicit CoriolisDerivativesWorkspace(const Model&);
  RneaDerivativesWorkspace<Dual> inverse;
  CoriolisWorkspace<double> matrix;
  std::vector<Dual> q, v, a, tau;  // (nq), (nv) each
  std::vector<Dual> dq, dv, M;     // (nv x nv) of inverse dynamics
};

// Throws std::invalid_argument naming both sizes where one does not fit the model.
void calc_coriolis_derivatives(const Model&, CoriolisDerivativesWorkspace&, In<double> q, In<double> v, In<double> w,
                               Out<double> Cw, OutMatrix<double> dCw_dq, OutMatrix<double> dCw_dv);

}  // namespace sinew
