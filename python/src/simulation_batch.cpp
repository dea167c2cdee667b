// python/src/simulation_batch.cpp - many simulations at once
// The tables belong to the C++ batch; arrays of Python show them, and keep it alive.
#include "sinew/batch/simulation_batch.hpp"

#include "interrupt.hpp"
#include "mocap.hpp"
#include "sinew/batch/perturb.hpp"

namespace sinew::py {
namespace {

// What a batch needs to stay: its models.
struct Worlds {
  Worlds(std::vector<std::shared_ptr<const Model>> m, const SimulationBatchOptions& o)
      : models(std::move(m)), batch(list(), o) {}
  std::vector<const Model*> list() const {
    std::vector<const Model*> out;
    for (const auto& m : models) out.push_back(m.get());
    return out;
  }
  std::vector<std::shared_ptr<const Model>> models;
  SimulationBatch batch;
};

// An array of the batch's own memory.
nb::object show(const std::shared_ptr<Worlds>& owner, const void* data, int type, std::vector<npy_intp> shape,
                bool writable = true) {
  PyObject* a =
      PyArray_SimpleNewFromData(static_cast<int>(shape.size()), shape.data(), type, const_cast<void*>(data));  // NOLINT
  if (!a) throw nb::python_error();
  nb::object out = nb::steal(a);
  auto* array = reinterpret_cast<PyArrayObject*>(a);
  nb::capsule keep(new std::shared_ptr<Worlds>(owner),
                   [](void* p) noexcept { delete static_cast<std::shared_ptr<Worlds>*>(p); });
  if (PyArray_SetBaseObject(array, keep.release().ptr()) != 0) throw nb::python_error();
  if (!writable) PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE);
  return out;
}

class BoolArray : public nb::object {
  NB_OBJECT_DEFAULT(BoolArray, nb::object, "numpy.typing.NDArray[numpy.bool_]", PyArray_Check)
};

struct PySimulationBatch {
  PySimulationBatch(std::shared_ptr<PyModel> first, std::shared_ptr<Worlds> w)
      : model(std::move(first)), worlds(std::move(w)) {
    SimulationBatch& b = worlds->batch;
    const auto table = [&](MatrixView<double> m) {
      return nb::cast<Array>(
          show(worlds, m.data(), NPY_DOUBLE, {detail::signed_size(m.rows()), detail::signed_size(m.cols())}));
    };
    q = table(b.q()), v = table(b.v()), control = table(b.control()), applied = table(b.applied());
    activation = table(b.activation());
    const npy_intp n = detail::signed_size(b.size());
    external = nb::cast<Array>(
        show(worlds, b.external().data(), NPY_DOUBLE, {n, detail::signed_size(model->bodies().size()), 6}));
    time = nb::cast<Array>(show(worlds, b.time().data(), NPY_DOUBLE, {n}));
    failed = nb::cast<BoolArray>(show(worlds, b.failed().data(), NPY_BOOL, {n}, false));
  }
  SimulationBatch& batch() const { return worlds->batch; }

  std::shared_ptr<PyModel> model;  // of world 0, before perturbations
  std::shared_ptr<Worlds> worlds;
  Array q, v, control, applied, external, activation, time;
  BoolArray failed;
  Busy busy;
  int part = 16;                  // steps between two looks for signals
  nb::object names = nb::none();  // of the last observation, where they are a tuple
  Observation observation;
};

// Holds the batch for one call.
class UseBatch {
 public:
  UseBatch(const char* call, PySimulationBatch& b) : batch_(b.batch()), taken_(call, b.busy, "the batch") {}
  SimulationBatch* operator->() const { return &batch_; }

 private:
  SimulationBatch& batch_;
  Taken taken_;
};

// Runs work(interrupt) without the GIL until it ends or a signal handler raises.
template <class F>
void run_batch(const UseBatch& batch, CtrlC& signals, F&& work) {
  batch->interrupt = signals.hook();
  try {
    const nb::gil_scoped_release released;
    work();
  } catch (const Interrupted&) {
    signals.check();
    throw std::runtime_error("SimulationBatch: interrupted; time says how far each world is");
  }
}

// {"mass": {"torso": values}, ...}
std::vector<Perturbation> read_perturbations(nb::handle h, std::size_t n) {
  std::vector<Perturbation> out;
  if (h.is_none()) return out;
  const char* call = "SimulationBatch";
  const auto wrong = [&](const std::string& what) {
    throw nb::type_error((std::string(call) + ": perturb must be {property: {name: values}}, " + what).c_str());
  };
  if (!PyDict_Check(h.ptr())) wrong("it is no dict");
  for (const auto& [key, value] : nb::borrow<nb::dict>(h)) {
    std::string word;
    if (!nb::try_cast(key, word)) wrong("its keys must be texts");
    const Property* p =
        std::find_if(std::begin(kProperties), std::end(kProperties), [&](Property x) { return to_string(x) == word; });
    if (p == std::end(kProperties)) {
      std::string all;
      for (const Property x : kProperties) all += (all.empty() ? "" : ", ") + std::string(to_string(x));
      throw nb::value_error(
          (std::string(call) + ": there is no property '" + word + "' to perturb; there are " + all).c_str());
    }
    if (!PyDict_Check(value.ptr())) wrong("the value of '" + word + "' is no dict");
    for (const auto& [thing, numbers] : nb::borrow<nb::dict>(value)) {
      Perturbation x{*p, {}, {}};
      if (!nb::try_cast(thing, x.name)) wrong("names must be texts");
      const std::string what = word + " of '" + x.name + "'";
      x.values = read_numbers(call, what.c_str(), {numbers.ptr()});
      if (x.values.size() != n)
        throw nb::value_error((std::string(call) + ": " + what + " has shape (" + std::to_string(x.values.size()) +
                               ",), it must be (" + std::to_string(n) + ",)")
                                  .c_str());
      out.push_back(std::move(x));
    }
  }
  return out;
}

std::shared_ptr<Worlds> make_worlds(const std::vector<Source>& sources, std::size_t n, nb::handle perturbations,
                                    const SimulationBatchOptions& options) {
  const std::vector<Perturbation> list = read_perturbations(perturbations, n);
  const auto source_of = [&](std::size_t i) -> const Source& { return sources[sources.size() == 1 ? 0 : i]; };
  return run_long([&] {
    std::vector<std::shared_ptr<const Model>> models;
    for (std::size_t i = 0; i < n; ++i) {
      const std::shared_ptr<PyModel>& m = model_of(source_of(i));
      if (list.empty())
        models.push_back(m);
      else
        models.push_back(std::make_shared<const Model>(compile(perturb(*m, list, i)).value()));
    }
    auto worlds = std::make_shared<Worlds>(std::move(models), options);
    for (std::size_t i = 0; i < n; ++i)
      if (const auto* scene = std::get_if<std::shared_ptr<PyScene>>(&source_of(i)))
        worlds->batch.set_start(i, (*scene)->start, (*scene)->control);
    worlds->batch.reset();
    return worlds;
  });
}

template <class A>
void add_table(nb::class_<PySimulationBatch>& c, const char* name, A PySimulationBatch::*member, const char* doc) {
  c.def_prop_rw(
      name, [member](PySimulationBatch& b) { return b.*member; },
      [member](PySimulationBatch& b, ArrayIn value) {
        const nb::object to = b.*member;
        to.attr("__setitem__")(nb::ellipsis(), nb::handle(value.object));
      },
      doc);
}

void bind_failure(nb::module_& m) {
  using F = WorldFailure;
  nb::class_<F>(m, "WorldFailure", "A world that was set aside.")
      .def_prop_ro(
          "index", [](const F& f) { return f.world; }, "Of the world.")
      .def_ro("cause", &F::cause, "What went wrong, with names and numbers.")
      .def_prop_ro(
          "time", [](const F& f) { return f.state.time; }, "Before the step that failed, as q and v.")
      .def_prop_ro(
          "q", [](const F& f) { return freeze(copy_vector(f.state.q)); }, "Positions before the step that failed.")
      .def_prop_ro(
          "v", [](const F& f) { return freeze(copy_vector(f.state.v)); }, "Velocities before the step that failed.")
      .def("__repr__", [](const F& f) {
        char text[64];
        std::snprintf(text, sizeof text, "<WorldFailure of world %zu at %.6g s: ", f.world, f.state.time);
        return text + f.cause + ">";
      });
}

// The observation of these names: a text, or texts.
const Observation& find_observation(PySimulationBatch& b, const nb::object& names) {
  if (names.is(b.names) && !names.is_none()) return b.observation;
  std::vector<std::string> list;
  if (PyUnicode_Check(names.ptr()))
    list.push_back(nb::cast<std::string>(names));
  else if (!nb::try_cast(names, list))
    throw nb::type_error("observe: names must be a text or a sequence of texts");
  b.observation = b.batch().make_observation(list);
  b.names = PyTuple_Check(names.ptr()) ? names : nb::none();
  return b.observation;
}

}  // namespace

void bind_simulation_batch(nb::module_& m) {
  bind_failure(m);
  using B = PySimulationBatch;
  nb::class_<B> c(m, "SimulationBatch",
                  R"(n simulations at once, of one model or scene, or of models that differ in numbers.

    worlds = sinew.SimulationBatch(scene, 1000, threads=2)
    worlds.control[:, 0] = ...
    worlds.step(10)
    worlds.reset(mask=worlds.failed)

q, v, control, applied, external, activation and time are arrays with a row per world, shown where they are: read and write them
between calls. The bits of a world are those of a Simulation alone, for any n, any threads, any order.
perturb: {"mass": {"torso": values}}, a value per world. Properties: mass [kg] of a body (its inertia grows with it);
friction and restitution of a shape; damping, joint_friction, armature and stiffness of a joint; gain of an actuator, a
factor of its law. A list of models or scenes gives each world its own.
A world whose step is refused or gives a number that is not finite (with refuse_unsolved: whose contact problem is not
solved) is set aside, see `failed` and `failures`; the others go on.)");
  c.def(
      "__init__",
      [](B* self, const std::variant<Source, std::vector<Source>>& source, std::optional<std::size_t> n, int threads,
         const nb::object& perturbations, bool refuse_unsolved, double dt, Formulation formulation, LoopMethod loops,
         const lcp::SolverOptions& solver, RestitutionFriction restitution, bool look_ahead, bool middle_forces,
         double rest_speed, double recovery, double recovery_speed, int refinements, double overlap,
         double most_seconds, bool sleep) {
        const SimulationBatchOptions o{
            {dt, formulation, loops, solver, restitution, look_ahead, middle_forces, rest_speed, recovery,
             recovery_speed, refinements, overlap, most_seconds, sleep},
            threads,
            refuse_unsolved};
        std::vector<Source> sources;
        if (const auto* one = std::get_if<Source>(&source)) {
          sources.push_back(*one);
          if (!n) throw nb::value_error("SimulationBatch: say how many worlds: SimulationBatch(model, n)");
        } else {
          sources = std::get<std::vector<Source>>(source);
          if (!n) n = sources.size();
          if (sources.size() != *n)
            throw nb::value_error(("SimulationBatch: there are " + std::to_string(sources.size()) + " models for " +
                                   std::to_string(*n) + " worlds")
                                      .c_str());
        }
        if (*n == 0) throw nb::value_error("SimulationBatch: there must be at least one world");
        auto worlds = make_worlds(sources, *n, perturbations, o);
        new (self) B(model_of(sources[0]), std::move(worlds));
      },
      "model"_a, "n"_a = nb::none(), nb::kw_only(), "threads"_a = 1, "perturb"_a = nb::none(),
      "refuse_unsolved"_a = false, "dt"_a = 0., "formulation"_a = Formulation::os, "loops"_a = LoopMethod::rows,
      "solver"_a = SimulationOptions{}.solver, "restitution_friction"_a = RestitutionFriction::whole,
      "look_ahead"_a = true, "middle_forces"_a = true, "rest_speed"_a = -1., "recovery"_a = .2, "recovery_speed"_a = .5,
      "refinements"_a = 2, "overlap"_a = 1e-6, "most_seconds"_a = 0., "sleep"_a = true,
      nb::sig("def __init__(self, model: Model | Scene | collections.abc.Sequence[Model | Scene], n: int | None = "
              "None, *, threads: int = 1, perturb: collections.abc.Mapping[str, collections.abc.Mapping[str, "
              "numpy.typing.ArrayLike]] | None = None, refuse_unsolved: bool = False, dt: float = 0.0, formulation: "
              "Formulation = ..., loops: LoopMethod = ..., solver: lcp.SolverOptions = ..., restitution_friction: "
              "RestitutionFriction = ..., look_ahead: bool = True, middle_forces: bool = True, rest_speed: float = "
              "-1.0, recovery: float = 0.2, recovery_speed: float = 0.5, refinements: int = 2, overlap: float = "
              "1e-06, most_seconds: float = 0.0, sleep: bool = True) -> None"));
  add_table(c, "q", &B::q, "Positions [world, nq].");
  add_table(c, "v", &B::v, "Velocities [world, nv].");
  add_table(c, "control", &B::control, "[world, actuator]");
  add_table(c, "applied", &B::applied, "Joint forces besides the model's own [world, nv].");
  add_table(c, "external", &B::external,
            "Torque above force on each body, in its frame and about its origin [world, body, 6].");
  add_table(c, "activation", &B::activation, "Of actuators that have one [world, activation].");
  add_table(c, "time", &B::time, "[world] in seconds.");
  c.def_prop_ro(
       "failed", [](B& b) { return b.failed; }, "[world] True: set aside, at its last good state. Not writable.")
      .def_prop_ro(
          "failures", [](B& b) { return UseBatch("failures", b)->failures(); }, "WorldFailures, by index.")
      .def("__len__", [](B& b) { return b.batch().size(); })
      .def_prop_ro(
          "threads", [](B& b) { return b.batch().threads(); }, "How many work at a time.")
      .def_prop_ro(
          "dt", [](B& b) { return b.batch().step_length(); }, "Length of a step [s].")
      .def_prop_ro(
          "model", [](B& b) { return b.model; }, "As it was given, before perturbations; of world 0.")
      .def(
          "totals", [](B& b, std::size_t i) { return UseBatch("totals", b)->simulation(i).totals(); }, "world"_a,
          "Sums over all steps of one world since its reset.")
      .def(
          "report", [](B& b, std::size_t i) { return UseBatch("report", b)->simulation(i).report(); }, "world"_a,
          "Of the last step of one world.")
      .def(
          "mocap",
          [](nb::handle_t<B> self, std::size_t world) {
            B& b = nb::cast<B&>(self);
            b.batch().mocap(world);  // refuses a world that is none
            return PyMocap{nb::borrow(self), b.model, [&b, world](const char* call, const auto& f) {
                             const UseBatch use(call, b);
                             const MatrixView<double> q = use->q();
                             double* row = q.data() + world * q.stride();
                             State s;
                             s.q.assign(row, row + q.cols());
                             f(use->mocap(world), s);
                             std::copy(s.q.begin(), s.q.end(), row);
                           }};
          },
          "world"_a, nb::sig("def mocap(self, world: int) -> MocapBodies"),
          "MocapBodies of one world: where they go in its next step. A reset forgets it.")
      .def(
          "step",
          [](B& b, int steps) {
            if (steps < 0) throw nb::value_error("step: the number of steps must not be negative");
            const UseBatch use("step", b);
            CtrlC signals;
            // In parts of about 20 ms, between which other signal handlers than Ctrl-C's are called. Long parts, since
            // a world that takes its steps one after the other finds its memory warm.
            while (steps > 0) {
              const int part = std::min(steps, b.part);
              run_batch(use, signals, [&] { use->step(part); });
              steps -= part;
              if (signals.due())
                signals.check(), b.part = std::max(1, part / 2);
              else if (part == b.part)
                b.part = std::min(2 * part, 1 << 20);
            }
          },
          "steps"_a = 1, "Steps of all worlds that are not set aside.")
      .def(
          "reset",
          [](B& b, nb::handle mask, ArrayIn q, ArrayIn v) {
            const char* call = "reset";
            const UseBatch use(call, b);
            const auto n = use->size();
            std::optional<InMatrix> Q, V;
            if (!q.is_none()) Q.emplace(call, "q", q, n, at(b.model->nq()));
            if (!v.is_none()) V.emplace(call, "v", v, n, at(b.model->nv()));
            std::vector<unsigned char> chosen;
            if (!mask.is_none()) {
              const nb::object a = nb::steal(
                  PyArray_FromAny(mask.ptr(), nullptr, 0, 0, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, nullptr));
              if (!a.is_valid()) throw nb::python_error();
              auto* array = reinterpret_cast<PyArrayObject*>(a.ptr());
              if (PyArray_TYPE(array) != NPY_BOOL)
                throw nb::type_error("reset: mask must be an array of bool, one per world");
              if (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != detail::signed_size(n))
                throw nb::value_error(("reset: mask must have shape (" + std::to_string(n) + ",)").c_str());
              const auto* p = static_cast<const unsigned char*>(PyArray_DATA(array));
              chosen.assign(p, p + n);
            }
            const VectorView<const unsigned char> which =
                chosen.empty() ? VectorView<const unsigned char>() : VectorView<const unsigned char>(chosen);
            run_long([&] {
              use->reset(which, Q ? Q->view() : MatrixView<const double>(), V ? V->view() : MatrixView<const double>());
            });
          },
          "mask"_a = nb::none(), optional_array("q"), optional_array("v"),
          nb::sig("def reset(self, mask: numpy.typing.ArrayLike | None = None, q: numpy.typing.ArrayLike | None = "
                  "None, v: numpy.typing.ArrayLike | None = None) -> None"),
          "Worlds whose mask is True, or all, begin again as newly made: at the start of the scene, or at q [world, "
          "nq] and\nv [world, nv], where only rows of these worlds count. Controls are those of the start, `applied` "
          "and `external` are zero.")
      .def(
          "rollout",
          [](B& b, ArrayIn controls, ArrayOut out, int steps) {
            const char* call = "rollout";
            const UseBatch use(call, b);
            const auto n = use->size(), nu = use->control().cols(), width = use->q().cols() + use->v().cols();
            const nb::object u = read_array(call, "controls", controls, 3);
            auto* a = reinterpret_cast<PyArrayObject*>(u.ptr());
            const auto length = static_cast<std::size_t>(PyArray_DIM(a, 1));
            const Read<3> U(call, "controls", {u.ptr()},
                            {detail::signed_size(n), PyArray_DIM(a, 1), detail::signed_size(nu)});
            Write<3> O(call, "out", out,
                       {detail::signed_size(n), detail::signed_size(length + 1), detail::signed_size(width)});
            O.apart_from(U);
            CtrlC signals;
            run_batch(use, signals, [&] {
              use->rollout(length, {U.data(), n, length * nu}, {O.data(), n, (length + 1) * width}, steps);
            });
            return O.take();
          },
          "controls"_a, optional_array("out"), "steps"_a = 1,
          nb::sig("def rollout(self, controls: numpy.typing.ArrayLike, out: numpy.typing.NDArray[numpy.float64] | None "
                  "= None, steps: int = 1) -> numpy.typing.NDArray[numpy.float64]"),
          "From the state that the worlds have: controls [world, t, actuator] -> states [world, t + 1, nq + nv], the "
          "first\nthe one they begin at. steps: per control. NaN after a failure.")
      .def_prop_ro(
          "observation_names", [](B& b) { return b.batch().observation_names(); }, "All that observe() knows.")
      .def(
          "observe",
          [](B& b, const nb::object& names, ArrayOut out) {
            const UseBatch use("observe", b);
            const Observation& what = find_observation(b, names);
            OutMatrix2 O("observe", "out", out, use->size(), what.width());
            run_long([&] { use->observe(what, O.view()); });
            return O.take();
          },
          "names"_a, optional_array("out"),
          nb::sig("def observe(self, names: str | collections.abc.Sequence[str], out: "
                  "numpy.typing.NDArray[numpy.float64] | None = None) -> numpy.typing.NDArray[numpy.float64]"),
          R"([world, number] by names, one after the other; a tuple that is used again is not read again.

q v time control activation contacts sensors: whole rows, and the number of contacts.
q.JOINT v.JOINT control.ACTUATOR force.ACTUATOR sensor.SENSOR
x.BODY y.BODY z.BODY position.BODY orientation.BODY (w x y z) velocity.BODY angular_velocity.BODY contact_force.BODY:
of the body's origin, along the axes of the world.)")
      .def(
          "observation_slices",
          [](B& b, const nb::object& names) {
            const UseBatch use("observation_slices", b);
            nb::dict out;
            for (const Observation::Part& p : find_observation(b, names).parts())
              out[nb::str(p.name.c_str())] = nb::slice(p.first, p.first + p.size);
            return out;
          },
          "names"_a,
          nb::sig("def observation_slices(self, names: str | collections.abc.Sequence[str]) -> dict[str, slice]"),
          "Where each name is in a row of observe(names).")
      .def("__repr__", [](B& b) {
        return "<SimulationBatch of " + std::to_string(b.batch().size()) + " worlds of '" + b.model->name() + "', " +
               std::to_string(b.batch().threads()) + " threads>";
      });
}

}  // namespace sinew::py
