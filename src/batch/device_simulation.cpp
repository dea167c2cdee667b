// src/batch/device_simulation.cpp
#include "sinew/batch/device_simulation.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "scene_tables.hpp"
#include "sinew/batch/kernel/device_workspace.hpp"
#include "sinew/batch/kernel/team.hpp"

namespace sinew {
namespace {

std::string describe_cause(device::Cause cause, int needed, const DeviceSimulationOptions& o) {
  using enum device::Cause;
  switch (cause) {
    case none:
    case waiting:
    case delayed:
    case answered:
    case finished: break;
    case not_finite: return "the step gave a number that is not finite";
    case contacts:
      return "there are " + std::to_string(needed) + " contacts, and room for " + std::to_string(o.contacts) +
             " (options.contacts)";
    case rows:
      return "the friction problem has " + std::to_string(needed) + " rows, and room for " + std::to_string(o.rows) +
             " (options.rows)";
    case mass_matrix: return "the mass matrix is not positive definite, or the state is not finite";
  }
  return {};
}

}  // namespace

template <class R>
struct DeviceSimulation<R>::Impl {
  Impl(const Model& m, std::size_t count, const DeviceSimulationOptions& o, std::unique_ptr<device::Backend<R>> b)
      : options(o), worlds(count), backend(b ? std::move(b) : device::make_cpu_backend<R>()) {
    base = device::make_scene_tables<R>(m, options);
    upload_tables(base);
    const auto rows = [&](int n) { return worlds * at(n); };
    arrays.q = make<R>(rows(scene.nq)), arrays.v = make<R>(rows(scene.nv));
    arrays.start_q = make<R>(rows(scene.nq)), arrays.start_v = make<R>(rows(scene.nv));
    arrays.control = make<R>(rows(scene.controls)), arrays.applied = make<R>(rows(scene.nv));
    arrays.stop_z = make<R>(rows(scene.stops)), arrays.touch_z = make<R>(rows(3 * scene.contacts));
    arrays.keys = make<int>(rows(scene.contacts)), arrays.mask = make<unsigned char>(worlds);
    arrays.report = make<device::WorldReport<R>>(worlds);
  }
  ~Impl() {
    for (void* p : blocks) backend->free(p);
    for (void* p : table_blocks) backend->free(p);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  template <class T>
  T* make(std::size_t n) {
    of_worlds += n * sizeof(T);
    return allocate<T>(n, blocks);
  }
  template <class T>
  T* allocate(std::size_t n, std::vector<void*>& list) {
    list.push_back(nullptr);
    list.back() = backend->allocate(std::max<std::size_t>(1, n) * sizeof(T));
    return static_cast<T*>(list.back());
  }
  // In place of the tables that the device has, which stay if this throws.
  void upload_tables(device::SceneTables<R> t, In<int> variant = {}) {
    const std::size_t old = table_blocks.size();
    const auto upload = [&]<class T>(const T* from, std::size_t n) {
      T* to = allocate<T>(n, table_blocks);
      if (n > 0) backend->copy_to(to, from, n * sizeof(T));
      return to;
    };
    t.for_each([&](const auto& table, auto& pointer) { pointer = upload(table.data(), table.size()); });
    scene = t.scene;
    if (variant.size() > 0) scene.variant = upload(variant.data(), variant.size());
    for (std::size_t i = 0; i < old; ++i) backend->free(table_blocks[i]);
    table_blocks.erase(table_blocks.begin(), table_blocks.begin() + static_cast<std::ptrdiff_t>(old));
  }
  void set(const char* call, const char* name, In<R> from, R* to, int width) {
    check_size(call, name, from.size(), worlds * at(width));
    if (from.size() != 0) backend->copy_to(to, from.data(), from.size() * sizeof(R));
  }
  void get(const char* name, const R* from, Out<R> to, int width) const {
    check_size("DeviceSimulation::get_state", name, to.size(), worlds * at(width));
    if (to.size() != 0) backend->copy_from(to.data(), from, to.size() * sizeof(R));
  }

  DeviceSimulationOptions options;
  std::size_t worlds, of_worlds = 0;
  std::unique_ptr<device::Backend<R>> backend;
  std::vector<void*> blocks, table_blocks;
  device::SceneTables<R> base;  // of the model
  device::Scene<R> scene;
  device::WorldArrays<R> arrays;
};

template <class R>
DeviceSimulation<R>::DeviceSimulation(const Model& m, std::size_t worlds, const DeviceSimulationOptions& o,
                                      std::unique_ptr<device::Backend<R>> backend)
    : p_(std::make_unique<Impl>(m, worlds, o, std::move(backend))) {
  const std::vector<R> forces(worlds * at(m.nv())), control(worlds * at(controls()));
  std::vector<R> q(worlds * at(m.nq()));
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<R>(m.neutral()[i % at(m.nq())]);
  set_start(q, forces), set_applied(forces), set_control(control);
  reset();
}
template <class R>
DeviceSimulation<R>::~DeviceSimulation() = default;
template <class R>
DeviceSimulation<R>::DeviceSimulation(DeviceSimulation&&) noexcept = default;

template <class R>
std::size_t DeviceSimulation<R>::size() const {
  return p_->worlds;
}
template <class R>
int DeviceSimulation<R>::nq() const {
  return p_->scene.nq;
}
template <class R>
int DeviceSimulation<R>::nv() const {
  return p_->scene.nv;
}
template <class R>
int DeviceSimulation<R>::controls() const {
  return p_->scene.controls;
}
template <class R>
const DeviceSimulationOptions& DeviceSimulation<R>::options() const {
  return p_->options;
}
template <class R>
std::size_t DeviceSimulation<R>::bytes_per_world() const {
  return p_->worlds == 0 ? 0 : p_->of_worlds / p_->worlds;
}
template <class R>
std::size_t DeviceSimulation<R>::bytes_of_workspace() const {
  device::Workspace<R> w;
  const device::WorkspaceBytes size = device::lay_out<R>(p_->scene, nullptr, nullptr, w);
  return size.near() + size.far;
}
template <class R>
const device::Backend<R>& DeviceSimulation<R>::backend() const {
  return *p_->backend;
}

template <class R>
void DeviceSimulation<R>::set_state(In<R> q, In<R> v) {
  check_size("DeviceSimulation::set_state", "v", v.size(), size() * at(nv()));
  p_->set("DeviceSimulation::set_state", "q", q, p_->arrays.q, nq());
  p_->set("DeviceSimulation::set_state", "v", v, p_->arrays.v, nv());
}
template <class R>
void DeviceSimulation<R>::get_state(Out<R> q, Out<R> v) const {
  p_->get("q", p_->arrays.q, q, nq());
  p_->get("v", p_->arrays.v, v, nv());
}
template <class R>
void DeviceSimulation<R>::set_control(In<R> control) {
  p_->set("DeviceSimulation::set_control", "control", control, p_->arrays.control, controls());
}
template <class R>
void DeviceSimulation<R>::set_applied(In<R> applied) {
  p_->set("DeviceSimulation::set_applied", "applied", applied, p_->arrays.applied, nv());
}
template <class R>
void DeviceSimulation<R>::set_start(In<R> q, In<R> v) {
  check_size("DeviceSimulation::set_start", "v", v.size(), size() * at(nv()));
  p_->set("DeviceSimulation::set_start", "q", q, p_->arrays.start_q, nq());
  p_->set("DeviceSimulation::set_start", "v", v, p_->arrays.start_v, nv());
}
template <class R>
void DeviceSimulation<R>::set_variants(std::span<const Model> variants, In<int> variant) {
  if (variants.empty()) return p_->upload_tables(p_->base);
  check_size("DeviceSimulation::set_variants", "variant", variant.size(), size());
  for (std::size_t i = 0; i < variant.size(); ++i)
    if (variant[i] < 0 || at(variant[i]) >= variants.size())
      throw std::invalid_argument("DeviceSimulation::set_variants: variant[" + std::to_string(i) + "] is " +
                                  std::to_string(variant[i]) + ", and there are " + std::to_string(variants.size()));
  device::SceneTables<R> all = p_->base;
  for (std::size_t k = 0; k < variants.size(); ++k) {
    DeviceSimulationOptions o = options();
    try {
      append_variant(all, device::make_scene_tables<R>(variants[k], o));
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument("variant " + std::to_string(k) + ": " + e.what());
    }
  }
  std::vector<int> number;  // the first tables are those of the model
  for (const int k : variant) number.push_back(k + 1);
  p_->upload_tables(std::move(all), number);
}
template <class R>
void DeviceSimulation<R>::reset(In<unsigned char> mask) {
  const std::vector<unsigned char> all(mask.size() == 0 ? size() : 0, 1);
  if (mask.size() != 0) check_size("DeviceSimulation::reset", "mask", mask.size(), size());
  if (size() == 0) return;
  p_->backend->copy_to(p_->arrays.mask, mask.size() == 0 ? all.data() : mask.data(), size());
  p_->backend->reset(p_->scene, p_->arrays, size());
}
template <class R>
void DeviceSimulation<R>::step(int steps) {
  if (steps < 0)
    throw std::invalid_argument("DeviceSimulation::step: steps must not be negative, but is " + std::to_string(steps));
  p_->backend->step(p_->scene, p_->arrays, size(), steps);
}

template <class R>
std::vector<device::WorldReport<R>> DeviceSimulation<R>::reports() const {
  std::vector<device::WorldReport<R>> out(size());
  if (size() > 0) p_->backend->copy_from(out.data(), p_->arrays.report, out.size() * sizeof(out[0]));
  return out;
}
template <class R>
std::vector<DeviceFailure> DeviceSimulation<R>::failures() const {
  std::vector<DeviceFailure> out;
  const std::vector<device::WorldReport<R>> all = reports();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].cause != device::Cause::none)
      out.push_back({i, all[i].cause, describe_cause(all[i].cause, all[i].needed, options())});
  return out;
}
template <class R>
DeviceSummary DeviceSimulation<R>::summary() const {
  DeviceSummary out;
  for (const device::WorldReport<R>& r : reports()) {
    out.failed += r.cause != device::Cause::none;
    out.steps += r.steps, out.unsolved += r.unsolved, out.worst = std::max(out.worst, static_cast<double>(r.worst));
  }
  return out;
}

template class DeviceSimulation<float>;
template class DeviceSimulation<double>;

}  // namespace sinew
