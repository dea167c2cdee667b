// bench/cuda/tree_driver.cu - the sweeps on a device: right, and how fast. tree_driver CASE...
//   nvcc -std=c++20 -O3 -arch=sm_90 -Iinclude -Isrc -o tree_driver bench/cuda/tree_driver.cu
#include <algorithm>
#include <cmath>

#include "batch/cuda/slope_kernels.cuh"
#include "batch/cuda/uploaded_model.cuh"
#include "tree_case.hpp"

using namespace sinew;

namespace {

using cuda::check;
template <class R>
using Device = cuda::DeviceArray<R>;

// Samples of the case again and again, component by component.
template <class R>
std::vector<R> spread(const std::vector<double>& rows, int width, int samples, std::size_t count) {
  std::vector<R> out(static_cast<std::size_t>(width) * count);
  for (std::size_t k = 0; k < count; ++k)
    for (int i = 0; i < width; ++i)
      out[static_cast<std::size_t>(i) * count + k] =
          static_cast<R>(rows[(k % static_cast<std::size_t>(samples)) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(i)]);
  return out;
}
// Errors of the samples, each relative to its sample's largest entry: the middle one and the largest.
struct Errors {
  double middle, largest;
};
template <class R>
Errors compare(const std::vector<R>& got, const std::vector<double>& want, int width, int samples, std::size_t count) {
  std::vector<double> errors;
  for (std::size_t k = 0; k < count; ++k) {
    double scale = 0, off = 0;
    for (int i = 0; i < width; ++i) {
      const double w =
          want[(k % static_cast<std::size_t>(samples)) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)];
      const double d = std::abs(static_cast<double>(got[static_cast<std::size_t>(i) * count + k]) - w);
      scale = std::max(scale, std::abs(w));
      off = std::isnan(d) ? INFINITY : std::max(off, d);
    }
    errors.push_back(off / scale);
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}
template <class F>
double milliseconds(F&& launch) {
  cudaEvent_t a, b;
  cudaEventCreate(&a), cudaEventCreate(&b);
  std::vector<float> times;
  for (int k = 0; k < 15; ++k) {
    cudaEventRecord(a);
    launch();
    cudaEventRecord(b);
    check(cudaEventSynchronize(b), "kernel");
    float ms = 0;
    cudaEventElapsedTime(&ms, a, b);
    times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void print(const bench::TreeCase& c, const char* algorithm, const char* precision, std::size_t count, double ms,
           const Errors& off) {
  std::printf("| %s | %s | %s | %zu | %.3f | %.1f | %.1e | %.1e |\n", c.name.c_str(), algorithm, precision, count, ms,
              static_cast<double>(count) / ms / 1e3, off.middle, off.largest);
  std::fflush(stdout);
}

template <class R>
void run(const bench::TreeCase& c, const std::vector<Link<R>>& host_links, const char* precision) {
  const Device<Link<R>> links(host_links);
  const Device<double> armature(c.armature);
  const Device<int> velocity(c.velocity), ends(c.ends);
  const cuda::DeviceModel<R> m{host_links.data(), links.data(), armature.data(), velocity.data(),  ends.data(),
                               c.nodes,           c.nv,         c.branch_slots,  c.general_joints, cast<R>(c.gravity)};
  const auto timed = [&](const char* name, std::size_t count, const Device<R>& out, const std::vector<double>& want,
                         int width, int samples, auto launch) {
    const double ms = milliseconds([&] {
      if (!launch()) throw std::runtime_error(c.name + " is larger than the kernels");
    });
    check(cudaGetLastError(), "launch");
    print(c, name, precision, count, ms, compare(out.get(), want, width, samples, count));
  };
  for (const std::size_t count : {std::size_t{4096}, std::size_t{32768}, std::size_t{262144}, std::size_t{1048576}}) {
    const Device<R> q(spread<R>(c.q, c.nq, c.samples, count)), v(spread<R>(c.v, c.nv, c.samples, count));
    const Device<R> a(spread<R>(c.a, c.nv, c.samples, count)), force(spread<R>(c.force, c.nv, c.samples, count));
    const Device<R> out(static_cast<std::size_t>(c.nv) * count);
    timed("ABA", count, out, c.acc, c.nv, c.samples,
          [&] { return cuda::launch_aba<R>(m, q.data(), v.data(), force.data(), out.data(), count); });
    timed("RNEA", count, out, c.tau, c.nv, c.samples,
          [&] { return cuda::launch_rnea<R>(m, q.data(), v.data(), a.data(), out.data(), count); });
  }
  // Matrices and poses: the first samples of the case again and again.
  const std::size_t count = 65536, entries = static_cast<std::size_t>(c.nv) * static_cast<std::size_t>(c.nv);
  const Device<R> q(spread<R>(c.q, c.nq, bench::kMatrices, count)), M(entries * count);
  const Device<R> X(12 * static_cast<std::size_t>(c.nodes) * count);
  check(cudaMemset(M.data(), 0, M.size() * sizeof(R)), "clear");
  timed("CRBA", count, M, c.M, c.nv * c.nv, bench::kMatrices,
        [&] { return cuda::launch_crba<R>(m, q.data(), M.data(), count); });
  timed("M^-1", count, M, c.Minv, c.nv * c.nv, bench::kMatrices,
        [&] { return cuda::launch_mass_inverse<R>(m, q.data(), M.data(), count); });
  timed("kinematics", count, X, c.X, 12 * c.nodes, bench::kMatrices,
        [&] { return cuda::launch_kinematics<R>(m, q.data(), X.data(), count); });
  // Derivatives: one array after the other in the same memory; the tables show what comes by q, then by v.
  const std::size_t few = 16384;
  const Device<int> slopes_of(c.slopes_of), torques_of(c.torques_of), first_segment(c.first_segment);
  const Device<RowSegment> segments(c.segments);
  const Device<unsigned char> branches(c.branches);
  const cuda::SlopeTables tables{slopes_of.data(), first_segment.data(), segments.data(), torques_of.data(),
                                 branches.data()};
  const auto some = [&](const std::vector<double>& rows, int width) {
    return spread<R>(rows, width, bench::kMatrices, few);
  };
  const Device<R> Q(some(c.q, c.nq)), V(some(c.v, c.nv)), A(some(c.a, c.nv)), F(some(c.force, c.nv));
  const Device<R> y(static_cast<std::size_t>(c.nv) * few), by_q(entries * few), by_v(entries * few),
      third(entries * few);
  for (const Device<R>* x : {&by_q, &by_v, &third}) check(cudaMemset(x->data(), 0, x->size() * sizeof(R)), "clear");
  for (const int v : {0, 1}) {
    timed(v ? "dRNEA by v" : "dRNEA by q", few, v ? by_v : by_q, c.slopes[v], c.nv * c.nv, bench::kMatrices, [&] {
      return cuda::launch_rnea_derivatives<R>(m, tables, Q.data(), V.data(), A.data(), y.data(), by_q.data(),
                                              by_v.data(), third.data(), few);
    });
  }
  for (const int v : {0, 1}) {
    timed(v ? "dABA by v" : "dABA by q", few, v ? by_v : by_q, c.slopes[2 + v], c.nv * c.nv, bench::kMatrices, [&] {
      return cuda::launch_aba_derivatives<R>(m, tables, Q.data(), V.data(), F.data(), y.data(), by_q.data(),
                                             by_v.data(), third.data(), few);
    });
  }
}

}  // namespace

int main(int argc, char** argv) try {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "device");
  std::printf("%s, CUDA %d.%d\n\n", device.name, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
  std::printf("| model | algorithm | precision | samples | ms | million/s | middle error | largest error |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (int i = 1; i < argc; ++i) {
    const bench::TreeCase c = bench::CaseFile(argv[i], "rb").read();
    run<float>(c, c.float_links, "float");
    run<double>(c, c.links, "double");
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "tree_driver: %s\n", e.what());
  return 1;
}
