// python/src/constrained_derivatives.cpp - derivatives of constrained dynamics
#include "constraints.hpp"
#include "sinew/constraint/solve/constrained_inverse_derivatives.hpp"

namespace sinew::py {
namespace {

using Slopes = ConstrainedDerivativesWorkspace;
using EffortSlopes = ActuationDerivativesWorkspace;
using Three = std::tuple<Array, Array, Array>;
using Answer = std::tuple<Array, Array, Three, Three, DerivativeCertificate>;

// Three new matrices of one shape.
struct ThreeMatrices {
  ThreeMatrices(const char* call, std::size_t rows, std::size_t cols)
      : q(call, "out", {Py_None}, rows, cols),
        v(call, "out", {Py_None}, rows, cols),
        x(call, "out", {Py_None}, rows, cols) {}
  Three take() { return {q.take(), v.take(), x.take()}; }
  OutMatrix2 q, v, x;
};

void bind_derivative_certificate(nb::module_& m) {
  nb::enum_<DerivativeStatus>(m, "DerivativeStatus", "Along which directions derivatives hold.")
      .value("exact", DerivativeStatus::exact, "All.")
      .value("along_constraints", DerivativeStatus::along_constraints,
             "Along changes of the state that keep the constraints: rows imply each other only there.")
      .value("rank_changes", DerivativeStatus::rank_changes, "The mechanism branches here: d/dq (or d/dv) is NaN.")
      .value("not_accurate", DerivativeStatus::not_accurate, "The derivatives do not obey the rows well enough.")
      .value("not_solved", DerivativeStatus::not_solved, "There is no solution to differentiate: all are NaN.");
  using C = DerivativeCertificate;
  nb::class_<C>(m, "DerivativeCertificate", "What is known about derivatives of constrained dynamics.")
      .def_ro("status", &C::status, "Along which directions they hold.")
      .def_ro("solution", &C::solution, "How the solve of the solution ended.")
      .def_ro("rank", &C::rank, "Of K.")
      .def_ro("residual", &C::residual, "By how much the answer misses its equation.")
      .def_ro("scale", &C::scale, "Largest term of that equation.")
      .def_ro("rows", &C::rows, "Implied rows that do not stay implied.")
      .def_ro("coordinates", &C::coordinates, "Velocity coordinates along which they do not.")
      .def("__repr__", [](const C& c) {
        return "<DerivativeCertificate " + std::string(to_string(c.status)) + ", rank " + std::to_string(c.rank) + ">";
      });
  m.def(
      "describe_derivatives",
      [](const C& c, const PyModel& x, const PySet& s) {
        check_set("describe_derivatives", x, s);
        return describe(c, x, s.set);
      },
      "certificate"_a, "model"_a, "constraints"_a, "A DerivativeCertificate in sentences; none where it is exact.");
}

void bind_forward_slopes(nb::module_& m) {
  using W = OfSet<Slopes>;
  nb::class_<W>(m, "ConstrainedDerivativesWorkspace",
                "Scratch of calc_constrained_derivatives and calc_impulse_derivatives.")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set, double period) {
            const char* call = "ConstrainedDerivativesWorkspace";
            check_set(call, model, *set);
            ConstrainedOptions o;
            o.stabilization.period = period;
            if (!(period >= 0))
              throw nb::value_error("ConstrainedDerivativesWorkspace: the period must not be negative");
            new (self) W(std::move(set), o);
          },
          "model"_a, "constraints"_a, nb::kw_only(), "stabilization_period"_a = 0.,
          "stabilization_period [s]: Baumgarte's, alpha = beta = 1 / period; 0: none. Constraints that Python wrote\n"
          "and tendons through sites are refused by name.");
  m.def(
      "calc_constrained_derivatives",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn external, double time) {
        const char* call = "calc_constrained_derivatives";
        check(call, x, s, ws);
        const auto nv = at(x.nv()), rows = at(s.set.rows());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector A(call, "out", {Py_None}, nv), L(call, "out", {Py_None}, rows);
        ThreeMatrices of_a(call, nv, nv), of_lambda(call, rows, nv);
        const Use<Slopes> use(call, ws);
        DerivativeCertificate c = run_long([&] {
          return calc_constrained_derivatives(
              x, s.set, *use, Q, V, T, A, L,
              {of_a.q.view(), of_a.v.view(), of_a.x.view(), of_lambda.q.view(), of_lambda.v.view(), of_lambda.x.view()},
              {E.view(), time});
        });
        return Answer(A.take(), L.take(), of_a.take(), of_lambda.take(), std::move(c));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("external"), "time"_a = 0.,
      R"(qdd, lambda, (dqdd/dq, dqdd/dv, dqdd/dtau), (dlambda/dq, dlambda/dv, dlambda/dtau) and a DerivativeCertificate.

Of constrained_forward_dynamics by `multipliers`. dq is along the velocity coordinates of each joint, as integrate takes
it. Redundant rows: those of the shortest lambda.)");
  m.def(
      "calc_impulse_derivatives",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn before, ArrayIn impulse, ArrayIn target,
         double time) {
        const char* call = "calc_impulse_derivatives";
        check(call, x, s, ws);
        const auto nv = at(x.nv()), rows = at(s.set.rows());
        const InVector Q(call, "q", q, at(x.nq())), B(call, "before", before, nv);
        std::optional<InVector> I, T;
        if (!impulse.is_none()) I.emplace(call, "impulse", impulse, nv);
        if (!target.is_none()) T.emplace(call, "target", target, rows);
        OutVector A(call, "out", {Py_None}, nv), P(call, "out", {Py_None}, rows);
        ThreeMatrices of_after(call, nv, nv), of_P(call, rows, nv);
        const Use<Slopes> use(call, ws);
        using View = VectorView<const double>;
        DerivativeCertificate c = run_long([&] {
          return calc_impulse_derivatives(
              x, s.set, *use, Q, B, I ? View(*I) : View(), T ? View(*T) : View(), A, P,
              {of_after.q.view(), of_after.v.view(), of_after.x.view(), of_P.q.view(), of_P.v.view(), of_P.x.view()},
              time);
        });
        return Answer(A.take(), P.take(), of_after.take(), of_P.take(), std::move(c));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "before"_a, optional_array("impulse"), optional_array("target"),
      "time"_a = 0.,
      "Velocities after, impulses P, both's derivatives with q, before and impulse, and a DerivativeCertificate;\n"
      "arguments as those of constrained_impulse.");
}

void bind_inverse_slopes(nb::module_& m) {
  using W = OfSet<EffortSlopes>;
  nb::class_<W>(m, "ActuationDerivativesWorkspace", "Scratch of calc_constrained_inverse_derivatives.")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set) {
            check_set("ActuationDerivativesWorkspace", model, *set);
            new (self) W(std::move(set));
          },
          "model"_a, "constraints"_a);
  m.def(
      "calc_constrained_inverse_derivatives",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn a, IntegersIn actuated,
         ArrayIn external, double time) {
        const char* call = "calc_constrained_inverse_derivatives";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "qdd", a, nv);
        const InForces E(call, "external", external, x.bodies().size());
        const std::vector<int> which = read_integers(call, "actuated", actuated);
        OutVector U(call, "out", {Py_None}, which.size());
        ThreeMatrices of_u(call, which.size(), nv);
        const Use<EffortSlopes> use(call, ws);
        DerivativeCertificate c = run_long([&] {
          return calc_constrained_inverse_derivatives(x, s.set, *use, Q, V, A, which, U,
                                                      {of_u.q.view(), of_u.v.view(), of_u.x.view()}, {E.view(), time});
        });
        return std::tuple(U.take(), of_u.take(), std::move(c));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "qdd"_a, "actuated"_a, optional_array("external"),
      "time"_a = 0.,
      "u of constrained_inverse_dynamics, (du/dq, du/dv, du/dqdd) and a DerivativeCertificate. NaN where the "
      "actuators\n"
      "do not reach every freedom of motion.");
}

}  // namespace

void bind_constrained_derivatives(nb::module_& m) {
  bind_derivative_certificate(m);
  bind_forward_slopes(m);
  bind_inverse_slopes(m);
}

}  // namespace sinew::py
