// sinew/derivative/delassus_slopes.hpp - the derivative of a Delassus matrix, contracted with two vectors
//   y = lambda^T W mu,   W = J M^-1 J^T:   dy/dq, nv numbers.   O(n d).
// J^T lambda and J^T mu are joint forces of forces F and G on the bodies, one each in the body's frame and about its
// origin: rows of J that are fixed in their bodies, as points and frames with the axes of the body are. Rows along axes
// of the world turn as a body sees them: they are not meant here. With p = J^T lambda, r = J^T mu, a = M^-1 p, b = M^-1
// r
//   (1) y = a^T r,   dy = a^T dr + b^T (dp - dM a)
// and dr, dp - dM a are differences of derivatives of inverse dynamics at rest, with and without a and the forces.
#pragma once
#include <vector>

#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/tree/aba.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct DelassusSlopesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit DelassusSlopesWorkspace(const Model&);
  AbaWorkspace<T> forward;
  RneaDerivativesWorkspace<T> inverse;
  std::vector<T> rest, a, b;      // (nv) zeros; accelerations due to F and to G
  std::vector<T> tau0, tau;       // (nv) joint forces at rest, and with G
  std::vector<T> dq0, dq, dv, M;  // (nv x nv)
};

// Returns y and fills dy. For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one
// does not fit the model. `time` matters to prescribed joints only.
template <class T>
T calc_delassus_slopes(const Model&, DelassusSlopesWorkspace<T>&, In<T> q,
                       std::type_identity_t<VectorView<const Force<T>>> F,
                       std::type_identity_t<VectorView<const Force<T>>> G, Out<T> dy, double time = 0);

}  // namespace sinew
