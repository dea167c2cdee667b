// sinew/base/config.hpp - what the compiler and the target give us
#pragma once

// A function that runs on the host and, where CUDA compiles it, on the device. SINEW_HD_CALLER goes before a template
// that calls what it is given, and so runs wherever that runs.
#if defined(__CUDACC__)
#define SINEW_HD __host__ __device__ __forceinline__
#define SINEW_HD_CALLER _Pragma("nv_exec_check_disable")
#else
#define SINEW_HD inline __attribute__((always_inline))
#define SINEW_HD_CALLER
#endif

// Bytes in one native vector register. The installed target defines it, so that a user's
// translation unit sees the same pack types as the library.
#if !defined(SINEW_PACK_BYTES)
#if defined(__AVX512F__)
#define SINEW_PACK_BYTES 64
#elif defined(__AVX__)
#define SINEW_PACK_BYTES 32
#else
#define SINEW_PACK_BYTES 16
#endif
#endif
