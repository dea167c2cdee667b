// sinew/linear/tolerance.hpp - when a number counts as zero: all tolerances of ranks, pivots and dependent rows
// The policy:
//   1. A tolerance is relative. Its comment says to what: the largest entry, the row's own diagonal, the pivot before.
//   2. Rows of unlike units are scaled first, so that no tolerance has a unit.
//   3. A decision about rows (K) is made with e, the same one about products of rows (K H^-1 K^T) with e^2: half of the
//      digits of a product say nothing.
//   4. A tolerance stands at least ten times above the rounding of what it judges, and as far below what must not be
//      taken for zero. Both are in its comment.
//   5. A user's option has its default here. Solvers take the option, never the constant.
#pragma once
#include <limits>

namespace sinew::linear {

// --- rounding -------------------------------------------------------------------------------------------------------

// What elimination of n rows of unit size may leave where exact arithmetic leaves zero. A tolerance that a user sets
// lower than this is raised to it.
constexpr double rounding_of(int n) { return 16 * n * std::numeric_limits<double>::epsilon(); }

// --- rows and columns that are given: pivots relative to the largest entry ------------------------------------------

// Axes, subspaces and coefficients that come straight from a model: known to 1e-15, a few sums later to 1e-13.
inline constexpr double kDependent = 1e-10;
// K at a position that was closed by iteration: known to 1e-12 times a few lengths.
inline constexpr double kDependentWhenClosed = 1e-9;
// The same while it is being closed: less is left to the next step, for its own step would be 1e7 times the error.
inline constexpr double kDependentWhileAssembling = 1e-7;
// Columns of unit length, sampled at random states: what others leave falls from 1e-3 to 1e-14 at the rank.
inline constexpr double kDependentSample = 1e-9;
inline constexpr double kUnseenSample = 1e-13;  // of the longest column: rounding of sums that cancel

// --- rows of a mechanism, scaled to unit length in the metric of H^-1 -----------------------------------------------

// What others leave of a row: less, and they imply it. Loops closed to 1e-9 imply each other to about that.
inline constexpr double kImplied = 1e-6;
// The same where positions are only on their way to be closed: rows are told apart no better than the distance allows.
inline constexpr double kImpliedWhileClosing = 1e-4;
// k of an implied row against what the others say, relative to the terms of both: ten times less than kImplied.
inline constexpr double kContradiction = 1e-7;
// Coefficient of a row in the combination that implies another: below it the row is not named as a cause.
inline constexpr double kNamedCause = 1e-6;
// What is left of a row whose ends cancel, relative to one end: 1e-10 is far above rounding and far below kImplied.
inline constexpr double kCancelled = 1e-10;
// The same for single entries of a row, relative to the largest of all rows.
inline constexpr double kCancelledEntry = 1e-12;
// Rows of W = K H^-1 K^T: what is left of a diagonal, relative to what stood there. kImplied squared.
inline constexpr double kImpliedPivot = kImplied * kImplied;
// The same for contacts that are held as equations; their points come from collision, known to 1e-9 of a size.
inline constexpr double kImpliedContact = 1e-9;
// Of the terms that a W_ii is a sum of: rounding of the sweep that made them, 2^-47.
inline constexpr double kResponseRounding = 0x1p-47;

// --- inertias -------------------------------------------------------------------------------------------------------

// What is left of a coordinate's inertia H_ii if those that it carries move freely: less consists of rounding (1e-16
// times a few sums), and no acceleration can be told. Light tools on heavy arms stay above 1e-9.
inline constexpr double kNoInertia = 1e-13;

// --- square matrices of contact problems, scaled to unit diagonal ---------------------------------------------------

// Smallest pivot relative to the largest entry (LU, envelope) or pivot (orthogonal): below it the answer has lost 11 of
// 16 digits, and a method that can do better takes over.
inline constexpr double kSingular = 1e-11;
// Rows that are left by such a method must hold by themselves, relative to their terms: 100 times kSingular.
inline constexpr double kLeftOver = 1e-9;
// What is left of the diagonal of a semidefinite matrix: its motion is then rounding.
inline constexpr double kSemidefinite = 1e-13;
// Pivots of LU become at least this: the shifts of Newton's methods (1e-10 and more) are never touched by it.
inline constexpr double kPivotFloor = 1e-14;
// Ratio below which a basis of Lemke's method has no inverse: plain rounding.
inline constexpr double kSingularBasis = 1e-15;
// A diagonal entry relative to the largest of its row: less is a zero of a saddle point (a multiplier, a slip speed).
inline constexpr double kNoDiagonal = 1e-14;
// Determinant of a contact's 3x3 block relative to the product of its diagonal: below it the block is shifted.
inline constexpr double kSingularBlock = 1e-8;

}  // namespace sinew::linear
