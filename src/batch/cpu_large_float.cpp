// src/batch/cpu_large_float.cpp - large friction problems of a device without a device, in float
#include "cpu_large.hpp"

namespace sinew::device {

template void solve_large(Order, const Scene<float>&, const Workspace<float>&, const WorldState<float>&);

}  // namespace sinew::device
