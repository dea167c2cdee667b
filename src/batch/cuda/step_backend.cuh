// src/batch/cuda/step_backend.cuh - worlds of a DeviceSimulation on a CUDA device, a warp for each
//   DeviceSimulation<float> worlds(model, 32768, {.dt = 5e-3}, cuda::make_backend<float>());
// The workspace of a world lies in shared memory, but for the matrices of large problems; a model whose workspace does
// not fit is refused.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "batch/cuda/large_kernel.cuh"
#include "batch/cuda/uploaded_model.cuh"

namespace sinew::cuda {

template <class R>
class StepBackend final : public device::Backend<R> {
 public:
  std::string name() const override {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, number_), "properties");
    return p.name;
  }
  void* allocate(std::size_t bytes) override {
    use();
    void* p = nullptr;
    check(cudaMalloc(&p, bytes), "allocate");
    return p;
  }
  void free(void* p) noexcept override { cudaSetDevice(number_), cudaFree(p); }
  void copy_to(void* device, const void* host, std::size_t bytes) override {
    use();
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
  }
  void copy_from(void* host, const void* device, std::size_t bytes) const override {
    use();
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy from the device");
  }
  // In passes, each of which takes all worlds that are ready one step further. Few of a hundred worlds have a friction
  // problem that takes long: it is solved beside the passes that follow, and the world misses these. So there are a few
  // passes more than steps. Waits for the end if there is more than one step, or where servos have limits: a step that
  // meets others at its end than at its start is taken again in the next pass.
  void step(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds, int steps) override {
    if (worlds == 0 || steps == 0) return;
    use();
    const Rooms rooms = make_rooms(s);
    make_kept(rooms.whole, worlds);
    const int count = static_cast<int>(worlds);
    if (s.large) make_matrices(rooms.whole, count);
    follow(main_[0], nullptr);
    begin_kernel<R><<<blocks_of(count), kThreads, 0, main_[0]>>>(all.report, count, steps, left_);
    for (int pass = 0; pass < steps + std::min(steps - 1, kMorePasses); ++pass) make_pass(rooms, all, count, pass);
    while (finish(all, count, steps > 1 || s.limits) > 0) make_pass(rooms, all, count, 0);
    follow(nullptr, main_[0]);
  }
  void reset(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds) override {
    if (worlds == 0) return;
    use();
    reset_kernel<R><<<static_cast<unsigned>(worlds), WarpTeam::kLanes>>>(s, all);
    check(cudaGetLastError(), "reset");
  }
  void observe(const device::Scene<R>& s, const device::WorldArrays<R>& all, std::size_t worlds,
               const device::ObservationTable<R>& table) override {
    if (worlds == 0 || table.width == 0) return;
    use();
    device::Workspace<R> w;
    const std::size_t bytes = device::lay_out<R>(s, nullptr, nullptr, w).prepare;
    check(cudaFuncSetAttribute(observe_kernel<R>, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes_),
          "shared memory");
    observe_kernel<R><<<static_cast<unsigned>(worlds), WarpTeam::kLanes, bytes>>>(s, all, table);
    check(cudaGetLastError(), "observe");
  }
  // All is in order with the default stream.
  void wait_for(void* stream) override { use(), follow(nullptr, static_cast<cudaStream_t>(stream)); }
  void let_wait(void* stream) override { use(), follow(static_cast<cudaStream_t>(stream), nullptr); }
  int cuda_device() const override { return number_; }
  explicit StepBackend(int number = 0) : number_(number) {
    use();
    int least = 0, most = 0;  // the numbers that come last and first
    check(cudaDeviceGetStreamPriorityRange(&least, &most), "streams");
    const auto make = [&](cudaStream_t& stream, int before) {
      check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, std::max(most, least - before)), "stream");
    };
    for (int i = 0; i < device::kPasses; ++i) make(main_[i], i);
    for (cudaStream_t& stream : side_) make(stream, device::kPasses);
    make(large_, device::kPasses);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, number_), "processors");
    check(cudaDeviceGetAttribute(&most_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, number_), "shared memory");
  }
  ~StepBackend() override {
    free(kept_.data), free(lists_), free(counters_), free(left_), free(matrices_);
    for (cudaStream_t stream : main_) cudaStreamDestroy(stream);
    for (cudaStream_t stream : side_) cudaStreamDestroy(stream);
    cudaStreamDestroy(large_);
    cudaEventDestroy(event_);
  }
  StepBackend(const StepBackend&) = delete;
  StepBackend& operator=(const StepBackend&) = delete;

 private:
  static constexpr int kSides = 4;       // how many passes a long solution has time for before others wait
  static constexpr int kMorePasses = 3;  // than steps, before all wait for what takes long
  static constexpr int kMainLists = 2 * device::kPasses + 2, kSideLists = 3, kLists = kMainLists + kSides * kSideLists;
  static constexpr int kMainCounters = kMainLists + 5 + 2 * device::kPasses, kSideCounters = 2 * kSideLists,
                       kCounters = kMainCounters + kSides * kSideCounters;
  static constexpr int kRest = 1;  // which room is enough for most long solutions
  static constexpr int kThreads = 256;

  // A scene with room for the problems of each pass, and the memory that phases need there.
  struct Rooms {
    device::WorkspaceBytes whole;
    device::Scene<R> scene[device::kPasses + 1];
    device::WorkspaceBytes bytes[device::kPasses + 1];  // collisions and the law alone
    std::size_t rest = 0;                               // of the first room for the rest
  };
  static Rooms make_rooms(const device::Scene<R>& s) {
    Rooms out;
    device::Workspace<R> w;
    out.whole = device::lay_out<R>(s, nullptr, nullptr, w);
    for (int pass = 0; pass <= device::kPasses; ++pass) {
      out.scene[pass] = device::with_room(s, pass);
      out.bytes[pass] = device::lay_out<R>(out.scene[pass], nullptr, nullptr, w, pass < device::kPasses);
    }
    out.rest = device::lay_out<R>(out.scene[kRest], nullptr, nullptr, w).rest;
    return out;
  }

  void use() const { check(cudaSetDevice(number_), "device"); }  // what this thread calls next is for it
  static unsigned blocks_of(int count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

  void make_pass(const Rooms& rooms, const device::WorldArrays<R>& all, int count, int number) {
    constexpr int kLast = device::kPasses - 1;
    const int which = number % kSides;
    follow(main_[0], side_[which]);  // its lists are free again
    int *counter = counters_, *of_side = counters_ + kMainCounters + which * kSideCounters;
    check(cudaMemsetAsync(counter, 0, kMainCounters * sizeof(int), main_[0]), "counters");
    check(cudaMemsetAsync(of_side, 0, kSideCounters * sizeof(int), main_[0]), "counters");
    const auto list = [&](int i, int*& next) { return List{lists_ + static_cast<std::size_t>(i) * listed_, next++}; };
    const auto work_on = [&](const List& from, int*& next) {
      return Work{.count = count, .from = from, .taken = next++, .left = left_};
    };
    const int first = kMainLists + which * kSideLists;
    const List rest = list(first, of_side), large = list(first + 1, of_side), grown = list(first + 2, of_side);
    const device::Scene<R>& s = rooms.scene[device::kPasses];
    take_on(all, count);
    launch<Phase::prepare>(s, all, work_on({}, counter), rooms.whole.prepare, main_[0]);
    if (s.surfaces)
      launch<Phase::collide_all>(s, all, work_on({}, counter), rooms.bytes[0].collide, main_[0]);
    else if (s.wide)
      launch<Phase::collide_convex>(s, all, work_on({}, counter), rooms.bytes[0].collide, main_[0]);
    else
      launch<Phase::collide>(s, all, work_on({}, counter), rooms.bytes[0].collide, main_[0]);
    // Problems of different sizes are solved side by side, the large ones first. What needs another answer, or fits
    // none of these rooms, is tried again at once.
    const List again = list(kMainLists - 1, counter), from = list(kMainLists - 2, counter);
    Work pose = work_on({}, counter);
    for (int room = 0; room <= kLast; ++room)
      pose.slow[room] = list(2 * room, counter), pose.fit[room] = list(2 * room + 1, counter);
    pose.others = from;
    launch<Phase::pose>(rooms.scene[kLast], all, pose, rooms.bytes[kLast].pose, main_[0]);
    for (int room = 1; room <= kLast; ++room) follow(main_[room], main_[0]);
    for (int room = kLast; room >= 0; --room) {
      Work answer = work_on(pose.fit[room], counter), control = work_on(pose.fit[room], counter);
      answer.first = control.first = pose.slow[room];
      control.others = room > kRest ? from : again;
      control.delayed = room > kRest ? large : rest;
      launch<Phase::solve>(rooms.scene[room], all, answer, rooms.bytes[room].law, main_[room]);
      launch<Phase::check>(rooms.scene[room], all, control, rooms.bytes[room].check + rooms.whole.answer, main_[room]);
    }
    // Long solutions begin beside the second answers: most of them end before the next pass begins.
    for (int room = 1; room <= kRest; ++room) follow(main_[0], main_[room]);
    follow(side_[which], main_[0]);
    Work small = work_on(rest, of_side);
    small.delayed = grown;
    launch<Phase::rest>(rooms.scene[kRest], all, small, rooms.rest, side_[which]);
    Work next_large = work_on(from, counter), next = work_on(again, counter);
    next_large.delayed = next.delayed = large;
    launch_last<Phase::again, Phase::again_large>(rooms, all, next_large, main_[kLast], kSides);
    launch<Phase::again>(rooms.scene[kRest], all, next, rooms.rest, main_[0]);
    for (int room = kRest + 1; room <= kLast; ++room) follow(main_[0], main_[room]);
    // Beside the passes that follow.
    follow(large_, main_[0]);
    launch_last<Phase::rest, Phase::rest_large>(rooms, all, work_on(large, of_side), large_, kSides + 1);
    launch_last<Phase::rest, Phase::rest_large>(rooms, all, work_on(grown, of_side), side_[which], which);
    follow(side_[which], large_);
  }
  void take_on(const device::WorldArrays<R>& all, int count) {
    check(cudaMemsetAsync(lagging_, 0, sizeof(int), main_[0]), "counters");
    take_on_kernel<R><<<blocks_of(count), kThreads, 0, main_[0]>>>(all.report, count, left_, lagging_);
    check(cudaGetLastError(), "step");
  }
  // Takes long solutions on; returns how many worlds have steps left, or 0 without waiting for them.
  int finish(const device::WorldArrays<R>& all, int count, bool wait) {
    for (cudaStream_t stream : side_) follow(main_[0], stream);
    take_on(all, count);
    int lagging = 0;
    if (!wait) return lagging;
    check(cudaMemcpyAsync(&lagging, lagging_, sizeof lagging, cudaMemcpyDeviceToHost, main_[0]), "count");
    check(cudaStreamSynchronize(main_[0]), "steps");
    return lagging;
  }

  // What is launched there from now on waits for what is in the other; null: the stream of copies and resets.
  void follow(cudaStream_t stream, cudaStream_t other) {
    check(cudaEventRecord(event_, other), "event");
    check(cudaStreamWaitEvent(stream, event_), "event");
  }

  void make_kept(const device::WorkspaceBytes& size, std::size_t worlds) {
    const std::size_t per_world = size.kept + size.far;
    if (counters_ == nullptr) {
      counters_ = static_cast<int*>(allocate((kCounters + 1) * sizeof(int)));
      lagging_ = counters_ + kCounters;
    }
    if (kept_bytes_ < worlds * per_world || listed_ < worlds) {
      free(kept_.data), free(lists_), free(left_);
      kept_.data = nullptr, lists_ = nullptr, left_ = nullptr;
      kept_.data = static_cast<char*>(allocate(worlds * per_world)), kept_bytes_ = worlds * per_world;
      lists_ = static_cast<int*>(allocate(kLists * worlds * sizeof(int))), listed_ = worlds;
      left_ = static_cast<int*>(allocate(worlds * sizeof(int)));
    }
    kept_.per_world = per_world, kept_.near = size.kept;
  }
  // Of all blocks that may work on large problems at once: in each side stream, in that of large ones, and for second
  // answers.
  void make_matrices(const device::WorkspaceBytes& size, int count) {
    most_blocks_ = std::min(count, std::max(find_most_blocks<Phase::again_large>(size.rest),
                                            find_most_blocks<Phase::rest_large>(size.rest)));
    const std::size_t bytes = (kSides + 2) * static_cast<std::size_t>(most_blocks_) * size.matrices;
    if (matrix_bytes_ >= bytes) return;
    free(matrices_);
    matrices_ = nullptr;
    matrices_ = static_cast<char*>(allocate(bytes)), matrix_bytes_ = bytes;
  }
  template <Phase phase>
  static constexpr auto kernel_of() {
    if constexpr (phase == Phase::again_large || phase == Phase::rest_large)
      return large_kernel<R, phase>;
    else
      return step_kernel<R, phase>;
  }
  static constexpr int threads_of(Phase phase) {
    return phase == Phase::again_large || phase == Phase::rest_large ? BlockTeam::kLanes : WarpTeam::kLanes;
  }
  // How many blocks of a kernel the device holds at once.
  template <Phase phase>
  int find_most_blocks(std::size_t bytes) {
    for (const Fit& f : fits_)
      if (f.phase == phase && f.bytes == bytes) return f.blocks;
    const auto kernel = kernel_of<phase>();
    cudaFuncAttributes own{};  // what the kernel has besides
    check(cudaFuncGetAttributes(&own, kernel), "kernel");
    const int most = most_bytes_ - static_cast<int>(own.sharedSizeBytes);
    if (bytes > static_cast<std::size_t>(most))
      throw std::invalid_argument("DeviceSimulation: a world needs " + std::to_string(bytes) +
                                  " bytes of shared memory, and the device has " + std::to_string(most) +
                                  "; ask for room for fewer contacts and rows");
    int fit = 0;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory");
    // One division of the memory for all, so that kernels share a processor.
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
          "shared memory");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads_of(phase), bytes), "occupancy");
    fits_.push_back({phase, bytes, std::max(1, fit * processors_)});
    return fits_.back().blocks;
  }
  template <Phase phase>
  void launch(const device::Scene<R>& s, const device::WorldArrays<R>& all, const Work& work, std::size_t bytes,
              cudaStream_t stream) {
    const int blocks = std::min(work.count, find_most_blocks<phase>(bytes));
    kernel_of<phase>()<<<static_cast<unsigned>(blocks), threads_of(phase), bytes, stream>>>(s, all, kept_, work);
    check(cudaGetLastError(), "step");
  }
  // With the largest room; `part` of the matrices of large problems.
  template <Phase phase, Phase of_large>
  void launch_last(const Rooms& rooms, const device::WorldArrays<R>& all, Work work, cudaStream_t stream, int part) {
    const device::Scene<R>& s = rooms.scene[device::kPasses];
    if (!s.large) return launch<phase>(s, all, work, rooms.whole.rest, stream);
    work.matrix_bytes = rooms.whole.matrices;
    work.matrices = matrices_ + static_cast<std::size_t>(part * most_blocks_) * work.matrix_bytes;
    launch<of_large>(s, all, work, rooms.whole.rest, stream);
  }

  struct Fit {
    Phase phase;
    std::size_t bytes;
    int blocks;
  };
  int number_ = 0;
  std::vector<Fit> fits_;
  KeptMemory kept_;
  std::size_t kept_bytes_ = 0, listed_ = 0;
  int *lists_ = nullptr, *counters_ = nullptr, *lagging_ = nullptr, *left_ = nullptr;
  char* matrices_ = nullptr;
  std::size_t matrix_bytes_ = 0;
  int processors_ = 0, most_bytes_ = 0, most_blocks_ = 0;
  // Eight streams: more would wait for each other, since a device has that many queues unless told otherwise.
  cudaStream_t main_[device::kPasses] = {};  // the first has all but the larger problems
  cudaStream_t side_[kSides] = {};           // where long solutions go on, of every fourth pass,
  cudaStream_t large_ = nullptr;             // and those that need much memory
  cudaEvent_t event_ = nullptr;
};

template <class R>
std::unique_ptr<device::Backend<R>> make_backend(int device = 0) {
  return std::make_unique<StepBackend<R>>(device);
}

}  // namespace sinew::cuda
