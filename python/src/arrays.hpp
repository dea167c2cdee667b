// python/src/arrays.hpp - NumPy arrays as views: checked through NumPy's C struct, not copied
// A float64 array that is contiguous is used where it is. Other inputs (lists, integers, columns of a matrix) are
// converted by NumPy, which copies them; an output is never converted. Tensors of other packages in the memory of this
// machine are used where they are too, through DLPack. Errors name the call, the argument and both shapes: "aba: q has
// shape (6,), it must be (7,)".
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numpy_api.hpp"
#include "sinew/base/view.hpp"
#include "sinew/spatial/force.hpp"

namespace sinew::py {

namespace nb = nanobind;

// Arguments as a caller gives them; nothing is checked yet.
struct ArrayIn {
  PyObject* object = nullptr;
  bool is_none() const { return object == Py_None; }
};
struct ArrayOut {  // an array to fill, or None: a new one is made
  PyObject* object = nullptr;
};
struct IntegersIn {
  PyObject* object = nullptr;
};

// What calls return.
class Array : public nb::object {
  NB_OBJECT_DEFAULT(Array, nb::object, "numpy.typing.NDArray[numpy.float64]", PyArray_Check)
};
class IntArray : public nb::object {
  NB_OBJECT_DEFAULT(IntArray, nb::object, "numpy.typing.NDArray[numpy.int64]", PyArray_Check)
};

// Set at import.
extern PyTypeObject* array_type;
extern PyArray_Descr* float64;
void import_numpy();

namespace detail {
inline constexpr int kPlain = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
// Whether it can be used as it is.
template <int kDimensions>
bool is_plain(PyObject* o, int flags, const npy_intp (&shape)[kDimensions]) {
  if (Py_TYPE(o) != array_type) return false;
  auto* a = reinterpret_cast<PyArrayObject*>(o);
  bool fits = PyArray_DESCR(a) == float64 && PyArray_NDIM(a) == kDimensions && (PyArray_FLAGS(a) & flags) == flags;
  for (int i = 0; i < kDimensions && fits; ++i) fits = PyArray_DIM(a, i) == shape[i];
  return fits;
}
// The slow ways: a converted array (new reference), or an error. type: NPY_DOUBLE or NPY_FLOAT.
PyArrayObject* convert(const char* call, const char* name, PyObject*, int dimensions, const npy_intp* shape,
                       int type = NPY_DOUBLE);
// An array (new reference) of memory that can be filled as it is; rows of a matrix may be apart.
PyArrayObject* check_out(const char* call, const char* name, PyObject*, int dimensions, const npy_intp* shape,
                         int type = NPY_DOUBLE);
PyArrayObject* make(int dimensions, const npy_intp* shape, int type = NPY_DOUBLE);
[[noreturn]] void refuse_overlap(const char* call, const char* name);
inline npy_intp signed_size(std::size_t n) { return static_cast<npy_intp>(n); }
}  // namespace detail

// Numbers to read, alive as long as this object and its argument.
template <int kDimensions>
class Read {
 public:
  Read(const char* call, const char* name, ArrayIn in, const npy_intp (&shape)[kDimensions]) {
    if (detail::is_plain(in.object, detail::kPlain, shape))
      array_ = reinterpret_cast<PyArrayObject*>(in.object);
    else
      array_ = owned_ = detail::convert(call, name, in.object, kDimensions, shape);
  }
  ~Read() { Py_XDECREF(owned_); }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  const double* data() const { return static_cast<const double*>(PyArray_DATA(array_)); }
  std::size_t size() const { return static_cast<std::size_t>(PyArray_SIZE(array_)); }

 private:
  PyArrayObject* array_ = nullptr;
  PyArrayObject* owned_ = nullptr;
};

class InVector : public Read<1> {
 public:
  InVector(const char* call, const char* name, ArrayIn in, std::size_t size)
      : Read<1>(call, name, in, {detail::signed_size(size)}), size_(size) {}
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
};

class InMatrix : public Read<2> {
 public:
  InMatrix(const char* call, const char* name, ArrayIn in, std::size_t rows, std::size_t cols)
      : Read<2>(call, name, in, {detail::signed_size(rows), detail::signed_size(cols)}), rows_(rows), cols_(cols) {}
  MatrixView<const double> view() const { return {data(), rows_, cols_}; }

 private:
  std::size_t rows_, cols_;
};

// New arrays with a copy of the numbers.
Array copy_vector(VectorView<const double>);
Array copy_matrix(VectorView<const double> row_by_row, std::size_t rows, std::size_t cols);
IntArray copy_integers(VectorView<const int>);
// The same, not writable: for attributes, where an assignment to an entry would be lost.
Array freeze(Array);

// An array in C order with this many dimensions of any length: the caller's own where it is one.
nb::object read_array(const char* call, const char* name, ArrayIn, int dimensions, int type = NPY_DOUBLE);
// A one-dimensional array of any length, as a copy.
std::vector<double> read_numbers(const char* call, const char* name, ArrayIn);
std::vector<int> read_integers(const char* call, const char* name, IntegersIn);

// n rows of six numbers, torque above force, as spatial forces; None: none.
class InForces {
 public:
  InForces(const char* call, const char* name, ArrayIn in, std::size_t count) {
    if (in.is_none()) return;
    numbers_.emplace(call, name, in, count, 6);
    count_ = count;
  }
  VectorView<const Force<double>> view() const {
    static_assert(sizeof(Force<double>) == 6 * sizeof(double));
    if (!numbers_) return {};
    return {reinterpret_cast<const Force<double>*>(numbers_->data()), count_};
  }

 private:
  std::optional<InMatrix> numbers_;
  std::size_t count_ = 0;
};

}  // namespace sinew::py

namespace nanobind::detail {

#define SINEW_PY_ARGUMENT(Type, Text)                              \
  template <>                                                      \
  struct type_caster<Type> {                                       \
    NB_TYPE_CASTER(Type, const_name(Text))                         \
    bool from_python(handle h, uint32_t, cleanup_list*) noexcept { \
      value.object = h.ptr();                                      \
      return true;                                                 \
    }                                                              \
  }
SINEW_PY_ARGUMENT(sinew::py::ArrayIn, "numpy.typing.ArrayLike");
SINEW_PY_ARGUMENT(sinew::py::ArrayOut, "numpy.typing.NDArray[numpy.float64]");
SINEW_PY_ARGUMENT(sinew::py::IntegersIn, "numpy.typing.ArrayLike");
#undef SINEW_PY_ARGUMENT

}  // namespace nanobind::detail
