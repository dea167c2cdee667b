// python/src/classify.cpp - dual numbers, and the kinds of velocity constraints
#include "sinew/constraint/rows/classify.hpp"

#include <cmath>

#include "callable.hpp"

namespace sinew::py {
namespace {

// A number, or a dual number.
Dual read_dual(nb::handle h) {
  Dual x;
  if (nb::try_cast(h, x)) return x;
  double number = 0;
  if (nb::try_cast(h, number)) return Dual(number);
  throw nb::type_error(
      (std::string("VelocityConstraint: an entry must be a Dual or a number, it is ") + nb::repr(h).c_str()).c_str());
}

class PythonVelocityConstraint final : public VelocityConstraint {
 public:
  PythonVelocityConstraint(int coordinates, int rows, Callable calc, bool equality)
      : coordinates_(coordinates), rows_(rows), equality_(equality), calc_(std::move(calc)) {}
  int coordinates() const override { return coordinates_; }
  int rows() const override { return rows_; }
  bool equality() const override { return equality_; }
  void calc(const Dual* q, const Dual& t, Dual* K, Dual* k) const override {
    const nb::gil_scoped_acquire gil;
    const nb::object numpy = nb::module_::import_("numpy");
    const nb::object numbers = numpy.attr("empty")(coordinates_, "object");
    for (int i = 0; i < coordinates_; ++i) numbers.attr("__setitem__")(i, nb::cast(q[i]));
    const nb::object answer = calc_.get()(numbers, nb::cast(t));
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2)
      throw nb::type_error("VelocityConstraint: calc(q, t) must return K and k");
    read(numpy, "K", answer[0], nb::make_tuple(rows_, coordinates_), K);
    read(numpy, "k", answer[1], nb::make_tuple(rows_), k);
  }

 private:
  static void read(const nb::object& numpy, const char* name, const nb::object& from, const nb::tuple& shape,
                   Dual* to) {
    const nb::object array = numpy.attr("asarray")(from, "object");
    if (!array.attr("shape").equal(shape))
      throw nb::value_error((std::string("VelocityConstraint: ") + name + " has shape " +
                             nb::repr(array.attr("shape")).c_str() + ", it must be " + nb::repr(shape).c_str())
                                .c_str());
    for (const nb::handle x : nb::object(array.attr("ravel")())) *to++ = read_dual(x);
  }

  int coordinates_, rows_;
  bool equality_;
  Callable calc_;
};

// x^p, where the power is a number.
Dual power(const Dual& x, double p) {
  return Dual(std::pow(x.value, p), p == 0 ? 0 : p * std::pow(x.value, p - 1) * x.slope);
}

template <class F>
void add_operator(nb::class_<Dual>& c, const char* name, const char* reflected, F f) {
  c.def(
      name, [f](const Dual& a, const Dual& b) { return f(a, b); }, nb::is_operator());
  c.def(
      name, [f](const Dual& a, double b) { return f(a, Dual(b)); }, nb::is_operator());
  if (reflected)
    c.def(
        reflected, [f](const Dual& a, double b) { return f(Dual(b), a); }, nb::is_operator());
}

void bind_dual(nb::module_& m) {
  nb::class_<Dual> c(m, "Dual", R"(A value and its derivative along one direction, exact to rounding.

    x = sinew.Dual(0.3, 1)
    np.sin(x).slope                # cos(0.3)

Adds, multiplies, divides and compares (values alone) with other dual numbers and with numbers; np.sin, np.cos, np.tan,
np.sqrt, np.arcsin, np.arccos, np.arctan and np.arctan2 work on it, and on arrays of it.)");
  c.def(nb::init<double, double>(), "value"_a, "slope"_a = 0.)
      .def_ro("value", &Dual::value, "The number itself.")
      .def_ro("slope", &Dual::slope, "Its derivative.");
  add_operator(c, "__add__", "__radd__", [](const Dual& a, const Dual& b) { return a + b; });
  add_operator(c, "__sub__", "__rsub__", [](const Dual& a, const Dual& b) { return a - b; });
  add_operator(c, "__mul__", "__rmul__", [](const Dual& a, const Dual& b) { return a * b; });
  add_operator(c, "__truediv__", "__rtruediv__", [](const Dual& a, const Dual& b) { return a / b; });
  add_operator(c, "__lt__", nullptr, [](const Dual& a, const Dual& b) { return a < b; });
  add_operator(c, "__le__", nullptr, [](const Dual& a, const Dual& b) { return a <= b; });
  add_operator(c, "__gt__", nullptr, [](const Dual& a, const Dual& b) { return a > b; });
  add_operator(c, "__ge__", nullptr, [](const Dual& a, const Dual& b) { return a >= b; });
  c.def("__pow__", &power, "power"_a, nb::is_operator())
      .def("__neg__", [](const Dual& a) { return -a; })
      .def("__pos__", [](const Dual& a) { return a; })
      .def("__abs__", [](const Dual& a) { return abs(a); })
      .def(
          "sin", [](const Dual& a) { return sin(a); }, "The sine.")
      .def(
          "cos", [](const Dual& a) { return cos(a); }, "The cosine.")
      .def(
          "tan", [](const Dual& a) { return sin(a) / cos(a); }, "The tangent.")
      .def(
          "sqrt", [](const Dual& a) { return sqrt(a); }, "The square root.")
      .def(
          "arcsin", [](const Dual& a) { return asin(a); }, "C++'s asin.")
      .def(
          "arccos", [](const Dual& a) { return acos(a); }, "C++'s acos.")
      .def(
          "arctan", [](const Dual& a) { return atan2(a, Dual(1)); }, "The inverse of the tangent.")
      .def(
          "arctan2", [](const Dual& y, nb::handle x) { return atan2(y, read_dual(x)); }, "x"_a,
          nb::sig("def arctan2(self, x: Dual | float) -> Dual"), "C++'s atan2: this is y.")
      .def("__repr__", [](const Dual& a) {
        char text[80];
        std::snprintf(text, sizeof text, "Dual(%.9g, %.9g)", a.value, a.slope);
        return std::string(text);
      });
}

}  // namespace

void bind_classify(nb::module_& m) {
  bind_dual(m);
  using V = PythonVelocityConstraint;
  nb::class_<V>(m, "VelocityConstraint", R"(K(q, t) qdot = k(q, t), or >= where equality is False, to be classified.

    def calc(q, t):                  # an array of Dual numbers, a Dual
        return K, k                  # (rows, coordinates), (rows,): Dual numbers or numbers
    knife = sinew.VelocityConstraint(3, 1, lambda q, t: ([[np.sin(q[2]), -np.cos(q[2]), 0]], [0]))
    sinew.classify(knife, [0, 0, 0.3]).holonomic          # False

Coordinates q have qdot as their rates: angles, not quaternions.)")
      .def(
          "__init__",
          [](V* self, int coordinates, int rows, nb::object calc, bool equality) {
            if (coordinates < 1 || rows < 1)
              throw nb::value_error("VelocityConstraint: coordinates and rows must be 1 or more");
            if (!PyCallable_Check(calc.ptr()))
              throw nb::type_error("VelocityConstraint: calc must be a function of q and t");
            new (self) V(coordinates, rows, Callable(std::move(calc)), equality);
          },
          "coordinates"_a, "rows"_a, "calc"_a, "equality"_a = true,
          nb::sig("def __init__(self, coordinates: int, rows: int, calc: collections.abc.Callable[[numpy.typing."
                  "NDArray[numpy.object_], Dual], tuple[typing.Any, typing.Any]], equality: bool = True) -> None"))
      .def_prop_ro("coordinates", &V::coordinates, "Numbers in q.")
      .def_prop_ro("rows", &V::rows, "Of K and k.")
      .def_prop_ro("equality", &V::equality, "False: K qdot >= k.");
  using C = ConstraintClass;
  nb::class_<C>(m, "ConstraintClass", "What kind of constraint it is [F08 section 3.4].")
      .def_ro("equality", &C::equality, "Bilateral; else one-sided.")
      .def_ro("holonomic", &C::holonomic, "The rate of a constraint on positions, near the given ones.")
      .def_ro("scleronomic", &C::scleronomic, "Time does not appear, at the given positions and time.")
      .def_ro("rank", &C::rank, "Of K.")
      .def_ro("curl", &C::curl, "Largest entry of the curl on the allowed motions; 0 where holonomic.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ConstraintClass"); });
  m.def(
      "classify",
      [](const V& constraint, ArrayIn q, double t, double tolerance) {
        const InVector Q("classify", "q", q, at(constraint.coordinates()));
        return classify(constraint, Q, t, tolerance);
      },
      "constraint"_a, "q"_a, "t"_a = 0., "tolerance"_a = linear::kDependent,
      "A ConstraintClass: holonomic where [K, -k] has no curl on the motions of (q, t) that it allows (Frobenius)\n"
      "[F08 section 3.4]. tolerance: relative to the largest entry of K and its derivatives.");
}

}  // namespace sinew::py
