// python/src/callable.cpp
#include "callable.hpp"

namespace sinew::py {

MotionSample PyLaw::operator()(double t) const {
  const nb::gil_scoped_acquire gil;
  const nb::object answer = function.get()(t);
  std::tuple<double, double, double> x;
  if (!nb::try_cast(answer, x))
    throw nb::type_error(
        (std::string("a law must return position, velocity and acceleration; it returned ") + nb::repr(answer).c_str())
            .c_str());
  return {std::get<0>(x), std::get<1>(x), std::get<2>(x)};
}

MotionLaw read_law(const char* call, nb::handle f) {
  if (f.is_none()) return {};
  if (!PyCallable_Check(f.ptr()))
    throw nb::type_error((std::string(call) + ": a law must be a function f(t), or None").c_str());
  return PyLaw{Callable(nb::borrow(f))};
}

nb::object show_law(const MotionLaw& law) {
  if (!law) return nb::none();
  const auto* ours = law.target<PyLaw>();
  if (!ours) throw nb::type_error("this law was written in C++; Python cannot see it, nor pickle it");
  return ours->function.get();
}

}  // namespace sinew::py
