// sinew/base/large_function.hpp - SINEW_HD_LARGE: as SINEW_HD, for a function that is too large to repeat at every call
#pragma once
#include "sinew/base/config.hpp"

#if defined(__CUDACC__)
#define SINEW_HD_LARGE __host__ __device__ __noinline__
#else
#define SINEW_HD_LARGE
#endif
