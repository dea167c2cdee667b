// tests/compile_fail/spatial.cpp - expressions that mix motions, forces and inertias are refused
// run.cmake compiles it without its last lines, which must do, and with them, where each must be refused.
#include "sinew/base/pack_math.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

using namespace sinew;

void use(Motion<double> m, Force<double> f, RigidInertia<double> I, Transform<double> X, NativePack<double> p) {
  InverseInertia<double> Phi = inverse(I);
  (void)(m + m), (void)(f + f), (void)(I * m), (void)(Phi * f), (void)dot(m, f), (void)cross(m, f), (void)(p + p);
  (void)apply(X, m), (void)apply(X, f), (void)apply(X, I);
#ifdef SINEW_REFUSED
#line 1 "refused"
  (void)(m + f);
  (void)dot(m, m);
  (void)cross(f, f);
  f = m;
  (void)(I * f);
  (void)apply(X, m.ang);
  Force<double> wrong = apply(X, m);
  (void)(Phi * m);
  (void)(p * 2.0);
  if (p < p) return;
#endif
}
