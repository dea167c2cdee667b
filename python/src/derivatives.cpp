// python/src/derivatives.cpp - derivatives of inverse and forward dynamics
#include "common.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/aba_hessian.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/derivative/rnea_hessian.hpp"

namespace sinew::py {
namespace {

using Derivatives = std::tuple<Array, Array, Array, Array>;

void refuse_same(const char* call, const OutMatrix2& a, const OutMatrix2& b, std::size_t nv) {
  if (nv > 0 && a.data() == b.data())
    throw nb::value_error((std::string(call) + ": two outputs are the same array").c_str());
}

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
  refuse_same(call, A, B, nv), refuse_same(call, A, C, nv), refuse_same(call, B, C, nv);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, O, A.view(), B.view(), C.view(), Surroundings<double>{E.view(), time}); });
  return {O.take(), A.take(), B.take(), C.take()};
}

// f(q, v, x, lambda, four matrices) for the second derivatives.
template <class W, class F>
Derivatives call_hessian(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, const char* name,
                         ArrayIn x, ArrayIn weights, ArrayOut out_dqdq, ArrayOut out_dqdv, ArrayOut out_dvdv,
                         const char* fourth, ArrayOut out_fourth, ArrayIn external, double time, F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), X(call, name, x, nv);
  const InVector L(call, "weights", weights, nv);
  const InForces E(call, "external", external, m.bodies().size());
  OutMatrix2 A(call, "out_dqdq", out_dqdq, nv, nv), B(call, "out_dqdv", out_dqdv, nv, nv);
  OutMatrix2 C(call, "out_dvdv", out_dvdv, nv, nv), D(call, fourth, out_fourth, nv, nv);
  const OutMatrix2* all[] = {&A, &B, &C, &D};
  for (int i = 0; i < 4; ++i) {
    all[i]->apart_from(Q, V, X, L);
    for (int j = 0; j < i; ++j) refuse_same(call, *all[i], *all[j], nv);
  }
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, L, A.view(), B.view(), C.view(), D.view(), Surroundings<double>{E.view(), time}); });
  return {A.take(), B.take(), C.take(), D.take()};
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
  using InverseHessian = RneaHessianWorkspace<double>;
  using ForwardHessian = AbaHessianWorkspace<double>;
  bind_workspace<InverseHessian>(m, "RneaHessianWorkspace", "Scratch of calc_rnea_hessian.");
  bind_workspace<ForwardHessian>(m, "AbaHessianWorkspace", "Scratch of calc_aba_hessian.");
  m.def(
      "calc_rnea_hessian",
      [](const PyModel& x, Held<InverseHessian>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayIn weights,
         ArrayOut out_dqdq, ArrayOut out_dqdv, ArrayOut out_dvdv, ArrayOut out_dqda, ArrayIn external, double time) {
        return call_hessian("calc_rnea_hessian", x, ws, q, v, "a", a, weights, out_dqdq, out_dqdv, out_dvdv, "out_dqda",
                            out_dqda, external, time, [](auto&&... p) { calc_rnea_hessian<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, "weights"_a, optional_array("out_dqdq"),
      optional_array("out_dqdv"), optional_array("out_dvdv"), optional_array("out_dqda"), optional_array("external"),
      "time"_a = 0.,
      R"(Second derivatives of y = weights @ tau(q, v, a): d2y/dq dq, d2y/dq dv, d2y/dv dv and d2y/dq da, O(n d).

Not for joints whose motion subspace changes in their own frame (universal, yaw-pitch-roll, rack and pinion, reversed
ones of several freedoms, those of users): RneaHessianWorkspace refuses them by name.)");
  m.def(
      "calc_aba_hessian",
      [](const PyModel& x, Held<ForwardHessian>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn weights,
         ArrayOut out_dqdq, ArrayOut out_dqdv, ArrayOut out_dvdv, ArrayOut out_dqdtau, ArrayIn external, double time) {
        return call_hessian("calc_aba_hessian", x, ws, q, v, "tau", tau, weights, out_dqdq, out_dqdv, out_dvdv,
                            "out_dqdtau", out_dqdtau, external, time,
                            [](auto&&... p) { calc_aba_hessian<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, "weights"_a, optional_array("out_dqdq"),
      optional_array("out_dqdv"), optional_array("out_dvdv"), optional_array("out_dqdtau"), optional_array("external"),
      "time"_a = 0.,
      R"(Second derivatives of y = weights @ a(q, v, tau): d2y/dq dq, d2y/dq dv, d2y/dv dv and d2y/dq dtau.

With a costate as weights this is what Newton steps over trajectories (DDP) need. Joints: as for calc_rnea_hessian.)");
}

}  // namespace sinew::py
