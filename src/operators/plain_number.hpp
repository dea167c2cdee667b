// src/operators/plain_number.hpp - the number behind a scalar, to decide by
#pragma once
#include "sinew/base/counted.hpp"

namespace sinew::sko {

inline double plain_number(double x) { return x; }
inline double plain_number(const Counted& x) { return x.value; }

}  // namespace sinew::sko
