// tests/compile_fail/spatial.cpp - run.cmake compiles this once for each case; only case 0 may compile
#include "sinew/base/pack_math.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

using namespace sinew;

void use(Motion<double> m, Force<double> f, RigidInertia<double> I, Transform<double> X, NativePack<double> p) {
  InverseInertia<double> Phi = inverse(I);
  (void)(m + m), (void)(f + f), (void)(I * m), (void)(Phi * f), (void)dot(m, f), (void)cross(m, f), (void)(p + p);
  (void)apply(X, m), (void)apply(X, f), (void)apply(X, I);
#if SINEW_CASE == 1
  (void)(m + f);
#elif SINEW_CASE == 2
  (void)dot(m, m);
#elif SINEW_CASE == 3
  (void)cross(f, f);
#elif SINEW_CASE == 4
  f = m;
#elif SINEW_CASE == 5
  (void)(I * f);
#elif SINEW_CASE == 6
  (void)apply(X, m.ang);
#elif SINEW_CASE == 7
  Force<double> wrong = apply(X, m);
#elif SINEW_CASE == 8
  (void)(Phi * m);
#elif SINEW_CASE == 9
  (void)(p * 2.0);
#elif SINEW_CASE == 10
  if (p < p) return;
#endif
}
