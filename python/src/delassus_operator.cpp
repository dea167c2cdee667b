// python/src/delassus_operator.cpp - J M^-1 J^T without the matrix, and the Popov-Vereshchagin solver (sinew.delassus)
#include "delassus.hpp"
#include "sinew/delassus/operator.hpp"
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::py {
namespace {

// A workspace of rows, which are forces in the frames of places.
template <class W>
struct PyRows {
  PyRows(std::shared_ptr<PyModel> m, int rows, const DelassusEntries& entries)
      : model(std::move(m)),
        places(read_places(*model, entries)),
        problem(make_problem(*model, rows, entries, places)),
        work(std::make_shared<W>(*model, problem)) {}
  // In the coordinates of the nodes.
  std::vector<Force<double>> to_nodes(const char* call, ArrayIn K) const {
    const InForces F(call, "K", K, places.size());
    std::vector<Force<double>> out;
    for (std::size_t i = 0; i < places.size(); ++i) out.push_back(apply_inverse(places[i].in_node, F.view()[i]));
    return out;
  }
  std::shared_ptr<PyModel> model;
  std::vector<Place> places;
  delassus::Problem problem;
  std::shared_ptr<W> work;
};
template <class W>
void check_model(const char* call, const PyModel& m, const Held<PyRows<W>>& ws) {
  if (!m.identity().is_same(ws.value.model->identity()))
    throw nb::value_error((std::string(call) + ": the workspace is of another model").c_str());
}
template <class W>
void bind_rows_workspace(nb::module_& m, const char* name, const char* doc) {
  using H = Held<PyRows<W>>;
  nb::class_<H>(m, name, doc)
      .def(
          "__init__",
          [](H* self, std::shared_ptr<PyModel> model, int rows, const DelassusEntries& entries) {
            new (self) H(std::move(model), rows, entries);
          },
          "model"_a, "rows"_a, "entries"_a)
      .def_prop_ro(
          "rows", [](const H& h) { return h.value.problem.rows(); }, "Of W.");
}

using Operator = PyRows<delassus::OperatorWorkspace<double>>;
using Pv = PyRows<delassus::PvDynamicsWorkspace>;

double factored(const char* call, const Operator& x) {
  if (x.work->mu < 0) throw nb::value_error((std::string(call) + ": call factor first").c_str());
  return x.work->mu;
}

void bind_products(nb::module_& m) {
  bind_rows_workspace<delassus::OperatorWorkspace<double>>(m, "OperatorWorkspace",
                                                           R"(W = J M^-1 J^T as an operator, without the matrix.

    ws = OperatorWorkspace(model, 6, [(i, "hand") for i in range(6)])
    factor(model, ws, q, numpy.eye(6));  y = multiply(model, ws, x)

entries: row and place of each force.)");
  using H = Held<Operator>;
  m.def(
      "factor",
      [](const PyModel& x, H& ws, ArrayIn q, ArrayIn K, double mu, double time) {
        check_model("factor", x, ws);
        const InVector Q("factor", "q", q, at(x.nq()));
        const Use<Operator> use("factor", ws);
        const std::vector<Force<double>> F = use->to_nodes("factor", K);
        if (!(mu >= 0)) throw nb::value_error("factor: mu must not be negative");
        run(x, [&] { delassus::factor<double>(x, *use->work, Q, F, mu, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "K"_a, "mu"_a = 0., "time"_a = 0.,
      "Articulated inertias at q, O(n): before multiply (mu = 0) or solve_damped (mu > 0). K: torque above force of "
      "each\n"
      "entry, in the frame of its place.");
  const auto product = [&](const char* name, const char* in, bool damped, auto f, const char* doc) {
    m.def(
        name,
        [name, in, damped, f](const PyModel& x, H& ws, ArrayIn a, ArrayOut out) {
          check_model(name, x, ws);
          const Use<Operator> use(name, ws);
          if ((factored(name, *use) > 0) != damped)
            throw nb::value_error(
                (std::string(name) + ": factor was called with " + (damped ? "mu = 0" : "mu > 0")).c_str());
          const InVector A(name, in, a, at(use->problem.rows()));
          OutVector O(name, "out", out, A.size());
          O.apart_from(A);
          run(x, [&] { f(x, *use->work, A, O); });
          return O.take();
        },
        "model"_a, "workspace"_a, nb::arg(in), optional_array("out"), doc);
  };
  product(
      "multiply", "x", false,
      [](const Model& x, auto& work, const InVector& a, OutVector& o) { delassus::multiply<double>(x, work, a, o); },
      "y = W x, O(n + rows).");
  product(
      "solve_damped", "b", true,
      [](const Model& x, auto& work, const InVector& b, OutVector& o) {
        delassus::solve_damped<double>(x, work, b, o);
      },
      "x = (W + mu)^-1 b, O(n + rows), by Woodbury's identity. ValueError where a row acts on several nodes.");
  using R = delassus::IterationReport;
  nb::class_<R>(m, "IterationReport", "How an iteration ended.")
      .def_ro("converged", &R::converged, "True: the residual is within the tolerance.")
      .def_ro("iterations", &R::iterations, "Products with W.")
      .def_ro("residual", &R::residual, "|b - (W + mu) x| / |b|, measured on the answer.");
  m.def(
      "solve_damped_by_iteration",
      [](const PyModel& x, H& ws, double mu, ArrayIn b, double tolerance, int limit) {
        const char* call = "solve_damped_by_iteration";
        check_model(call, x, ws);
        const Use<Operator> use(call, ws);
        if (factored(call, *use) > 0) throw nb::value_error("solve_damped_by_iteration: factor was called with mu > 0");
        if (!(mu >= 0) || limit < 0 || limit > 1000000)
          throw nb::value_error(
              "solve_damped_by_iteration: mu and limit must not be negative, limit at most a million");
        const InVector B(call, "b", b, at(use->problem.rows()));
        OutVector O(call, "out", {Py_None}, B.size());
        std::fill(O.data(), O.data() + O.size(), 0.0);
        const R r =
            run_long([&] { return delassus::solve_damped_by_iteration(x, *use->work, mu, B, O, tolerance, limit); });
        return std::pair(O.take(), r);
      },
      "model"_a, "workspace"_a, "mu"_a, "b"_a, "tolerance"_a = 1e-12, "limit"_a = 1000,
      "x and an IterationReport: the same by conjugate gradients, for rows on several nodes, after factor with mu = "
      "0.");
}

void bind_pv(nb::module_& m) {
  bind_rows_workspace<delassus::PvDynamicsWorkspace>(m, "PvDynamicsWorkspace", "Scratch of pv_forward_dynamics.");
  m.def(
      "pv_forward_dynamics",
      [](const PyModel& x, Held<Pv>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn K, ArrayIn target, ArrayOut out,
         ArrayOut out_lambda, ArrayIn external, double time) {
        const char* call = "pv_forward_dynamics";
        check_model(call, x, ws);
        const auto nv = at(x.nv());
        const Use<Pv> use(call, ws);
        const auto rows = at(use->problem.rows());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv),
            A(call, "target", target, rows);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv), L(call, "out_multipliers", out_lambda, rows);
        O.apart_from(Q, V, T, A, L), L.apart_from(Q, V, T, A);
        const std::vector<Force<double>> F = use->to_nodes(call, K);
        const delassus::PvOutcome r = run_long([&] {
          return delassus::pv_forward_dynamics(x, *use->work, Q, V, T, F, A, O, L, {E.view(), time});
        });
        if (!r)
          throw nb::value_error((std::string(call) + ": row " + std::to_string(r.singular_row) +
                                 " follows from those before it; constrained_forward_dynamics takes such rows")
                                    .c_str());
        return std::pair(O.take(), L.take());
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, "K"_a, "target"_a, optional_array("out"),
      optional_array("out_multipliers"), optional_array("external"), "time"_a = 0.,
      "qdd and lambda of  M qdd + h = tau + J^T lambda  such that the spatial accelerations of the bodies along the "
      "rows\n"
      "are `target`, O(n + m^2) after Popov and Vereshchagin [S23 1a, 1b]. Rows are fixed in their bodies.");
}

}  // namespace

void bind_delassus_operator(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("delassus"));
  bind_products(m);
  bind_pv(m);
}

}  // namespace sinew::py
