// python/src/equivalent.cpp - models with inertias moved to the base: the same motion, cheaper inverse dynamics
#include "sinew/tree/equivalent_model.hpp"

#include "common.hpp"
#include "sinew/tree/equivalence.hpp"

namespace sinew::py {
namespace {

using Rnea = RneaWorkspace<double>;
using Crba = CrbaWorkspace<double>;
using Aba = AbaWorkspace<double>;

struct PyEquivalent {
  explicit PyEquivalent(std::shared_ptr<PyModel> m) : model(std::move(m)), value(*model) {}
  std::shared_ptr<PyModel> model;
  EquivalentModel value;
};

void bind_inertias(nb::module_& m) {
  using E = Equivalence;
  nb::class_<E>(m, "Equivalence", "Other inertias with the same equation of motion [F08 section 9.7].")
      .def_prop_ro(
          "inertias",
          [](const E& e) {
            std::vector<double> out;
            for (const RigidInertia<double>& I : e.inertias)
              out.insert(out.end(), {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz});
            return copy_matrix(out, e.inertias.size(), 10);
          },
          "One row per node, the world's first (unused): m, h_x h_y h_z, I_xx I_xy I_xz I_yy I_yz I_zz about its "
          "origin.")
      .def_ro("zeros_before", &E::zeros_before, "Parameters that are exactly 0, of 10 per node.")
      .def_ro("zeros_after", &E::zeros_after, "Parameters that are exactly 0 afterwards, of 10 per node.")
      .def_prop_ro(
          "not_a_body", [](const E& e) { return copy_integers(e.not_a_body); },
          "Nodes whose new inertia no rigid body can have: only rnea, crba, aba may use it.")
      .def_prop_ro(
          "cost_before", [](const E& e) { return std::pair(e.cost_before.mul, e.cost_before.add); },
          "Multiplications and additions of inverse dynamics.")
      .def_prop_ro(
          "cost_after", [](const E& e) { return std::pair(e.cost_after.mul, e.cost_after.add); },
          "Multiplications and additions of rnea with the new inertias.");
  m.def(
      "find_equivalent_inertias",
      [](const PyModel& x) { return run_long([&] { return find_equivalent_inertias(x); }); }, "model"_a,
      "Each link hands its parent what the joint between them cannot feel, from the tips to the base.");
}

void bind_class(nb::module_& m) {
  using E = PyEquivalent;
  // Methods, not overloads of rnea, crba and aba: an overloaded function costs more for each call.
  nb::class_<E>(m, "EquivalentModel", R"(A model with inertias moved to the base [F08 section 9.7].

Its methods return what rnea, calc_bias, crba and aba return for the model, up to rounding, with workspaces of the
model; inverse dynamics with fewer operations. Energies, momenta and contacts need the model itself.)")
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def_ro("model", &E::model, "The Model with its own inertias.")
      .def(
          "rnea",
          [](const E& e, Held<Rnea>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, ArrayIn external, double time) {
            const char* call = "rnea";
            const PyModel& x = *e.model;
            const auto nv = at(x.nv());
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
            const InForces F(call, "external", external, x.bodies().size());
            OutVector O(call, "out", out, nv);
            O.apart_from(Q, V, A);
            const Use<Rnea> use(call, ws);
            run(x, [&] { rnea<double>(e.value, *use, Q, V, A, O, {F.view(), time}); });
            return O.take();
          },
          "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
          "tau = M a + h")
      .def(
          "calc_bias",
          [](const E& e, Held<Rnea>& ws, ArrayIn q, ArrayIn v, ArrayOut out, ArrayIn external, double time) {
            const char* call = "calc_bias";
            const PyModel& x = *e.model;
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
            const InForces F(call, "external", external, x.bodies().size());
            OutVector O(call, "out", out, at(x.nv()));
            O.apart_from(Q, V);
            const Use<Rnea> use(call, ws);
            run(x, [&] { calc_bias<double>(e.value, *use, Q, V, O, {F.view(), time}); });
            return O.take();
          },
          "workspace"_a, "q"_a, "v"_a, optional_array("out"), optional_array("external"), "time"_a = 0., "h")
      .def(
          "crba",
          [](const E& e, Held<Crba>& ws, ArrayIn q, ArrayOut out, double time) {
            const PyModel& x = *e.model;
            const InVector Q("crba", "q", q, at(x.nq()));
            OutMatrix2 O("crba", "out", out, at(x.nv()), at(x.nv()));
            O.apart_from(Q);
            const Use<Crba> use("crba", ws);
            run(x, [&] { crba<double>(e.value, *use, Q, O.view(), time); });
            return O.take();
          },
          "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0., "M")
      .def(
          "aba",
          [](const E& e, Held<Aba>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayIn external,
             double time) {
            const char* call = "aba";
            const PyModel& x = *e.model;
            const auto nv = at(x.nv());
            const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
            const InForces F(call, "external", external, x.bodies().size());
            OutVector O(call, "out", out, nv);
            O.apart_from(Q, V, T);
            const Use<Aba> use(call, ws);
            run(x, [&] { aba<double>(e.value, *use, Q, V, T, O, {F.view(), time}); });
            return O.take();
          },
          "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
          "a with M a + h = tau; loses digits on long chains.");
}

}  // namespace

void bind_equivalent(nb::module_& m) {
  bind_inertias(m);
  bind_class(m);
}

}  // namespace sinew::py
