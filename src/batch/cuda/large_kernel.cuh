// src/batch/cuda/large_kernel.cuh - the phases of a step that solve large problems, a block of warps for each world
#pragma once
#include "batch/cuda/block_team.cuh"
#include "batch/cuda/step_kernels.cuh"

namespace sinew::cuda {

// A block of warps per world, for again and rest of large problems; the first warp does what is small.
template <class R, Phase phase>
__global__ void __launch_bounds__(BlockTeam::kLanes, 4)
    large_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all,
                 const __grid_constant__ KeptMemory kept, const __grid_constant__ Work work) {
  extern __shared__ __align__(16) char near[];
  __shared__ BlockTeam::Board board;
  constexpr bool kRest = phase == Phase::rest_large;
  const BlockTeam team(board);
  const bool first_warp = threadIdx.x < WarpTeam::kLanes;
  const int count = *work.from.size;
#pragma unroll 1
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) board.item = atomicAdd(work.taken, 1);
    __syncthreads();
    const int item = board.item;
    if (item >= count) return;
    const std::size_t world = static_cast<std::size_t>(work.from.worlds[item]);
    if (all.report[world].cause != (kRest ? device::Cause::delayed : device::Cause::waiting)) continue;
    char* far = kept.data + world * kept.per_world;
    device::Workspace<R> w;
    device::lay_out<R>(s, near, far + kept.near, w, false, work.matrices + blockIdx.x * work.matrix_bytes);
    const device::WorldState<R> state(s, all, world);
    const device::Scene<R> own = device::scene_of(s, world);
    w.q = state.q;
    if (first_warp) copy(near, far, kept.near);
    __syncthreads();
    device::solve_rest<kRest ? device::Effort::all : device::Effort::quick>(team, own, w, state);
    if (first_warp)
      leave(WarpTeam{}, own, w, state, work, world, kRest ? device::Cause::finished : device::Cause::none);
  }
}

}  // namespace sinew::cuda
