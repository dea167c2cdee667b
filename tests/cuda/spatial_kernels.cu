// tests/cuda/spatial_kernels.cu - the kernel of spatial_kernels.hpp gives on the device what it gives on the host
//   nvcc -std=c++20 -O2 -Iinclude -Itests tests/cuda/spatial_kernels.cu -o spatial_kernels && ./spatial_kernels
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cuda/spatial_kernels.hpp"
#include "sinew/base/random.hpp"
#include "sinew/base/scalars.hpp"

namespace {

using namespace sinew;
using sinew::test::StepInput;
using sinew::test::StepOutput;

constexpr int kSamples = 10000;

StepInput<double> random_input(Random& rng) {
  const auto u = [&] { return rng.uniform(-2, 2); };
  const auto vec = [&] { return Vec3<double>{u(), u(), u()}; };
  const auto inertia = [&] {
    RigidInertia<double> sum{};
    for (int i = 0; i < 6; ++i) sum = sum + make_inertia(rng.uniform(.1, 1), vec(), Sym3<double>{});
    return sum;
  };
  StepInput<double> in;
  in.q = u(), in.qd = u(), in.tau = u();
  in.tree = make_pose(vec(), normalized(Quaternion<double>{u(), u(), u(), u()}));
  in.v = {vec(), vec()};
  in.I = inertia(), in.below = to_articulated(inertia());
  return in;
}

template <class T>
__global__ void run(const StepInput<T>* in, StepOutput<T>* out, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = test::step(in[i]);
}

// Largest difference of any number, over the largest number of the sample. Outputs are arrays of plain numbers.
template <class T, class Number>
double compare(const std::vector<StepInput<double>>& samples) {
  std::vector<StepInput<T>> in;
  for (const auto& s : samples) in.push_back(test::cast<T>(s));
  const std::size_t n = in.size();
  StepInput<T>* device_in = nullptr;
  StepOutput<T>* device_out = nullptr;
  std::vector<StepOutput<T>> got(n);
  bool good = cudaMalloc(&device_in, n * sizeof *device_in) == cudaSuccess;
  good = good && cudaMalloc(&device_out, n * sizeof *device_out) == cudaSuccess;
  good = good && cudaMemcpy(device_in, in.data(), n * sizeof *device_in, cudaMemcpyHostToDevice) == cudaSuccess;
  if (good) run<T><<<unsigned(n + 127) / 128, 128>>>(device_in, device_out, int(n));
  good = good && cudaMemcpy(got.data(), device_out, n * sizeof got[0], cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(device_in), cudaFree(device_out);
  if (!good) {
    std::printf("no result from the device: %s\n", cudaGetErrorString(cudaGetLastError()));
    return INFINITY;
  }
  double worst = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const StepOutput<T> want = test::step(in[k]);
    const auto* a = reinterpret_cast<const Number*>(&got[k]);
    const auto* b = reinterpret_cast<const Number*>(&want);
    double scale = 1, off = 0;
    for (std::size_t i = 0; i < sizeof want / sizeof(Number); ++i) {
      scale = std::max(scale, std::abs(double(b[i])));
      off = std::max(off, std::abs(double(a[i]) - double(b[i])));
      if (!std::isfinite(double(a[i]))) off = INFINITY;
    }
    worst = std::max(worst, off / scale);
  }
  return worst;
}

}  // namespace

int main() {
  Random rng(11);
  std::vector<StepInput<double>> samples;
  for (int i = 0; i < kSamples; ++i) samples.push_back(random_input(rng));
  const double d = compare<double, double>(samples), f = compare<float, float>(samples),
               dual = compare<Dual, double>(samples);
  std::printf("device against host, %d samples: double %.2g, float %.2g, dual %.2g\n", kSamples, d, f, dual);
  return d < 1e-12 && f < 1e-3 && dual < 1e-10 ? 0 : 1;
}
