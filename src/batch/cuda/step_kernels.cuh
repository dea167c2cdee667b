// src/batch/cuda/step_kernels.cuh - the phases of a step as kernels, a warp for each world
#pragma once
#include "batch/cuda/step_work.cuh"
#include "sinew/batch/kernel/device_observation.hpp"
#include "sinew/batch/kernel/device_step.hpp"

namespace sinew::cuda {

__device__ __forceinline__ std::size_t round_up(std::size_t bytes) {
  return (bytes + sizeof(uint4) - 1) / sizeof(uint4) * sizeof(uint4);
}
// Both begin at multiples of 16 bytes.
__device__ __forceinline__ void copy(void* to, const void* from, std::size_t bytes) {
  constexpr int kAtOnce = 6;
  const int n = static_cast<int>(bytes / sizeof(uint4));
#pragma unroll 1
  for (int base = WarpTeam::lane(); base < n; base += kAtOnce * WarpTeam::kLanes) {
    uint4 x[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int at = base + i * WarpTeam::kLanes; at < n) x[i] = static_cast<const uint4*>(from)[at];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int at = base + i * WarpTeam::kLanes; at < n) static_cast<uint4*>(to)[at] = x[i];
  }
  __syncwarp();
}

// What the check of an answer reads here and there is in a copy at `to`, in place of `from`.
template <class R>
__device__ __forceinline__ void move_answer(device::Workspace<R>& w, const char* from, char* to) {
  const auto move = [&]<class T>(T*& p) { p = reinterpret_cast<T*>(to + (reinterpret_cast<const char*>(p) - from)); };
  device::LawData<R>& p = w.problem;
  move(w.touch), move(w.stop), move(w.row_of), move(w.of_row), move(w.progress), move(w.limit);
  move(p.q), move(p.lower), move(p.upper), move(p.mu), move(p.z), move(p.u);
}

// After the check of an answer: the world joins those that it is to be with next, or is taken on.
template <class R>
__device__ __forceinline__ void leave(const WarpTeam& team, const device::Scene<R>& s, const device::Workspace<R>& w,
                                      const device::WorldState<R>& state, const Work& work, std::size_t world,
                                      device::Cause after) {
  const device::Cause cause = state.report->cause;
  if (cause == device::Cause::waiting) work.others.add(world);
  if (cause == device::Cause::delayed) work.delayed.add(world);
  if (cause == device::Cause::answered) {
    if (device::keeps_limits(team, s, w, state)) team.one([&] { --work.left[world]; });
    device::finish_step(team, s, w, state, after);
  }
}

// A warp per world. Each phase is a kernel of its own: all of them together do not fit the cache of instructions. As
// many warps as fit take worlds until none is left.
template <class R, Phase phase>
__global__ void __launch_bounds__(WarpTeam::kLanes, warps_per_processor(phase))
    step_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all,
                const __grid_constant__ KeptMemory kept, const __grid_constant__ Work work) {
  extern __shared__ __align__(16) char near[];
  constexpr bool kLoads =
      phase == Phase::pose || phase == Phase::check || phase == Phase::again || phase == Phase::rest;
  const WarpTeam team;
  const int before = work.first.worlds == nullptr ? 0 : *work.first.size;
  const int count = before + (work.from.worlds == nullptr ? work.count : *work.from.size);
  const auto take = [&] { return WarpTeam::lane() == 0 ? atomicAdd(work.taken, 1) : 0; };
  int next = take();
#pragma unroll 1
  for (;;) {
    const int item = __shfl_sync(WarpTeam::kAll, next, 0);
    if (item >= count) return;
    next = take();  // one ahead: nobody waits for it
    const std::size_t world = static_cast<std::size_t>(item < before                 ? work.first.worlds[item]
                                                       : work.from.worlds == nullptr ? item
                                                                                     : work.from.worlds[item - before]);
    constexpr device::Cause kTaken = phase == Phase::prepare ? device::Cause::none
                                     : phase == Phase::rest  ? device::Cause::delayed
                                                             : device::Cause::waiting;
    if (all.report[world].cause != kTaken || (phase == Phase::prepare && work.left[world] == 0)) continue;
    char* far = kept.data + world * kept.per_world;
    device::Workspace<R> w;
    constexpr bool kAlone = kCollides<phase> || phase == Phase::solve;
    const device::WorkspaceBytes size = device::lay_out<R>(s, near, far + kept.near, w, kAlone);
    const device::WorldState<R> state(s, all, world);
    const device::Scene<R> own = device::scene_of(s, world);
    w.q = state.q;
    if constexpr (kLoads) copy(near, far, kept.near);
    [[maybe_unused]] char* const answer = far + kept.near;
    [[maybe_unused]] const std::size_t touches =
        phase == Phase::check ? round_up(all.report[world].contacts * sizeof(device::Touch<R>)) : 0;
    if constexpr (phase == Phase::check) {
      copy(near + size.check, answer, touches);
      copy(near + size.check + size.touches, answer + size.touches, size.answer - size.touches);
      move_answer(w, answer, near + size.check);
    }
    if constexpr (phase == Phase::prepare) device::prepare_step(team, own, w, state);
    if constexpr (phase == Phase::collide) device::collide_step<device::Colliders::round>(team, own, w, state);
    if constexpr (phase == Phase::collide_convex) device::collide_step<device::Colliders::convex>(team, own, w, state);
    if constexpr (phase == Phase::collide_all) device::collide_step<device::Colliders::all>(team, own, w, state);
    if constexpr (phase == Phase::pose) {
      const bool slow = state.report->newtons > Work::kMany;  // in the last step
      const int rows = device::pose_step(team, own, w, state), pass = device::find_pass(s, rows);
      (rows > s.room ? work.others : slow ? work.slow[pass] : work.fit[pass]).add(world);
    }
    if constexpr (phase == Phase::solve) device::solve_step(team, own, w, state);
    if constexpr (phase == Phase::check) device::check_step(team, own, w, state);
    if constexpr (phase == Phase::again) device::solve_rest<device::Effort::quick>(team, own, w, state);
    if constexpr (phase == Phase::rest) device::solve_rest<device::Effort::all>(team, own, w, state);
    if constexpr (phase == Phase::check || phase == Phase::again || phase == Phase::rest)
      leave(team, own, w, state, work, world, phase == Phase::rest ? device::Cause::finished : device::Cause::none);
    if constexpr (phase == Phase::check)
      if (const auto& r = *state.report; r.limit_rounds > 0 || r.cause != device::Cause::none) {
        copy(answer, near + size.check, touches);
        copy(answer + size.touches, near + size.check + size.touches, size.answer - size.touches);
      }
    if constexpr (phase == Phase::prepare) copy(far, near, kept.near);
  }
}

// Steps of a call, for each world.
template <class R>
__global__ void begin_kernel(const device::WorldReport<R>* report, int worlds, int steps, int* left) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < worlds) left[i] = report[i].cause == device::Cause::none ? steps : 0;
}
// Takes on what was finished meanwhile, and counts worlds that have steps left. What another kernel wrote about a world
// is read by those that come after this one.
template <class R>
__global__ void take_on_kernel(device::WorldReport<R>* report, int worlds, const int* left, int* lagging) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= worlds) return;
  volatile device::Cause* cause = &report[i].cause;
  const bool finished = *cause == device::Cause::finished;
  __threadfence();
  if (finished) *cause = device::Cause::none;
  const bool goes_on = finished || *cause == device::Cause::none || *cause == device::Cause::delayed;
  if (goes_on && left[i] > 0) atomicAdd(lagging, 1);
}

template <class R>
__global__ void __launch_bounds__(WarpTeam::kLanes)
    observe_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all,
                   const __grid_constant__ device::ObservationTable<R> table) {
  extern __shared__ __align__(16) char near[];
  const std::size_t world = blockIdx.x;
  device::Workspace<R> w;
  device::lay_out<R>(s, near, nullptr, w);
  w.q = all.q + world * static_cast<std::size_t>(s.nq);
  device::observe_world(WarpTeam{}, device::scene_of(s, world), w, all, world, table);
}

template <class R>
__global__ void __launch_bounds__(WarpTeam::kLanes)
    reset_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all) {
  if (all.mask[blockIdx.x] != 0) device::reset_world(WarpTeam{}, s, device::WorldState<R>(s, all, blockIdx.x));
}

}  // namespace sinew::cuda
