// sinew/derivative/delassus_rate.hpp - a Delassus matrix and its rate while q moves along a velocity
//   W = J M^-1 J^T and dW = (dW/dq) v, rows x rows.   O(m n d + m^2 n) for m rows, d the depth of the tree.
// Row r of J is given by the forces that a unit multiplier puts on bodies: J^T lambda. They are fixed in their bodies,
// or act at a point of the body along axes that do not turn with it, as those of contacts along the world's axes do.
// With A = M^-1 J^T,
//   (1) dW = dJ A + A^T dJ^T - A^T dM A
// dJ^T and dM A are slopes of dual numbers. All entries along all of q, contracted with two vectors:
// derivative/delassus_slopes.hpp.
#pragma once
#include <vector>

#include "sinew/base/dual.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

// With what the force of a row turns.
enum class RowAxes { body, world };

// A part of a row: a force on one body. A row between two bodies has two parts.
struct RowForce {
  int row = 0;
  int body = 0;
  Force<double> force;  // of a unit multiplier, in the body's frame and about its origin
  RowAxes axes = RowAxes::body;
  Vec3<double> point;  // RowAxes::world: where it acts, in the body's frame
};

// Scratch of one call, sized once; nothing in it is a result.
struct DelassusRateWorkspace {
  // Throws std::invalid_argument as JacobianWorkspace does, and for a negative count of rows.
  DelassusRateWorkspace(const Model&, int count);
  std::size_t rows;  // of W; constant
  JacobianWorkspace<Dual> jacobian;
  RneaWorkspace<Dual> inverse;
  CrbaWorkspace<double> crba;  // makes M
  LtdlFactor<double> factor;   // of M
  std::vector<double> rate;    // (nq) of the positions
  std::vector<Dual> q, x, y;   // (nq), (nv), (nv)
  std::vector<Dual> p;         // (rows x nv) J
  std::vector<double> a, dMa;  // (rows x nv) A^T and A^T dM
  std::vector<double> column;  // (nv)
};

// v: along what q moves. Throws std::invalid_argument naming sizes, a row or a body that do not fit.
// `time` matters to prescribed joints only; it stands still.
void calc_delassus_rate(const Model&, DelassusRateWorkspace&, In<double> q, In<double> v,
                        VectorView<const RowForce> rows, OutMatrix<double> W, OutMatrix<double> dW, double time = 0);

}  // namespace sinew
