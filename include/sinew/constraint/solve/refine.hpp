// sinew/constraint/solve/refine.hpp - how far an acceleration is off, and its correction where that is too much
// With the residuals r = H x - f - K^T lambda and g = K x - k of an answer, its error e = x - x* obeys
//   H e = r + K^T (lambda - lambda*),   K e = g                                                                  (1)
// or, with H = L^T L and Y = L^-T K^T,
//   L e = (1 - Y Y^+) L^-T r + (Y^+)^T g,   |L e| <= |L^-T r| + |g| / s,   s the least singular value of Y.       (2)
// So rows with s = 1e-6 turn a residual of 1e-10, which looks solved, into an error of 1e-4; and a residual on a
// coordinate of inertia D into an error of r / D. Two steps:
// (a) A guess from (2), O(n + rows): the largest of r_i / D_i against the acceleration, and of g_i / s against the
//     terms of row i. s is the smallest part of a row that counted as new, or the rank tolerance where the method does
//     not know it. Where the guess is below kClear of the tolerance, that is all: no time is lost.
// (b) Else (1) is solved for e by the method itself, and x - e is the new answer. Each round's correction is the error
//     before it, up to a factor: with corrections that shrink by q per round, what is left is at most q / (1 - q) of
//     the last one. An answer whose corrections stay above the tolerance is not called solved. `proximal` and `sparse`
//     know no rank, and their rounds hardly move along a direction of small s: here constraint/solve/pv.hpp corrects
//     their answers and decides the rank.
// (c) Rows that imply each other and do not quite agree leave a residual that no correction takes away. The answer to
//     another residual of that kind says how much it matters which of them is obeyed; that is part of the error.
// Rows that were left out as implied are a matter of RankOptions: below kClear of the rank tolerance they are implied,
// whatever they say. Between that and the tolerance they may be either; then what they miss, g / (what is left of the
// row), is part of the error.
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
