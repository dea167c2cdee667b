// src/batch/cuda/warp_team.cuh - the lanes of a warp as a team: see sinew/batch/kernel/team.hpp
#pragma once
#include <cuda_runtime.h>

#include "sinew/batch/kernel/device_scene.hpp"

namespace sinew::cuda {

struct WarpTeam {
  static constexpr unsigned kAll = 0xffffffffu;
  static constexpr int kLanes = 32;
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }

  template <class F>
  __device__ __forceinline__ void each(int n, F&& f) const {
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) f(i);
    __syncwarp();
  }
  template <class F>
  __device__ __forceinline__ void one(F&& f) const {
    if (lane() == 0) f();
    __syncwarp();
  }
  template <class R, class F>
  __device__ __forceinline__ R max(int n, F&& f) const {
    R most = 0;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) {
      const R x = f(i);
      if (!(x <= most)) most = x == x ? x : device::Numbers<R>::kInfinity;
    }
    if constexpr (sizeof(R) == 4) {
      return __uint_as_float(__reduce_max_sync(kAll, __float_as_uint(most)));
    } else {
      for (int by = kLanes / 2; by > 0; by /= 2) {
        const R other = __shfl_xor_sync(kAll, most, by);
        most = other > most ? other : most;
      }
      return most;
    }
  }
  template <class F>
  __device__ __forceinline__ int find_largest(int n, F&& f) const {
    auto most = decltype(f(0))(-1);
    int best = n;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes)
      if (const auto x = f(i); x > most || best == n) most = x, best = i;
    // The first of equal ones wins, whichever lane has it. Numbers that are not negative are in the order of their
    // bits.
    if constexpr (sizeof most == 4) {
      const unsigned key = most >= 0 ? __float_as_uint(most) + 1 : 0u, top = __reduce_max_sync(kAll, key);
      return __reduce_min_sync(kAll, key == top ? best : n);
    } else {
      for (int by = kLanes / 2; by > 0; by /= 2) {
        const auto other = __shfl_xor_sync(kAll, most, by);
        const int at = __shfl_xor_sync(kAll, best, by);
        if (other > most || (other == most && at < best)) most = other, best = at;
      }
      return best;
    }
  }
  template <class Count, class Put>
  __device__ __forceinline__ int place(int n, Count&& count, Put&& put) const {
    int sum = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += kLanes) {
      const int i = base + lane(), mine = i < n ? count(i) : 0, upto = add_up(mine);
      if (i < n) put(i, sum + upto - mine);
      sum += __shfl_sync(kAll, upto, kLanes - 1);
    }
    __syncwarp();
    return sum;
  }
  template <class Points, class Make, class Put>
  __device__ __forceinline__ int collect(int n, Make&& make, Put&& put) const {
    int sum = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += kLanes) {
      Points points;
      const int i = base + lane(), mine = i < n ? make(i, points) : 0, upto = add_up(mine);
#pragma unroll 1
      for (int k = 0; k < mine; ++k) put(points, k, sum + upto - mine + k);
      sum += __shfl_sync(kAll, upto, kLanes - 1);
    }
    __syncwarp();
    return sum;
  }

 private:
  // The sum of x over the lanes up to this one.
  __device__ __forceinline__ static int add_up(int x) {
    for (int by = 1; by < kLanes; by *= 2) {
      const int other = __shfl_up_sync(kAll, x, by);
      if (lane() >= by) x += other;
    }
    return x;
  }
};

}  // namespace sinew::cuda
