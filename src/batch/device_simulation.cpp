// src/batch/device_simulation.cpp
#include "sinew/batch/device_simulation.hpp"

#include <algorithm>
#include <future>
#include <stdexcept>
#include <utility>

#include "observation_tables.hpp"
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

// The worlds of one device.
template <class R>
struct DevicePart {
  DevicePart(std::unique_ptr<device::Backend<R>> b, std::size_t from, std::size_t worlds)
      : backend(b ? std::move(b) : device::make_cpu_backend<R>()), first(from), count(worlds) {}
  ~DevicePart() {
    for (void* p : blocks) backend->free(p);
    for (void* p : table_blocks) backend->free(p);
    for (void* p : observation_blocks) backend->free(p);
  }
  DevicePart(const DevicePart&) = delete;
  DevicePart& operator=(const DevicePart&) = delete;

  void make_arrays() {
    const auto rows = [&](int n) { return count * at(n); };
    arrays.q = make<R>(rows(scene.nq)), arrays.v = make<R>(rows(scene.nv));
    arrays.start_q = make<R>(rows(scene.nq)), arrays.start_v = make<R>(rows(scene.nv));
    arrays.control = make<R>(rows(scene.controls)), arrays.applied = make<R>(rows(scene.nv));
    arrays.stop_z = make<R>(rows(scene.stops)), arrays.touch_z = make<R>(rows(3 * scene.contacts));
    arrays.keys = make<int>(rows(scene.contacts)), arrays.mask = make<unsigned char>(count);
    arrays.report = make<device::WorldReport<R>>(count);
  }
  template <class T>
  T* make(std::size_t n) {
    bytes += n * sizeof(T);
    return allocate<T>(n, blocks);
  }
  template <class T>
  T* allocate(std::size_t n, std::vector<void*>& list) {
    list.push_back(nullptr);
    list.back() = backend->allocate(std::max<std::size_t>(1, n) * sizeof(T));
    return static_cast<T*>(list.back());
  }
  // In place of the tables that the device has, which stay if this throws. variant: of its worlds.
  void upload_tables(device::SceneTables<R> t, const int* variant) {
    const std::size_t old = table_blocks.size();
    const auto upload = [&]<class T>(const T* from, std::size_t n) {
      T* to = allocate<T>(n, table_blocks);
      if (n > 0) backend->copy_to(to, from, n * sizeof(T));
      return to;
    };
    t.for_each([&](const auto& table, auto& pointer) { pointer = upload(table.data(), table.size()); });
    if (variant != nullptr) t.scene.variant = upload(variant, count);
    scene = t.scene;
    for (std::size_t i = 0; i < old; ++i) backend->free(table_blocks[i]);
    table_blocks.erase(table_blocks.begin(), table_blocks.begin() + static_cast<std::ptrdiff_t>(old));
  }

  // In place of the observation there is; `items` are of all variants.
  void upload_observation(const device::ObservationTables<R>& of_model,
                          const std::vector<device::ObservedItem<R>>& items, const std::vector<int>& shape_body) {
    drop_observation();
    if (items.empty()) return;
    const auto rows = [&](int n) { return count * at(n); };
    std::vector<void*>& list = observation_blocks;
    const auto upload = [&]<class T>(const std::vector<T>& from) {
      T* to = allocate<T>(from.size(), list);
      if (!from.empty()) backend->copy_to(to, from.data(), from.size() * sizeof(T));
      return to;
    };
    const auto zeros = [&]<class T>(T, std::size_t n) { return upload(std::vector<T>(n)); };
    observed.item = upload(items), observed.shape_body = upload(shape_body);
    observed.items = static_cast<int>(of_model.item.size()), observed.width = of_model.width,
    observed.moves = of_model.moves;
    arrays.rates = zeros(R(), rows(scene.nv)), arrays.forces = zeros(R(), rows(scene.controls));
    arrays.touch_place = zeros(R(), rows(6 * scene.contacts)), arrays.pushing = zeros(0, count);
    if (observation_room < rows(observed.width)) {
      observation_room = rows(observed.width);
      observation = make<R>(observation_room);
    }
    arrays.observation = observation;
  }
  void drop_observation() {
    for (void* p : observation_blocks) backend->free(p);
    observation_blocks.clear(), observed = {};
    arrays.rates = arrays.forces = arrays.touch_place = arrays.observation = nullptr, arrays.pushing = nullptr;
  }

  std::unique_ptr<device::Backend<R>> backend;
  std::size_t first, count, bytes = 0;  // worlds; bytes of all of them
  std::vector<void*> blocks, table_blocks, observation_blocks;
  device::Scene<R> scene;
  device::ObservationTable<R> observed;
  // Somebody may still read observations that were asked for before: that memory stays.
  R* observation = nullptr;
  std::size_t observation_room = 0;
  device::WorldArrays<R> arrays;
};

template <class R>
std::vector<std::unique_ptr<device::Backend<R>>> list_one(std::unique_ptr<device::Backend<R>> backend) {
  std::vector<std::unique_ptr<device::Backend<R>>> out;
  out.push_back(std::move(backend));
  return out;
}

}  // namespace

template <class R>
struct DeviceSimulation<R>::Impl {
  using Part = DevicePart<R>;
  using Array = R* device::WorldArrays<R>::*;
  Impl(const Model& m, std::size_t count, const DeviceSimulationOptions& o,
       std::vector<std::unique_ptr<device::Backend<R>>> backends)
      : model(m), options(o), worlds(count), base(device::make_scene_tables<R>(m, options)) {
    if (backends.empty()) throw std::invalid_argument("DeviceSimulation: there is no device in the list");
    const std::size_t n = backends.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = worlds * i / n;
      parts.push_back(std::make_unique<Part>(std::move(backends[i]), first, worlds * (i + 1) / n - first));
    }
    upload_tables(base);
    for (const auto& part : parts) part->make_arrays();
  }

  void upload_tables(const device::SceneTables<R>& t, In<int> variant = {}) {
    for (const auto& part : parts) part->upload_tables(t, variant.size() > 0 ? variant.data() + part->first : nullptr);
  }
  void set(const char* call, const char* name, In<R> from, Array to, int width) {
    check_size(call, name, from.size(), worlds * at(width));
    for (const auto& p : parts)
      if (p->count * at(width) > 0)
        p->backend->copy_to(p->arrays.*to, from.data() + p->first * at(width), p->count * at(width) * sizeof(R));
  }
  void get(const char* call, const char* name, Array from, Out<R> to, int width) const {
    check_size(call, name, to.size(), worlds * at(width));
    for (const auto& p : parts)
      if (p->count * at(width) > 0)
        p->backend->copy_from(to.data() + p->first * at(width), p->arrays.*from, p->count * at(width) * sizeof(R));
  }
  struct Observing {
    std::vector<std::string> names = {};
    device::ObservationTables<R> of_model = {};
    std::vector<device::ObservedItem<R>> items = {};  // of the model, then of each variant
  };
  Observing make_observation(const std::vector<std::string>& names, std::span<const Model> of) const {
    Observing out{names, device::make_observation_tables<R>(model, base, names)};
    out.items = out.of_model.item;
    for (const Model& variant : of) {
      DeviceSimulationOptions same = options;
      const auto own = device::make_observation_tables<R>(variant, device::make_scene_tables<R>(variant, same), names);
      const auto is_same = [](const device::ObservedItem<R>& a, const device::ObservedItem<R>& b) {
        return a.kind == b.kind && a.size == b.size;
      };
      if (!std::ranges::equal(own.item, out.of_model.item, is_same))
        throw std::invalid_argument("DeviceSimulation: variants must have the sensors of the model");
      out.items.insert(out.items.end(), own.item.begin(), own.item.end());
    }
    return out;
  }
  void observe_as(Observing what) {
    observing = std::move(what);
    for (const auto& part : parts) part->upload_observation(observing.of_model, observing.items, base.shape_body);
  }
  // Side by side: a device may be waited for.
  void step(int steps) {
    const auto step_part = [&](Part& p) { p.backend->step(p.scene, p.arrays, p.count, steps); };
    if (parts.size() == 1) return step_part(*parts[0]);
    std::vector<std::future<void>> all;
    all.reserve(parts.size());
    for (const auto& part : parts)
      all.push_back(std::async(std::launch::async, [&step_part, &p = *part] { step_part(p); }));
    for (const auto& done : all) done.wait();
    for (auto& done : all) done.get();  // throws what a part threw
  }
  const Part& part(const char* call, std::size_t i) const {
    check_index(call, "part", i, parts.size());
    return *parts[i];
  }

  Model model;
  std::vector<Model> variants;
  DeviceSimulationOptions options;
  std::size_t worlds;
  device::SceneTables<R> base;  // of the model
  Observing observing;
  std::vector<std::unique_ptr<Part>> parts;
};

template <class R>
DeviceSimulation<R>::DeviceSimulation(const Model& m, std::size_t worlds, const DeviceSimulationOptions& o,
                                      std::unique_ptr<device::Backend<R>> backend)
    : DeviceSimulation(m, worlds, o, list_one(std::move(backend))) {}
template <class R>
DeviceSimulation<R>::DeviceSimulation(const Model& m, std::size_t worlds, const DeviceSimulationOptions& o,
                                      std::vector<std::unique_ptr<device::Backend<R>>> backends)
    : p_(std::make_unique<Impl>(m, worlds, o, std::move(backends))) {
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
  return p_->base.scene.nq;
}
template <class R>
int DeviceSimulation<R>::nv() const {
  return p_->base.scene.nv;
}
template <class R>
int DeviceSimulation<R>::controls() const {
  return p_->base.scene.controls;
}
template <class R>
const DeviceSimulationOptions& DeviceSimulation<R>::options() const {
  return p_->options;
}
template <class R>
std::size_t DeviceSimulation<R>::bytes_per_world() const {
  std::size_t bytes = 0;
  for (const auto& part : p_->parts) bytes += part->bytes;
  return p_->worlds == 0 ? 0 : bytes / p_->worlds;
}
template <class R>
std::size_t DeviceSimulation<R>::bytes_of_workspace() const {
  device::Workspace<R> w;
  const device::WorkspaceBytes size = device::lay_out<R>(p_->base.scene, nullptr, nullptr, w);
  return size.near() + size.far + size.matrices;
}
template <class R>
std::size_t DeviceSimulation<R>::parts() const {
  return p_->parts.size();
}
template <class R>
std::size_t DeviceSimulation<R>::first_world(std::size_t part) const {
  return part == parts() ? size() : p_->part("DeviceSimulation::first_world", part).first;
}
template <class R>
const device::Backend<R>& DeviceSimulation<R>::backend(std::size_t part) const {
  return *p_->part("DeviceSimulation::backend", part).backend;
}

template <class R>
void DeviceSimulation<R>::set_state(In<R> q, In<R> v) {
  check_size("DeviceSimulation::set_state", "v", v.size(), size() * at(nv()));
  p_->set("DeviceSimulation::set_state", "q", q, &device::WorldArrays<R>::q, nq());
  p_->set("DeviceSimulation::set_state", "v", v, &device::WorldArrays<R>::v, nv());
}
template <class R>
void DeviceSimulation<R>::get_state(Out<R> q, Out<R> v) const {
  p_->get("DeviceSimulation::get_state", "q", &device::WorldArrays<R>::q, q, nq());
  p_->get("DeviceSimulation::get_state", "v", &device::WorldArrays<R>::v, v, nv());
}
template <class R>
void DeviceSimulation<R>::set_control(In<R> control) {
  p_->set("DeviceSimulation::set_control", "control", control, &device::WorldArrays<R>::control, controls());
}
template <class R>
void DeviceSimulation<R>::set_applied(In<R> applied) {
  p_->set("DeviceSimulation::set_applied", "applied", applied, &device::WorldArrays<R>::applied, nv());
}
template <class R>
void DeviceSimulation<R>::set_start(In<R> q, In<R> v) {
  check_size("DeviceSimulation::set_start", "v", v.size(), size() * at(nv()));
  p_->set("DeviceSimulation::set_start", "q", q, &device::WorldArrays<R>::start_q, nq());
  p_->set("DeviceSimulation::set_start", "v", v, &device::WorldArrays<R>::start_v, nv());
}
template <class R>
void DeviceSimulation<R>::set_variants(std::span<const Model> variants, In<int> variant) {
  const auto go_on_with = [&](const device::SceneTables<R>& tables, In<int> of_worlds) {
    auto observing = p_->make_observation(p_->observing.names, variants);
    p_->upload_tables(tables, of_worlds);
    p_->variants.assign(variants.begin(), variants.end());
    p_->observe_as(std::move(observing));
  };
  if (variants.empty()) return go_on_with(p_->base, {});
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
  go_on_with(all, number);
}
template <class R>
void DeviceSimulation<R>::reset(In<unsigned char> mask) {
  const std::vector<unsigned char> all(mask.size() == 0 ? size() : 0, 1);
  if (mask.size() != 0) check_size("DeviceSimulation::reset", "mask", mask.size(), size());
  if (size() == 0) return;
  const unsigned char* from = mask.size() == 0 ? all.data() : mask.data();
  for (const auto& part : p_->parts) {
    if (part->count == 0) continue;
    part->backend->copy_to(part->arrays.mask, from + part->first, part->count);
    part->backend->reset(part->scene, part->arrays, part->count);
  }
}
template <class R>
void DeviceSimulation<R>::step(int steps) {
  if (steps < 0)
    throw std::invalid_argument("DeviceSimulation::step: steps must not be negative, but is " + std::to_string(steps));
  p_->step(steps);
}

template <class R>
std::vector<std::string> DeviceSimulation<R>::observation_names() const {
  return device::list_observable(p_->model);
}
template <class R>
void DeviceSimulation<R>::set_observation(const std::vector<std::string>& names) {
  p_->observe_as(p_->make_observation(names, p_->variants));
}
template <class R>
const std::vector<ObservedPart>& DeviceSimulation<R>::observation() const {
  return p_->observing.of_model.part;
}
template <class R>
int DeviceSimulation<R>::observation_width() const {
  return p_->observing.of_model.width;
}
template <class R>
void DeviceSimulation<R>::observe() {
  if (observation_width() == 0)
    throw std::invalid_argument("DeviceSimulation::observe: nothing is asked for: set_observation comes first");
  for (const auto& p : p_->parts)
    if (p->count > 0) p->backend->observe(p->scene, p->arrays, p->count, p->observed);
}
template <class R>
void DeviceSimulation<R>::get_observation(Out<R> out) const {
  p_->get("DeviceSimulation::get_observation", "out", &device::WorldArrays<R>::observation, out, observation_width());
}

template <class R>
const device::WorldArrays<R>& DeviceSimulation<R>::arrays(std::size_t part) const {
  return p_->part("DeviceSimulation::arrays", part).arrays;
}
template <class R>
void DeviceSimulation<R>::wait_for(void* stream, std::size_t part) {
  p_->part("DeviceSimulation::wait_for", part).backend->wait_for(stream);
}
template <class R>
void DeviceSimulation<R>::let_wait(void* stream, std::size_t part) {
  p_->part("DeviceSimulation::let_wait", part).backend->let_wait(stream);
}

template <class R>
std::vector<device::WorldReport<R>> DeviceSimulation<R>::reports() const {
  std::vector<device::WorldReport<R>> out(size());
  for (const auto& p : p_->parts)
    if (p->count > 0) p->backend->copy_from(out.data() + p->first, p->arrays.report, p->count * sizeof(out[0]));
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
