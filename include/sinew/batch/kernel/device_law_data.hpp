// sinew/batch/kernel/device_law_data.hpp - a friction problem of one world, and what its solution needs
#pragma once
#include "sinew/base/config.hpp"

namespace sinew::device {

// A row of its own, or the three rows of a contact, in a friction problem: see device_law.hpp.
template <class R>
struct LawBlock {
  R inverse{};   // 1 / W_nn; 0: nothing moves it
  R g1{}, g2{};  // W_tn / W_nn
  R mu{};
  R s11{}, s12{}, s22{};  // W_tt - g W_nt
  R ratio{};              // of slip to friction, in the last sweep
  // Of a Newton step:
  R scale{};                // of its unknowns
  R d1{}, d2{};             // direction of sliding
  R share{};                // of the radius of the cone in the point that is projected
  int kind = 0, first = 0;  // how many unknowns; the first
};
// An unknown of a Newton step, and its equation.
template <class R>
struct LawUnknown {
  int row = 0;         // of the problem: the first that both speak of
  R c0{}, c1{}, c2{};  // the change of z in that row and the next ones
  R l0{}, l1{};        // the sum of velocities there that is wanted zero
  R more{};            // on the diagonal
};
// A block on its way through the inside of its cone or bounds: see device_interior.hpp.
template <class R>
struct InteriorBlock {
  int moving = 0;         // how many of its rows, the first ones, are unknowns
  R lower{}, upper{};     // of the first
  R push[2] = {};         // multipliers of these bounds; 0: there is none
  R w[3] = {}, factor{};  // of the scaling factor (2 w w^T - diag(1, -1, -1)), which takes x to y
};
// Every `step`-th number from the first one on.
template <class R>
struct Strided {
  R* first = nullptr;
  int step = 1;
  SINEW_HD R& operator[](int i) const { return first[i * step]; }
};
// Columns that an elimination of a large matrix takes at once.
inline constexpr int kPanel = 8;

template <class R>
struct LawData {
  int singles = 0, contacts = 0, rows = 0;
  int stride = 0, stride_of_A = 0;
  R scale = 1;                           // [m/s] residuals are relative to it
  R* W = nullptr;                        // (rows x stride)
  R* q = nullptr;                        // (rows) velocities without impulses
  R *lower = nullptr, *upper = nullptr;  // (rows) of singles
  R* mu = nullptr;                       // (contacts)
  R* z = nullptr;                        // (rows) the start, and the answer
  R* u = nullptr;                        // (rows) velocities
  // Of the solution only:
  R* other = nullptr;                // (rows) iterates of Newton's method
  R* A = nullptr;                    // (rows x stride_of_A) of a Newton step, with its right-hand side
  LawBlock<R>* block = nullptr;      // (rows)
  LawUnknown<R>* unknown = nullptr;  // (rows)
  int* pivot = nullptr;              // (rows) of a column
  int* used = nullptr;               // (rows) as pivot
  R* line = nullptr;                 // (kRow) scratch
  // Of large problems only (device_large.hpp):
  R* panel = nullptr;  // (kPanel x (2 rows + 1)) scratch of an elimination
  int motions = 0;     // freedoms: no more unknowns are independent
  // Of hard problems only:
  R *next = nullptr, *held = nullptr;             // (rows) where a Newton step leads; velocities where it begins
  R *x = nullptr, *y = nullptr, *unit = nullptr;  // (rows) of the interior point: impulses, velocities, z over x
  InteriorBlock<R>* inside = nullptr;             // (rows)
};

}  // namespace sinew::device
