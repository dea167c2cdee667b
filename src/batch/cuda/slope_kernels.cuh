// src/batch/cuda/slope_kernels.cuh - derivatives of inverse and forward dynamics on a device, one thread per sample
// Scratch is the thread's local memory, as in kernels.cuh: some 6000 numbers for inverse and 30000 for forward
// dynamics, of models of up to 48 nodes and 64 freedoms. The device keeps it for all threads that it can run at once.
#pragma once
#include "batch/cuda/launch.cuh"
#include "batch/cuda/sample_slopes.hpp"

namespace sinew::cuda {

// Arrays of all samples; entry (i, j) of sample k of a matrix at [(i * nv + j) * samples + k].
template <class R>
struct SlopeArrays {
  const R *q, *v, *x;
  R *y, *dq, *dv, *M;
  std::size_t samples;

  __device__ __forceinline__ SlopeSample<R> sample(std::size_t k) const {
    return {{q + k, samples},  {v + k, samples},  {x + k, samples}, {y + k, samples},
            {dq + k, samples}, {dv + k, samples}, {M + k, samples}};
  }
};

template <class R, int kLinks, int kDofs, int kJoints>
__global__ void __launch_bounds__(kBlock)
    rnea_slopes_kernel(const __grid_constant__ DeviceModel<R> m, const SlopeTables tables, const SlopeArrays<R> all) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k < all.samples) calc_inverse_slopes<R, kLinks, kDofs, kJoints>(m, tables, all.sample(k));
}
template <class R, int kLinks, int kDofs, int kSlots, int kJoints>
__global__ void __launch_bounds__(kBlock)
    aba_slopes_kernel(const __grid_constant__ DeviceModel<R> m, const SlopeTables tables, const SlopeArrays<R> all) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k < all.samples) calc_forward_slopes<R, kLinks, kDofs, kSlots, kJoints>(m, tables, all.sample(k));
}

// tau, dtau/dq, dtau/dv and M. False if the model is larger than the kernels. Errors of the launch are left to
// cudaGetLastError.
template <class R>
bool launch_rnea_derivatives(const DeviceModel<R>& m, const SlopeTables& tables, const R* q, const R* v, const R* a,
                             R* tau, R* dtau_dq, R* dtau_dv, R* M, std::size_t samples, cudaStream_t stream = nullptr) {
  if (m.freedoms > kMaxMassDofs) return false;
  const SlopeArrays<R> all{q, v, a, tau, dtau_dq, dtau_dv, M, samples};
  return with_sizes(m, [&](const auto&, auto n, auto, auto j) {
    rnea_slopes_kernel<R, n.value, kMaxMassDofs, j.value><<<blocks_for(samples), kBlock, 0, stream>>>(m, tables, all);
  });
}
// a, da/dq, da/dv and M^-1. Entries between different trees are not written: clear the matrices once.
template <class R>
bool launch_aba_derivatives(const DeviceModel<R>& m, const SlopeTables& tables, const R* q, const R* v, const R* tau,
                            R* a, R* da_dq, R* da_dv, R* Minv, std::size_t samples, cudaStream_t stream = nullptr) {
  if (m.freedoms > kMaxMassDofs) return false;
  const SlopeArrays<R> all{q, v, tau, a, da_dq, da_dv, Minv, samples};
  return with_sizes(m, [&](const auto&, auto n, auto s, auto j) {
    aba_slopes_kernel<R, n.value, kMaxMassDofs, s.value, j.value>
        <<<blocks_for(samples), kBlock, 0, stream>>>(m, tables, all);
  });
}

}  // namespace sinew::cuda
