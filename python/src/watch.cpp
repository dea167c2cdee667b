// python/src/watch.cpp - contact problems of a simulation, as they are solved
#include "lcp.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

PyFrictionProblem copy_problem(const lcp::FrictionProblem& p) {
  const auto numbers = [](VectorView<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  PyFrictionProblem out{{},     numbers(p.q), numbers(p.mu), numbers(p.preload), numbers(p.lower), numbers(p.upper),
                        p.free, p.unilateral};
  const auto n = p.q.size();
  out.W.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out.W[n * i + j] = p.W(i, j);
  return out;
}

}  // namespace

void bind_watch(nb::module_&) {
  nb::borrow<nb::class_<PySimulation>>(nb::type<PySimulation>())
      .def(
          "set_watch",
          [](PySimulation& s, nb::object f) {
            const Access access("set_watch", s);
            if (f.is_none()) {
              s.simulation().set_watch({});
            } else {
              if (!PyCallable_Check(f.ptr())) throw nb::type_error("set_watch: watch must be callable, or None");
              // The simulation holds the function itself, so that the garbage collector sees it.
              s.simulation().set_watch([&s](const lcp::FrictionProblem& p, const lcp::Certificate& c) {
                const nb::gil_scoped_acquire gil;
                const nb::object call = s.watch;  // it may set another one
                if (!call.is_none()) call(copy_problem(p), c);
              });
            }
            s.watch = std::move(f);
          },
          nb::arg("watch").none(),
          nb::sig(
              "def set_watch(self, watch: collections.abc.Callable[[lcp.FrictionProblem, lcp.Certificate], object] | "
              "None) -> None"),
          R"(Called within a step with every contact problem and the certificate of its solution, also of collisions.

The problem is a copy, which lcp.Solver solves again. What the function raises ends the step and comes out of it: the
state is that before the step, and the simulation can go on. Its arrays are those before the step too.)");
}

}  // namespace sinew::py
