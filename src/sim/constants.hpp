// src/sim/constants.hpp - the constants of the steps, with the reason for each
#pragma once
#include <limits>

namespace sinew {

// ---- Steps in time (simulation.cpp)
namespace stepping {
inline constexpr int kMostCollisions = 8;  // rounds of one step: what bounces on then is stopped by the step itself
inline constexpr int kMostStopRounds = 3;  // times that stops are added that the step turned out to pass
inline constexpr double kDeep = 0.1;       // of the recovery speed: only overlaps that ask for more are given up
inline constexpr int kStuckSteps = 256;    // then stuck overlaps are tried again: they may have come free
inline constexpr int kRoom = 64;           // contacts, and joint rows, that room is made for at the start, at most:
                                           // room is quadratic in them; larger steps grow it
inline constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();  // of the lengths behind a gap
}  // namespace stepping

// ---- From event to event (event_driven.cpp, event_friction.cpp, held_contacts.cpp, rough_contacts.cpp)
namespace events {
inline constexpr double kForceTolerance = 1e-9;         // of the largest force: a contact that pulls less does not pull
inline constexpr double kAccelerationTolerance = 1e-8;  // of the largest: a contact that parts slower stays
inline constexpr double kDeepestStart = 1e-6;           // [m] more overlap is refused as a state to start from
inline constexpr int kMostImpacts = 64;                 // rounds of impacts at one time: then it is refused
inline constexpr int kMostAtOnce = 1000;                // events at one time: then it is refused, and not endless
inline constexpr double kSlow = 1e-4;        // [m/s] slower slips keep their direction: the quotient is noise there
inline constexpr double kNear = 1e-5;        // [rad or m] step of the differences for rates of normals: error e^4
inline constexpr int kProjections = 4;       // Newton steps back onto contacts and loops: quadratic, from a small error
inline constexpr double kOnContact = 1e-13;  // [m, m/s] position and velocity errors that need no projection
inline constexpr int kMostRepetitions = 500;  // of normal forces and friction of sliding contacts: then it is a paradox
inline constexpr int kUndamped = kMostRepetitions / 8;  // of them; later ones go half the way, for those that swing
inline constexpr double kRepeated = 1e-13;              // of the largest force: repetition has converged
}  // namespace events

}  // namespace sinew
