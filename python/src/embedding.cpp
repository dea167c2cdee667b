// python/src/embedding.cpp - closed loops in minimal coordinates: choice, closing, dynamics, reports
#include "closure.hpp"
#include "constraints.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/constraint/embedding/embedded_sko.hpp"
#include "sko.hpp"

namespace sinew::py {

EmbeddingOptions read_options(const char* call, const PyModel& model, IntegersIn independent,
                              std::shared_ptr<const ClosureFunction> closure, double position_tolerance,
                              int max_iterations, double rank_tolerance, double change_below) {
  EmbeddingOptions o;
  o.independent = read_integers(call, "independent", independent);
  for (const int i : o.independent) check_index(call, "velocity coordinate", i, at(model.nv()));
  o.closure = std::move(closure), o.position_tolerance = position_tolerance, o.max_iterations = max_iterations;
  o.rank_tolerance = rank_tolerance, o.change_below = change_below;
  return o;
}

namespace {

using Report = EmbeddingReport;

struct PyEmbedded : OfSet<EmbeddedWorkspace> {
  using OfSet<EmbeddedWorkspace>::OfSet;
  bool has_inertias = false;  // of embedded_forward_dynamics
};
using Using = Use<EmbeddedWorkspace>;

void check(const char* call, const PyModel& m, const PyEmbedded& ws) { check_set(call, m, *ws.set); }
// X and the number of freedoms are known once coordinates were chosen.
std::size_t freedoms_of(const char* call, const EmbeddedWorkspace& ws) {
  if (!ws.embedding.chosen)
    throw nb::value_error((std::string(call) + ": no coordinates are chosen yet; call close_loops or "
                                               "prepare_embedding first")
                              .c_str());
  return ws.embedding.independent.size();
}

void bind_report(nb::module_& m) {
  nb::enum_<EmbeddingStatus>(m, "EmbeddingStatus", "How an embedding ended.")
      .value("ready", EmbeddingStatus::ready, "X and g are right.")
      .value("singular", EmbeddingStatus::singular, "The rows lose or gain rank here.")
      .value("contradiction", EmbeddingStatus::contradiction, "Rows that imply each other demand different motions.")
      .value("not_closed", EmbeddingStatus::not_closed, "The dependent coordinates cannot close the loops.")
      .value("no_inertia", EmbeddingStatus::no_inertia, "A motion meets no inertia.")
      .value("non_finite", EmbeddingStatus::non_finite, "A number is not finite.");
  using C = CoordinateChange;
  nb::class_<C>(m, "CoordinateChange", "Velocity coordinates that were, and that became independent.")
      .def_ro("time", &C::time, "[s]")
      .def_ro("left", &C::left, "Velocity coordinates that were independent before.")
      .def_ro("joined", &C::joined, "Velocity coordinates that became independent.")
      .def(
          "describe", [](const C& c, const PyModel& x) { return describe(c, x); }, "model"_a,
          "\"at t = 0.2 s joint 'crank' takes over from joint 'rocker'\"");
  using R = Report;
  nb::class_<R>(m, "EmbeddingReport", "What an embedding call found, and the changes of coordinates so far.")
      .def_ro("status", &R::status, "How the call ended.")
      .def_ro("freedoms", &R::freedoms, "Numbers in y.")
      .def_ro("rank", &R::rank, "Of K.")
      .def_ro("rows", &R::rows, "Of K.")
      .def_ro("least_pivot", &R::least_pivot, "Of rows of size 1: 0 at a singular position.")
      .def_ro("position_error", &R::position_error, "Largest entry [m or rad].")
      .def_ro("velocity_error", &R::velocity_error, "Largest entry of K v less its target.")
      .def_ro("iterations", &R::iterations, "Of Newton's method, last closing.")
      .def_ro("row", &R::row, "contradiction, not_closed: the worst row; else -1.")
      .def_ro("constraint", &R::constraint, "singular: where; else -1.")
      .def_ro("coordinate", &R::coordinate, "no_inertia: velocity coordinate; else -1.")
      .def_ro("changes", &R::changes, "CoordinateChanges so far.")
      .def(
          "describe",
          [](const R& r, const PyModel& x, const PySet& s) {
            check_set("describe", x, s);
            return describe(r, x, s.set);
          },
          "model"_a, "constraints"_a, "A sentence with the names of the model; empty where ready.")
      .def("__repr__", [](const R& r) {
        return "<EmbeddingReport " + std::string(to_string(r.status)) + ": " + std::to_string(r.freedoms) +
               " freedoms, rank " + std::to_string(r.rank) + " of " + std::to_string(r.rows) + " rows>";
      });
}

void bind_embedded_workspace(nb::module_& m) {
  using W = PyEmbedded;
  nb::class_<W>(m, "EmbeddedWorkspace", R"(Scratch of the embedded dynamics, with the choice of coordinates:

    v = X y + w,   dv/dt = X dy/dt + g,   K X = 0,   K g = k              [F08 section 8.11]

y is a choice of velocity coordinates, `independent`, made at the first position. Calls that take an EmbeddingWorkspace
in C++ take this here. Constraints must hold positions: rolling is a ValueError.)")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set, IntegersIn independent,
             std::shared_ptr<PythonClosure> closure, double position, int iterations, double rank, double change) {
            const char* call = "EmbeddedWorkspace";
            check_set(call, model, *set);
            new (self) W(std::move(set), read_options(call, model, independent, std::move(closure), position,
                                                      iterations, rank, change));
          },
          "model"_a, "constraints"_a, nb::kw_only(), "independent"_a = nb::make_tuple(),
          "closure"_a.none() = nb::none(), "position_tolerance"_a = EmbeddingOptions{}.position_tolerance,
          "max_iterations"_a = EmbeddingOptions{}.max_iterations,
          "rank_tolerance"_a = EmbeddingOptions{}.rank_tolerance, "change_below"_a = EmbeddingOptions{}.change_below,
          "independent: velocity coordinates wanted in y at the first choice. closure: formulae for the whole model, "
          "whose\n"
          "y[j] is the position of the joint with velocity coordinate independent[j]; they are checked at the neutral "
          "position.")
      .def_prop_ro(
          "report", [](W& w) { return Using("report", w)->embedding.report; }, "Of the last call.")
      .def_prop_ro(
          "independent", [](W& w) { return copy_integers(Using("independent", w)->embedding.independent); },
          "Velocity coordinates that y is, ascending.")
      .def_prop_ro(
          "g", [](W& w) { return copy_vector(Using("g", w)->embedding.g); },
          "dv/dt where dy/dt = 0, by prepare_embedding.")
      .def_prop_ro(
          "groups",
          [](W& w) {
            const Using use("groups", w);
            std::vector<std::vector<int>> out;
            for (const EmbeddedGroup& g : use->embedding.loops.groups) out.push_back(g.constraints);
            return out;
          },
          "Constraints of each group of bodies that is one node of the tree [J11 section 8.1].");
}

void bind_closing(nb::module_& m) {
  using W = PyEmbedded;
  m.def(
      "prepare_embedding",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, double time) {
        const char* call = "prepare_embedding";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Using use(call, ws);
        ws.has_inertias = false;
        return run_long([&]() -> Report { return prepare_embedding(x, s.set, use->embedding, Q, V, time); });
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "time"_a = 0.,
      "X and g at a state that obeys the constraints.");
  m.def(
      "close_loops",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayOut out_q, ArrayOut out_v, double time) {
        const char* call = "close_loops";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        OutVector A(call, "out_q", out_q, Q.size()), B(call, "out_v", out_v, V.size());
        A.apart_from(V, B), B.apart_from(Q);
        if (A.data() != Q.data()) A.apart_from(Q), std::copy(Q.data(), Q.data() + Q.size(), A.data());
        if (B.data() != V.data()) B.apart_from(V), std::copy(V.data(), V.data() + V.size(), B.data());
        const Using use(call, ws);
        ws.has_inertias = false;
        Report r = run_long([&]() -> Report { return close_loops(x, s.set, use->embedding, A, B, time); });
        return std::tuple(A.take(), B.take(), std::move(r));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out_q"), optional_array("out_v"),
      "time"_a = 0.,
      "q, v and a report: the loops closed near q to rounding. Only the dependent coordinates move. out_q may be q, "
      "out_v v.");
  m.def(
      "renew_coordinates",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, double time) {
        const char* call = "renew_coordinates";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Using use(call, ws);
        ws.has_inertias = false;
        return run_long([&] { return renew_coordinates(x, s.set, use->embedding, Q, V, time); });
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "time"_a = 0.,
      "At a closed position: chooses coordinates anew where the last choice has become bad. True if others were "
      "chosen.");
  m.def(
      "expand_velocities",
      [](const PyModel& x, W& ws, ArrayIn y, ArrayOut out) {
        const char* call = "expand_velocities";
        check(call, x, ws);
        const Using use(call, ws);
        const InVector Y(call, "y", y, freedoms_of(call, *use));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(Y);
        expand_velocities(x, use->embedding, Y, O);
        return O.take();
      },
      "model"_a, "workspace"_a, "y"_a, optional_array("out"), "After prepare_embedding: X y.");
  m.def(
      "reduce_forces",
      [](const PyModel& x, W& ws, ArrayIn f, ArrayOut out) {
        const char* call = "reduce_forces";
        check(call, x, ws);
        const Using use(call, ws);
        const InVector F(call, "f", f, at(x.nv()));
        OutVector O(call, "out", out, freedoms_of(call, *use));
        O.apart_from(F);
        reduce_forces(x, use->embedding, F, O);
        return O.take();
      },
      "model"_a, "workspace"_a, "f"_a, optional_array("out"), "After prepare_embedding: X^T f.");
}

void bind_embedded_dynamics(nb::module_& m) {
  using W = PyEmbedded;
  m.def(
      "embedded_forward_dynamics",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayIn external,
         double time) {
        const char* call = "embedded_forward_dynamics";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv);
        O.apart_from(Q, V, T);
        const Using use(call, ws);
        ws.has_inertias = false;
        Report r = run_long([&]() -> Report {
          return embedded_forward_dynamics(x, s.set, *use, Q, V, T, O, {E.view(), time});
        });
        ws.has_inertias = r.status == EmbeddingStatus::ready;
        return std::pair(O.take(), std::move(r));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"),
      optional_array("external"), "time"_a = 0.,
      R"(dv/dt of the whole tree and a report, in O(N) and without multipliers: y'' = D^-1 (u - W^T alpha_p)  [J11 58f].

The state must obey the constraints (close_loops). NaN where the report says why.)");
  m.def(
      "embedded_inverse_dynamics",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn ydd, ArrayOut out, ArrayIn external,
         double time) {
        const char* call = "embedded_inverse_dynamics";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const InForces E(call, "external", external, x.bodies().size());
        const Using use(call, ws);
        const auto n = freedoms_of(call, *use);
        const InVector Y(call, "ydd", ydd, n);
        OutVector O(call, "out", out, n);
        O.apart_from(Q, V, Y);
        ws.has_inertias = false;
        Report r = run_long([&]() -> Report {
          return embedded_inverse_dynamics(x, s.set, *use, Q, V, Y, O, {E.view(), time});
        });
        return std::pair(O.take(), std::move(r));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "ydd"_a, optional_array("out"),
      optional_array("external"), "time"_a = 0.,
      "T = X^T ID(q, v, X y'' + g): the forces along y that give y''; O(N).");
  m.def(
      "calc_embedded_mass_matrix",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_embedded_mass_matrix";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq()));
        const Using use(call, ws);
        const auto n = freedoms_of(call, *use);
        OutMatrix2 O(call, "out", out, n, n);
        O.apart_from(Q);
        ws.has_inertias = false;
        Report r = run_long([&]() -> Report { return calc_embedded_mass_matrix(x, s.set, *use, Q, O.view(), time); });
        return std::pair(O.take(), std::move(r));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "X^T H X, the mass matrix of y; O(N freedoms).");
  m.def(
      "calc_embedded_forces",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn qdd, ArrayOut out,
         ArrayIn external, double time) {
        const char* call = "calc_embedded_forces";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv),
            A(call, "qdd", qdd, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, at(s.set.rows()));
        O.apart_from(Q, V, T, A);
        const Using use(call, ws);
        if (!ws.has_inertias)
          throw nb::value_error("calc_embedded_forces: call embedded_forward_dynamics at this state first");
        run_long([&] { calc_embedded_forces(x, s.set, *use, Q, V, T, A, O, {E.view(), time}); });
        return O.take();
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, "qdd"_a, optional_array("out"),
      optional_array("external"), "time"_a = 0.,
      "lambda with H qdd + C = tau + K^T lambda, after embedded_forward_dynamics at the same state. Redundant rows "
      "get 0.");
  m.def(
      "solve_embedded_mass",
      [](const PyModel& x, W& ws, ArrayIn f, ArrayOut out) {
        const char* call = "solve_embedded_mass";
        check(call, x, ws);
        const InVector F(call, "f", f, at(x.nv()));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(F);
        const Using use(call, ws);
        if (!ws.has_inertias)
          throw nb::value_error("solve_embedded_mass: call embedded_forward_dynamics at this position first");
        run_long([&] { solve_embedded_mass(x, *use, F, O); });
        return O.take();
      },
      "model"_a, "workspace"_a, "f"_a, optional_array("out"),
      "X (X^T H X)^-1 X^T f: how impulses f change v. With the inertias of the last embedded_forward_dynamics; O(N).");
}

struct PyEmbeddedSko {
  struct Parts {
    Parts(std::shared_ptr<PyModel> m, const EmbeddingWorkspace& ws) : model(std::move(m)), value(*model, ws) {}
    std::shared_ptr<PyModel> model;
    EmbeddedSko value;
  };
  std::shared_ptr<Parts> parts;
  std::shared_ptr<PySko> sko;
};

void bind_embedded_sko(nb::module_& m) {
  using E = PyEmbeddedSko;
  const auto order = [](const char* call, const E& e, PyEmbedded& ws, ArrayIn x, auto&& f) {
    check(call, *e.parts->model, ws);
    const Using use(call, ws);
    const InVector X(call, "x", x, freedoms_of(call, *use));
    return copy_vector(f(e.parts->value, use->embedding, X));
  };
  nb::class_<E>(m, "EmbeddedSko",
                "A mechanism with embedded loops as an SKO model, `sko`, after prepare_embedding or close_loops:\n"
                "every operator of sinew.operators works on closed loops [J11 section 8.1]. For study and checks.")
      .def(
          "__init__",
          [](E* self, std::shared_ptr<PyModel> model, PyEmbedded& ws) {
            check("EmbeddedSko", *model, ws);
            const Using use("EmbeddedSko", ws);
            freedoms_of("EmbeddedSko", *use);
            auto parts = std::make_shared<E::Parts>(std::move(model), use->embedding);
            auto sko = std::make_shared<PySko>();
            sko->model = std::shared_ptr<sko::SkoModel<double>>(parts, &parts->value.sko);
            new (self) E{std::move(parts), std::move(sko)};
          },
          "model"_a, "workspace"_a)
      .def_ro("sko", &E::sko, "The SkoModel.")
      .def(
          "update",
          [](E& e, PyEmbedded& ws, ArrayIn q, ArrayIn v, ArrayIn external, double time) {
            const char* call = "update";
            const PyModel& x = *e.parts->model;
            check(call, x, ws);
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
            const InForces F(call, "external", external, x.bodies().size());
            const Using use(call, ws);
            freedoms_of(call, *use);
            const UseSko held(call, *e.sko);
            run_long([&] { e.parts->value.update(use->embedding, Q, V, {F.view(), time}); });
          },
          "workspace"_a, "q"_a, "v"_a, optional_array("external"), "time"_a = 0.,
          "After prepare_embedding or close_loops at (q, v).")
      .def(
          "stack",
          [order](const E& e, PyEmbedded& ws, ArrayIn y) {
            return order("stack", e, ws, y, [](auto& x, auto& w, auto& v) { return x.stack(w, v); });
          },
          "workspace"_a, "y"_a, "Order of y -> order of the nodes.")
      .def(
          "unstack",
          [order](const E& e, PyEmbedded& ws, ArrayIn x) {
            return order("unstack", e, ws, x, [](auto& s, auto& w, auto& v) { return s.unstack(w, v); });
          },
          "workspace"_a, "by_node"_a, "Order of the nodes -> order of y.");
}

}  // namespace

void bind_embedding(nb::module_& m) {
  bind_report(m);
  bind_embedded_workspace(m);
  bind_closing(m);
  bind_embedded_dynamics(m);
  bind_embedded_sko(m);
}

}  // namespace sinew::py
