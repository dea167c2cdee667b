// python/src/coupled_derivatives.cpp - derivatives of C w, and of dynamics with mimic joints
#include "sinew/derivative/coupled_derivatives.hpp"

#include "derivative_calls.hpp"
#include "sinew/derivative/coriolis_derivatives.hpp"

namespace sinew::py {
namespace {

using Coriolis = CoriolisDerivativesWorkspace;
using Coupled = CoupledDerivativesWorkspace;

}  // namespace

void bind_coupled_derivatives(nb::module_& m) {
  bind_workspace<Coriolis>(m, "CoriolisDerivativesWorkspace", "Scratch of calc_coriolis_derivatives.");
  m.def(
      "calc_coriolis_derivatives",
      [](const PyModel& x, Held<Coriolis>& ws, ArrayIn q, ArrayIn v, ArrayIn w, ArrayOut out, ArrayOut out_dq,
         ArrayOut out_dv) {
        const char* call = "calc_coriolis_derivatives";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), W(call, "w", w, nv);
        OutVector O(call, "out", out, nv);
        OutMatrix2 A(call, "out_dq", out_dq, nv, nv), B(call, "out_dv", out_dv, nv, nv);
        O.apart_from(Q, V, W), A.apart_from(Q, V, W, O), B.apart_from(Q, V, W, O);
        refuse_same_array(call, A, B, nv);
        const Use<Coriolis> use(call, ws);
        run(x, [&] { calc_coriolis_derivatives(x, *use, Q, V, W, O, A.view(), B.view()); });
        return std::tuple<Array, Array, Array>{O.take(), A.take(), B.take()};
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "w"_a, optional_array("out"), optional_array("out_dq"),
      optional_array("out_dv"),
      "C(q, v) w, d(C w)/dq and d(C w)/dv of the Coriolis matrix of calc_coriolis_matrix, O(n d).");
  nb::class_<Held<Coupled>>(m, "CoupledDerivativesWorkspace",
                            "Scratch of calc_coupled_rnea_derivatives and calc_coupled_aba_derivatives.")
      .def(nb::init<const PyModel&>(), "model"_a)
      .def_prop_ro(
          "independent", [](const Held<Coupled>& x) { return x.value.independent; },
          "Velocity coordinates that no active coupling determines: what w is.");
  m.def(
      "set_dependent_positions",
      [](const PyModel& x, Held<Coupled>& ws, ArrayIn q, ArrayOut out) {
        const char* call = "set_dependent_positions";
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, at(x.nq()));
        const Use<Coupled> use(call, ws);
        std::copy(Q.data(), Q.data() + x.nq(), O.data());
        set_dependent_positions(x, *use, O);
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "q with its dependent positions set from the others.");
  m.def(
      "calc_coupled_rnea_derivatives",
      [](const PyModel& x, Held<Coupled>& ws, ArrayIn q, ArrayIn w, ArrayIn dw, ArrayOut out, ArrayOut out_dy,
         ArrayOut out_dw, ArrayOut out_M, ArrayIn external, double time) {
        return call_derivatives("calc_coupled_rnea_derivatives", x, ws, ws.value.independent.size(), q, {"w", w},
                                {"dw", dw}, out, {"out_dy", out_dy}, {"out_dw", out_dw}, {"out_M", out_M}, external,
                                time, [](auto&&... p) { calc_coupled_rnea_derivatives(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "w"_a, "dw"_a, optional_array("out"), optional_array("out_dy"),
      optional_array("out_dw"), optional_array("out_M"), optional_array("external"), "time"_a = 0.,
      R"(T, dT/dy, dT/dw and M_y of inverse dynamics in the coordinates that couplings (mimic joints) leave independent.

w and dw: velocities and accelerations of workspace.independent. Dependent numbers in q are not read.)");
  m.def(
      "calc_coupled_aba_derivatives",
      [](const PyModel& x, Held<Coupled>& ws, ArrayIn q, ArrayIn w, ArrayIn T, ArrayOut out, ArrayOut out_dy,
         ArrayOut out_dw, ArrayOut out_Minv, ArrayIn external, double time) {
        return call_derivatives("calc_coupled_aba_derivatives", x, ws, ws.value.independent.size(), q, {"w", w},
                                {"T", T}, out, {"out_dy", out_dy}, {"out_dw", out_dw}, {"out_Minv", out_Minv}, external,
                                time, [](auto&&... p) { calc_coupled_aba_derivatives(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "w"_a, "T"_a, optional_array("out"), optional_array("out_dy"),
      optional_array("out_dw"), optional_array("out_Minv"), optional_array("external"), "time"_a = 0.,
      "dw, its derivatives by y and w, and M_y^-1 of forward dynamics, as in calc_coupled_rnea_derivatives.");
}

}  // namespace sinew::py
