// sinew/batch/device_backend.hpp - where worlds of a DeviceSimulation live and step
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "sinew/batch/kernel/device_report.hpp"

namespace sinew::device {

enum class Order;
// The model, as steps read it: batch/kernel/device_scene.hpp.
template <class R>
struct Scene;
// What is read of a world: batch/kernel/device_observation.hpp.
template <class R>
struct ObservationTable;

// The state of all worlds, in the memory of the device; a row per world.
template <class R>
struct WorldArrays {
  R *q = nullptr, *v = nullptr;              // (worlds x nq), (worlds x nv)
  R *start_q = nullptr, *start_v = nullptr;  // where reset begins
  R *control = nullptr, *applied = nullptr;  // (worlds x controls), (worlds x nv)
  R *stop_z = nullptr, *touch_z = nullptr;   // (worlds x stops), (worlds x 3 contacts) of the last step
  int* keys = nullptr;                       // (worlds x contacts)
  unsigned char* mask = nullptr;             // (worlds) of reset
  WorldReport<R>* report = nullptr;          // (worlds)
  // Where observations are asked for:
  R *rates = nullptr, *forces = nullptr;  // (worlds x nv) of v, (worlds x controls) of actuators, in the last step
  R* touch_place = nullptr;               // (worlds x 6 contacts) point and normal of those that pushed in it
  int* pushing = nullptr;                 // (worlds) how many these are
  R* observation = nullptr;               // (worlds x its width)
};

// Memory, and the three things that are done with it. Scenes have pointers into that memory.
template <class R>
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;  // "cpu", or that of the device
  // Memory of the device; a null pointer may be freed.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void*) noexcept = 0;
  // Copies between it and the host, which then may use what it copied.
  virtual void copy_to(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_from(void* host, const void* device, std::size_t bytes) const = 0;
  // Steps every world that is not set aside (batch/kernel/device_step.hpp); may return before that is done.
  virtual void step(const Scene<R>&, const WorldArrays<R>&, std::size_t worlds, int steps) = 0;
  // Worlds whose mask is not zero begin again.
  virtual void reset(const Scene<R>&, const WorldArrays<R>&, std::size_t worlds) = 0;
  // Fills the observations of all worlds; may return before that is done.
  virtual void observe(const Scene<R>&, const WorldArrays<R>&, std::size_t worlds, const ObservationTable<R>&) = 0;
  // Order with other work on the device; stream: a cudaStream_t, null: the default stream. What is done here from now
  // on comes after what is in the stream; what is put there from now on comes after what was done here.
  virtual void wait_for(void* stream) = 0;
  virtual void let_wait(void* stream) = 0;
  virtual int cuda_device() const = 0;  // its number; -1: it is none
};

// On the CPU. order: in which the items of a loop are taken (batch/kernel/team.hpp); results do not depend on it.
template <class R>
std::unique_ptr<Backend<R>> make_cpu_backend(Order order);
template <class R>
std::unique_ptr<Backend<R>> make_cpu_backend();  // forwards

}  // namespace sinew::device
