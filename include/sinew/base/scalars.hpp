// sinew/base/scalars.hpp - the closed set of scalars, for the files in src/ that compile an algorithm for each
//   #define SINEW_INSTANTIATE(T) template void aba<T>(const Model&, ...);
//   SINEW_FOR_EACH_SCALAR(SINEW_INSTANTIATE)
#pragma once
#include "sinew/base/counted.hpp"
#include "sinew/base/dual.hpp"

#if defined(__CUDACC__)  // which knows no vector types
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

// The build compiles a long file once for each group, to keep every translation unit short (SinewLibrary.cmake).
// Algorithms with lists of columns inside have nothing to gain from packs of samples: SINEW_FOR_EACH_SINGLE_SCALAR.
#if defined(SINEW_ONLY_DOUBLE)  // for tools that read the code
#define SINEW_FOR_EACH_SINGLE_SCALAR(X) X(double)
#define SINEW_FOR_EACH_SCALAR(X) X(double)
#elif !defined(SINEW_SCALAR_GROUP)
#define SINEW_FOR_EACH_SINGLE_SCALAR(X) \
  SINEW_FOR_EACH_REAL(X)                \
  SINEW_FOR_EACH_CHECK(X)
#define SINEW_FOR_EACH_SCALAR(X) \
  SINEW_FOR_EACH_REAL(X)         \
  SINEW_FOR_EACH_PACK(X)         \
  SINEW_FOR_EACH_CHECK(X)
#elif SINEW_SCALAR_GROUP == 1
#define SINEW_FOR_EACH_SCALAR(X) SINEW_FOR_EACH_REAL(X)
#define SINEW_FOR_EACH_SINGLE_SCALAR(X) SINEW_FOR_EACH_REAL(X)
#elif SINEW_SCALAR_GROUP == 2
#define SINEW_FOR_EACH_SCALAR(X) SINEW_FOR_EACH_PACK(X)
#else
#define SINEW_FOR_EACH_SCALAR(X) SINEW_FOR_EACH_CHECK(X)
#define SINEW_FOR_EACH_SINGLE_SCALAR(X) SINEW_FOR_EACH_CHECK(X)
#endif
