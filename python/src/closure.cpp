// python/src/closure.cpp - loops closed by the user's formulae
#include "closure.hpp"

#include "constraints.hpp"

namespace sinew::py {

std::string PythonClosure::refuse(VectorView<const double> y) const {
  if (!refuse_) return {};
  const nb::gil_scoped_acquire gil;
  const nb::object why = refuse_->get()(copy_vector(y));
  std::string text;
  if (!why.is_none() && !nb::try_cast(why, text))
    throw nb::type_error("ClosureFunction: refuse(y) must return the reason as a text, or None");
  return text;
}

void PythonClosure::calc(VectorView<const double> y, VectorView<const double> yd, const ClosureOutput& out) const {
  const nb::gil_scoped_acquire gil;
  const nb::object answer = calc_.get()(copy_vector(y), copy_vector(yd));
  if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 3)
    throw nb::type_error("ClosureFunction: calc(y, yd) must return q, G and g");
  const nb::object q = answer[0], G = answer[1], g = answer[2];
  const InVector Q("calc", "q", {q.ptr()}, out.q.size()), A("calc", "g", {g.ptr()}, out.g.size());
  const InMatrix B("calc", "G", {G.ptr()}, out.g.size(), at(independents_));
  for (std::size_t i = 0; i < out.q.size(); ++i) out.q[i] = Q.data()[i];
  for (std::size_t i = 0; i < out.g.size(); ++i) {
    out.g[i] = A.data()[i];
    for (std::size_t j = 0; j < at(independents_); ++j) out.G(i, j) = B.view()(i, j);
  }
}

namespace {

// Of one model and function.
struct PyMotion {
  std::shared_ptr<PyModel> model;
  int independents;
  ClosedMotion motion;
};

}  // namespace

void bind_closure(nb::module_& m) {
  using F = PythonClosure;
  nb::class_<F>(m, "ClosureFunction", R"(Loops closed by formulae: q = gamma(y) [F08 section 8.11].

    def calc(y, yd):
        return q, G, g       # v = G dy/dt,  dv/dt = G d2y/dt2 + g

refuse(y): the reason why a y is not acceptable, or None. What the functions raise comes out of the call.)")
      .def(
          "__init__",
          [](F* self, int independents, nb::object calc, nb::object refuse) {
            if (independents < 1) throw nb::value_error("ClosureFunction: independents must be 1 or more");
            if (!PyCallable_Check(calc.ptr()))
              throw nb::type_error("ClosureFunction: calc must be a function of y and yd");
            if (!refuse.is_none() && !PyCallable_Check(refuse.ptr()))
              throw nb::type_error("ClosureFunction: refuse must be a function of y, or None");
            std::optional<Callable> r;
            if (!refuse.is_none()) r.emplace(std::move(refuse));
            new (self) F(independents, Callable(std::move(calc)), std::move(r));
          },
          "independents"_a, "calc"_a, "refuse"_a.none() = nb::none(),
          nb::sig("def __init__(self, independents: int, calc: collections.abc.Callable[[numpy.typing.NDArray["
                  "numpy.float64], numpy.typing.NDArray[numpy.float64]], tuple[numpy.typing.ArrayLike, "
                  "numpy.typing.ArrayLike, numpy.typing.ArrayLike]], refuse: collections.abc.Callable[[numpy.typing."
                  "NDArray[numpy.float64]], str | None] | None = None) -> None"))
      .def_prop_ro("independents", &F::independents, "Numbers in y.");
  using M = PyMotion;
  nb::class_<M>(m, "ClosedMotion", "The mechanism at y, yd, after calc_closure.")
      .def(
          "__init__",
          [](M* self, std::shared_ptr<PyModel> model, const F& f) {
            ClosedMotion motion(*model, f);
            new (self) M{std::move(model), f.independents(), std::move(motion)};
          },
          "model"_a, "function"_a)
      .def_prop_ro(
          "q", [](const M& x) { return copy_vector(x.motion.q); }, "Positions of the tree, gamma(y).")
      .def_prop_ro(
          "v", [](const M& x) { return copy_vector(x.motion.v); }, "Velocities of the tree, G yd.")
      .def_prop_ro(
          "G", [](const M& x) { return copy_matrix(x.motion.G, x.motion.g.size(), at(x.independents)); },
          "nv x independents")
      .def_prop_ro(
          "g", [](const M& x) { return copy_vector(x.motion.g); }, "dv/dt where d2y/dt2 = 0 (nv) [F08 8.60].");
  m.def(
      "calc_closure",
      [](const F& f, ArrayIn y, ArrayIn yd, M& out) {
        if (f.independents() != out.independents)
          throw nb::value_error("calc_closure: the motion is of a function with other independents");
        const auto n = at(f.independents());
        const InVector Y("calc_closure", "y", y, n), D("calc_closure", "yd", yd, n);
        calc_closure(f, Y, D, out.motion);
      },
      "function"_a, "y"_a, "yd"_a, "out"_a,
      "Fills a ClosedMotion: q = gamma(y), v = G yd, G, g [F08 8.56-8.60]. ValueError with the reason where y is "
      "refused.");
  using C = ClosureCheck;
  nb::class_<C>(m, "ClosureCheck",
                "Differences between formulae and constraints: all zero where the formulae are right.")
      .def_ro("position", &C::position, "Largest position error at gamma(y) [m or rad].")
      .def_ro("velocity", &C::velocity, "Largest entry of K G.")
      .def_ro("acceleration", &C::acceleration, "Largest entry of K g - k.")
      .def_ro("rate", &C::rate, "Largest entry of G - d gamma / dy, by central differences.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ClosureCheck"); });
  m.def(
      "check_closure",
      [](const PyModel& model, const PySet& s, const F& f, ArrayIn y, ArrayIn yd, double time) {
        check_set("check_closure", model, s);
        const auto n = at(f.independents());
        const InVector Y("check_closure", "y", y, n), D("check_closure", "yd", yd, n);
        return check_closure(model, s.set, f, Y, D, time);
      },
      "model"_a, "constraints"_a, "function"_a, "y"_a, "yd"_a, "time"_a = 0., "A ClosureCheck.");
}

}  // namespace sinew::py
