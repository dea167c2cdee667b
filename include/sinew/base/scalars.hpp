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

#define SINEW_FOR_EACH_SCALAR(X) \
  X(double)                      \
  X(float)                       \
  SINEW_FOR_EACH_PACK(X)         \
  X(::sinew::Counted)            \
  X(::sinew::Dual)
