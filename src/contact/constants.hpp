// src/contact/constants.hpp - the constants of the formulations, with the reason for each
#pragma once
#include <cstddef>

namespace sinew::contact {

// ---- What counts as nothing (other tolerances: linear/tolerance.hpp)
// A determinant below this share of size^3 is rounding: the inertia is flat.
inline constexpr double kFlatInertia = 1e-30;
// Root of the energy of a row's motion beside that of the bodies: less is rounding. A robot of 60 joints that falls for
// a second has 2e-12; and
inline constexpr double kRoundedMotion = 1e-11;
inline constexpr double kMaybeRounding = 1e-6;  // [m/s] what moves faster is not asked

// ---- Stops of joints and tendons: which of them a step looks at
inline constexpr double kReach = 2;       // times the velocity at the start
inline constexpr double kSpeeding = 20;   // [rad/s^2 or m/s^2] acceleration to allow for within the step
inline constexpr double kPassed = 1e-10;  // [rad or m] beyond a stop that counts as passing it

// ---- Islands without W (os)
inline constexpr double kManyRows = 2.5;       // per velocity: with more, the matrix of velocities is much smaller, and
inline constexpr double kSparseEarlier = 0.6;  // this part of SolverOptions::sparse_rows is enough (docs/heaps.md)

// ---- Threads
inline constexpr std::size_t kRowsForThreads = 100;  // of all islands: fewer are solved before a thread wakes up

// ---- Warm starts
// An answer that was repeated once may be repeated again within this many times `SolverOptions::repeat`. Its errors add
// up from step to step, but after two steps it is known not to correct an error of the step before.
inline constexpr double kRepeatLonger = 10;
inline constexpr double kRestTolerance = 1e-10;  // of velocities beside their terms: less is none
inline constexpr double kAsGood = 1 + 1e-9;  // residual over that of the answer that is kept: the same, up to rounding
inline constexpr double kSettleAgain =
    16;  // steps after an island did not settle: a try costs as much as a new problem

// ---- Memory that is kept (os)
inline constexpr std::size_t kKept = 4;    // patterns of rows per tree: contacts that come and go alternate among few
inline constexpr int kTreeContacts = 256;  // contacts in all, to reserve memory for where there are many trees
inline constexpr int kTreeShare = 4;       // times its part of all contacts: room of one of many trees
inline constexpr int kDenseContacts = 64;  // of one island of many trees with W: larger ones are without it
inline constexpr int kFewTrees = 16;       // up to this many trees, each island reserves memory for every contact

}  // namespace sinew::contact
