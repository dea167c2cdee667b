// sinew/constraint/solve/refine.hpp - the error of an acceleration: estimate and correction
// With the residuals r = H x - f - K^T lambda and g = K x - k of an answer, its error e = x - x* obeys
//   H e = r + K^T (lambda - lambda*),   K e = g                                                                  (1)
// or, with H = L^T L and Y = L^-T K^T,
//   L e = (1 - Y Y^+) L^-T r + (Y^+)^T g,   |L e| <= |L^-T r| + |g| / s,   s the least singular value of Y.       (2)
// So rows with s = 1e-6 turn a residual of 1e-10, which looks solved, into an error of 1e-4; and a residual on a
// coordinate of inertia D into an error of r / D. Steps:
// (a) A guess from (2), O(n + rows): the largest of r_i / D_i against the acceleration, and of g_i / s against the
//     terms of row i. s is the smallest part of a row that counted as new, or the rank tolerance where the method does
//     not know it. Where the guess is below kClear of the tolerance, nothing more is done.
// (b) Otherwise (1) is solved for e by the method itself, and x - e is the new answer. Each correction estimates the
//     error before it: where corrections shrink by q per round, the remaining error is at most q / (1 - q) of the last
//     one. If corrections stay above the tolerance the status is not solved. `proximal` and
//     `sparse` determine no rank and hardly correct a direction of small s, so constraint/solve/pv.hpp corrects their
//     answers and decides the rank.
// (c) Rows that imply each other but disagree a little leave a residual that no correction removes. Solving for a part
//     of that residual tells how much the acceleration depends on which of the rows is obeyed; that is part of the
//     error.
// A row that was left out as implied is clearly implied where its own part is below kClear of the rank tolerance.
// Between that and the tolerance it may be new after all; then its residual g divided by its own part is part of the
// error.
#pragma once
#include <memory>
#include <vector>

#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/solve/pv.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew {

struct RefineWorkspace {
  RefineWorkspace(const Model&, int rows);
  std::vector<double> inverse_inertia;          // (nv) 1 / D of each velocity coordinate
  std::vector<double> root_inertia;             // (nv) sqrt(H_ii)
  std::vector<double> correction;               // (nv) -e
  std::vector<double> force, target;            // (nv), (rows) scratch
  std::vector<double> k, made_of;               // (rows) of the problem, while (1) is solved
  std::vector<double> multipliers;              // (rows)
  SolveCertificate certificate;                 // of (1)
  std::unique_ptr<PvSolver> pv;                 // of `proximal` and `sparse`: made when it is first needed
  std::vector<RigidInertia<double>> composite;  // (nodes)
};

}  // namespace sinew
