// src/sim/tableau.hpp - the numbers of the Runge-Kutta methods
#pragma once
#include "sinew/sim/interpolation.hpp"

namespace sinew {

struct Tableau {
  std::size_t stages;  // that are evaluated for a step, and one more where the last is the next step's first
  double c[kMostStages];
  double a[kMostStages][kMostStages];  // the last row of Dormand and Prince's is b
  double b[kMostStages];
};

inline constexpr Tableau kEuler{1, {0}, {}, {1}};                                  // [F08 11.47]
inline constexpr Tableau kHeun{2, {0, 2. / 3}, {{}, {2. / 3}}, {1. / 4, 3. / 4}};  // [F08 11.50]
inline constexpr Tableau kRungeKutta4{
    4, {0, 0.5, 0.5, 1}, {{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};
inline constexpr Tableau kDormandPrince{7,
                                        {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
                                        {{},
                                         {1. / 5},
                                         {3. / 40, 9. / 40},
                                         {44. / 45, -56. / 15, 32. / 9},
                                         {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                         {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                         {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
                                        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0}};
// b less the weights of the embedded method of order 4.
inline constexpr double kDormandPrinceError[kMostStages] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                                            -17253. / 339200, 22. / 525, -1. / 40};
// Of the continuous extension of order 4 (Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.6).
inline constexpr double kDormandPrinceDense[kMostStages] = {-12715105075. / 11282082432,  0,
                                                            87487479700. / 32700410799,   -10690763975. / 1880347072,
                                                            701980252875. / 199316789632, -1453857185. / 822651844,
                                                            69997945. / 29380423};

inline const Tableau& tableau_of(IntegrationMethod method) {
  switch (method) {
    case IntegrationMethod::euler:
    case IntegrationMethod::semi_implicit_euler: return kEuler;
    case IntegrationMethod::heun: return kHeun;
    case IntegrationMethod::rk4:
    case IntegrationMethod::rkmk4: return kRungeKutta4;
    case IntegrationMethod::dormand_prince: break;
  }
  return kDormandPrince;
}

// b_i(delta)
inline void calc_weights(IntegrationMethod method, double x, double* b) {
  switch (method) {
    case IntegrationMethod::euler:
    case IntegrationMethod::semi_implicit_euler: b[0] = x; return;  // [F08 11.48, 11.49]
    case IntegrationMethod::heun:
      b[0] = x - 0.75 * x * x, b[1] = 0.75 * x * x;  // [F08 11.51]
      return;
    case IntegrationMethod::rk4:
    case IntegrationMethod::rkmk4:
      b[0] = x * (1 + x * (-3. / 2 + x * 2. / 3));
      b[1] = b[2] = x * x * (1 - x * 2. / 3);
      b[3] = x * x * (-1. / 2 + x * 2. / 3);
      return;
    case IntegrationMethod::dormand_prince:
      for (std::size_t i = 0; i < kMostStages; ++i) {
        const double whole = kDormandPrince.b[i], first = (i == 0) - whole, last = whole - (i == 6) - first;
        b[i] = x * (whole + (1 - x) * (first + x * (last + (1 - x) * kDormandPrinceDense[i])));
      }
  }
}

}  // namespace sinew
