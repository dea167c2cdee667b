// python/src/common.hpp - what every file of the module uses: casts of small values, workspaces, the GIL
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>

#include "out_arrays.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew::py {

using namespace nb::literals;  // NOLINT

// A compiled model with what was remarked on the way. Immutable; shared by everything that was made for it.
struct PyModel : Model {
  PyModel(Model&& m, std::vector<Diagnostic> r) : Model(std::move(m)), remarks(std::move(r)) {}
  std::vector<Diagnostic> remarks;
};
// The value, or a LoadError with all diagnostics.
[[noreturn]] void raise_load_error(const Diagnostics&);
template <class T>
T unwrap(Result<T>&& r) {
  if (!r.ok()) raise_load_error(r.diagnostics());
  return std::move(r).value();
}
// compile(), with the remarks of the loader before its own.
std::shared_ptr<PyModel> compile_model(const ModelSpec&, const Diagnostics& before, bool strict);

// "Type(name=value, ...)" of the attributes that are not zero, and the same as an HTML table for notebooks.
std::string attributes_text(nb::handle self, const char* type);
std::string attributes_html(nb::handle self, const std::string& title);
std::string html_escape(const std::string&);

// An array argument that may be left out.
inline auto optional_array(const char* name) { return nb::arg(name).none() = nb::none(); }

// Something that one thread at a time may use. Under the GIL a plain flag is enough.
class Busy {
 public:
  bool take() {
#if defined(NB_FREE_THREADED)
    return !flag_.exchange(true, std::memory_order_acquire);
#else
    return !std::exchange(flag_, true);
#endif
  }
  void leave() {
#if defined(NB_FREE_THREADED)
    flag_.store(false, std::memory_order_release);
#else
    flag_ = false;
#endif
  }

 private:
#if defined(NB_FREE_THREADED)
  std::atomic<bool> flag_{false};
#else
  bool flag_ = false;
#endif
};

[[noreturn]] void refuse_busy(const char* call, const char* what);

// Holds a flag for one call; RuntimeError where another thread has it.
class Taken {
 public:
  Taken(const char* call, Busy& busy, const char* what) : busy_(busy) {
    if (!busy.take()) refuse_busy(call, what);
  }
  ~Taken() { busy_.leave(); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  Busy& busy_;
};

// A workspace as Python holds it: calls that release the GIL must not meet in it.
template <class W>
struct Held {
  template <class... Arguments>
  explicit Held(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}
  W value;
  Busy busy;
};

// Holds it for one call.
template <class W>
class Use {
 public:
  Use(const char* call, Held<W>& held, const char* what = "the workspace")
      : value_(held.value), taken_(call, held.busy, what) {}
  W& operator*() const { return value_; }
  W* operator->() const { return &value_; }

 private:
  W& value_;
  Taken taken_;
};

// Runs f without the GIL where it takes long enough: to let go and take it again costs 0.05 us.
inline constexpr int kLongTree = 48;  // velocity coordinates; O(n) algorithms take about 2 us then
template <class F>
void run(const Model& m, F&& f) {
  if (m.nv() < kLongTree) {
    f();
  } else {
    const nb::gil_scoped_release released;
    f();
  }
}
template <class F>
auto run_long(F&& f) {
  const nb::gil_scoped_release released;
  return f();
}

// A file, as str or os.PathLike.
struct PathIn {
  std::filesystem::path path;
};

// A body or a frame: its number among the bodies, its name, or an entry of the model.
struct PlaceIn {
  PyObject* object = nullptr;
};
Place find_place(const char* call, const Model&, PlaceIn);
int find_body(const char* call, const Model&, PlaceIn);

template <class W>
void bind_workspace(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Held<W>>(m, name, doc).def(nb::init<const PyModel&>(), "model"_a);
}

}  // namespace sinew::py

namespace nanobind::detail {

// Small values are arrays in Python: read from anything like an array, given back as arrays that cannot be written.
#define SINEW_PY_VALUE(Type)                                                                       \
  template <>                                                                                      \
  struct type_caster<Type> {                                                                       \
    NB_TYPE_CASTER(Type, io_name("numpy.typing.ArrayLike", "numpy.typing.NDArray[numpy.float64]")) \
    bool from_python(handle, uint32_t, cleanup_list*) noexcept;                                    \
    static handle from_cpp(const Type&, rv_policy, cleanup_list*) noexcept;                        \
  }
SINEW_PY_VALUE(sinew::Vec3<double>);
SINEW_PY_VALUE(sinew::Sym3<double>);
SINEW_PY_VALUE(sinew::Quaternion<double>);
SINEW_PY_VALUE(sinew::Rotation<double>);
SINEW_PY_VALUE(sinew::Force<double>);
SINEW_PY_VALUE(sinew::Motion<double>);
#undef SINEW_PY_VALUE

template <>
struct type_caster<sinew::py::PathIn> {
  NB_TYPE_CASTER(sinew::py::PathIn, const_name("str | os.PathLike[str]"))
  bool from_python(handle h, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::filesystem::path> caster;
    if (!caster.from_python(h, flags, cleanup)) return false;
    value.path = std::move(caster.value);
    return true;
  }
  static handle from_cpp(const sinew::py::PathIn& p, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<std::string>::from_cpp(p.path.string(), policy, cleanup);
  }
};

template <>
struct type_caster<sinew::py::PlaceIn> {
  NB_TYPE_CASTER(sinew::py::PlaceIn, const_name("int | str | BodyEntry | FrameEntry"))
  bool from_python(handle h, uint32_t, cleanup_list*) noexcept {
    value.object = h.ptr();
    return true;
  }
};

}  // namespace nanobind::detail
