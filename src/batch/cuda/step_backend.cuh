// src/batch/cuda/step_backend.cuh - worlds of a DeviceSimulation on a CUDA device, a warp for each
//   DeviceSimulation<float> worlds(model, 32768, {.dt = 5e-3}, cuda::make_backend<float>());
// The workspace of a world lies in shared memory; a model whose workspace does not fit is refused.
#pragma once
#include <stdexcept>

#include "batch/cuda/uploaded_model.cuh"
#include "batch/cuda/warp_team.cuh"
#include "sinew/batch/kernel/device_step.hpp"

namespace sinew::cuda {

enum class Phase { prepare, solve, finish };

// What a phase keeps of a world for the next one, in the memory of the device.
struct KeptMemory {
  char* data = nullptr;
  std::size_t per_world = 0, near = 0;  // bytes; the first `near` are those of the near memory
};

// A warp per world. Each phase is a kernel of its own: all of them together do not fit the cache of instructions.
template <class R, Phase phase>
__global__ void __launch_bounds__(WarpTeam::kLanes, phase == Phase::solve ? 16 : 20)
    step_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all,
                const __grid_constant__ KeptMemory kept, bool last) {
  extern __shared__ double near[];
  const std::size_t world = blockIdx.x;
  if (all.report[world].cause != (phase == Phase::solve ? device::Cause::waiting : device::Cause::none)) return;
  double* from = reinterpret_cast<double*>(kept.data + world * kept.per_world);
  const int numbers = static_cast<int>(kept.near / sizeof(double));
  device::Workspace<R> w;
  device::lay_out<R>(s, reinterpret_cast<char*>(near), kept.data + world * kept.per_world + kept.near, w);
  const device::WorldState<R> state(s, all, world);
  const WarpTeam team;
  if constexpr (phase != Phase::prepare) team.each(numbers, [&](int i) { near[i] = from[i]; });
  if constexpr (phase == Phase::prepare) device::prepare_step(team, s, w, state);
  if constexpr (phase == Phase::solve) device::solve_step(team, s, w, state, last);
  if constexpr (phase == Phase::finish) device::finish_step(team, s, w, state);
  if constexpr (phase != Phase::finish) team.each(numbers, [&](int i) { from[i] = near[i]; });
}

template <class R>
__global__ void __launch_bounds__(WarpTeam::kLanes)
    reset_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all) {
  if (all.mask[blockIdx.x] != 0) device::reset_world(WarpTeam{}, s, device::WorldState<R>(s, all, blockIdx.x));
}

template <class R>
class StepBackend final : public device::Backend<R> {
 public:
  std::string name() const override {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, 0), "properties");
    return p.name;
  }
  void* allocate(std::size_t bytes) override {
    void* p = nullptr;
    check(cudaMalloc(&p, bytes), "allocate");
    return p;
  }
  void free(void* p) noexcept override { cudaFree(p); }
  void copy_to(void* device, const void* host, std::size_t bytes) override {
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
  }
  void copy_from(void* host, const void* device, std::size_t bytes) const override {
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy from the device");
  }
  // Does not wait for the end.
  void step(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds, int steps) override {
    if (worlds == 0 || steps == 0) return;
    device::Workspace<R> w;
    const device::WorkspaceBytes size = device::lay_out<R>(s, nullptr, nullptr, w);
    const KeptMemory kept = make_kept(size, worlds);
    for (int k = 0; k < steps; ++k) {
      launch<Phase::prepare>(s, all, kept, worlds, size.prepare);
      for (int room = 0; room < device::kRooms; ++room) {
        const device::Scene<R> part = device::with_room(s, room);
        const bool last = room == device::kRooms - 1;
        launch<Phase::solve>(part, all, kept, worlds, device::lay_out<R>(part, nullptr, nullptr, w).solve, last);
      }
      launch<Phase::finish>(s, all, kept, worlds, size.finish);
    }
  }
  void reset(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds) override {
    if (worlds == 0) return;
    reset_kernel<R><<<static_cast<unsigned>(worlds), WarpTeam::kLanes>>>(s, all);
    check(cudaGetLastError(), "reset");
  }
  ~StepBackend() override { free(kept_); }

 private:
  KeptMemory make_kept(const device::WorkspaceBytes& size, std::size_t worlds) {
    const std::size_t per_world = size.kept + size.far;
    if (kept_bytes_ < worlds * per_world) {
      free(kept_);
      kept_ = static_cast<char*>(allocate(worlds * per_world)), kept_bytes_ = worlds * per_world;
    }
    return {kept_, per_world, size.kept};
  }
  template <Phase phase>
  void launch(const device::Scene<R>& s, const device::WorldArrays<R>& all, const KeptMemory& kept, std::size_t worlds,
              std::size_t bytes, bool last = true) {
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "shared memory");
    if (bytes > static_cast<std::size_t>(most))
      throw std::invalid_argument("DeviceSimulation: a world needs " + std::to_string(bytes) +
                                  " bytes of shared memory, and the device has " + std::to_string(most) +
                                  "; ask for room for fewer contacts and rows");
    check(cudaFuncSetAttribute(step_kernel<R, phase>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "shared memory");
    step_kernel<R, phase><<<static_cast<unsigned>(worlds), WarpTeam::kLanes, bytes>>>(s, all, kept, last);
    check(cudaGetLastError(), "step");
  }

  char* kept_ = nullptr;
  std::size_t kept_bytes_ = 0;
};

template <class R>
std::unique_ptr<device::Backend<R>> make_backend() {
  return std::make_unique<StepBackend<R>>();
}

}  // namespace sinew::cuda
