// src/batch/cuda/block_team.cuh - a block of warps as a team: see sinew/batch/kernel/team.hpp
// For problems of many rows. What a loop over lanes leaves in memory is there for all lanes after it, as in a warp; all
// lanes of the block come to every call.
#pragma once
#include "batch/cuda/warp_team.cuh"

namespace sinew::cuda {

class BlockTeam {
 public:
  static constexpr bool kBlock = true;
  static constexpr int kWarps = 4, kLanes = kWarps * WarpTeam::kLanes;
  // In shared memory, one of a block: what warps tell each other.
  struct Board {
    double number[kWarps];
    int index[kWarps];
    int item;  // of the kernel
  };
  __device__ __forceinline__ explicit BlockTeam(Board& board) : board_(board) {}
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x); }

  template <class F>
  __device__ __forceinline__ void each(int n, F&& f) const {
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) f(i);
    __syncthreads();
  }
  template <class F>
  __device__ __forceinline__ void one(F&& f) const {
    if (lane() == 0) f();
    __syncthreads();
  }
  template <class R, class F>
  __device__ __forceinline__ R max(int n, F&& f) const {
    R most = 0;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) {
      const R x = f(i);
      if (!(x <= most)) most = x == x ? x : device::Numbers<R>::kInfinity;
    }
    return merge(most, [](R a, R b) { return b > a ? b : a; });
  }
  template <class R, class F>
  __device__ __forceinline__ R sum(int n, F&& f) const {
    R out = 0;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) out += f(i);
    return merge(out, [](R a, R b) { return a + b; });
  }
  // Of equal ones the first; what is not a number counts as -1.
  template <class F>
  __device__ __forceinline__ int find_largest(int n, F&& f) const {
    using R = decltype(f(0));
    R most = -1;
    int best = n;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes)
      if (const R x = f(i); x > most || best == n) most = x >= 0 ? x : R(-1), best = i;
    const auto see = [&](R x, int i) {
      if (x > most || (x == most && i < best)) most = x, best = i;
    };
    for (int by = WarpTeam::kLanes / 2; by > 0; by /= 2) {
      const R x = __shfl_xor_sync(WarpTeam::kAll, most, by);
      const int i = __shfl_xor_sync(WarpTeam::kAll, best, by);
      see(x, i);
    }
    __syncthreads();
    if (WarpTeam::lane() == 0) board_.number[warp()] = most, board_.index[warp()] = best;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < kWarps; ++w) see(static_cast<R>(board_.number[w]), board_.index[w]);
    return best;
  }
  template <class Count, class Put>
  __device__ __forceinline__ int place(int n, Count&& count, Put&& put) const {
    int sum = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += kLanes) {
      const int i = base + lane(), mine = i < n ? count(i) : 0;
      int upto = mine;
      for (int by = 1; by < WarpTeam::kLanes; by *= 2) {
        const int other = __shfl_up_sync(WarpTeam::kAll, upto, by);
        if (WarpTeam::lane() >= by) upto += other;
      }
      __syncthreads();
      if (WarpTeam::lane() == WarpTeam::kLanes - 1) board_.index[warp()] = upto;
      __syncthreads();
      int first = sum;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) {
        if (w < warp()) first += board_.index[w];
        sum += board_.index[w];
      }
      if (i < n) put(i, first + upto - mine);
    }
    __syncthreads();
    return sum;
  }
  template <device::Way way, class R>
  __device__ __forceinline__ void substitute(const device::Scene<R>& s, const R* L, R* x) const {
    if (warp() == 0) WarpTeam{}.substitute<way>(s, L, x);
    __syncthreads();
  }

 private:
  __device__ __forceinline__ static int warp() { return lane() / WarpTeam::kLanes; }
  // Of all lanes, always in the same order.
  template <class R, class F>
  __device__ __forceinline__ R merge(R mine, F&& both) const {
    for (int by = WarpTeam::kLanes / 2; by > 0; by /= 2) mine = both(mine, __shfl_xor_sync(WarpTeam::kAll, mine, by));
    __syncthreads();  // all have read what was there
    if (WarpTeam::lane() == 0) board_.number[warp()] = mine;
    __syncthreads();
    R out = static_cast<R>(board_.number[0]);
#pragma unroll
    for (int w = 1; w < kWarps; ++w) out = both(out, static_cast<R>(board_.number[w]));
    return out;
  }

  Board& board_;
};

}  // namespace sinew::cuda
