// src/batch/cuda/warp_team.cuh - the lanes of a warp as a team: see sinew/batch/kernel/team.hpp
#pragma once
#include <cuda_runtime.h>

#include "sinew/batch/kernel/device_scene.hpp"
#include "sinew/batch/kernel/team.hpp"

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
    return find_first_largest(most, best);
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
  template <class Test, class Put>
  __device__ __forceinline__ int choose(int n, Test&& test, Put&& put) const {
    int sum = 0;
#pragma unroll 1
    for (int base = 0; base < n; base += kLanes) {
      const int i = base + lane();
      const bool passes = i < n && test(i);
      const unsigned all = __ballot_sync(kAll, passes);
      if (passes) put(i, sum + __popc(all & ((1u << lane()) - 1)));
      sum += __popc(all);
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
  // x in registers where there is a lane for each.
  template <device::Way way, class R, class F>
  __device__ __forceinline__ void substitute(int n, R* x, F&& f) const {
    const auto at = [&](int j) { return way == device::Way::up ? j : n - 1 - j; };
    if (n > kLanes) {
#pragma unroll 1
      for (int j = 0; j < n; ++j) {
        const int k = at(j);
        each(n, [&](int i) {
          if (i != k) x[i] -= f(i, k) * x[k];
        });
      }
      return;
    }
    const int l = lane();
    R mine = l < n ? x[l] : R(0);
#pragma unroll 4
    for (int j = 0; j < n; ++j) {
      const int k = at(j);
      const R by = l < n && l != k ? f(l, k) : R(0);
      mine -= by * __shfl_sync(kAll, mine, k);
    }
    if (l < n) x[l] = mine;
    __syncwarp();
  }
  // A row per lane, in registers; columns move one register down as they are eliminated.
  template <class R>
  __device__ __forceinline__ bool eliminate(int n, const R* A, int stride, R* row, R* x, R least, bool& ok) const {
    if (n > kLanes) return false;
    const int l = lane();
    Elimination<R> e{{}, l < n ? A[l * stride + n] : R(0), 0, 0, l >= n};
    const auto load = [&]<int from, int to>() {
#pragma unroll
      for (int i = from; i < to; ++i) e.a[i] = l < n && i < n ? A[l * stride + i] : R(0);
    };
    load.template operator()<0, 12>();
    if (n > 12) load.template operator()<12, 20>();
    if (n > 20) load.template operator()<20, kLanes>();
    ok = true;
    int j = 0;
#pragma unroll 1
    for (; ok && n - j > 20; ++j) ok = e.template step<kLanes>(j, row, least);
#pragma unroll 1
    for (; ok && n - j > 12; ++j) ok = e.template step<20>(j, row, least);
#pragma unroll 1
    for (; ok && j < n; ++j) ok = e.template step<12>(j, row, least);
    __syncwarp();
    if (l < n) x[e.column] = e.b * e.inverse;
    __syncwarp();
    return true;
  }

 private:
  template <class R>
  struct Elimination {
    R a[kLanes], b, inverse;
    int column;
    bool used;
    // Column j, with at most `most` columns left.
    template <int most>
    __device__ __forceinline__ bool step(int j, R* row, R least) {
      using std::abs;
      constexpr int kPart = 16 / sizeof(R);
      struct alignas(16) Part {
        R x[kPart];
      };
      Part* parts = reinterpret_cast<Part*>(row);
      const int l = lane(), p = find_first_largest(used ? R(-1) : abs(a[0]), l);
      if (l == p)
#pragma unroll
        for (int i = 0; i < most; i += kPart) {
          Part part;
#pragma unroll
          for (int k = 0; k < kPart; ++k) part.x[k] = a[i + k];
          parts[i / kPart] = part;
        }
      __syncwarp();
      const R pivot = row[0];
      if (!(abs(pivot) > least) || !(abs(pivot) < device::Numbers<R>::kLargest)) return false;
      const R over = 1 / pivot, f = l == p ? R(0) : a[0] * over;
#pragma unroll
      for (int i = 0; i < most; i += kPart) {
        const Part part = parts[i / kPart];
#pragma unroll
        for (int k = 0; k < kPart; ++k)
          if (i + k > 0) a[i + k - 1] = a[i + k] - f * part.x[k];
      }
      b -= f * __shfl_sync(kAll, b, p);
      if (l == p) used = true, column = j, inverse = over;
      __syncwarp();
      return true;
    }
  };
  // The first of equal ones wins, whichever lane has it. Numbers that are not negative are in the order of their bits.
  template <class R>
  __device__ __forceinline__ static int find_first_largest(R most, int best) {
    if constexpr (sizeof most == 4) {
      const unsigned key = most >= 0 ? __float_as_uint(most) + 1 : 0u, top = __reduce_max_sync(kAll, key);
      return __reduce_min_sync(kAll, key == top ? best : 0x7fffffff);
    } else {
      for (int by = kLanes / 2; by > 0; by /= 2) {
        const R other = __shfl_xor_sync(kAll, most, by);
        const int at = __shfl_xor_sync(kAll, best, by);
        if (other > most || (other == most && at < best)) most = other, best = at;
      }
      return best;
    }
  }
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
