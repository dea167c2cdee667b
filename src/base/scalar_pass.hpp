// src/base/scalar_pass.hpp - the scalars of one pass over the files that compile an algorithm for each scalar
//   #define SINEW_INSTANTIATE(T) template void aba<T>(const Model&, ...);
//   SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
// The build compiles such a file in three passes (SinewLibrary.cmake), to keep every unit short and because the
// scalars of the last pass need no optimization. Code there that is not a template goes into the first pass only:
// SINEW_FIRST_PASS. Algorithms with lists of columns inside gain nothing from packs of samples:
// SINEW_FOR_EACH_SINGLE_SCALAR_HERE.
#pragma once
#include "sinew/base/scalars.hpp"

#if SINEW_SCALAR_PASS == 1 && defined(SINEW_ONE_REAL)
#define SINEW_FIRST_PASS 1
#define SINEW_FOR_EACH_SCALAR_HERE(X) X(double)
#elif SINEW_SCALAR_PASS == 1
#define SINEW_FIRST_PASS 1
#define SINEW_FOR_EACH_SCALAR_HERE(X) SINEW_FOR_EACH_REAL(X)
#elif SINEW_SCALAR_PASS == 2
#define SINEW_FIRST_PASS 0
#define SINEW_FOR_EACH_SCALAR_HERE(X) SINEW_FOR_EACH_PACK(X)
#elif SINEW_SCALAR_PASS == 3
#define SINEW_FIRST_PASS 0
#define SINEW_FOR_EACH_SCALAR_HERE(X) SINEW_FOR_EACH_CHECK(X)
#else
#error "SINEW_SCALAR_PASS is 1, 2 or 3: the build defines it"
#endif
#define SINEW_FOR_EACH_SINGLE_SCALAR_HERE(X) SINEW_FOR_EACH_SCALAR_HERE(X)
