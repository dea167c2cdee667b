// python/src/dlpack.cpp
#include "dlpack.hpp"

#include <cstring>
#include <memory>
#include <type_traits>

namespace sinew::py::dlpack {
namespace {

// What a capsule points to, and what it points to itself.
template <class M>
struct Shared {
  M managed{};
  std::int64_t shape[2] = {}, strides[2] = {};
  PyObject* owner = nullptr;

  // Called by whoever took the memory, perhaps on a thread of its own.
  static void let_go(M* m) {
    auto* self = static_cast<Shared*>(m->context);
    if (Py_IsInitialized()) {
      const nb::gil_scoped_acquire held;
      Py_DECREF(self->owner);
    }
    delete self;
  }
};

// A capsule that nobody took has its first name.
template <class M>
void drop(PyObject* capsule) {
  const char* name = PyCapsule_GetName(capsule);
  constexpr const char* kNew = std::is_same_v<M, Versioned> ? "dltensor_versioned" : "dltensor";
  if (std::strcmp(name, kNew) != 0) return;
  auto* m = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  m->deleter(m);
}

template <class M>
nb::object make(const Table& t, nb::handle owner, const char* name) {
  auto shared = std::make_unique<Shared<M>>();
  shared->shape[0] = t.rows, shared->shape[1] = t.columns;
  shared->strides[0] = t.columns, shared->strides[1] = 1;
  M& m = shared->managed;
  if constexpr (std::is_same_v<M, Versioned>) m.major = 1;
  m.tensor = {.data = t.data,
              .device = t.device,
              .device_id = t.device_id,
              .dimensions = 2,
              .code = 2,
              .bits = static_cast<std::uint8_t>(8 * t.bytes),
              .lanes = 1,
              .shape = shared->shape,
              .strides = shared->strides,
              .byte_offset = 0};
  m.context = shared.get(), m.deleter = &Shared<M>::let_go;
  PyObject* capsule = PyCapsule_New(&m, name, &drop<M>);
  if (capsule == nullptr) throw nb::python_error();
  shared->owner = owner.inc_ref().ptr();
  static_cast<void>(shared.release());  // drop or let_go deletes it
  return nb::steal(capsule);
}

}  // namespace

nb::object make_capsule(const Table& t, nb::handle owner, bool versioned) {
  return versioned ? make<Versioned>(t, owner, "dltensor_versioned") : make<Managed>(t, owner, "dltensor");
}

}  // namespace sinew::py::dlpack
