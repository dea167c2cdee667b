// src/base/traced_pass.hpp - instantiates an algorithm for the tracing scalar, where its other slow scalars are
//   SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
// Beside SINEW_FOR_EACH_SCALAR_HERE, in files whose algorithms are traced: what generate/ offers, and what that calls.
#pragma once
#include "base/scalar_pass.hpp"
#include "sinew/base/traced.hpp"

#if SINEW_SCALAR_PASS == 3
#define SINEW_FOR_TRACED_HERE(X) X(::sinew::Traced)
#else
#define SINEW_FOR_TRACED_HERE(X)
#endif
