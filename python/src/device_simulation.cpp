// python/src/device_simulation.cpp - many worlds of one model in the memory of a device
// State goes in and out as copies, in the precision of the worlds; or it is shared, through DLPack.
#include "sinew/batch/device_simulation.hpp"

#include <algorithm>
#include <charconv>
#include <variant>

#include "common.hpp"
#include "dlpack.hpp"
#include "sinew/batch/device_library.hpp"

namespace sinew::py {
namespace {

// What calls return: float32 or float64.
class DeviceArray : public nb::object {
  NB_OBJECT_DEFAULT(DeviceArray, nb::object, "numpy.typing.NDArray[numpy.floating[typing.Any]]", PyArray_Check)
};

template <class R>
constexpr int kDeviceType = sizeof(R) == 4 ? NPY_FLOAT : NPY_DOUBLE;

// A table of all worlds to read: of its own precision as it is, any other through float64.
template <class R>
class ReadTable {
 public:
  ReadTable(const char* call, const char* name, ArrayIn in, std::size_t rows, int cols) {
    const npy_intp shape[2] = {detail::signed_size(rows), cols};
    const bool own =
        PyArray_Check(in.object) && PyArray_TYPE(reinterpret_cast<PyArrayObject*>(in.object)) == kDeviceType<R>;
    const int type = own ? kDeviceType<R> : NPY_DOUBLE;
    array_ = nb::steal(reinterpret_cast<PyObject*>(detail::convert(call, name, in.object, 2, shape, type)));
    auto* a = reinterpret_cast<PyArrayObject*>(array_.ptr());
    size_ = rows * at(cols);
    data_ = static_cast<const R*>(PyArray_DATA(a));
    if (type == kDeviceType<R>) return;
    const auto* from = static_cast<const double*>(PyArray_DATA(a));
    for (std::size_t i = 0; i < size_; ++i) cast_.push_back(static_cast<R>(from[i]));
    data_ = cast_.data();
  }
  In<R> view() const { return {data_, size_}; }

 private:
  nb::object array_;
  std::vector<R> cast_;
  const R* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class R>
std::pair<DeviceArray, Out<R>> make_table(std::size_t rows, int cols) {
  const npy_intp shape[2] = {detail::signed_size(rows), cols};
  PyArrayObject* a = detail::make(2, shape, kDeviceType<R>);
  const nb::object owned = nb::steal(reinterpret_cast<PyObject*>(a));
  return {nb::cast<DeviceArray>(owned), {static_cast<R*>(PyArray_DATA(a)), rows * at(cols)}};
}

struct PyDeviceSimulation {
  std::shared_ptr<PyModel> model;
  std::variant<DeviceSimulation<float>, DeviceSimulation<double>> worlds;
  Busy busy;

  template <class F>
  auto use(const char* call, F&& f) {
    const Taken taken(call, busy, "the worlds");
    return std::visit(f, worlds);
  }
};

// A stream as DLPack numbers it; none: the default one. -1: the caller takes care of the order himself.
constexpr std::intptr_t kNoOrder = -1;
std::intptr_t read_stream(nb::handle stream) { return stream.is_none() ? 0 : nb::cast<std::intptr_t>(stream); }
void* to_stream(std::intptr_t number) { return reinterpret_cast<void*>(number); }

// An array of all worlds in the memory of the device.
struct SharedArray {
  nb::object worlds;
  dlpack::Table table;

  nb::object share(nb::handle self, nb::handle stream, nb::handle max_version) const {
    const std::intptr_t number = read_stream(stream);
    if (number != kNoOrder)
      nb::cast<PyDeviceSimulation&>(worlds).use("__dlpack__", [&](auto& s) { s.let_wait(to_stream(number)); });
    const bool versioned = !max_version.is_none() && nb::cast<int>(max_version[nb::int_(0)]) >= 1;
    return dlpack::make_capsule(table, self, versioned);
  }
};
template <class Choose>
SharedArray share(nb::handle self, const char* call, Choose&& choose) {
  return nb::cast<PyDeviceSimulation&>(self).use(call, [&]<class R>(DeviceSimulation<R>& s) {
    if (s.parts() > 1)
      throw nb::value_error(
          (std::string(call) + ": the worlds are on several devices, and an array is on one").c_str());
    const std::pair<R*, int> found = choose(s);
    const int device = s.backend().cuda_device();
    return SharedArray{nb::borrow(self),
                       {found.first, device < 0 ? dlpack::kCpu : dlpack::kCuda, std::max(device, 0),
                        static_cast<std::int64_t>(s.size()), found.second, sizeof(R)}};
  });
}

// 'cpu', 'cuda', 'cuda:1'.
template <class R>
std::unique_ptr<device::Backend<R>> make_backend(const std::string& device) {
  if (device == "cpu") return device::make_cpu_backend<R>();
  if (device == "cuda") return device::make_cuda_backend<R>();
  int number = 0;
  const char *begin = device.data() + std::min<std::size_t>(5, device.size()), *end = device.data() + device.size();
  if (const auto [rest, error] = std::from_chars(begin, end, number);
      !device.starts_with("cuda:") || error != std::errc{} || rest != end || number < 0)
    throw nb::value_error(
        ("DeviceSimulation: device must be 'cpu', 'cuda' or 'cuda:' and a number, but is '" + device + "'").c_str());
  return device::make_cuda_backend<R>(number);
}
template <class R>
DeviceSimulation<R> make_device_worlds(const Model& m, std::size_t n, const DeviceSimulationOptions& o,
                                       const std::vector<std::string>& devices) {
  std::vector<std::unique_ptr<device::Backend<R>>> backends;
  for (const std::string& device : devices) backends.push_back(make_backend<R>(device));
  return DeviceSimulation<R>(m, n, o, std::move(backends));
}

template <class Set>
void set_tables(PyDeviceSimulation& w, const char* call, Set&& set) {
  w.use(call, [&]<class R>(DeviceSimulation<R>& s) { set(s, R()); });
}

std::vector<unsigned char> read_mask(nb::handle mask, std::size_t worlds) {
  const nb::object a =
      nb::steal(PyArray_FromAny(mask.ptr(), nullptr, 0, 0, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, nullptr));
  if (!a.is_valid()) throw nb::python_error();
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (PyArray_TYPE(array) != NPY_BOOL) throw nb::type_error("reset: mask must be an array of bool, one per world");
  if (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != detail::signed_size(worlds))
    throw nb::value_error(("reset: mask must have shape (" + std::to_string(worlds) + ",)").c_str());
  const auto* p = static_cast<const unsigned char*>(PyArray_DATA(array));
  return {p, p + worlds};
}

}  // namespace

void bind_device_simulation(nb::module_& m) {
  using W = PyDeviceSimulation;
  nb::class_<DeviceFailure>(m, "DeviceFailure", "A world that was set aside.")
      .def_ro("world", &DeviceFailure::world, "Its index.")
      .def_ro("text", &DeviceFailure::text, "Why, with numbers.")
      .def("__repr__", [](const DeviceFailure& f) {
        return "DeviceFailure(world=" + std::to_string(f.world) + ", text='" + f.text + "')";
      });
  nb::class_<DeviceSummary>(m, "DeviceSummary", "Over all worlds of a DeviceSimulation.")
      .def_ro("failed", &DeviceSummary::failed, "Worlds set aside.")
      .def_ro("steps", &DeviceSummary::steps, "Of all worlds.")
      .def_ro("unsolved", &DeviceSummary::unsolved, "Steps with a residual above the tolerance.")
      .def_ro("worst", &DeviceSummary::worst, "Residual of any step.")
      .def("__repr__", [](nb::handle_t<DeviceSummary> s) { return attributes_text(s, "DeviceSummary"); });
  nb::class_<SharedArray>(m, "SharedArray", R"(Numbers of all worlds in the memory of a device, without copies.

torch.from_dlpack(worlds.q), jax.dlpack.from_dlpack, cupy.from_dlpack, or numpy.from_dlpack on the CPU. What is written there
is what the next step reads.)")
      .def_prop_ro(
          "shape", [](const SharedArray& a) { return std::pair(a.table.rows, a.table.columns); }, "[world, number]")
      .def(
          "__dlpack__",
          [](nb::handle self, nb::handle stream, nb::handle max_version, nb::handle, nb::handle) {
            return nb::cast<const SharedArray&>(self).share(self, stream, max_version);
          },
          nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
          "copy"_a = nb::none(), "A capsule of the memory; work in `stream` comes after all steps so far.")
      .def(
          "__dlpack_device__", [](const SharedArray& a) { return std::pair(a.table.device, a.table.device_id); },
          "Kind and number of the device.");
  nb::class_<W> c(m, "DeviceSimulation",
                  R"(Many worlds of one model with hard contact, in the memory of a device.

device="cuda" needs libsinew_cuda.so (make cuda-library) and a CUDA device; "cpu" runs the same steps without one.
A world that cannot step is set aside with its last state, and the others go on. The bits of a world do not depend on the
others.)");
  c.def(
       "__init__",
       [](W* self, std::shared_ptr<PyModel> model, std::size_t n,
          const std::variant<std::string, std::vector<std::string>>& device, const std::string& precision, double dt,
          double recovery, double recovery_speed, double overlap, double tolerance, int contacts, int rows) {
         if (precision != "float32" && precision != "float64")
           throw nb::value_error(
               ("DeviceSimulation: precision must be 'float32' or 'float64', but is '" + precision + "'").c_str());
         const DeviceSimulationOptions o{dt, recovery, recovery_speed, overlap, tolerance, contacts, rows};
         const auto* one = std::get_if<std::string>(&device);
         const std::vector<std::string> devices = one ? std::vector{*one} : std::get<1>(device);
         if (precision == "float32")
           new (self) W{model, make_device_worlds<float>(*model, n, o, devices), {}};
         else
           new (self) W{model, make_device_worlds<double>(*model, n, o, devices), {}};
       },
       "model"_a, "n"_a, nb::kw_only(), "device"_a = "cpu", "precision"_a = "float32", "dt"_a = 0., "recovery"_a = 0.2,
       "recovery_speed"_a = 0.5, "overlap"_a = 1e-6, "tolerance"_a = 0., "contacts"_a = 0, "rows"_a = 0,
       "n worlds at the neutral position, at rest. device: 'cpu', 'cuda', 'cuda:1', or a list of several, each of "
       "which "
       "has\na part of the worlds, in their order. dt 0: the model's own; tolerance 0: 1e-5 in float32, 1e-10 in "
       "float64;\ncontacts, rows: room per world, 0: from the model.")
      .def("__len__", [](W& w) { return w.use("len", [](auto& s) { return s.size(); }); })
      .def_prop_ro(
          "model", [](W& w) { return w.model; }, "Of all worlds.")
      .def_prop_ro(
          "device", [](W& w) { return w.use("device", [](auto& s) { return s.backend().name(); }); },
          "'cpu', or the name of the device.")
      .def_prop_ro(
          "dt", [](W& w) { return w.use("dt", [](auto& s) { return s.options().dt; }); }, "Length of a step [s].")
      .def_prop_ro(
          "bytes_per_world", [](W& w) { return w.use("bytes_per_world", [](auto& s) { return s.bytes_per_world(); }); },
          "That stay on the device.")
      .def(
          "set_variants",
          [](W& w, const std::vector<std::shared_ptr<PyModel>>& variants, const std::vector<int>& variant) {
            std::vector<Model> models;
            for (const std::shared_ptr<PyModel>& x : variants) models.push_back(*x);
            w.use("set_variants", [&](auto& s) { s.set_variants(models, In<int>(variant.data(), variant.size())); });
          },
          "variants"_a, "variant"_a,
          "World i goes on with variants[variant[i]]: the same model with other inertias, placements, sizes, friction, "
          "gains,\nlimits or gravity. Without variants ([], []) all have the model again.")
      .def(
          "set_state",
          [](W& w, ArrayIn q, ArrayIn v) {
            set_tables(w, "set_state", [&]<class R>(DeviceSimulation<R>& s, R) {
              const ReadTable<R> Q("set_state", "q", q, s.size(), s.nq()), V("set_state", "v", v, s.size(), s.nv());
              s.set_state(Q.view(), V.view());
            });
          },
          "q"_a, "v"_a, "[world, nq], [world, nv]. Keeps warm starts and failures: see reset.")
      .def(
          "state",
          [](W& w) {
            return w.use("state", []<class R>(DeviceSimulation<R>& s) {
              auto [q, to_q] = make_table<R>(s.size(), s.nq());
              auto [v, to_v] = make_table<R>(s.size(), s.nv());
              s.get_state(to_q, to_v);
              return nb::make_tuple(q, v);
            });
          },
          nb::sig("def state(self) -> tuple[numpy.typing.NDArray[numpy.floating[typing.Any]], "
                  "numpy.typing.NDArray[numpy.floating[typing.Any]]]"),
          "q [world, nq] and v [world, nv], as copies.")
      .def(
          "set_control",
          [](W& w, ArrayIn control) {
            set_tables(w, "set_control", [&]<class R>(DeviceSimulation<R>& s, R) {
              s.set_control(ReadTable<R>("set_control", "control", control, s.size(), s.controls()).view());
            });
          },
          "control"_a, "[world, actuator]")
      .def(
          "set_applied",
          [](W& w, ArrayIn applied) {
            set_tables(w, "set_applied", [&]<class R>(DeviceSimulation<R>& s, R) {
              s.set_applied(ReadTable<R>("set_applied", "applied", applied, s.size(), s.nv()).view());
            });
          },
          "applied"_a, "Forces of joints besides the model's own [world, nv].")
      .def(
          "set_start",
          [](W& w, ArrayIn q, ArrayIn v) {
            set_tables(w, "set_start", [&]<class R>(DeviceSimulation<R>& s, R) {
              const ReadTable<R> Q("set_start", "q", q, s.size(), s.nq()), V("set_start", "v", v, s.size(), s.nv());
              s.set_start(Q.view(), V.view());
            });
          },
          "q"_a, "v"_a, "Where reset() begins, of all worlds: [world, nq], [world, nv].")
      .def(
          "reset",
          [](W& w, nb::handle mask) {
            w.use("reset", [&](auto& s) {
              if (mask.is_none())
                s.reset();
              else
                s.reset(read_mask(mask, s.size()));
            });
          },
          "mask"_a = nb::none(), nb::sig("def reset(self, mask: numpy.typing.ArrayLike | None = None) -> None"),
          "Worlds whose mask is True, or all, begin again at their start. Controls and forces stay.")
      .def_prop_ro(
          "observation_names",
          [](W& w) { return w.use("observation_names", [](auto& s) { return s.observation_names(); }); },
          "All that can be observed: see set_observation.")
      .def(
          "set_observation",
          [](W& w, const std::vector<std::string>& names) {
            return w.use("set_observation", [&](auto& s) {
              s.set_observation(names);
              nb::dict out;
              for (const ObservedPart& p : s.observation())
                out[p.name.c_str()] = nb::slice(nb::int_(p.first), nb::int_(p.first + p.size), nb::none());
              return out;
            });
          },
          "names"_a, nb::sig("def set_observation(self, names: collections.abc.Sequence[str]) -> dict[str, slice]"),
          "What observe() reads, by names, as SimulationBatch.observe: 'q', 'v.knee', 'sensor.gyro', 'z.pelvis'. "
          "Returns\nwhere the numbers of each are in a row.")
      .def(
          "observe",
          [](nb::handle_t<W> w, nb::handle stream) {
            const std::intptr_t number = read_stream(stream);
            return share(w, "observe", [&]<class R>(DeviceSimulation<R>& s) {
              const nb::gil_scoped_release others;
              if (number != kNoOrder) s.wait_for(to_stream(number));
              s.observe();
              if (number != kNoOrder) s.let_wait(to_stream(number));
              return std::pair(s.arrays().observation, s.observation_width());
            });
          },
          "stream"_a = nb::none(), nb::sig("def observe(self, stream: int | None = None) -> SharedArray"),
          "Reads what set_observation says of all worlds now, into memory of the device: torch.from_dlpack of what "
          "this\nreturns. The next call writes to the same memory. stream: as in step.")
      .def(
          "read_observation",
          [](W& w) {
            return w.use("read_observation", []<class R>(DeviceSimulation<R>& s) {
              auto [out, to] = make_table<R>(s.size(), s.observation_width());
              s.observe(), s.get_observation(to);
              return out;
            });
          },
          nb::sig("def read_observation(self) -> numpy.typing.NDArray[numpy.floating[typing.Any]]"),
          "The same as a copy: [world, number].")
      .def_prop_ro(
          "q", [](nb::handle_t<W> w) { return share(w, "q", [](auto& s) { return std::pair(s.arrays().q, s.nq()); }); },
          "Positions [world, nq] in the memory of the device: torch.from_dlpack(worlds.q).")
      .def_prop_ro(
          "v", [](nb::handle_t<W> w) { return share(w, "v", [](auto& s) { return std::pair(s.arrays().v, s.nv()); }); },
          "Velocities [world, nv], likewise.")
      .def_prop_ro(
          "control",
          [](nb::handle_t<W> w) {
            return share(w, "control", [](auto& s) { return std::pair(s.arrays().control, s.controls()); });
          },
          "Controls [world, actuator], likewise.")
      .def_prop_ro(
          "applied",
          [](nb::handle_t<W> w) {
            return share(w, "applied", [](auto& s) { return std::pair(s.arrays().applied, s.nv()); });
          },
          "Forces of joints besides the model's own [world, nv], likewise.")
      .def(
          "step",
          [](W& w, int steps, nb::handle stream) {
            const std::intptr_t number = read_stream(stream);
            w.use("step", [&](auto& s) {
              if (s.parts() > 1 && !stream.is_none())
                throw nb::value_error("step: the worlds are on several devices, and a stream is on one");
              const nb::gil_scoped_release others;
              if (number != kNoOrder) s.wait_for(to_stream(number));
              s.step(steps);
              if (number != kNoOrder) s.let_wait(to_stream(number));
            });
          },
          "steps"_a = 1, "stream"_a = nb::none(),
          nb::sig("def step(self, steps: int = 1, stream: int | None = None) -> None"),
          "Steps of all worlds that are not set aside. On a device it may return before they are done: they come "
          "after\n"
          "what is in the CUDA stream of that number, and before what is put there later; none: the default stream.")
      .def_prop_ro(
          "failures", [](W& w) { return w.use("failures", [](auto& s) { return s.failures(); }); },
          "DeviceFailures, by world.")
      .def(
          "summary", [](W& w) { return w.use("summary", [](auto& s) { return s.summary(); }); },
          "How many steps there were, and how well their friction problems were solved.")
      .def("__repr__", [](W& w) {
        return w.use("repr", [&]<class R>(DeviceSimulation<R>& s) {
          return "<DeviceSimulation of " + std::to_string(s.size()) + " worlds of '" + w.model->name() + "' in float" +
                 (sizeof(R) == 4 ? "32" : "64") + " on " + s.backend().name() + ">";
        });
      });
}

}  // namespace sinew::py
