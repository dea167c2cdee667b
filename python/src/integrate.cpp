// python/src/integrate.cpp - motion over time without contact: integrators by themselves
#include "integrate.hpp"

#include <cmath>

#include "closure.hpp"
#include "interrupt.hpp"

namespace sinew::py {
namespace {

struct PyEmbeddedMotion {
  EmbeddedMotion motion;
  std::shared_ptr<RateSource> of;
};

void fill(const char* name, const nb::object& from, Out<double> to) {
  const InVector x("Integrator", name, {from.ptr()}, to.size());
  std::copy(x.data(), x.data() + to.size(), to.begin());
}

Callable read_callable(const char* call, const char* what, nb::handle f) {
  if (!PyCallable_Check(f.ptr()))
    throw nb::type_error((std::string(call) + ": " + what + " must be a function of a StatePoint").c_str());
  return Callable(nb::borrow(f));
}

// dv/dt, or dv/dt and the rates of the extra numbers.
RightHandSide read_rate(nb::handle f) {
  return [function = read_callable("Integrator", "rate", f)](const StatePoint& x, const StateRate& r) {
    const nb::gil_scoped_acquire gil;
    const nb::object answer = function.get()(copy_point(x));
    if (r.extra.size() == 0) return fill("dv, the answer of rate,", answer, r.v);
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 2)
      throw nb::type_error("Integrator: rate must return dv and dextra, since there are extra numbers");
    fill("dv, the answer of rate,", answer[0], r.v);
    fill("dextra, the answer of rate,", answer[1], r.extra);
  };
}

// None: nothing is changed; else q and v, or q, v and extra.
Projection read_projection(nb::handle f) {
  return [function = read_callable("set_projection", "projection", f)](State& s, Out<double> extra) {
    const nb::gil_scoped_acquire gil;
    const nb::object answer = function.get()(copy_point({s.q, s.v, extra, s.time}));
    if (answer.is_none()) return false;
    const std::size_t n = nb::isinstance<nb::tuple>(answer) ? nb::len(answer) : 0;
    if (n != 2 && n != 3) throw nb::type_error("Integrator: a projection must return None, (q, v) or (q, v, extra)");
    fill("q, of the projection,", answer[0], s.q), fill("v, of the projection,", answer[1], s.v);
    if (n == 3) fill("extra, of the projection,", answer[2], extra);
    return true;
  };
}

struct PyIntegrator {
  PyIntegrator(std::shared_ptr<RateSource> s, RightHandSide f, const IntegratorOptions& o)
      : rate(std::move(s)), value(*rate->model, std::move(f), o) {}
  std::shared_ptr<RateSource> rate, projection;
  Integrator value;
  Busy busy;
  const PyModel& model() const { return *rate->model; }
  std::size_t extra() const { return at(value.options().extra); }
};

// Holds the integrator, its right-hand side and its projection for one call.
class UseIntegrator {
 public:
  UseIntegrator(const char* call, PyIntegrator& p)
      : integrator_(call, p.busy, "the integrator"), rate_(call, p.rate->busy, "its right-hand side") {
    if (p.projection && p.projection != p.rate) projection_.emplace(call, p.projection->busy, "its projection");
  }

 private:
  Taken integrator_, rate_;
  std::optional<Taken> projection_;
};

template <class F>
auto run_integrator(const char* call, PyIntegrator& p, F&& f) {
  const UseIntegrator use(call, p);
  CtrlC signals;
  p.value.interrupt = signals.hook();
  try {
    const nb::gil_scoped_release released;
    return f(p.value);
  } catch (const Interrupted&) {
    signals.check();
    throw std::runtime_error(std::string(call) + ": interrupted; the state is that before the step");
  }
}

void check_finite(const char* call, const char* name, double x) {
  if (!std::isfinite(x)) throw nb::value_error((std::string(call) + ": " + name + " must be finite").c_str());
}

// The last step, for states inside it.
struct PyLastStep {
  std::shared_ptr<PyIntegrator> integrator;
  InterpolatedStep& get(const char* call) const {
    if (integrator->value.report().steps == 0)
      throw nb::value_error((std::string(call) + ": no step was made since set_state").c_str());
    return integrator->value.last_step();
  }
};
double check_delta(const char* call, double delta) {
  if (!(delta >= 0 && delta <= 1)) throw nb::value_error((std::string(call) + ": delta must be in 0 .. 1").c_str());
  return delta;
}

void bind_point(nb::module_& m) {
  using P = PyPoint;
  nb::class_<P>(m, "StatePoint", "A state, and extra numbers with rates of their own.")
      .def(
          "__init__",
          [](P* self, ArrayIn q, ArrayIn v, ArrayIn extra, double time) {
            new (self) P{read_numbers("StatePoint", "q", q), read_numbers("StatePoint", "v", v),
                         read_numbers("StatePoint", "extra", extra), time};
          },
          "q"_a, "v"_a, "extra"_a = nb::make_tuple(), "time"_a = 0.)
      .def_prop_ro(
          "q", [](const P& p) { return copy_vector(p.q); }, "Positions (nq).")
      .def_prop_ro(
          "v", [](const P& p) { return copy_vector(p.v); }, "Velocities (nv).")
      .def_prop_ro(
          "extra", [](const P& p) { return copy_vector(p.extra); }, "Numbers that are integrated besides the state.")
      .def_ro("time", &P::time, "[s]")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "StatePoint"); });
}

void bind_right_hand_sides(nb::module_& m) {
  nb::class_<PyRate>(m, "RightHandSide",
                     "dv/dt as a function of a StatePoint: made by make_forward_dynamics and its kind.");
  nb::class_<PyProjection>(m, "Projection", "Closes loops again after a step: made by make_projection.");
  m.def(
      "make_forward_dynamics",
      [](std::shared_ptr<PyModel> model, const nb::object& forces) {
        RightHandSide f = make_forward_dynamics(*model, read_forces("make_forward_dynamics", forces));
        return PyRate{std::move(f), std::make_shared<RateSource>(std::move(model))};
      },
      "model"_a, "forces"_a.none() = nb::none(),
      nb::sig(("def make_forward_dynamics(model: Model, forces: " + std::string(kForcesType) + ") -> RightHandSide")
                  .c_str()),
      "H dv/dt + C = tau by the articulated-body algorithm [F08 section 7.3]. forces(point) -> tau; None: zero.");
  m.def(
      "make_constrained_dynamics",
      [](std::shared_ptr<PyModel> model, std::shared_ptr<PySet> set, const nb::object& forces, ConstrainedMethod method,
         double period, IntegersIn independent) {
        const char* call = "make_constrained_dynamics";
        check_set(call, *model, *set);
        RightHandSide f = make_constrained_dynamics(
            *model, set->set, read_options(call, *model, method, period, independent), read_forces(call, forces));
        return PyRate{std::move(f), std::make_shared<RateSource>(std::move(model), std::move(set))};
      },
      "model"_a, "constraints"_a, "forces"_a.none() = nb::none(), nb::kw_only(),
      "method"_a = ConstrainedMethod::multipliers, "stabilization_period"_a = 0., "independent"_a = nb::make_tuple(),
      nb::sig(("def make_constrained_dynamics(model: Model, constraints: ConstraintSet, forces: " +
               std::string(kForcesType) +
               ", *, method: ConstrainedMethod = ..., stabilization_period: float = 0.0, independent: "
               "numpy.typing.ArrayLike = ...) -> RightHandSide")
                  .c_str()),
      "H dv/dt + C = tau + K^T lambda,  K dv/dt = k  [F08 8.34-8.36]. Drifts without a stabilization_period [s] or a\n"
      "projection after steps. A solve that fails is a RuntimeError with the time and the certificate.");
  m.def(
      "make_projection",
      [](std::shared_ptr<PyModel> model, std::shared_ptr<PySet> set) {
        check_set("make_projection", *model, *set);
        Projection f = make_projection(*model, set->set);
        return PyProjection{std::move(f), std::make_shared<RateSource>(std::move(model), std::move(set))};
      },
      "model"_a, "constraints"_a, "For Integrator.set_projection: the nearest state that obeys the constraints.");
  nb::enum_<UnclosedStage>(m, "UnclosedStage", "What a stage that cannot be closed does.")
      .value("refuse", UnclosedStage::refuse, "StepRefused.")
      .value("retry", UnclosedStage::retry, "Its rates are NaN, so that an adaptive integrator tries a shorter step.");
  using E = PyEmbeddedMotion;
  nb::class_<E>(m, "EmbeddedMotion", "Loops without multipliers, for an Integrator: made by make_embedded_dynamics.")
      .def_prop_ro(
          "rate",
          [](const E& e) {
            return PyRate{e.motion.rate, e.of};
          },
          "The right-hand side.")
      .def_prop_ro(
          "projection",
          [](const E& e) {
            return PyProjection{e.motion.projection, e.of};
          },
          "Closes the loops at the end of a step; to be given to set_projection.")
      .def_prop_ro(
          "report",
          [](const E& e) {
            const Taken taken("report", e.of->busy, "the motion");
            return EmbeddingReport(e.motion.work->embedding.report);
          },
          "EmbeddingReport of the last call, with all changes of coordinates.");
  const EmbeddingOptions standard;
  m.def(
      "make_embedded_dynamics",
      [](std::shared_ptr<PyModel> model, std::shared_ptr<PySet> set, const nb::object& forces, UnclosedStage unclosed,
         IntegersIn independent, std::shared_ptr<PythonClosure> closure, double position, int iterations, double rank,
         double change) {
        const char* call = "make_embedded_dynamics";
        check_set(call, *model, *set);
        EmbeddedMotion e = make_embedded_dynamics(
            *model, set->set,
            read_options(call, *model, independent, std::move(closure), position, iterations, rank, change),
            read_forces(call, forces), unclosed);
        return E{std::move(e), std::make_shared<RateSource>(std::move(model), std::move(set))};
      },
      "model"_a, "constraints"_a, "forces"_a.none() = nb::none(), "unclosed"_a = UnclosedStage::refuse, nb::kw_only(),
      "independent"_a = nb::make_tuple(), "closure"_a.none() = nb::none(),
      "position_tolerance"_a = standard.position_tolerance, "max_iterations"_a = standard.max_iterations,
      "rank_tolerance"_a = standard.rank_tolerance, "change_below"_a = standard.change_below,
      nb::sig(
          ("def make_embedded_dynamics(model: Model, constraints: ConstraintSet, forces: " + std::string(kForcesType) +
           ", unclosed: UnclosedStage = ..., *, independent: numpy.typing.ArrayLike = ..., closure: "
           "ClosureFunction | None = None, position_tolerance: float = ..., max_iterations: int = ..., "
           "rank_tolerance: float = ..., change_below: float = ...) -> EmbeddedMotion")
              .c_str()),
      R"(Loops in minimal coordinates [J11 section 8.1]; stages and ends of steps are closed to rounding.

    e = sinew.make_embedded_dynamics(model, constraints)
    run = sinew.Integrator(model, e.rate, method=sinew.IntegrationMethod.rkmk4, dt=1e-3)
    run.set_projection(e.projection)

A singular position, and what cannot be closed, is StepRefused with the time and the place.)");
}

void bind_report(nb::module_& m) {
  using R = IntegrationReport;
  nb::class_<R>(m, "IntegrationReport", "What an integrator did since set_state.")
      .def_ro("steps", &R::steps, "Steps taken.")
      .def_ro("rejected", &R::rejected, "Adaptive: steps that were tried again, shorter.")
      .def_ro("evaluations", &R::evaluations, "Of the right-hand side.")
      .def_ro("smallest_step", &R::smallest_step, "[s]")
      .def_ro("largest_step", &R::largest_step, "[s]")
      .def_ro("largest_error", &R::largest_error, "Adaptive: of the steps taken, in units of the tolerance; at most 1.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "IntegrationReport"); });
  using L = PyLastStep;
  nb::class_<L>(m, "InterpolatedStep", "The last step of an Integrator, and the motion inside it [F08 11.45, 11.46].")
      .def_prop_ro(
          "start_time", [](const L& l) { return l.get("start_time").start_time(); }, "[s]")
      .def_prop_ro(
          "length", [](const L& l) { return l.get("length").length(); }, "[s]; negative: backwards.")
      .def(
          "calc",
          [](const L& l, double delta) {
            const UseIntegrator use("calc", *l.integrator);
            return copy_point(l.get("calc").calc(check_delta("calc", delta)));
          },
          "delta"_a, "The StatePoint at the fraction delta of the step, 0 .. 1.");
}

void bind_integrator(nb::module_& m) {
  using I = PyIntegrator;
  const IntegratorOptions standard;
  nb::class_<I>(m, "Integrator", R"(Moves a state in time; events stop it where they happen.

    run = sinew.Integrator(model, sinew.make_forward_dynamics(model), method=sinew.IntegrationMethod.rkmk4, dt=1e-3)
    run.set_state(state)
    run.advance(10)                        # to t = 10 s

rate: a RightHandSide, or a function of a StatePoint that returns dv, or (dv, dextra) where extra > 0 numbers are
integrated besides the state. adaptive: dormand_prince only; it keeps the error of each step within absolute + relative
|state|. samples, event_tolerance: how events are looked for in a step. Orders: euler, semi_implicit_euler 1, heun 2,
rk4, rkmk4 4, dormand_prince 5 [F08 11.45-11.50].)")
      .def(
          "__init__",
          [](I* self, std::shared_ptr<PyModel> model, const nb::object& rate, IntegrationMethod method, double dt,
             bool adaptive, double relative, double absolute, double least_step, double largest_step, int extra,
             int samples, double tolerance) {
            const IntegratorOptions o{
                method, dt, adaptive, relative, absolute, least_step, largest_step, extra, {samples, tolerance}};
            if (PyRate* made = nullptr; nb::try_cast(rate, made) && made) {
              if (!made->of->model->identity().is_same(model->identity()))
                throw nb::value_error("Integrator: the right-hand side is of another model");
              new (self) I(made->of, made->f, o);
            } else {
              RightHandSide f = read_rate(rate);
              new (self) I(std::make_shared<RateSource>(std::move(model)), std::move(f), o);
            }
          },
          "model"_a, "rate"_a, nb::kw_only(), "method"_a = standard.method, "dt"_a = standard.dt,
          "adaptive"_a = standard.adaptive, "relative"_a = standard.relative, "absolute"_a = standard.absolute,
          "least_step"_a = standard.least_step, "largest_step"_a = standard.largest_step, "extra"_a = standard.extra,
          "samples"_a = standard.events.samples, "event_tolerance"_a = standard.events.tolerance,
          nb::sig("def __init__(self, model: Model, rate: RightHandSide | collections.abc.Callable[[StatePoint], "
                  "numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike]], *, method: "
                  "IntegrationMethod = ..., dt: float = 0.0, adaptive: bool = True, relative: float = 1e-06, absolute: "
                  "float = 1e-08, least_step: float = 1e-12, largest_step: float = 0.0, extra: int = 0, samples: int = "
                  "4, event_tolerance: float = 1e-15) -> None"))
      .def_prop_ro(
          "model", [](const I& i) { return i.rate->model; }, "The Model whose state it moves.")
      .def(
          "set_state",
          [](I& i, const State& s, ArrayIn extra) {
            std::optional<InVector> x;
            if (!extra.is_none()) x.emplace("set_state", "extra", extra, i.extra());
            const UseIntegrator use("set_state", i);
            i.value.set_state(s, x ? In<double>(*x) : In<double>());
          },
          "state"_a, optional_array("extra"),
          nb::sig("def set_state(self, state: State, extra: numpy.typing.ArrayLike | None = None) -> None"),
          "Also begins the report anew, and the energy that drift is measured from. No extra: unchanged.")
      .def(
          "jump",
          [](I& i, ArrayIn q, ArrayIn v, ArrayIn extra) {
            const InVector Q("jump", "q", q, at(i.model().nq())), V("jump", "v", v, at(i.model().nv()));
            std::optional<InVector> x;
            if (!extra.is_none()) x.emplace("jump", "extra", extra, i.extra());
            const UseIntegrator use("jump", i);
            i.value.jump(Q, V, x ? In<double>(*x) : In<double>());
          },
          "q"_a, "v"_a, optional_array("extra"),
          nb::sig("def jump(self, q: numpy.typing.ArrayLike, v: numpy.typing.ArrayLike, extra: numpy.typing.ArrayLike "
                  "| None = None) -> None"),
          "A sudden change such as an impact; time, report and step length go on.")
      .def_prop_ro(
          "state", [](I& i) { return UseIntegrator("state", i), State(i.value.state()); }, "A copy of the State.")
      .def_prop_ro(
          "extra", [](I& i) { return UseIntegrator("extra", i), copy_vector(i.value.extra()); },
          "Numbers that are integrated besides the state.")
      .def(
          "set_projection",
          [](I& i, const nb::object& projection) {
            const UseIntegrator use("set_projection", i);
            if (PyProjection* made = nullptr; nb::try_cast(projection, made) && made) {
              if (!made->of->model->identity().is_same(i.model().identity()))
                throw nb::value_error("set_projection: the projection is of another model");
              i.value.set_projection(made->f);
              i.projection = made->of;
            } else {
              i.value.set_projection(projection.is_none() ? Projection() : read_projection(projection));
              i.projection.reset();
            }
          },
          "projection"_a.none(),
          nb::sig("def set_projection(self, projection: Projection | collections.abc.Callable[[StatePoint], "
                  "tuple[numpy.typing.ArrayLike, ...] | None] | None) -> None"),
          "Called after each step: a Projection; a function of a StatePoint that returns (q, v), (q, v, extra), or "
          "None\n"
          "where it changes nothing; None: no projection.")
      .def(
          "add_event",
          [](I& i, std::string name, const nb::object& value, int direction) {
            if (direction < -1 || direction > 1)
              throw nb::value_error("add_event: direction must be -1 (falling), 1 (rising) or 0 (either)");
            auto f = [function = read_callable("add_event", "value", value)](const StatePoint& x) {
              const nb::gil_scoped_acquire gil;
              const nb::object answer = function.get()(copy_point(x));
              double number = 0;
              if (!nb::try_cast(answer, number))
                throw nb::type_error(("add_event: the value of an event must be a number, it is " +
                                      std::string(nb::repr(answer).c_str()))
                                         .c_str());
              return number;
            };
            const UseIntegrator use("add_event", i);
            i.value.add_event({std::move(name), std::move(f), direction});
          },
          "name"_a, "value"_a, "direction"_a = 0,
          nb::sig("def add_event(self, name: str, value: collections.abc.Callable[[StatePoint], float], direction: int "
                  "= 0) -> None"),
          "It happens where value(point) changes its sign; direction: -1 falling, 1 rising, 0 either.")
      .def(
          "step",
          [](I& i, double h) {
            check_finite("step", "h", h);
            run_integrator("step", i, [h](Integrator& x) { x.step(h); });
          },
          "h"_a = 0.,
          "Fixed: of length h [s] (0: dt). Adaptive: of at most h (0: no limit). RuntimeError, with the state before "
          "the\n"
          "step, where a number is not finite or an adaptive step gets smaller than the least.")
      .def(
          "advance",
          [](I& i, double t) {
            check_finite("advance", "t", t);
            run_integrator("advance", i, [t](Integrator& x) { x.advance(t); });
          },
          "t"_a, "Steps until the time is t [s], the last one shortened; backwards if t lies before.")
      .def(
          "advance_to_event",
          [](I& i, double t) {
            check_finite("advance_to_event", "t", t);
            return run_integrator("advance_to_event", i, [t](Integrator& x) {
              const std::span<const int> hits = x.advance_to_event(t);
              return std::vector<int>(hits.begin(), hits.end());
            });
          },
          "t"_a, "To t or the first event: numbers of the events that happen then; none: t was reached.")
      .def(
          "rewind",
          [](I& i, double delta) {
            PyLastStep{std::shared_ptr<I>(&i, [](I*) {})}.get("rewind");
            const UseIntegrator use("rewind", i);
            i.value.rewind(check_delta("rewind", delta));
          },
          "delta"_a, "Goes back into the last step, to the fraction delta of it.")
      .def_prop_ro(
          "last_step", [](std::shared_ptr<I> i) { return PyLastStep{std::move(i)}; }, "For states inside it.")
      .def_prop_ro(
          "report", [](I& i) { return UseIntegrator("report", i), IntegrationReport(i.value.report()); },
          "Since set_state.")
      .def(
          "calc_energy", [](I& i) { return UseIntegrator("calc_energy", i), i.value.calc_energy(); },
          "[J] kinetic and potential, without springs.")
      .def(
          "calc_energy_drift", [](I& i) { return UseIntegrator("calc_energy_drift", i), i.value.calc_energy_drift(); },
          "[J] since set_state.")
      .def(
          "evaluate",
          [](I& i, const PyPoint& x) {
            OutVector dv("evaluate", "dv", {Py_None}, at(i.model().nv())),
                de("evaluate", "dextra", {Py_None}, i.extra());
            run_integrator("evaluate", i, [&](Integrator& y) { y.evaluate(x.view(), dv, de); });
            return std::pair(dv.take(), de.take());
          },
          "point"_a, "dv and dextra at a StatePoint, counted as an evaluation.")
      .def("__repr__", [](I& i) {
        char text[64];
        std::snprintf(text, sizeof text, "' at %.6g s, %ld steps>", i.value.state().time, i.value.report().steps);
        return "<Integrator of '" + i.model().name() + text;
      });
  m.def("order_of", &order_of, "method"_a, "Of the step: the error at the end of a run ~ h^order.");
  m.def("order_of_interpolation", &order_of_interpolation, "method"_a, "Inside a step: error ~ h^(order + 1).");
}

}  // namespace

JointForces read_forces(const char* call, nb::handle f) {
  if (f.is_none()) return {};
  return [function = read_callable(call, "forces", f)](const StatePoint& x, Out<double> tau) {
    const nb::gil_scoped_acquire gil;
    fill("tau, the answer of forces,", function.get()(copy_point(x)), tau);
  };
}

void bind_integrate(nb::module_& m) {
  bind_point(m);
  bind_right_hand_sides(m);
  bind_report(m);
  bind_integrator(m);
}

}  // namespace sinew::py
