// sinew/batch/device_library.hpp - CUDA devices, from a library that is loaded when it is asked for
//   DeviceSimulation<float> worlds(model, 32768, {.dt = 5e-3}, device::make_cuda_backend<float>());
// libsinew_cuda.so has the kernels, compiled ahead of time (make cuda-library), and needs nothing but NVIDIA's driver.
// It loads on machines without one, and then says so. It is looked for at $SINEW_CUDA_LIBRARY; if that is not set, in
// the folder of the program or module that has this code, and then where the system looks for libraries.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sinew/batch/device_backend.hpp"

namespace sinew::device {

// Where the library is looked for, in this order.
std::vector<std::string> list_cuda_libraries();

// Worlds on a CUDA device, by its number. Throws std::runtime_error if the library is not found (with what was tried,
// and how to build it), is of another build of Sinew, or finds no such device.
template <class R>
std::unique_ptr<Backend<R>> make_cuda_backend(int device = 0);

// How the structures that the library shares with its user are laid out: equal numbers, equal layouts.
unsigned calc_layout();

}  // namespace sinew::device
