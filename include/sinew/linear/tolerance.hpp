// sinew/linear/tolerance.hpp - when a number counts as zero: all tolerances of ranks, pivots and dependent rows
// The policy:
//   1. A tolerance is relative. Its comment says to what: the largest entry, the row's own diagonal, the pivot before.
//   2. Rows of unlike units are scaled first, so that no tolerance has a unit.
//   3. A decision about rows (K) is made with e, the same one about products of rows (K H^-1 K^T) with e^2: a
//      product of two small numbers is small to second order.
//   4. A tolerance is at least ten times above the rounding of what it judges, and at least ten times below what must
//      not be taken for zero. Both are in its comment.
//   5. A user's option has its default here. Solvers take the option, never the constant.
#pragma once
#include <limits>

namespace sinew::linear {

// --- rounding -------------------------------------------------------------------------------------------------------

// Rounding that elimination of n rows of unit size leaves where exact arithmetic gives zero. A user's tolerance below
// this is raised to it.
constexpr double rounding_of(int n) { return 16 * n * std::numeric_limits<double>::epsilon(); }

// --- rows and columns that are given: pivots relative to the largest entry ------------------------------------------

// Axes, subspaces and coefficients that come straight from a model: known to 1e-15, a few sums later to 1e-13.
inline constexpr double kDependent = 1e-10;
// K at a position that was closed by iteration: known to 1e-12 times a few lengths.
inline constexpr double kDependentWhenClosed = 1e-9;
// The same while it is being closed: a pivot at this bound already makes a step 1e7 times as long as the error. Rows
// with smaller pivots wait for a later iteration.
inline constexpr double kDependentWhileAssembling = 1e-7;
// Columns of unit length, sampled at random states: their independent part falls from 1e-3 to 1e-14 at the rank.
inline constexpr double kDependentSample = 1e-9;
inline constexpr double kUnseenSample = 1e-13;  // relative to the longest column: rounding of sums that cancel

// --- rows of a mechanism, scaled to unit length in the metric of H^-1 -----------------------------------------------

// Part of a row that the other rows do not imply: below this the row counts as implied. Loops closed to 1e-9 imply
// each other to about 1e-9.
inline constexpr double kImplied = 1e-6;
// The same while positions are still being closed: the rows are only as accurate as the position is.
inline constexpr double kImpliedWhileClosing = 1e-4;
// Difference between k of an implied row and the k that the other rows give it, relative to the terms of both. Ten
// times less than kImplied.
inline constexpr double kContradiction = 1e-7;
// Coefficient of a row in the combination that implies another row: below this the row is not named as a cause.
inline constexpr double kNamedCause = 1e-6;
// Remainder of a row whose two ends cancel, relative to one end: 1e-10 is far above rounding and far below kImplied.
inline constexpr double kCancelled = 1e-10;
// The same for single entries of a row, relative to the largest of all rows.
inline constexpr double kCancelledEntry = 1e-12;
// Pivot of W = K H^-1 K^T relative to its diagonal entry before elimination: kImplied squared.
inline constexpr double kImpliedPivot = kImplied * kImplied;
// Rounding of the pivots where they are taken in the order of the rows: the least value of a user's tolerance squared.
inline constexpr double kLeastImpliedPivot = 1e-14;
// kImpliedPivot for contacts that are held as equations: collision knows their points to 1e-9 of a shape's size.
inline constexpr double kImpliedContact = 1e-9;
// Rounding of the sweep that makes W_ii, relative to the terms of its sum: 2^-47.
inline constexpr double kResponseRounding = 0x1p-47;

// --- inertias -------------------------------------------------------------------------------------------------------

// D of a coordinate (its inertia with all that it carries free to move) relative to H_ii. Below this D is only rounding
// (1e-16 times a few sums) and no acceleration can be found. Light tools on heavy arms stay above 1e-9.
inline constexpr double kNoInertia = 1e-13;

// --- square matrices of contact problems, scaled to unit diagonal ---------------------------------------------------

// Smallest pivot relative to the largest entry (LU, envelope) or pivot (orthogonal): below it the answer has lost 11 of
// 16 digits, and a method that can do better takes over.
inline constexpr double kSingular = 1e-11;
// Residual, relative to its terms, up to which a row that such a method leaves out counts as fulfilled: 100 kSingular.
inline constexpr double kLeftOver = 1e-9;
// Pivot of a semidefinite matrix below which only rounding is left.
inline constexpr double kSemidefinite = 1e-13;
// Smaller pivots of LU are raised to this. It is far below the shifts of Newton's methods (1e-10 and more).
inline constexpr double kPivotFloor = 1e-14;
// Ratio below which a basis of Lemke's method has no inverse: plain rounding.
inline constexpr double kSingularBasis = 1e-15;
// Diagonal entry relative to the largest of its row: below this it is a zero of a saddle point (a multiplier, a slip
// speed).
inline constexpr double kNoDiagonal = 1e-14;
// Determinant of a contact's 3x3 block relative to the product of its diagonal: below it the block is shifted.
inline constexpr double kSingularBlock = 1e-8;

}  // namespace sinew::linear
