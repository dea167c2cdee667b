// python/src/derivatives.cpp - derivatives of inverse and forward dynamics
#include "common.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"

namespace sinew::py {
namespace {

using Derivatives = std::tuple<Array, Array, Array, Array>;

// f(q, v, x, out, three matrices) for inverse and forward dynamics, whose names differ.
template <class W, class F>
Derivatives call_derivatives(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, const char* name,
                             ArrayIn x, ArrayOut out, ArrayOut out_dq, ArrayOut out_dv, const char* third,
                             ArrayOut out_third, ArrayIn external, double time, F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), X(call, name, x, nv);
  const InForces E(call, "external", external, m.bodies().size());
  OutVector O(call, "out", out, nv);
  OutMatrix2 A(call, "out_dq", out_dq, nv, nv), B(call, "out_dv", out_dv, nv, nv), C(call, third, out_third, nv, nv);
  O.apart_from(Q, V, X), A.apart_from(Q, V, X, O), B.apart_from(Q, V, X, O), C.apart_from(Q, V, X, O);
  if (nv > 0 && (A.data() == B.data() || A.data() == C.data() || B.data() == C.data()))
    throw nb::value_error((std::string(call) + ": two outputs are the same array").c_str());
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, O, A.view(), B.view(), C.view(), Surroundings<double>{E.view(), time}); });
  return {O.take(), A.take(), B.take(), C.take()};
}

}  // namespace

void bind_derivatives(nb::module_& m) {
  using Inverse = RneaDerivativesWorkspace<double>;
  using Forward = AbaDerivativesWorkspace<double>;
  bind_workspace<Inverse>(m, "RneaDerivativesWorkspace", "Scratch of calc_rnea_derivatives.");
  bind_workspace<Forward>(m, "AbaDerivativesWorkspace", "Scratch of calc_aba_derivatives.");
  m.def(
      "calc_rnea_derivatives",
      [](const PyModel& x, Held<Inverse>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, ArrayOut out_dq,
         ArrayOut out_dv, ArrayOut out_M, ArrayIn external, double time) {
        return call_derivatives("calc_rnea_derivatives", x, ws, q, v, "a", a, out, out_dq, out_dv, "out_M", out_M,
                                external, time, [](auto&&... p) { calc_rnea_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), optional_array("out_dq"),
      optional_array("out_dv"), optional_array("out_M"), optional_array("external"), "time"_a = 0.,
      R"(tau, dtau/dq, dtau/dv and dtau/da = M of inverse dynamics, O(n d).

dq is along the velocity coordinates of each joint, as integrate takes it. external: as for rnea; the forces stay as they
are in their bodies' frames.)");
  m.def(
      "calc_aba_derivatives",
      [](const PyModel& x, Held<Forward>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_dq,
         ArrayOut out_dv, ArrayOut out_Minv, ArrayIn external, double time) {
        return call_derivatives("calc_aba_derivatives", x, ws, q, v, "tau", tau, out, out_dq, out_dv, "out_Minv",
                                out_Minv, external, time, [](auto&&... p) { calc_aba_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_dq"),
      optional_array("out_dv"), optional_array("out_Minv"), optional_array("external"), "time"_a = 0.,
      R"(a, da/dq, da/dv and da/dtau = M^-1 of forward dynamics, O(n^2 d).

dq is along the velocity coordinates of each joint, as integrate takes it. external: as for rnea; the forces stay as they
are in their bodies' frames.)");
}

}  // namespace sinew::py
