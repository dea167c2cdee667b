// src/batch/cuda/step_backend.cuh - worlds of a DeviceSimulation on a CUDA device, a warp for each
//   DeviceSimulation<float> worlds(model, 32768, {.dt = 5e-3}, cuda::make_backend<float>());
// The workspace of a world lies in shared memory; a model whose workspace does not fit is refused.
#pragma once
#include <algorithm>
#include <stdexcept>

#include "batch/cuda/uploaded_model.cuh"
#include "batch/cuda/warp_team.cuh"
#include "sinew/batch/kernel/device_step.hpp"

namespace sinew::cuda {

// The last phase follows the check of an answer at once.
enum class Phase { prepare, collide, pose, solve, check, rest };

// What a phase keeps of a world for the next one, in the memory of the device.
struct KeptMemory {
  char* data = nullptr;
  std::size_t per_world = 0, near = 0;  // bytes; the first `near` are those of the near memory
};

// Worlds in the memory of the device; their order changes nothing but when a world comes.
struct List {
  int *worlds = nullptr, *size = nullptr;
  __device__ void add(std::size_t world) const {
    if (WarpTeam::lane() == 0) worlds[atomicAdd(size, 1)] = static_cast<int>(world);
  }
};
// What a kernel takes, one after the other, and where it puts them: those with a problem that fits or an answer, and
// the others.
struct Work {
  int count = 0;  // of all worlds
  List from;      // null: all of them
  int* taken = nullptr;
  List done, others;
};

// More of them leave fewer registers to each.
constexpr int warps_per_processor(Phase phase) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 860
  constexpr int kMost = 16;  // blocks that it takes
#else
  constexpr int kMost = 24;
#endif
  return phase == Phase::rest ? 12 : phase == Phase::check && kMost > 20 ? 20 : kMost;
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

// A warp per world. Each phase is a kernel of its own: all of them together do not fit the cache of instructions. As
// many warps as fit take worlds until none is left.
template <class R, Phase phase>
__global__ void __launch_bounds__(WarpTeam::kLanes, warps_per_processor(phase))
    step_kernel(const __grid_constant__ device::Scene<R> s, const __grid_constant__ device::WorldArrays<R> all,
                const __grid_constant__ KeptMemory kept, const __grid_constant__ Work work) {
  extern __shared__ __align__(16) char near[];
  constexpr bool kLoads = phase == Phase::pose || phase == Phase::check || phase == Phase::rest;
  const WarpTeam team;
  const int count = work.from.worlds == nullptr ? work.count : *work.from.size;
  const auto take = [&] { return WarpTeam::lane() == 0 ? atomicAdd(work.taken, 1) : 0; };
  int next = take();
#pragma unroll 1
  for (;;) {
    const int item = __shfl_sync(WarpTeam::kAll, next, 0);
    if (item >= count) return;
    next = take();  // one ahead: nobody waits for it
    const std::size_t world = static_cast<std::size_t>(work.from.worlds == nullptr ? item : work.from.worlds[item]);
    if (all.report[world].cause != (phase == Phase::prepare ? device::Cause::none : device::Cause::waiting)) continue;
    char* far = kept.data + world * kept.per_world;
    device::Workspace<R> w;
    device::lay_out<R>(s, near, far + kept.near, w, phase == Phase::collide || phase == Phase::solve);
    const device::WorldState<R> state(s, all, world);
    w.q = state.q;
    if constexpr (kLoads) copy(near, far, kept.near);
    if constexpr (phase == Phase::prepare) device::prepare_step(team, s, w, state);
    if constexpr (phase == Phase::collide) device::collide_step(team, s, w, state);
    if constexpr (phase == Phase::pose) (device::pose_step(team, s, w, state) ? work.done : work.others).add(world);
    if constexpr (phase == Phase::solve) device::solve_step(team, s, w, state);
    if constexpr (phase == Phase::check || phase == Phase::rest) {
      bool done = false;
      if constexpr (phase == Phase::check)
        done = device::check_step(team, s, w, state);
      else
        done = device::solve_rest(team, s, w, state);
      if (done)
        device::finish_step(team, s, w, state);
      else if (work.others.worlds != nullptr)
        work.others.add(world);
    }
    if constexpr (phase == Phase::prepare) copy(far, near, kept.near);
  }
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
    make_kept(size, worlds);
    device::Scene<R> part[device::kPasses + 1];
    device::WorkspaceBytes room[device::kPasses + 1];
    for (int pass = 0; pass <= device::kPasses; ++pass) {
      part[pass] = device::with_room(s, pass);
      room[pass] = device::lay_out<R>(part[pass], nullptr, nullptr, w, pass < device::kPasses);
    }
    const std::size_t rest_bytes = device::lay_out<R>(part[kRest], nullptr, nullptr, w).rest;
    const int count = static_cast<int>(worlds);
    follow(stream_[0], nullptr);
    for (int k = 0; k < steps; ++k) {
      check(cudaMemsetAsync(counters_, 0, kCounters * sizeof(int), stream_[0]), "counters");
      int* counter = counters_;
      const auto make_list = [&](int which) {
        return List{lists_ + static_cast<std::size_t>(which) * worlds, counter++};
      };
      const auto work_on = [&](const List& from) { return Work{count, from, counter++, {}, {}}; };
      launch<Phase::prepare>(s, all, work_on({}), size.prepare, stream_[0]);
      launch<Phase::collide>(s, all, work_on({}), room[0].collide, stream_[0]);
      // Problems of different sizes are solved side by side, the large ones first: few worlds take long, and others
      // fill their time.
      const List rest = make_list(2 * device::kPasses);
      List from, fit[device::kPasses];
      for (int pass = 0; pass < device::kPasses; ++pass) {
        Work pose = work_on(from);
        pose.done = fit[pass] = make_list(2 * pass);
        pose.others = pass + 1 < device::kPasses ? make_list(2 * pass + 1) : rest;
        launch<Phase::pose>(part[pass], all, pose, room[pass].pose, stream_[pass]);
        if (pass + 1 < device::kPasses) follow(stream_[pass + 1], stream_[pass]);
        from = pose.others;
      }
      for (int pass = device::kPasses - 1; pass >= 0; --pass) {
        Work answer = work_on(fit[pass]), control = work_on(fit[pass]);
        control.others = rest;
        launch<Phase::solve>(part[pass], all, answer, room[pass].law, stream_[pass]);
        launch<Phase::check>(part[pass], all, control, room[pass].check, stream_[pass]);
      }
      for (int pass = 1; pass < device::kPasses; ++pass) follow(stream_[0], stream_[pass]);
      Work again = work_on(rest);
      const List largest = again.others = make_list(2 * device::kPasses + 1);
      launch<Phase::rest>(part[kRest], all, again, rest_bytes, stream_[0]);
      launch<Phase::rest>(s, all, work_on(largest), room[device::kPasses].rest, stream_[0]);
    }
    follow(nullptr, stream_[0]);
  }
  void reset(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds) override {
    if (worlds == 0) return;
    reset_kernel<R><<<static_cast<unsigned>(worlds), WarpTeam::kLanes>>>(s, all);
    check(cudaGetLastError(), "reset");
  }
  StepBackend() {
    int least = 0, most = 0;  // the numbers that come last and first
    check(cudaDeviceGetStreamPriorityRange(&least, &most), "streams");
    for (int i = 0; i < device::kPasses; ++i)
      check(cudaStreamCreateWithPriority(&stream_[i], cudaStreamNonBlocking, std::max(most, least - i)), "stream");
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
  }
  ~StepBackend() override {
    free(kept_.data), free(lists_), free(counters_);
    for (cudaStream_t s : stream_) cudaStreamDestroy(s);
    cudaEventDestroy(event_);
  }
  StepBackend(const StepBackend&) = delete;
  StepBackend& operator=(const StepBackend&) = delete;

 private:
  static constexpr int kLists = 2 * device::kPasses + 2, kCounters = kLists + 4 + 3 * device::kPasses;
  static constexpr int kRest = 1;  // which room has the rest at first

  // What is launched there from now on waits for what is in the other; null: the stream of copies and resets.
  void follow(cudaStream_t stream, cudaStream_t other) {
    check(cudaEventRecord(event_, other), "event");
    check(cudaStreamWaitEvent(stream, event_), "event");
  }

  void make_kept(const device::WorkspaceBytes& size, std::size_t worlds) {
    const std::size_t per_world = size.kept + size.far;
    if (counters_ == nullptr) counters_ = static_cast<int*>(allocate(kCounters * sizeof(int)));
    if (kept_bytes_ < worlds * per_world || listed_ < worlds) {
      free(kept_.data), free(lists_);
      kept_.data = nullptr, lists_ = nullptr;
      kept_.data = static_cast<char*>(allocate(worlds * per_world)), kept_bytes_ = worlds * per_world;
      lists_ = static_cast<int*>(allocate(kLists * worlds * sizeof(int))), listed_ = worlds;
    }
    kept_.per_world = per_world, kept_.near = size.kept;
  }
  template <Phase phase>
  void launch(const device::Scene<R>& s, const device::WorldArrays<R>& all, const Work& work, std::size_t bytes,
              cudaStream_t stream) {
    const auto kernel = step_kernel<R, phase>;
    int most = 0, processors = 0, fit = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "shared memory");
    if (bytes > static_cast<std::size_t>(most))
      throw std::invalid_argument("DeviceSimulation: a world needs " + std::to_string(bytes) +
                                  " bytes of shared memory, and the device has " + std::to_string(most) +
                                  "; ask for room for fewer contacts and rows");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "shared memory");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "processors");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, WarpTeam::kLanes, bytes), "occupancy");
    const int blocks = std::min(work.count, std::max(1, fit * processors));
    kernel<<<static_cast<unsigned>(blocks), WarpTeam::kLanes, bytes, stream>>>(s, all, kept_, work);
    check(cudaGetLastError(), "step");
  }

  KeptMemory kept_;
  std::size_t kept_bytes_ = 0, listed_ = 0;
  int *lists_ = nullptr, *counters_ = nullptr;
  cudaStream_t stream_[device::kPasses] = {};  // the first has all but the larger problems
  cudaEvent_t event_ = nullptr;
};

template <class R>
std::unique_ptr<device::Backend<R>> make_backend() {
  return std::make_unique<StepBackend<R>>();
}

}  // namespace sinew::cuda
