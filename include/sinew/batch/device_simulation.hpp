// sinew/batch/device_simulation.hpp - many worlds of one model with hard contact, in the memory of a device
//   DeviceSimulation<float> worlds(model, 4096, {.dt = 5e-3});    // on the CPU, without a device
//   worlds.set_state(q, v);                                       // (worlds x nq), (worlds x nv), row by row
//   worlds.set_control(control);
//   worlds.step(10);
//   worlds.get_state(q, v);
//   worlds.set_observation({"q", "v", "sensor.gyro"});            // once; then after steps
//   worlds.observe();                                             // into arrays().observation
//   for (const DeviceFailure& f : worlds.failures()) ...
//   worlds.reset(mask);
// A world is stepped by the lanes of one warp, from the text in batch/kernel/device_step.hpp; the CPU runs the same
// text. On a CUDA device: device::make_cuda_backend<R>(), batch/device_library.hpp, docs/device.md.
// A step is that of Simulation with {.middle_forces = false, .refinements = 0}: the same contacts, rows, laws, drives
// and movement, agreed with to rounding where the answer is unique. What the CPU learns over several steps (arms of
// rolling contacts, bends, grips, stuck overlaps) is not there. The friction problem has the exact cone.
// Each step ends with a certificate: the natural map of all rows with u = J v+, over the largest free velocity.
// Worlds may have different numbers in one model (set_variants): masses, friction, gains, gravity, places of shapes.
// The bits of a world depend on its own numbers alone: not on how many others there are, on their order or on resets.
// A world that cannot step is set aside with its last state: where a number is not finite, or where contacts or rows
// have no room; they are counted first. The others go on.
// Models: trees of primitive joints, not reversed; springs, dampers, stops, dry friction; actuators on one coordinate
// without activation; planes of the world, spheres, capsules, boxes, cylinders, ellipsoids and convex hulls of meshes,
// all with each other and on heightfields. What is not there is refused by name: loops, couplings, tendons,
// restitution, torsional friction, media, two surfaces of triangles that may touch.
// Observations are those of SimulationBatch, by the same names, less what a device does not know: activations and the
// number of contacts; sensors of subtrees, energies, forces between bodies, limits, rays and distances.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/batch/device_backend.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

struct DeviceSimulationOptions {
  double dt = 0;                // [s]; 0: the model's own timestep
  double recovery = 0.2;        // as in SimulationOptions
  double recovery_speed = 0.5;  // [m/s, rad/s]
  double overlap = 1e-6;        // [m]
  double tolerance = 0;         // of the certificate; 0: 1e-5 in float, 1e-10 in double
  int contacts = 0;             // room per world; 0: as many as usual, and half as many more
  int rows = 0;                 // of the friction problem; 0: from contacts and freedoms
};

// A world that was set aside.
struct DeviceFailure {
  std::size_t world = 0;
  device::Cause cause{};
  std::string text;  // with numbers
};

// One of the names that are observed, and where its numbers are in a row.
struct ObservedPart {
  std::string name;
  std::size_t first = 0, size = 0;
};

// Over all worlds.
struct DeviceSummary {
  std::size_t failed = 0;  // worlds set aside
  long steps = 0;          // of all worlds
  long unsolved = 0;       // steps with a residual above the tolerance
  double worst = 0;        // residual of any step
};

template <class R>
class DeviceSimulation {
 public:
  // All worlds begin at the neutral position, at rest. Throws std::invalid_argument naming what in the model cannot run
  // on a device, or an option out of range.
  DeviceSimulation(const Model&, std::size_t worlds, const DeviceSimulationOptions& = {},
                   std::unique_ptr<device::Backend<R>> = nullptr);  // none: the CPU
  // On several devices, each of which has a part of the worlds, in their order and as many as the others or one more.
  // They step side by side. The bits of a world are the same.
  DeviceSimulation(const Model&, std::size_t worlds, const DeviceSimulationOptions&,
                   std::vector<std::unique_ptr<device::Backend<R>>>);
  ~DeviceSimulation();
  DeviceSimulation(DeviceSimulation&&) noexcept;

  std::size_t size() const;  // worlds
  int nq() const;
  int nv() const;
  int controls() const;                                           // one per actuator
  const DeviceSimulationOptions& options() const;                 // complete
  std::size_t bytes_per_world() const;                            // that stay on the device
  std::size_t bytes_of_workspace() const;                         // of a world while it steps
  std::size_t parts() const;                                      // one per device
  std::size_t first_world(std::size_t part) const;                // of a part; that of parts() is size()
  const device::Backend<R>& backend(std::size_t part = 0) const;  // where a part lives

  // To and from the device, one row per world, in the model's order. Setting a state keeps warm starts and failures:
  // see reset.
  void set_state(In<R> q, In<R> v);
  void get_state(Out<R> q, Out<R> v) const;
  void set_control(In<R> control);  // (worlds x controls)
  void set_applied(In<R> applied);  // (worlds x nv) forces of joints besides the model's own
  // Where reset() begins, of all worlds; without: the neutral position, at rest.
  void set_start(In<R> q, In<R> v);
  // World i goes on with variants[variant[i]]: the same model with other inertias, placements, sizes, friction, gains,
  // limits or gravity. No variants: all have the model again. Throws std::invalid_argument naming a variant and what it
  // has that the model has not.
  void set_variants(std::span<const Model> variants, In<int> variant);
  // Worlds whose mask is not zero begin again as newly made; without a mask, all do. Controls and forces stay.
  void reset(In<unsigned char> mask = {});
  void step(int steps = 1);  // of each world that is not set aside

  // What observe() reads, by names. Accelerations are means over the last step, forces those of the last step: both are
  // zero before the first one after this call. Throws std::invalid_argument naming what there is not, or what is not
  // read on a device.
  std::vector<std::string> observation_names() const;  // all there are
  void set_observation(const std::vector<std::string>& names);
  const std::vector<ObservedPart>& observation() const;
  int observation_width() const;  // numbers of a world
  // Fills arrays().observation, a row per world, from the state and the last step. Throws std::invalid_argument where
  // nothing was asked for.
  void observe();
  void get_observation(Out<R> out) const;  // (worlds x observation_width()) as observe() left it

  // The state of a part in the memory of its device, to be read and written there without copies; it stays where it is.
  // Other work on the device takes turns with steps through its stream (a cudaStream_t, null: the default stream):
  //   worlds.wait_for(stream); worlds.step(); worlds.let_wait(stream);
  const device::WorldArrays<R>& arrays(std::size_t part = 0) const;
  void wait_for(void* stream, std::size_t part = 0);
  void let_wait(void* stream, std::size_t part = 0);

  std::vector<device::WorldReport<R>> reports() const;  // one per world
  std::vector<DeviceFailure> failures() const;          // by world
  DeviceSummary summary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> p_;
};

extern template class DeviceSimulation<float>;
extern template class DeviceSimulation<double>;

}  // namespace sinew
