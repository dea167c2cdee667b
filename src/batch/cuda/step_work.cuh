// src/batch/cuda/step_work.cuh - the phases of a step, and which worlds each of them takes
#pragma once
#include "batch/cuda/warp_team.cuh"
#include "sinew/batch/kernel/device_step.hpp"

namespace sinew::cuda {

// The last phase follows the check of an answer at once. collide_convex, collide_all: in place of collide where a scene
// needs them. again_large, rest_large: a block of warps for each world, where problems are large.
enum class Phase {
  prepare,
  collide,
  collide_convex,
  collide_all,
  pose,
  solve,
  check,
  again,
  rest,
  again_large,
  rest_large
};

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
// What a kernel takes, one after the other, and where it puts them: those with a problem, by the room that it needs;
// those that it does not fit or that need another answer; and those whose answer takes long. Worlds whose last answer
// took many steps come before others, so that nobody waits for them in the end.
struct Work {
  static constexpr int kMany = 8;  // steps of Newton's method
  int count = 0;                   // of all worlds
  List first, from;                // null: none; all of them
  int* taken = nullptr;
  List slow[device::kPasses], fit[device::kPasses];
  List others, delayed;
  int* left = nullptr;  // (worlds) steps that are to be done
  // Of large problems, for each block:
  char* matrices = nullptr;
  std::size_t matrix_bytes = 0;
};

template <Phase phase>
inline constexpr bool kCollides =
    phase == Phase::collide || phase == Phase::collide_convex || phase == Phase::collide_all;
// More of them leave fewer registers to each.
constexpr int warps_per_processor(Phase phase) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 860
  constexpr int kMost = 16;  // blocks that it takes
#else
  constexpr int kMost = 24;
#endif
  constexpr int kFew = 12;
  if (phase == Phase::rest || phase == Phase::again) return kFew;
  if (phase == Phase::collide_convex || phase == Phase::collide_all) return kFew;
  return phase == Phase::check && kMost > 20 ? 20 : kMost;
}

}  // namespace sinew::cuda
