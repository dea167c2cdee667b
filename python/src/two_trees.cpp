// python/src/two_trees.cpp - two trees coupled at closure points; the coupling may change at any time
#include "sinew/constraint/two_trees/change_coupling.hpp"

#include "constraints.hpp"

namespace sinew::py {
namespace {

// It keeps its model and the set of its loops.
struct PyTree {
  PyTree(std::shared_ptr<PyModel> m, std::shared_ptr<PySet> l, std::vector<Place> points)
      : model(std::move(m)), loops(std::move(l)), value(*model, std::move(points), loops ? &loops->set : nullptr) {}
  std::shared_ptr<PyModel> model;
  std::shared_ptr<PySet> loops;
  CoupledTree value;
  bool prepared = false;
  Busy busy;
};
template <class W>
struct OfTrees : Held<W> {
  template <class... Arguments>
  OfTrees(std::shared_ptr<PyTree> p, std::shared_ptr<PyTree> s, Arguments&&... arguments)
      : Held<W>(std::forward<Arguments>(arguments)...), primary(std::move(p)), secondary(std::move(s)) {}
  std::shared_ptr<PyTree> primary, secondary;
};
struct UseTree : Taken {
  UseTree(const char* call, PyTree& t) : Taken(call, t.busy, "the tree") {}
};

void check_model(const char* call, const PyModel& m, const PyTree& t) {
  if (!m.identity().is_same(t.model->identity()))
    throw nb::value_error((std::string(call) + ": the tree is of another model").c_str());
}
template <class W>
void check_trees(const char* call, const PyModel& P, const PyTree& p, const PyModel& S, const PyTree& s,
                 const OfTrees<W>& ws) {
  check_model(call, P, p), check_model(call, S, s);
  if (ws.primary.get() != &p || ws.secondary.get() != &s)
    throw nb::value_error((std::string(call) + ": the workspace is of other trees").c_str());
  if (&p == &s) throw nb::value_error((std::string(call) + ": a tree cannot be coupled with itself").c_str());
  if (!p.prepared || !s.prepared)
    throw nb::value_error((std::string(call) + ": prepare both trees at their states first").c_str());
}

void bind_tree(nb::module_& m) {
  using T = PyTree;
  nb::class_<T>(m, "CoupledTree", R"(One of two trees that may be coupled at closure points [R92 0.19-0.23].

V^ stacks the velocities of the points, angular above linear, along the axes of the world.)")
      .def(
          "__init__",
          [](T* self, std::shared_ptr<PyModel> model, const std::vector<nb::object>& points,
             std::shared_ptr<PySet> loops) {
            if (loops) check_set("CoupledTree", *model, *loops);
            std::vector<Place> places;
            for (const nb::object& p : points) places.push_back(find_place("CoupledTree", *model, {p.ptr()}));
            new (self) T(std::move(model), std::move(loops), std::move(places));
          },
          "model"_a, "closure_points"_a, "loops"_a = nb::none(),
          nb::sig("def __init__(self, model: Model, closure_points: collections.abc.Sequence[int | str | BodyEntry | "
                  "FrameEntry], loops: ConstraintSet | None = None) -> None"),
          "loops: rows within this tree, which hold whatever is coupled.")
      .def_prop_ro(
          "points", [](const T& t) { return t.value.points(); }, "The number of closure points.")
      .def_prop_ro(
          "is_free_body", [](const T& t) { return t.value.is_free_body; }, "One rigid body, free in the world.")
      .def_prop_ro(
          "free", [](const T& t) { return copy_vector(t.value.free); }, "nu'^f: accelerations without coupling.")
      .def_prop_ro(
          "velocity", [](const T& t) { return copy_vector(t.value.velocity); }, "(6 points) V^ = J nu")
      .def_prop_ro(
          "bias", [](const T& t) { return copy_vector(t.value.bias); }, "(6 points) J' nu")
      .def_prop_ro(
          "loop_force", [](const T& t) { return copy_vector(t.value.loop_force); }, "Of the loops, by couple.");
  m.def(
      "prepare",
      [](const PyModel& x, T& t, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn external, double time) {
        const char* call = "prepare";
        check_model(call, x, t);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), F(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        const UseTree use(call, t);
        SolveCertificate c = run_long([&]() -> SolveCertificate {
          return prepare(*t.model, t.value, Q, V, F, {E.view(), time});
        });
        t.prepared = true;
        return c;
      },
      "model"_a, "tree"_a, "q"_a, "v"_a, "tau"_a, optional_array("external"), "time"_a = 0.,
      "Steps A to C: the tree alone at a state, O(n + c^2). The certificate is that of its loops.");
  m.def(
      "get_admittance",
      [](T& t, ArrayOut out) {
        const UseTree use("get_admittance", t);
        if (!t.prepared) throw nb::value_error("get_admittance: prepare the tree at a state first");
        const auto n = at(6 * t.value.points());
        OutMatrix2 O("get_admittance", "out", out, n, n);
        get_admittance(t.value, O.view());
        return O.take();
      },
      "tree"_a, optional_array("out"), "Lambda = J M^-1 J^*, (6 points)^2, after prepare [R92 0.34].");
}

using Coupling = OfTrees<CouplingWorkspace>;
using Change = OfTrees<ChangeWorkspace>;

// A_P, A_S and U of `rows` rows.
struct Rows2 {
  Rows2(const char* call, const PyTree& p, const PyTree& s, ArrayIn a_p, ArrayIn a_s, ArrayIn u, int most)
      : U(read_numbers(call, "U", u)),
        P(call, "A_P", a_p, U.size(), at(6 * p.value.points())),
        S(call, "A_S", a_s, U.size(), at(6 * s.value.points())) {
    if (U.size() > at(most))
      throw nb::value_error((std::string(call) + ": the workspace is for at most " + std::to_string(most) + " rows, " +
                             std::to_string(U.size()) + " are given")
                                .c_str());
  }
  std::vector<double> U;
  InMatrix P, S;
};

void bind_couple(nb::module_& m) {
  const auto read_rows = [](const char* call, int most) {
    if (most < 0 || most > 100000) throw nb::value_error((std::string(call) + ": most_rows is out of range").c_str());
  };
  nb::class_<Coupling>(m, "CouplingWorkspace", "Scratch of couple, for at most so many rows.")
      .def(
          "__init__",
          [read_rows](Coupling* self, std::shared_ptr<PyTree> p, std::shared_ptr<PyTree> s, int most) {
            read_rows("CouplingWorkspace", most);
            const CoupledTree &a = p->value, &b = s->value;
            new (self) Coupling(std::move(p), std::move(s), a, b, most);
          },
          "primary"_a, "secondary"_a, "most_rows"_a);
  const auto couple_by = [&](const char* name, auto f, const char* doc) {
    m.def(
        name,
        [name, f](const PyModel& P, PyTree& p, const PyModel& S, PyTree& s, Coupling& ws, ArrayIn a_p, ArrayIn a_s,
                  ArrayIn u, ArrayOut out_p, ArrayOut out_s, ArrayOut out_f) {
          check_trees(name, P, p, S, s, ws);
          const Use<CouplingWorkspace> use(name, ws);
          const Rows2 rows(name, p, s, a_p, a_s, u, use->most);
          OutVector A(name, "out_P", out_p, at(P.nv())), B(name, "out_S", out_s, at(S.nv()));
          OutVector F(name, "out_f", out_f, rows.U.size());
          A.apart_from(B, F), B.apart_from(F);
          const UseTree use_p(name, p), use_s(name, s);
          SolveCertificate c = run_long([&]() -> SolveCertificate {
            return f(*p.model, p.value, *s.model, s.value, *use, rows.P.view(), rows.S.view(), rows.U, A, B, F);
          });
          return std::tuple(A.take(), B.take(), F.take(), std::move(c));
        },
        "model_P"_a, "primary"_a, "model_S"_a, "secondary"_a, "workspace"_a, "A_P"_a, "A_S"_a, "U"_a,
        optional_array("out_P"), optional_array("out_S"), optional_array("out_f"), doc);
  };
  couple_by(
      "couple", [](auto&&... p) -> const SolveCertificate& { return couple(p...); },
      R"(nu_P', nu_S', f and a certificate, after both prepare: steps D to F [R92 0.19-0.23].

    M_P nu_P' + J_P^* A_P^* f = T_P,   M_S nu_S' + J_S^* A_S^* f = T_S,   A_P J_P nu_P' + A_S J_S nu_S' = U

A_P, A_S: rows x 6 points; rigidly coupled points have 1 and -1. For constant A, U is -(A_P bias_P + A_S bias_S).)");
  couple_by(
      "couple_primary_first", [](auto&&... p) -> const SolveCertificate& { return couple_primary_first(p...); },
      "The same through the inverse of A_P Lambda_P A_P^* [R92 0.35]: for arms that meet only in a small secondary.");
}

void bind_change(nb::module_& m) {
  using A = CouplingAudit;
  nb::class_<A>(m, "CouplingAudit", "What a change of coupling did to momentum and energy, each found by another way.")
      .def_ro("momentum_before", &A::momentum_before, "Of both trees, about the world's origin [kg m^2/s, kg m/s].")
      .def_ro("momentum_after", &A::momentum_after, "Of both trees, about the world's origin [kg m^2/s, kg m/s].")
      .def_ro("energy_before", &A::energy_before, "[J]")
      .def_ro("energy_after", &A::energy_after, "[J]")
      .def_ro("work", &A::work, "Of the impulse [J].")
      .def_ro("gap_before", &A::gap_before, "Largest entry of the closure velocities before [m/s or rad/s].")
      .def_ro("gap_after", &A::gap_after, "Largest entry of the closure velocities after [m/s or rad/s].")
      .def_ro("impulse", &A::impulse, "Largest entry.")
      .def_prop_ro("momentum_error", &A::momentum_error,
                   "Change of momentum as a part of its size; the larger of angular and linear.")
      .def_prop_ro("energy_error", &A::energy_error, "Energy that the work does not explain, as a part of the whole.")
      .def(
          "describe", [](const A& a) { return describe(a); }, "The audit in sentences.");
  nb::class_<Change>(m, "ChangeWorkspace", "Scratch of change_coupling, for at most so many rows.")
      .def(
          "__init__",
          [](Change* self, const PyModel& P, std::shared_ptr<PyTree> p, const PyModel& S, std::shared_ptr<PyTree> s,
             int most) {
            check_model("ChangeWorkspace", P, *p), check_model("ChangeWorkspace", S, *s);
            if (most < 0 || most > 100000) throw nb::value_error("ChangeWorkspace: most_rows is out of range");
            const PyTree &a = *p, &b = *s;
            new (self) Change(std::move(p), std::move(s), *a.model, a.value, *b.model, b.value, most);
          },
          "model_P"_a, "primary"_a, "model_S"_a, "secondary"_a, "most_rows"_a)
      .def_prop_ro(
          "audit", [](Change& w) { return Use<ChangeWorkspace>("audit", w)->audit; }, "Of the last change.");
  m.def(
      "change_coupling",
      [](const PyModel& P, PyTree& p, const PyModel& S, PyTree& s, Change& ws, ArrayIn a_p, ArrayIn a_s, ArrayIn target,
         ArrayOut out_p, ArrayOut out_s, ArrayOut out_f) {
        const char* call = "change_coupling";
        check_trees(call, P, p, S, s, ws);
        const Use<ChangeWorkspace> use(call, ws);
        const Rows2 rows(call, p, s, a_p, a_s, target, use->coupling.most);
        OutVector A2(call, "out_P", out_p, at(P.nv())), B(call, "out_S", out_s, at(S.nv()));
        OutVector F(call, "out_impulse", out_f, rows.U.size());
        A2.apart_from(B, F), B.apart_from(F);
        const UseTree use_p(call, p), use_s(call, s);
        SolveCertificate c = run_long([&]() -> SolveCertificate {
          return change_coupling(*p.model, p.value, *s.model, s.value, *use, rows.P.view(), rows.S.view(), rows.U, A2,
                                 B, F);
        });
        return std::tuple(A2.take(), B.take(), F.take(), std::move(c));
      },
      "model_P"_a, "primary"_a, "model_S"_a, "secondary"_a, "workspace"_a, "A_P"_a, "A_S"_a, "target"_a,
      optional_array("out_P"), optional_array("out_S"), optional_array("out_impulse"),
      "v_P, v_S, impulse and a certificate: the impulse that makes A_P V^_P + A_S V^_S = target, a plastic capture\n"
      "[R92 0.20, F08 11.57]. After both prepare; the audit is in the workspace.");
}

}  // namespace

void bind_two_trees(nb::module_& m) {
  bind_tree(m);
  bind_couple(m);
  bind_change(m);
}

}  // namespace sinew::py
