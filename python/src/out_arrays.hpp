// python/src/out_arrays.hpp - NumPy arrays that calls fill: the caller's, or new ones
#pragma once
#include "arrays.hpp"

namespace sinew::py {

// Numbers to fill: the caller's array, or a new one.
template <int kDimensions>
class Write {
 public:
  Write(const char* call, const char* name, ArrayOut out, const npy_intp (&shape)[kDimensions])
      : call_(call), name_(name) {
    for (const npy_intp n : shape) span_ *= static_cast<std::size_t>(n);
    if (out.object == Py_None) {
      array_ = detail::make(kDimensions, shape);
    } else if (detail::is_plain(out.object, detail::kPlain | NPY_ARRAY_WRITEABLE, shape)) {
      Py_INCREF(out.object);
      array_ = reinterpret_cast<PyArrayObject*>(out.object);
    } else {
      array_ = detail::check_out(call, name, out.object, kDimensions, shape);
    }
  }
  ~Write() { Py_XDECREF(array_); }
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

  double* data() const { return static_cast<double*>(PyArray_DATA(array_)); }
  // Throws where an input shares memory with this output.
  template <class... In>
  void apart_from(const In&... in) const {
    (check_apart(in.data(), in.size()), ...);
  }
  Array take() { return nb::steal<Array>(reinterpret_cast<PyObject*>(std::exchange(array_, nullptr))); }

 protected:
  npy_intp stride(int i) const { return PyArray_STRIDE(array_, i); }
  std::size_t span_ = 1;  // numbers from the first to the last

 private:
  void check_apart(const double* p, std::size_t n) const {
    if (p < data() + span_ && data() < p + n) detail::refuse_overlap(call_, name_);
  }

  const char* call_;
  const char* name_;
  PyArrayObject* array_ = nullptr;
};

class OutVector : public Write<1> {
 public:
  OutVector(const char* call, const char* name, ArrayOut out, std::size_t size)
      : Write<1>(call, name, out, {detail::signed_size(size)}) {}
  std::size_t size() const { return span_; }
};

// Rows may be apart, as in a part of a larger matrix; the numbers of a row must not.
class OutMatrix2 : public Write<2> {
 public:
  OutMatrix2(const char* call, const char* name, ArrayOut out, std::size_t rows, std::size_t cols)
      : Write<2>(call, name, out, {detail::signed_size(rows), detail::signed_size(cols)}),
        rows_(rows),
        cols_(cols),
        stride_(rows > 1 && cols > 0 ? static_cast<std::size_t>(stride(0)) / sizeof(double) : cols) {
    if (rows > 0) span_ = (rows - 1) * stride_ + cols;
  }
  MatrixView<double> view() const { return {data(), rows_, cols_, stride_}; }

 private:
  std::size_t rows_, cols_, stride_;
};

}  // namespace sinew::py
