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

// What numpy.asarray(object, dtype) gives where no number is lost.
nb::object to_array(const char* call, const char* name, PyObject* o, int type, const char* words) {
  PyObject* a = PyArray_FromAny(
      o, PyArray_DescrFromType(type), 0, 0,
      NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY, nullptr);
  if (a) return nb::steal(a);
  nb::python_error cause;
  if (!cause.matches(PyExc_TypeError) && !cause.matches(PyExc_ValueError)) throw cause;
  const std::string message =
      start(call, name) + " cannot be read as an array of " + words + ", it is a " + type_name(o);
  nb::raise_from(cause, PyExc_TypeError, "%s", message.c_str());
}

}  // namespace

namespace detail {

PyArrayObject* make(int dimensions, const npy_intp* shape) {
  PyObject* a = PyArray_SimpleNew(dimensions, shape, NPY_DOUBLE);
  if (!a) throw nb::python_error();
  return reinterpret_cast<PyArrayObject*>(a);
}

PyArrayObject* convert(const char* call, const char* name, PyObject* o, int dimensions, const npy_intp* shape) {
  nb::object a = to_array(call, name, o, NPY_DOUBLE, "float64");
  auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
  if (!has_shape(array, dimensions, shape))
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(array) + ", it must be " + to_text(dimensions, shape)).c_str());
  return reinterpret_cast<PyArrayObject*>(a.release().ptr());
}

void check_out(const char* call, const char* name, PyObject* o, int dimensions, const npy_intp* shape) {
  if (!PyArray_Check(o))
    throw nb::type_error(
        (start(call, name) + " must be a float64 array that can be filled, it is a " + type_name(o)).c_str());
  auto* a = reinterpret_cast<PyArrayObject*>(o);
  if (!has_shape(a, dimensions, shape))
    throw nb::value_error(
        (start(call, name) + " has shape " + to_text(a) + ", it must be " + to_text(dimensions, shape)).c_str());
  if (PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(a)) {
    const nb::object type = nb::steal(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(a))));
    if (!type) throw nb::python_error();
    throw nb::type_error(
        (start(call, name) + " has dtype " + nb::cast<std::string>(type) + ", it must be float64").c_str());
  }
  if (!PyArray_ISWRITEABLE(a)) throw nb::value_error((start(call, name) + " is not writable").c_str());
  const bool aligned = PyArray_CHKFLAGS(a, NPY_ARRAY_ALIGNED);
  const bool rows = dimensions == 2 && PyArray_SIZE(a) > 0 &&
                    (shape[1] == 1 || PyArray_STRIDE(a, 1) == static_cast<npy_intp>(sizeof(double))) &&
                    PyArray_STRIDE(a, 0) % static_cast<npy_intp>(sizeof(double)) == 0 &&
                    (shape[0] == 1 || PyArray_STRIDE(a, 0) >= shape[1] * static_cast<npy_intp>(sizeof(double)));
  if (!aligned || (!PyArray_CHKFLAGS(a, NPY_ARRAY_C_CONTIGUOUS) && !rows))
    throw nb::value_error((start(call, name) + " has numbers that do not lie one after the other (C order), use an "
                                               "array made by numpy.empty")
                              .c_str());
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
