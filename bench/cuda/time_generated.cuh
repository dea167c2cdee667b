// bench/cuda/time_generated.cuh - times generated kernels of forward and inverse dynamics on a device
// For the programs that write_generated.py writes. Best of twelve launches, one thread for each sample.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace sinew::bench {

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <class R>
class Column {
 public:
  Column(long n, int rows) : n_(n), rows_(rows) { check(cudaMalloc(&data_, n * rows * sizeof(R))); }
  ~Column() { cudaFree(data_); }
  R* data() const { return data_; }
  // Numbers in (-0.5, 0.5); with a quaternion: the first four rows are of unit length.
  void fill(bool quaternion) {
    std::mt19937 random(1);
    std::uniform_real_distribution<R> uniform(R(-0.5), R(0.5));
    std::vector<R> host(n_ * rows_);
    for (R& x : host) x = uniform(random);
    for (long k = 0; quaternion && k < n_; ++k) {
      R square = 0;
      for (int i = 0; i < 4; ++i) square += host[i * n_ + k] * host[i * n_ + k];
      for (int i = 0; i < 4; ++i) host[i * n_ + k] /= std::sqrt(square);
    }
    check(cudaMemcpy(data_, host.data(), host.size() * sizeof(R), cudaMemcpyHostToDevice));
  }

 private:
  long n_;
  int rows_;
  R* data_ = nullptr;
};

// kernel(n, q, v, x, y). A free joint comes first where there are more positions than velocities.
template <class R>
void time_kernel(const char* name, int nq, int nv, void (*kernel)(long, const R*, const R*, const R*, R*)) {
  for (const long n : {4096L, 32768L, 262144L, 1048576L}) {
    Column<R> q(n, nq), v(n, nv), x(n, nv), y(n, nv);
    q.fill(nq > nv), v.fill(false), x.fill(false);
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
    float best = 1e9f;
    for (int k = 0; k < 12; ++k) {
      float ms = 0;
      check(cudaEventRecord(begin));
      kernel<<<(n + 127) / 128, 128>>>(n, q.data(), v.data(), x.data(), y.data());
      check(cudaEventRecord(end)), check(cudaEventSynchronize(end)), check(cudaGetLastError());
      check(cudaEventElapsedTime(&ms, begin, end));
      best = std::min(best, ms);
    }
    std::printf("| %s | %s | %ld | %.3f | %.0f |\n", name, sizeof(R) == 4 ? "float" : "double", n, best,
                n / best / 1e3);
  }
}

}  // namespace sinew::bench
