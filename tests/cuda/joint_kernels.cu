// tests/cuda/joint_kernels.cu - every primitive joint gives on the device what it gives on the host
//   nvcc -std=c++20 -O2 -Iinclude tests/cuda/joint_kernels.cu -o joint_kernels && ./joint_kernels
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/joint/joint.hpp"

namespace {

using namespace sinew;

constexpr int kSamples = 10000, kKinds = static_cast<int>(JointKind::prescribed);  // primitives come before it

template <class T>
struct Sample {
  JointKind kind;
  T parameter, q[7], v[6];
};
template <class T>
struct Answer {
  JointMotion<T> motion;
  T next[7];  // q moved along v
};

template <class T>
SINEW_HD Answer<T> evaluate(const Sample<T>& s) {
  Answer<T> out{};
  visit_primitive(s.kind, [&](auto joint) {
    joint.calc(s.parameter, s.q, s.v, out.motion);
    joint.integrate(s.q, s.v, out.next);
  });
  return out;
}

template <class T>
__global__ void run(const Sample<T>* in, Answer<T>* out, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = evaluate(in[i]);
}

template <class T>
double compare() {
  Random rng(7);
  std::vector<Sample<T>> in(kSamples);
  for (int i = 0; i < kSamples; ++i) {
    Sample<T>& s = in[std::size_t(i)];
    s.kind = static_cast<JointKind>(i % kKinds);
    s.parameter = T(rng.uniform(-1, 1));
    for (T& x : s.q) x = T(rng.uniform(-1, 1));
    for (T& x : s.v) x = T(rng.uniform(-1, 1));
    visit_primitive(s.kind, [&](auto joint) { joint.normalize(s.q); });
  }
  Sample<T>* device_in = nullptr;
  Answer<T>* device_out = nullptr;
  std::vector<Answer<T>> got(kSamples);
  bool good = cudaMalloc(&device_in, sizeof in[0] * kSamples) == cudaSuccess;
  good = good && cudaMalloc(&device_out, sizeof got[0] * kSamples) == cudaSuccess;
  good = good && cudaMemcpy(device_in, in.data(), sizeof in[0] * kSamples, cudaMemcpyHostToDevice) == cudaSuccess;
  if (good) run<T><<<(kSamples + 127) / 128, 128>>>(device_in, device_out, kSamples);
  good = good && cudaMemcpy(got.data(), device_out, sizeof got[0] * kSamples, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(device_in), cudaFree(device_out);
  if (!good) {
    std::printf("no result from the device: %s\n", cudaGetErrorString(cudaGetLastError()));
    return INFINITY;
  }
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    const Answer<T> want = evaluate(in[std::size_t(i)]);
    const T* a = reinterpret_cast<const T*>(&got[std::size_t(i)]);
    const T* b = reinterpret_cast<const T*>(&want);
    for (std::size_t k = 0; k < sizeof want / sizeof(T); ++k) {
      const double off = std::abs(double(a[k]) - double(b[k]));
      worst = std::isfinite(off) ? std::max(worst, off) : INFINITY;
    }
  }
  return worst;
}

}  // namespace

int main() {
  const double d = compare<double>(), f = compare<float>();
  std::printf("joints, device against host, %d samples over %d kinds: double %.2g, float %.2g\n", kSamples, kKinds, d,
              f);
  return d < 1e-13 && f < 1e-4 ? 0 : 1;
}
