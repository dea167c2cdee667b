// src/batch/cuda/warp_team.cuh - the lanes of a warp as a team: see sinew/batch/kernel/team.hpp
#pragma once
#include <cuda_runtime.h>

#include "sinew/batch/kernel/device_scene.hpp"
#include "sinew/batch/kernel/team.hpp"

namespace sinew::cuda {

struct WarpTeam {
  static constexpr bool kBlock = false;
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
  template <class F>
  __device__ __forceinline__ void publish(F&& f) const {
    __threadfence();
    one(f);
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
  template <class R, class F>
  __device__ __forceinline__ R sum(int n, F&& f) const {
    R out = 0;
#pragma unroll 1
    for (int i = lane(); i < n; i += kLanes) out += f(i);
    for (int by = kLanes / 2; by > 0; by /= 2) out += __shfl_xor_sync(kAll, out, by);
    return out;
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
      const int i = base + lane(), mine = i < n ? make(i, points) : 0;
      converge();
      const int upto = add_up(mine);
#pragma unroll 1
      for (int k = 0; k < mine; ++k) put(points, k, sum + upto - mine + k);
      sum += __shfl_sync(kAll, upto, kLanes - 1);
    }
    __syncwarp();
    return sum;
  }
  // x in registers where there is a lane for each. Upwards all freedoms of a depth at once, since none moves another.
  template <device::Way way, class R>
  __device__ __forceinline__ void substitute(const device::Scene<R>& s, const R* L, R* x) const {
    const int n = s.dofs, l = lane();
    if (n > kLanes) {
#pragma unroll 1
      for (int j = 0; j < n; ++j) {
        const int k = way == device::Way::up ? j : n - 1 - j;
        each(n, [&](int i) {
          const int above = way == device::Way::up ? k : i, below = way == device::Way::up ? i : k;
          if (above < below && below < s.dof[above].end) x[i] -= L[s.dof[below].row + s.dof[above].depth] * x[k];
        });
      }
      return;
    }
    const bool has = l < n;
    const int depth = has ? s.dof[l].depth : 0, row = has ? s.dof[l].row : 0;
    R mine = has ? x[l] : R(0);
    if constexpr (way == device::Way::up) {
      const int most = __reduce_max_sync(kAll, depth);
#pragma unroll 4
      for (int t = 0; t < most; ++t) {
        const int from = t < depth ? s.entry_above[row + t] : l;
        const R by = t < depth ? L[row + t] : R(0);
        mine -= by * __shfl_sync(kAll, mine, from);
      }
    } else {
      const int end = has ? s.dof[l].end : 0;
#pragma unroll 4
      for (int k = n - 1; k > 0; --k) {
        const int of_k = __shfl_sync(kAll, row, k);
        const R by = l < k && k < end ? L[of_k + depth] : R(0);
        mine -= by * __shfl_sync(kAll, mine, k);
      }
    }
    if (has) x[l] = mine;
    __syncwarp();
  }
  // A row per lane, in registers, but for its diagonal. What a row has behind its end is never used.
  template <class R>
  __device__ __forceinline__ bool factor(const device::Scene<R>& s, R* M, R* x, R* line) const {
    constexpr int kMost = device::kRow / 2, kHalf = kMost / 2;
    const int n = s.dofs, l = lane();
    const bool has = l < n;
    const int depth = has ? s.dof[l].depth : 0, row = has ? s.dof[l].row : 0, end = has ? s.dof[l].end : 0;
    if (n > kLanes || __any_sync(kAll, depth > kMost)) return false;
    R a[kMost], diagonal = has ? M[row + depth] : R(1), b = has ? x[l] : R(0);
#pragma unroll
    for (int t = 0; t < kMost; ++t) a[t] = t < depth ? M[row + t] : R(0);
#pragma unroll 1
    for (int k = n - 1; k > 0; --k) {
      R* now = line + (k & 1) * kMost;
      if (l == k) {
        store<0, kHalf>(a, now);
        if (depth > kHalf) store<kHalf, kMost>(a, now);
      }
      const R over = 1 / __shfl_sync(kAll, diagonal, k), by = __shfl_sync(kAll, b, k);
      __syncwarp();
      if (l < k && k < end) {
        const R own = now[depth], f = own * over;
        diagonal -= f * own, b -= f * by;
        take_off<0, kHalf>(a, f, now);
        if (depth > kHalf) take_off<kHalf, kMost>(a, f, now);
      }
    }
    if (has) {
#pragma unroll
      for (int t = 0; t < kMost; ++t)
        if (t < depth) M[row + t] = a[t];
      M[row + depth] = diagonal, x[l] = b;
    }
    __syncwarp();
    return true;
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
  // Waits for all lanes after a long branch. ptxas 13.0 takes the lanes to be together behind one where they are not,
  // and leaves a __syncwarp() out; it cannot know that this mask is of all of them.
  __device__ __forceinline__ static void converge() {
    unsigned below, others;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(others));
    asm volatile("bar.warp.sync %0;" ::"r"(below | others) : "memory");
  }
  // What a lane loads or stores at once.
  template <class R>
  struct alignas(16) Part {
    static constexpr int kCount = 16 / sizeof(R);
    R x[kCount];
  };
  template <int from, int to, class R>
  __device__ __forceinline__ static void store(const R* a, R* row) {
    constexpr int kPart = Part<R>::kCount;
#pragma unroll
    for (int i = from; i < to; i += kPart) {
      Part<R> part;
#pragma unroll
      for (int k = 0; k < kPart; ++k) part.x[k] = a[i + k];
      reinterpret_cast<Part<R>*>(row)[i / kPart] = part;
    }
  }
  // a -= f row
  template <int from, int to, class R>
  __device__ __forceinline__ static void take_off(R* a, const R& f, const R* row) {
    constexpr int kPart = Part<R>::kCount;
#pragma unroll
    for (int i = from; i < to; i += kPart) {
      const Part<R> part = reinterpret_cast<const Part<R>*>(row)[i / kPart];
#pragma unroll
      for (int k = 0; k < kPart; ++k) a[i + k] -= f * part.x[k];
    }
  }
  template <class R>
  struct Elimination {
    R a[kLanes], b, inverse;
    int column;
    bool used;
    // Column j, with at most `most` columns left.
    template <int most>
    __device__ __forceinline__ bool step(int j, R* row, R least) {
      using std::abs;
      constexpr int kPart = Part<R>::kCount;
      const Part<R>* parts = reinterpret_cast<const Part<R>*>(row);
      const int l = lane(), p = find_first_largest(used ? R(-1) : abs(a[0]), l);
      if (l == p) store<0, most>(a, row);
      __syncwarp();
      const R pivot = row[0];
      if (!(abs(pivot) > least) || !(abs(pivot) < device::Numbers<R>::kLargest)) return false;
      const R over = 1 / pivot, f = l == p ? R(0) : a[0] * over;
#pragma unroll
      for (int i = 0; i < most; i += kPart) {
        const Part<R> part = parts[i / kPart];
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
      if (!(most >= 0)) most = -1;  // also what is not a number: lanes must agree
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
