// python/src/constraint_tools.cpp - assembled positions, explicit forms, actuation, divide and conquer with loops
#include "constraints.hpp"
#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rank/explicit_form.hpp"
#include "sinew/constraint/solve/constrained_dca.hpp"
#include "sinew/constraint/solve/inverse_dynamics.hpp"

namespace sinew::py {
namespace {

void bind_assemble(nb::module_& m) {
  using A = Assembly;
  nb::class_<A>(m, "Assembly", "Where the search of assemble ended.")
      .def_ro("closed", &A::closed, "True: the constraints hold.")
      .def_ro("error", &A::error, "Largest position error at the end [m or rad].")
      .def_ro("iterations", &A::iterations, "Of Newton's method.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "Assembly"); });
  const AssembleOptions standard;
  m.def(
      "assemble",
      [](const PyModel& x, const PySet& s, ArrayIn q, ArrayOut out, double time, double tolerance, double longest_step,
         int iterations) {
        const char* call = "assemble";
        check_set(call, x, s);
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, Q.size());
        if (O.data() != Q.data()) O.apart_from(Q), std::copy(Q.data(), Q.data() + Q.size(), O.data());
        const A a = run_long([&] {
          return assemble(x, s.set, {O.data(), O.size()}, time, {tolerance, longest_step, iterations});
        });
        return std::pair(O.take(), a);
      },
      "model"_a, "constraints"_a, "q"_a, optional_array("out"), "time"_a = 0., nb::kw_only(),
      "tolerance"_a = standard.tolerance, "longest_step"_a = standard.longest_step,
      "iterations"_a = standard.iterations,
      "q and an Assembly: the nearest position at which the constraints hold, by Newton's method with the shortest "
      "steps\n"
      "K dv = -errors, also from far away. Where they cannot be closed, q is the best position found. out may be q.");
  using E = ExplicitForm;
  nb::class_<E>(m, "ExplicitForm", "All solutions of K x = k as x = G y + g [F08 8.48-8.51].")
      .def_ro("rank", &E::rank, "Of K.")
      .def_prop_ro(
          "G", [](const E& e) { return copy_matrix(e.G, e.g.size(), e.independent.size()); },
          "n x (n - rank), of full column rank; K G = 0.")
      .def_prop_ro(
          "g", [](const E& e) { return copy_vector(e.g); }, "(n); K g = k.")
      .def_ro("independent", &E::independent, "Entries of x that are y, ascending.")
      .def_ro("redundant", &E::redundant, "Rows of K that the others imply, ascending.")
      .def_ro("inconsistency", &E::inconsistency, "Largest |k| left in a redundant row: 0 where there are solutions.");
  m.def(
      "calc_explicit_form",
      [](ArrayIn K, ArrayIn k, IntegersIn independent, double tolerance) {
        const char* call = "calc_explicit_form";
        const nb::object held = read_array(call, "K", K, 2);
        auto* a = reinterpret_cast<PyArrayObject*>(held.ptr());
        const auto rows = static_cast<std::size_t>(PyArray_DIM(a, 0)),
                   cols = static_cast<std::size_t>(PyArray_DIM(a, 1));
        const InMatrix M(call, "K", {held.ptr()}, rows, cols);
        const InVector R(call, "k", k, rows);
        ExplicitFormOptions o{tolerance, read_integers(call, "independent", independent)};
        for (const int i : o.independent) check_index(call, "entry of x", i, cols);
        return run_long([&] { return calc_explicit_form(M.view(), {R.data(), R.size()}, o); });
      },
      "K"_a, "k"_a, "independent"_a = nb::make_tuple(), "tolerance"_a = ExplicitFormOptions{}.tolerance,
      "By elimination with complete pivoting, for any rank. independent: entries of x that must be among y. tolerance: "
      "a\n"
      "pivot below this part of K's largest entry is zero.");
}

void bind_products(nb::module_& m) {
  using R = OfSet<Rows>;
  m.def(
      "multiply_by_constraint_jacobian",
      [](const PyModel& x, const PySet& s, R& rows, ArrayIn in, ArrayOut out) {
        const char* call = "multiply_by_constraint_jacobian";
        check(call, x, s, rows);
        const Use<Rows> use(call, rows);
        const InVector X(call, "x", in, at(x.nv()));
        OutVector O(call, "out", out, at(s.set.rows()));
        O.apart_from(X);
        multiply_by_constraint_jacobian(x, s.set, *use, X, O);
        return O.take();
      },
      "model"_a, "constraints"_a, "rows"_a, "x"_a, optional_array("out"), "K x without K, after calc_constraint_rows.");
  m.def(
      "stabilize",
      [](R& rows, double period, ArrayOut out) {
        if (!(period >= 0)) throw nb::value_error("stabilize: the period must not be negative");
        const Use<Rows> use("stabilize", rows);
        OutVector O("stabilize", "out", out, use->k.size());
        stabilize(*use, {period}, O);
        return O.take();
      },
      "rows"_a, "period"_a, optional_array("out"),
      "Baumgarte: k - 2 alpha e1 - beta^2 e0 with alpha = beta = 1 / period [s]; 0 leaves k as it is [F08 8.21-8.24].");
  using D = OfSet<ConstrainedDcaWorkspace>;
  nb::class_<D>(m, "ConstrainedDcaWorkspace", "Scratch of constrained_dca.")
      .def(
          "__init__",
          [](D* self, const PyModel& model, std::shared_ptr<PySet> set) {
            check_set("ConstrainedDcaWorkspace", model, *set);
            new (self) D(std::move(set));
          },
          "model"_a, "constraints"_a);
  m.def(
      "constrained_dca",
      [](const PyModel& x, const PySet& s, R& rows, D& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn k, ArrayOut out,
         ArrayOut out_lambda, ArrayIn external, double time) {
        const char* call = "constrained_dca";
        check(call, x, s, rows), check(call, x, s, ws);
        const auto nv = at(x.nv()), n = at(s.set.rows());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv), K(call, "k", k, n);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv), L(call, "out_multipliers", out_lambda, n);
        O.apart_from(Q, V, T, K, L), L.apart_from(Q, V, T, K);
        const Use<Rows> use(call, rows);
        const Use<ConstrainedDcaWorkspace> work(call, ws);
        const int rank = run_long([&] {
          return constrained_dca(x, s.set, *use, *work, Q, V, T, K, O, L, {E.view(), time});
        });
        return std::tuple(O.take(), L.take(), rank);
      },
      "model"_a, "constraints"_a, "rows"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, "k"_a, optional_array("out"),
      optional_array("out_multipliers"), optional_array("external"), "time"_a = 0.,
      "qdd, lambda and the rank of K by divide and conquer [F08 section 7.5], after calc_constraint_rows at the same "
      "q\n"
      "and v. k: rows.k, or what stabilize made of it.");
}

void bind_actuation(nb::module_& m) {
  using W = OfSet<ActuationWorkspace>;
  m.def(
      "analyse_actuation",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, IntegersIn actuated, double time) {
        const char* call = "analyse_actuation";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq()));
        const std::vector<int> which = read_integers(call, "actuated", actuated);
        const Use<ActuationWorkspace> use(call, ws);
        return run_long([&] { return analyse_actuation(x, s.set, *use, Q, which, time); });
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "actuated"_a, "time"_a = 0.,
      "An ActuationReport: which motions actuators at these velocity coordinates reach [F08 8.61-8.63].");
}

}  // namespace

void bind_constraint_tools(nb::module_& m) {
  bind_assemble(m);
  bind_products(m);
  bind_actuation(m);
}

}  // namespace sinew::py
