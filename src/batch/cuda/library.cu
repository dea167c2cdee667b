// src/batch/cuda/library.cu - libsinew_cuda.so: kernels of DeviceSimulation, compiled ahead of time
#include "batch/cuda/library.hpp"

#include <cstdio>
#include <exception>

#include "batch/cuda/step_backend.cuh"

namespace {

template <class R>
sinew::device::Backend<R>* make(int device, char* error, std::size_t size) {
  int devices = 0;
  if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
    std::snprintf(error, size, "there is no CUDA device: %s", cudaGetErrorString(found));
    return nullptr;
  }
  if (device < 0 || device >= devices) {
    std::snprintf(error, size, "there is no CUDA device %d: there are %d", device, devices);
    return nullptr;
  }
  try {
    return sinew::cuda::make_backend<R>(device).release();
  } catch (const std::exception& e) {
    std::snprintf(error, size, "%s", e.what());
    return nullptr;
  }
}

}  // namespace

unsigned sinew_cuda_layout() { return sinew::device::calc_shared_layout(); }
sinew::device::Backend<float>* sinew_cuda_make_float(int device, char* error, std::size_t size) {
  return make<float>(device, error, size);
}
sinew::device::Backend<double>* sinew_cuda_make_double(int device, char* error, std::size_t size) {
  return make<double>(device, error, size);
}
