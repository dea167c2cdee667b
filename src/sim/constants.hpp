// src/sim/constants.hpp - the constants of the steps, with the reason for each
#pragma once
#include <limits>

namespace sinew {

// ---- Steps in time (simulation.cpp, step_*.cpp)
namespace stepping {
inline constexpr int kMostCollisions = 64;   // impacts per step; what would bounce after that is stopped, and counted
inline constexpr int kMostRounds = 12;       // times per step that stops and contacts which it passed are added
inline constexpr double kFalls = 2;          // times g dt: velocity that a contact may gain before it is called
inline constexpr double kDeep = 0.1;         // of recovery_speed: overlaps that need more count as deep
inline constexpr double kElsewhere = 0.2;    // of a contact's arm: if it ends so far off, it is another one
inline constexpr int kDeepRefinements = 10;  // more than options.refinements, where the step would end with overlaps
inline constexpr double kThrown = 3;         // times the speeds before overlaps are corrected: that is no correction
inline constexpr double kDeepEnd = 3;        // of more than this times options.overlap
inline constexpr double kLeastGain = 0.3;    // of a correction: where less was seen, this counts
inline constexpr int kStuckSteps = 256;      // steps after which stuck overlaps are tried again
inline constexpr int kRoom = 64;             // most contacts, and most joint rows, to reserve memory for at the start:
                                             // it grows with their square; larger steps allocate
inline constexpr int kMostReserved = 10'000'000;  // contacts that reserve() makes room for
inline constexpr double kRounding =
    32 * std::numeric_limits<double>::epsilon();  // of the lengths that a gap is computed from
inline constexpr double kTouching = 1e-3;         // of options.overlap: smaller gaps are none in large problems
inline constexpr int kMostLimitRounds =
    20;  // solutions per problem until drives keep their limits; then it is reported
// Of torsional and rolling friction (spin_friction.cpp):
inline constexpr int kMostSpinRounds = 30;      // solutions per problem; bounds that still change then are reported
inline constexpr double kSpinTolerance = 1e-8;  // of a bound: smaller changes are none
inline constexpr double kSpinTurn = 1e-6;       // [rad] smaller turns of the direction of rolling are none
inline constexpr double kStill = 1e-9;          // [rad/s] slower bodies do not roll
}  // namespace stepping

// ---- From event to event (event_driven.cpp, event_friction.cpp, held_contacts.cpp, rough_contacts.cpp)
namespace events {
inline constexpr double kForceTolerance = 1e-9;         // of the largest force: less pull than this is none
inline constexpr double kAccelerationTolerance = 1e-8;  // of the largest acceleration: contacts that part slower stay
inline constexpr double kDeepestStart = 1e-6;           // [m] more overlap is refused as a state to start from
inline constexpr int kMostImpacts = 64;                 // rounds of impacts at one time; more are an error
inline constexpr int kMostAtOnce = 1000;                // events at one time; more are an error
inline constexpr double kSlow = 1e-4;   // [m/s] slower slips keep their direction: u / |u| is noise there
inline constexpr double kNear = 1e-5;   // [rad or m] step of the finite differences for rates of normals, of order 4
inline constexpr int kProjections = 4;  // Newton steps back onto contacts and loops: quadratic, from a small error
inline constexpr double kOnContact = 1e-13;             // [m, m/s] position and velocity errors that need no projection
inline constexpr int kMostRepetitions = 500;            // of normal forces and friction while sliding; more: a paradox
inline constexpr int kUndamped = kMostRepetitions / 8;  // full repetitions; later ones are halved to damp oscillations
inline constexpr double kRepeated = 1e-13;              // of the largest force: repetition has converged
}  // namespace events

}  // namespace sinew
