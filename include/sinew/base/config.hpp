// sinew/base/config.hpp - macros that depend on the compiler and the target
#pragma once

// SINEW_HD marks a function that runs on the host and, where CUDA compiles it, on the device too. SINEW_HD_CALLER goes
// before a template that calls a function it is given: the template runs where that function runs. SINEW_INLINE_LAMBDA
// goes between a lambda's parameters and its body.
#if defined(__CUDACC__)
#define SINEW_HD __host__ __device__ __forceinline__
#define SINEW_HD_CALLER _Pragma("nv_exec_check_disable")
#define SINEW_INLINE_LAMBDA
#elif defined(SINEW_COMPILE_QUICKLY)  // for scalars that count or differentiate: they are slow anyway
#define SINEW_HD inline
#define SINEW_HD_CALLER
#define SINEW_INLINE_LAMBDA
#else
#define SINEW_HD inline __attribute__((always_inline))
#define SINEW_HD_CALLER
#define SINEW_INLINE_LAMBDA __attribute__((always_inline))
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
