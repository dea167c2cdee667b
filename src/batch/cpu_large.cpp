// src/batch/cpu_large.cpp - large friction problems of a device without a device, in double
#include "cpu_large.hpp"

namespace sinew::device {

template void solve_large(Order, const Scene<double>&, const Workspace<double>&, const WorldState<double>&);

}  // namespace sinew::device
