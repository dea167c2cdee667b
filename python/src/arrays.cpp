// python/src/arrays.cpp
#define SINEW_IMPORTS_NUMPY
#include "arrays.hpp"

#include <string>
#include <vector>

namespace sinew::py {

PyTypeObject* array_type = nullptr;
PyArray_Descr* float64 = nullptr;

void import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
  array_type = &PyArray_Type;
  float64 = PyArray_DescrFromType(NPY_DOUBLE);
}

namespace {

std::string to_text(int dimensions, const npy_intp* shape) {
  std::string s = "(";
  for (int i = 0; i < dimensions; ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + (dimensions == 1 ? ",)" : ")");
}
std::string to_text(PyArrayObject* a) { return to_text(PyArray_NDIM(a), PyArray_DIMS(a)); }

bool has_shape(PyArrayObject* a, int dimensions, const npy_intp* shape) {
  if (PyArray_NDIM(a) != dimensions) return false;
  for (int i = 0; i < dimensions; ++i)
    if (PyArray_DIM(a, i) != shape[i]) return false;
  return true;
}

std::string start(const char* call, const char* name) { return std::string(call) + ": " + name; }

std::string type_name(PyObject* o) {
  PyObject* name = PyType_GetName(Py_TYPE(o));
  if (!name) throw nb::python_error();
  return nb::cast<std::string>(nb::steal(name));
}

std::string type_of(PyArrayObject* a) {
  const nb::object type = nb::steal(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(a))));
  if (!type.is_valid()) throw nb::python_error();
  return nb::cast<std::string>(type);
}

const char* name_of(int type) { return type == NPY_FLOAT ? "float32" : "float64"; }

// A view of a tensor of another package, such as torch or jax; none where the object is no tensor. Throws where it is
// in the memory of a device.
nb::object view_tensor(const char* call, const char* name, PyObject* o) {
  if (PyArray_Check(o) || PyList_Check(o) || PyTuple_Check(o) || !nb::hasattr(o, "__dlpack__")) return {};
  constexpr int kCpu = 1, kPinned[] = {3, 11};  // of DLDeviceType; pinned: this machine's memory that a device knows
  const nb::object device = nb::handle(o).attr("__dlpack_device__")();
  const int kind = nb::cast<int>(nb::int_(device[nb::int_(0)]));
  if (kind != kCpu && kind != kPinned[0] && kind != kPinned[1])
    throw nb::type_error((start(call, name) + " is in the memory of a device (DLPack's number " + std::to_string(kind) +
                          "), copy it to the CPU first")
                             .c_str());
  return nb::module_::import_("numpy").attr("from_dlpack")(nb::handle(o));
}

// What numpy.asarray(object, dtype) gives where no number is lost.
nb::object to_array(const char* call, const char* name, PyObject* o, int type, const char* words) {
  const nb::object tensor = view_tensor(call, name, o);
  if (tensor.is_valid()) o = tensor.ptr();
  PyObject* a = PyArray_FromAny(
      o, PyArray_DescrFromType(type), 0, 0,
      NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY, nullptr);
  if (a) return nb::steal(a);
  nb::python_error cause;
  if (!cause.matches(PyExc_TypeError) && !cause.matches(PyExc_ValueError)) throw cause;
  const std::string is =
      PyArray_Check(o) ? "an array of " + type_of(reinterpret_cast<PyArrayObject*>(o)) : "a " + type_name(o);
  const std::string message = start(call, name) + " cannot be read as an array of " + words + ", it is " + is;
  nb::raise_from(cause, PyExc_TypeError, "%s", message.c_str());
}

}  // namespace

namespace detail {

PyArrayObject* make(int dimensions, const npy_intp* shape, int type) {
  PyObject* a = PyArray_SimpleNew(dimensions, shape, type);
  if (!a) throw nb::python_error();
  return reinterpret_cast<PyArrayObject*>(a);
}

PyArrayObject* convert(const char* call, const char* name, PyObject* o, int dimensions, const npy_intp* shape,
                       int type) {
  nb::object a = to_array(call, name, o, type, name_of(type));
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (!has_shape(array, dimensions, shape))
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(array) + ", it must be " + to_text(dimensions, shape)).c_str());
  return reinterpret_cast<PyArrayObject*>(a.release().ptr());
}

PyArrayObject* check_out(const char* call, const char* name, PyObject* o, int dimensions, const npy_intp* shape,
                         int type) {
  nb::object object = view_tensor(call, name, o);
  if (!object.is_valid()) object = nb::borrow(o);
  if (!PyArray_Check(object.ptr()))
    throw nb::type_error(
        (start(call, name) + " must be a " + name_of(type) + " array that can be filled, it is a " + type_name(o))
            .c_str());
  auto* a = reinterpret_cast<PyArrayObject*>(object.ptr());
  if (!has_shape(a, dimensions, shape))
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(a) + ", it must be " + to_text(dimensions, shape)).c_str());
  if (PyArray_TYPE(a) != type || !PyArray_ISNOTSWAPPED(a))
    throw nb::type_error((start(call, name) + " has dtype " + type_of(a) + ", it must be " + name_of(type)).c_str());
  if (!PyArray_ISWRITEABLE(a)) throw nb::value_error((start(call, name) + " is not writable").c_str());
  const npy_intp size = PyArray_ITEMSIZE(a);
  const bool aligned = PyArray_CHKFLAGS(a, NPY_ARRAY_ALIGNED);
  const bool rows = dimensions == 2 && PyArray_SIZE(a) > 0 && (shape[1] == 1 || PyArray_STRIDE(a, 1) == size) &&
                    PyArray_STRIDE(a, 0) % size == 0 && (shape[0] == 1 || PyArray_STRIDE(a, 0) >= shape[1] * size);
  if (!aligned || (!PyArray_CHKFLAGS(a, NPY_ARRAY_C_CONTIGUOUS) && !rows))
    throw nb::value_error((start(call, name) + " has numbers that do not lie one after the other (C order), use an "
                                               "array made by numpy.empty")
                              .c_str());
  return reinterpret_cast<PyArrayObject*>(object.release().ptr());
}

void refuse_overlap(const char* call, const char* name) {
  throw nb::value_error((start(call, name) + " shares memory with an input, give it an array of its own").c_str());
}

}  // namespace detail

Array copy_vector(VectorView<const double> v) {
  const npy_intp n = detail::signed_size(v.size());
  PyArrayObject* a = detail::make(1, &n);
  std::copy(v.begin(), v.end(), static_cast<double*>(PyArray_DATA(a)));
  return nb::steal<Array>(reinterpret_cast<PyObject*>(a));
}

Array copy_matrix(VectorView<const double> v, std::size_t rows, std::size_t cols) {
  const npy_intp shape[] = {detail::signed_size(rows), detail::signed_size(cols)};
  if (v.size() != rows * cols) throw std::logic_error("copy_matrix: the sizes differ");
  PyArrayObject* a = detail::make(2, shape);
  std::copy(v.begin(), v.end(), static_cast<double*>(PyArray_DATA(a)));
  return nb::steal<Array>(reinterpret_cast<PyObject*>(a));
}

IntArray copy_integers(VectorView<const int> v) {
  const npy_intp n = detail::signed_size(v.size());
  PyObject* a = PyArray_SimpleNew(1, &n, NPY_INT64);
  if (!a) throw nb::python_error();
  std::copy(v.begin(), v.end(), static_cast<npy_int64*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(a))));
  return nb::steal<IntArray>(a);
}

Array freeze(Array a) {
  PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(a.ptr()), NPY_ARRAY_WRITEABLE);
  return a;
}

nb::object read_array(const char* call, const char* name, ArrayIn in, int dimensions, int type) {
  nb::object a = to_array(call, name, in.object, type, name_of(type));
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (PyArray_NDIM(array) != dimensions)
    throw nb::value_error((start(call, name) + " has shape " + to_text(array) + ", it must have " +
                           std::to_string(dimensions) + " dimensions")
                              .c_str());
  return a;
}

std::vector<double> read_numbers(const char* call, const char* name, ArrayIn in) {
  const nb::object a = to_array(call, name, in.object, NPY_DOUBLE, "float64");
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (PyArray_NDIM(array) != 1)
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(array) + ", it must have one dimension").c_str());
  const auto* p = static_cast<const double*>(PyArray_DATA(array));
  return {p, p + PyArray_SIZE(array)};
}

std::vector<int> read_integers(const char* call, const char* name, IntegersIn in) {
  nb::object a = to_array(call, name, in.object, NPY_DOUBLE, "integers");
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (PyArray_NDIM(array) != 1)
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(array) + ", it must have one dimension").c_str());
  const auto* p = static_cast<const double*>(PyArray_DATA(array));
  std::vector<int> out;
  for (npy_intp i = 0; i < PyArray_SIZE(array); ++i) {
    if (!(p[i] >= -2147483648.0 && p[i] <= 2147483647.0) || static_cast<double>(static_cast<int>(p[i])) != p[i])
      throw nb::value_error((start(call, name) + " holds " + std::to_string(p[i]) + ", it must hold integers").c_str());
    out.push_back(static_cast<int>(p[i]));
  }
  return out;
}

}  // namespace sinew::py
