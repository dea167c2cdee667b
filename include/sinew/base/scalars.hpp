// sinew/base/scalars.hpp - the closed set of scalars
// The files in src/ that compile an algorithm for each do so in passes: src/base/scalar_pass.hpp.
#pragma once
#include "sinew/base/counted.hpp"
#include "sinew/base/dual.hpp"

#if defined(__CUDACC__)  // nvcc has no vector types
#define SINEW_FOR_EACH_PACK(X)
#else
#include "sinew/base/pack_math.hpp"
#define SINEW_FOR_EACH_PACK(X)   \
  X(::sinew::NativePack<double>) \
  X(::sinew::NativePack<float>)
#endif

#define SINEW_FOR_EACH_REAL(X) \
  X(double)                    \
  X(float)
#define SINEW_FOR_EACH_CHECK(X) \
  X(::sinew::Counted)           \
  X(::sinew::Dual)

#define SINEW_FOR_EACH_SCALAR(X) \
  SINEW_FOR_EACH_REAL(X)         \
  SINEW_FOR_EACH_PACK(X)         \
  SINEW_FOR_EACH_CHECK(X)
