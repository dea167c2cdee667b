// python/src/batch.cpp - the tree algorithms, and constrained dynamics, over many samples
#include "sinew/batch/batch.hpp"

#include "constraints.hpp"
#include "sinew/batch/constrained_batch.hpp"

namespace sinew::py {

// To fill, of either type.
struct RowsOut : ArrayOut {};

}  // namespace sinew::py

template <>
struct nanobind::detail::type_caster<sinew::py::RowsOut> {
  NB_TYPE_CASTER(sinew::py::RowsOut, const_name("numpy.typing.NDArray[numpy.floating[typing.Any]]"))
  bool from_python(handle h, uint32_t, cleanup_list*) noexcept {
    value.object = h.ptr();
    return true;
  }
};

namespace sinew::py {
namespace {

template <class R>
constexpr int kType = std::is_same_v<R, float> ? NPY_FLOAT : NPY_DOUBLE;

// What calls return: float64, or float32 where the batch is of that.
class FloatArray : public nb::object {
  NB_OBJECT_DEFAULT(FloatArray, nb::object, "numpy.typing.NDArray[numpy.floating[typing.Any]]", PyArray_Check)
};
class StatusArray : public nb::object {
  NB_OBJECT_DEFAULT(StatusArray, nb::object, "numpy.typing.NDArray[numpy.int32]", PyArray_Check)
};

// Rows to read.
template <class R>
class InRows {
 public:
  // samples < 0: any number.
  InRows(const char* call, const char* name, ArrayIn in, npy_intp samples, int width)
      : array_(read_array(call, name, in, 2, kType<R>)) {
    const npy_intp shape[] = {samples < 0 ? PyArray_DIM(array(), 0) : samples, width};
    if (PyArray_DIM(array(), 0) != shape[0] || PyArray_DIM(array(), 1) != width)
      array_ = nb::steal(
          reinterpret_cast<PyObject*>(detail::convert(call, name, array_.ptr(), 2, shape, kType<R>)));  // says so
  }
  std::size_t samples() const { return static_cast<std::size_t>(PyArray_DIM(array(), 0)); }
  MatrixView<const R> view() const {
    return {static_cast<const R*>(PyArray_DATA(array())), samples(), static_cast<std::size_t>(PyArray_DIM(array(), 1))};
  }
  const R* data() const { return view().data(); }
  std::size_t size() const { return static_cast<std::size_t>(PyArray_SIZE(array())); }

 private:
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
  nb::object array_;
};

// Rows to fill, [sample, ...]: the caller's, or new ones.
template <class R>
class OutTable {
 public:
  OutTable(const char* call, const char* name, ArrayOut out, std::vector<npy_intp> shape) : call_(call), name_(name) {
    const int n = static_cast<int>(shape.size());
    array_ = nb::steal(reinterpret_cast<PyObject*>(
        out.object == Py_None ? detail::make(n, shape.data(), kType<R>)
                              : detail::check_out(call, name, out.object, n, shape.data(), kType<R>)));
    rows_ = static_cast<std::size_t>(shape[0]), cols_ = 1;
    for (int i = 1; i < n; ++i) cols_ *= static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
    stride_ = rows_ > 1 ? static_cast<std::size_t>(PyArray_STRIDE(array(), 0)) / sizeof(R) : cols_;
  }
  MatrixView<R> view() const { return {static_cast<R*>(PyArray_DATA(array())), rows_, cols_, stride_}; }
  template <class... In>
  void apart_from(const In&... in) const {
    (check_apart(in.data(), in.size()), ...);
  }
  const R* data() const { return view().data(); }
  std::size_t size() const { return rows_ == 0 ? 0 : (rows_ - 1) * stride_ + cols_; }
  nb::object take() { return array_; }

 private:
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }
  void check_apart(const R* p, std::size_t n) const {
    if (p < data() + size() && data() < p + n) detail::refuse_overlap(call_, name_);
  }
  const char* call_;
  const char* name_;
  nb::object array_;
  std::size_t rows_ = 0, cols_ = 1, stride_ = 1;
};

struct PyBatch {
  PyBatch(std::shared_ptr<PyModel> m, int threads, bool single) : model(std::move(m)) {
    if (single)
      float_batch.emplace(*model, threads);
    else
      double_batch.emplace(*model, threads);
  }
  std::shared_ptr<PyModel> model;
  std::optional<Batch<double>> double_batch;
  std::optional<Batch<float>> float_batch;
  Busy busy;
};

// Holds it for one call, and runs f(batch) of the right kind.
class UseTreeBatch {
 public:
  UseTreeBatch(const char* call, PyBatch& b) : b_(b), taken_(call, b.busy, "the batch") {}
  template <class F>
  FloatArray run(F&& f) const {
    return nb::cast<FloatArray>(b_.float_batch ? f(*b_.float_batch, float{}) : f(*b_.double_batch, double{}));
  }

 private:
  PyBatch& b_;
  Taken taken_;
};

// q, v and one more row of nv numbers.
template <class F>
FloatArray call_rows(const char* call, PyBatch& b, ArrayIn q, ArrayIn v, const char* name, ArrayIn x, RowsOut out,
                     F&& f) {
  return UseTreeBatch(call, b).run([&](auto& batch, auto zero) {
    using R = decltype(zero);
    const InRows<R> Q(call, "q", q, -1, b.model->nq());
    const auto n = detail::signed_size(Q.samples());
    const InRows<R> V(call, "v", v, n, b.model->nv()), X(call, name, x, n, b.model->nv());
    OutTable<R> O(call, "out", out, {n, b.model->nv()});
    O.apart_from(Q, V, X);
    run_long([&] { f(batch, Q.view(), V.view(), X.view(), O.view()); });
    return O.take();
  });
}

// The same with derivatives: one row and three matrices of each sample.
using FourTables = std::tuple<FloatArray, FloatArray, FloatArray, FloatArray>;
struct Outputs {
  const char* names[4];
  RowsOut given[4];
};
template <class F>
FourTables call_slopes(const char* call, PyBatch& b, ArrayIn q, ArrayIn v, const char* name, ArrayIn x,
                       const Outputs& outs, F&& f) {
  const Taken taken(call, b.busy, "the batch");
  const auto run = [&](auto& batch, auto zero) {
    using R = decltype(zero);
    const InRows<R> Q(call, "q", q, -1, b.model->nq());
    const npy_intp n = detail::signed_size(Q.samples()), nv = b.model->nv();
    const InRows<R> V(call, "v", v, n, b.model->nv()), X(call, name, x, n, b.model->nv());
    OutTable<R> O(call, outs.names[0], outs.given[0], {n, nv});
    OutTable<R> A(call, outs.names[1], outs.given[1], {n, nv, nv}), B(call, outs.names[2], outs.given[2], {n, nv, nv});
    OutTable<R> C(call, outs.names[3], outs.given[3], {n, nv, nv});
    O.apart_from(Q, V, X, A, B, C), A.apart_from(Q, V, X, B, C), B.apart_from(Q, V, X, C), C.apart_from(Q, V, X);
    run_long([&] { f(batch, Q.view(), V.view(), X.view(), O.view(), A.view(), B.view(), C.view()); });
    const auto take = [](OutTable<R>& t) { return nb::cast<FloatArray>(t.take()); };
    return FourTables(take(O), take(A), take(B), take(C));
  };
  return b.float_batch ? run(*b.float_batch, float{}) : run(*b.double_batch, double{});
}

// q alone; shape: of one sample's answer.
template <class F>
FloatArray call_positions(const char* call, PyBatch& b, ArrayIn q, RowsOut out, std::vector<npy_intp> shape, F&& f) {
  return UseTreeBatch(call, b).run([&](auto& batch, auto zero) {
    using R = decltype(zero);
    const InRows<R> Q(call, "q", q, -1, b.model->nq());
    shape.insert(shape.begin(), detail::signed_size(Q.samples()));
    OutTable<R> O(call, "out", out, shape);
    O.apart_from(Q);
    run_long([&] { f(batch, Q.view(), O.view()); });
    return O.take();
  });
}

void bind_tree_batch(nb::module_& m) {
  using B = PyBatch;
  nb::class_<B>(m, "Batch",
                R"(The tree algorithms over many samples of one model: [sample, number] in, [sample, ...] out.

    batch = sinew.Batch(model, threads=2)
    a = batch.aba(q, v, tau, out=a)

Several samples fill a register, runs of registers go to threads. The bits of a sample do not depend on the others or on
the threads; they may differ from those of the call for one sample by rounding. dtype: of all arrays.)")
      .def(
          "__init__",
          [](B* self, std::shared_ptr<PyModel> model, int threads, const nb::object& dtype) {
            PyArray_Descr* type = nullptr;
            if (!PyArray_DescrConverter(dtype.ptr(), &type)) throw nb::python_error();
            const int number = type ? type->type_num : NPY_DOUBLE;
            Py_XDECREF(type);
            if (number != NPY_DOUBLE && number != NPY_FLOAT)
              throw nb::type_error("Batch: dtype must be float64 or float32");
            new (self) B(std::move(model), threads, number == NPY_FLOAT);
          },
          "model"_a, nb::kw_only(), "threads"_a = 1, "dtype"_a = "float64",
          nb::sig("def __init__(self, model: Model, *, threads: int = 1, dtype: numpy.typing.DTypeLike = 'float64') -> "
                  "None"),
          "threads=0: one per hardware thread.")
      .def_ro("model", &B::model, "The Model of all samples.")
      .def_prop_ro(
          "threads", [](B& b) { return b.float_batch ? b.float_batch->threads() : b.double_batch->threads(); },
          "How many work at a time.")
      .def(
          "rnea",
          [](B& b, ArrayIn q, ArrayIn v, ArrayIn a, RowsOut out, double time) {
            return call_rows("Batch.rnea", b, q, v, "a", a, out,
                             [&](auto& batch, auto Q, auto V, auto A, auto O) { batch.rnea(Q, V, A, O, time); });
          },
          "q"_a, "v"_a, "a"_a, optional_array("out"), "time"_a = 0., "Joint forces for accelerations a.")
      .def(
          "aba",
          [](B& b, ArrayIn q, ArrayIn v, ArrayIn tau, RowsOut out, double time) {
            return call_rows("Batch.aba", b, q, v, "tau", tau, out,
                             [&](auto& batch, auto Q, auto V, auto T, auto O) { batch.aba(Q, V, T, O, time); });
          },
          "q"_a, "v"_a, "tau"_a, optional_array("out"), "time"_a = 0., "Accelerations.")
      .def(
          "crba",
          [](B& b, ArrayIn q, RowsOut out, double time) {
            return call_positions("Batch.crba", b, q, out, {b.model->nv(), b.model->nv()},
                                  [&](auto& batch, auto Q, auto O) { batch.crba(Q, O, time); });
          },
          "q"_a, optional_array("out"), "time"_a = 0., "Mass matrices [sample, nv, nv].")
      .def(
          "mass_inverse",
          [](B& b, ArrayIn q, RowsOut out, double time) {
            return call_positions("Batch.mass_inverse", b, q, out, {b.model->nv(), b.model->nv()},
                                  [&](auto& batch, auto Q, auto O) { batch.calc_mass_inverse(Q, O, time); });
          },
          "q"_a, optional_array("out"), "time"_a = 0., "Inverses of mass matrices [sample, nv, nv].")
      .def(
          "rnea_derivatives",
          [](B& b, ArrayIn q, ArrayIn v, ArrayIn a, RowsOut out, RowsOut out_dq, RowsOut out_dv, RowsOut out_M,
             double time) {
            return call_slopes("Batch.rnea_derivatives", b, q, v, "a", a,
                               {{"out", "out_dq", "out_dv", "out_M"}, {out, out_dq, out_dv, out_M}},
                               [&](auto& batch, auto... rows) { batch.calc_rnea_derivatives(rows..., time); });
          },
          "q"_a, "v"_a, "a"_a, optional_array("out"), optional_array("out_dq"), optional_array("out_dv"),
          optional_array("out_M"), "time"_a = 0.,
          "Joint forces and, [sample, nv, nv], dtau/dq, dtau/dv and M: calc_rnea_derivatives of each sample.")
      .def(
          "aba_derivatives",
          [](B& b, ArrayIn q, ArrayIn v, ArrayIn tau, RowsOut out, RowsOut out_dq, RowsOut out_dv, RowsOut out_Minv,
             double time) {
            return call_slopes("Batch.aba_derivatives", b, q, v, "tau", tau,
                               {{"out", "out_dq", "out_dv", "out_Minv"}, {out, out_dq, out_dv, out_Minv}},
                               [&](auto& batch, auto... rows) { batch.calc_aba_derivatives(rows..., time); });
          },
          "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_dq"), optional_array("out_dv"),
          optional_array("out_Minv"), "time"_a = 0.,
          "Accelerations and, [sample, nv, nv], da/dq, da/dv and M^-1: calc_aba_derivatives of each sample.")
      .def(
          "kinematics",
          [](B& b, ArrayIn q, RowsOut out, double time) {
            return call_positions("Batch.kinematics", b, q, out, {detail::signed_size(b.model->bodies().size()), 12},
                                  [&](auto& batch, auto Q, auto O) { batch.calc_kinematics(Q, O, time); });
          },
          "q"_a, optional_array("out"), "time"_a = 0.,
          "Poses [sample, body, 12], the world first: [..., :9] the rotation matrix whose columns are the body's axes, "
          "row\nby row, and [..., 9:] its origin, in the world.")
      .def("__repr__", [](B& b) {
        const int threads = b.float_batch ? b.float_batch->threads() : b.double_batch->threads();
        return "<Batch of '" + b.model->name() + "', " + (b.float_batch ? "float32" : "float64") + ", " +
               std::to_string(threads) + " threads>";
      });
}

struct PyConstrainedBatch {
  PyConstrainedBatch(std::shared_ptr<PySet> s, const ConstrainedOptions& o, int threads)
      : set(std::move(s)), batch(*set->model, set->set, o, threads) {}
  std::shared_ptr<PySet> set;
  ConstrainedBatch batch;
  Busy busy;
};

void bind_constrained_batch(nb::module_& m) {
  using B = PyConstrainedBatch;
  nb::class_<B>(m, "ConstrainedBatch", "constrained_forward_dynamics over many samples, [sample, number], on threads.")
      .def(
          "__init__",
          [](B* self, std::shared_ptr<PySet> set, int threads, ConstrainedMethod method, double period) {
            ConstrainedOptions o;
            o.method = method, o.stabilization.period = period;
            if (!(period >= 0)) throw nb::value_error("ConstrainedBatch: the period must not be negative");
            new (self) B(std::move(set), o, threads);
          },
          "constraints"_a, nb::kw_only(), "threads"_a = 1, "method"_a = ConstrainedMethod::multipliers,
          "stabilization_period"_a = 0.)
      .def_prop_ro(
          "constraints", [](B& b) { return b.set; }, "The ConstraintSet of all samples.")
      .def_prop_ro(
          "threads", [](B& b) { return b.batch.threads(); }, "How many work at a time.")
      .def(
          "forward_dynamics",
          [](B& b, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_lambda, double time) {
            const char* call = "ConstrainedBatch.forward_dynamics";
            const Taken taken(call, b.busy, "the batch");
            const PyModel& x = *b.set->model;
            const InRows<double> Q(call, "q", q, -1, x.nq());
            const auto n = detail::signed_size(Q.samples());
            const InRows<double> V(call, "v", v, n, x.nv()), T(call, "tau", tau, n, x.nv());
            OutTable<double> O(call, "out", out, {n, x.nv()}),
                L(call, "out_multipliers", out_lambda, {n, b.set->set.rows()});
            O.apart_from(Q, V, T, L), L.apart_from(Q, V, T);
            std::vector<SolveStatus> status(Q.samples());
            run_long([&] { b.batch.forward_dynamics(Q.view(), V.view(), T.view(), O.view(), L.view(), status, time); });
            PyArrayObject* s = detail::make(1, &n, NPY_INT32);
            for (std::size_t i = 0; i < status.size(); ++i)
              static_cast<npy_int32*>(PyArray_DATA(s))[i] = static_cast<npy_int32>(status[i]);
            return std::tuple(nb::cast<Array>(O.take()), nb::cast<Array>(L.take()),
                              nb::steal<StatusArray>(reinterpret_cast<PyObject*>(s)));
          },
          "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_multipliers"), "time"_a = 0.,
          "qdd [sample, nv], lambda [sample, row] and the number of a SolveStatus of each sample, 0: solved.");
}

}  // namespace

void bind_batch(nb::module_& m) {
  bind_tree_batch(m);
  bind_constrained_batch(m);
}

}  // namespace sinew::py
