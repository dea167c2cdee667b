// src/batch/cpu_backend.hpp - worlds of a device without a device: the lanes of a warp one after the other
// Compiled once for each real number, in units of their own: it is all of a step.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "sinew/batch/kernel/device_observation.hpp"
#include "sinew/batch/kernel/device_step.hpp"
#include "sinew/batch/kernel/team.hpp"

namespace sinew::device {

// What no small room is enough for, where problems are large: as a block of warps solves it.
template <class R>
void solve_large(Order, const Scene<R>&, const Workspace<R>&, const WorldState<R>&);

template <class R>
class CpuBackend final : public Backend<R> {
 public:
  explicit CpuBackend(Order order) : team_{order} {}
  std::string name() const override { return "cpu"; }
  void* allocate(std::size_t bytes) override { return ::operator new(bytes); }
  void free(void* p) noexcept override { ::operator delete(p); }
  void copy_to(void* device, const void* host, std::size_t bytes) override { std::memcpy(device, host, bytes); }
  void copy_from(void* host, const void* device, std::size_t bytes) const override { std::memcpy(host, device, bytes); }
  void step(const Scene<R>& s, const WorldArrays<R>& all, std::size_t worlds, int steps) override {
    Workspace<R> w;
    const WorkspaceBytes size = lay_out<R>(s, nullptr, nullptr, w);  // whole doubles
    std::size_t near = 0;
    for (int pass = 0; pass <= kPasses; ++pass)
      near = std::max(near, lay_out<R>(with_room(s, pass), nullptr, nullptr, w).near());
    memory_.resize(std::max(memory_.size(), (near + size.far + size.matrices) / sizeof(double)));
    char *memory = reinterpret_cast<char*>(memory_.data()), *far = memory + near;
    Workspace<R> part[kPasses + 1];
    for (int pass = 0; pass <= kPasses; ++pass)
      lay_out<R>(with_room(s, pass), memory, far, part[pass], false, far + size.far);
    w = part[kPasses];
    for (std::size_t i = 0; i < worlds; ++i) {
      const WorldState<R> state(s, all, i);
      const Scene<R> own = scene_of(s, i);
      w.q = state.q;
      for (Workspace<R>& of_pass : part) of_pass.q = state.q;
      for (int k = 0; k < steps;) {
        prepare_step(team_, own, w, state);
        collide_step<Colliders::all>(team_, own, w, state);
        for (int pass = 0; pass < kPasses && state.report->cause == Cause::waiting; ++pass) {
          const Scene<R> scene = with_room(own, pass);
          if (pose_step(team_, scene, part[pass], state) > scene.room) continue;
          solve_step(team_, scene, part[pass], state);
          check_step(team_, scene, part[pass], state);
          break;
        }
        if (own.large) {
          solve_large(team_.order, own, w, state);
        } else {
          if (state.report->cause == Cause::waiting) solve_rest<Effort::quick>(team_, own, w, state);
          solve_rest<Effort::all>(team_, own, w, state);
        }
        const bool again = state.report->cause == Cause::answered && !keeps_limits(team_, own, w, state);
        finish_step(team_, own, w, state);
        if (!again) ++k;
      }
    }
  }
  void reset(const Scene<R>& s, const WorldArrays<R>& all, std::size_t worlds) override {
    for (std::size_t i = 0; i < worlds; ++i)
      if (all.mask[i] != 0) reset_world(team_, s, WorldState<R>(s, all, i));
  }
  void observe(const Scene<R>& s, const WorldArrays<R>& all, std::size_t worlds,
               const ObservationTable<R>& table) override {
    Workspace<R> w;
    const WorkspaceBytes size = lay_out<R>(s, nullptr, nullptr, w);
    memory_.resize(std::max(memory_.size(), size.prepare / sizeof(double)));
    lay_out<R>(s, reinterpret_cast<char*>(memory_.data()), nullptr, w);
    for (std::size_t i = 0; i < worlds; ++i) {
      w.q = all.q + i * static_cast<std::size_t>(s.nq);
      observe_world(team_, scene_of(s, i), w, all, i, table);
    }
  }
  void wait_for(void*) override {}
  void let_wait(void*) override {}
  int cuda_device() const override { return -1; }

 private:
  SerialTeam team_;
  std::vector<double> memory_;  // workspace of a world
};

template <class R>
std::unique_ptr<Backend<R>> make_cpu_backend(Order order) {
  return std::make_unique<CpuBackend<R>>(order);
}
template <class R>
std::unique_ptr<Backend<R>> make_cpu_backend() {
  return make_cpu_backend<R>(Order::forward);
}

}  // namespace sinew::device
