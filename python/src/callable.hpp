// python/src/callable.hpp - a Python function that C++ may copy, call and drop without the GIL
// What it raises goes through the library as a C++ exception (nb::python_error) and comes out of the call that Python
// made, as it was raised: calls of the library that are left that way give what a C++ function that throws gives. Pools
// of threads hand it to the thread that waits for them.
#pragma once
#include "common.hpp"

namespace sinew::py {

class Callable {
 public:
  explicit Callable(nb::object f) : object_(f.release().ptr(), &drop) {}
  // With the GIL.
  nb::object get() const { return nb::borrow(object_.get()); }

 private:
  static void drop(PyObject* o) {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire gil;
    Py_DECREF(o);
  }
  std::shared_ptr<PyObject> object_;
};

// A motion law written in Python: f(t) -> position, velocity, acceleration.
struct PyLaw {
  Callable function;
  MotionSample operator()(double t) const;
};

// None: no law. Throws TypeError for what cannot be called.
MotionLaw read_law(const char* call, nb::handle);
// The function of a law that was written in Python; None: there is no law. A law of C++ is a TypeError.
nb::object show_law(const MotionLaw&);

}  // namespace sinew::py
