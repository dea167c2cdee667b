// python/src/derivatives.cpp - derivatives of inverse and forward dynamics
#include "derivative_calls.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/aba_hessian.hpp"
#include "sinew/derivative/placement_derivatives.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/derivative/rnea_hessian.hpp"

namespace sinew::py {
namespace {

// f(q, v, x, lambda, four matrices) for the second derivatives.
template <class W, class F>
FourArrays call_hessian(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, const char* name,
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
    for (int j = 0; j < i; ++j) refuse_same_array(call, *all[i], *all[j], nv);
  }
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, L, A.view(), B.view(), C.view(), D.view(), Surroundings<double>{E.view(), time}); });
  return {A.take(), B.take(), C.take(), D.take()};
}

// f(q, v, x, four tensors): all layers of the second derivatives.
template <class W, class F>
FourArrays call_tensors(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, const char* name,
                        ArrayIn x, ArrayIn external, double time, F&& f) {
  const auto nv = at(m.nv());
  const npy_intp n = detail::signed_size(nv);
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), X(call, name, x, nv);
  const InForces E(call, "external", external, m.bodies().size());
  Write<3> A(call, "out", {Py_None}, {n, n, n}), B(call, "out", {Py_None}, {n, n, n});
  Write<3> C(call, "out", {Py_None}, {n, n, n}), D(call, "out", {Py_None}, {n, n, n});
  const auto layers = [nv](const Write<3>& tensor) { return MatrixView<double>(tensor.data(), nv * nv, nv); };
  const Use<W> use(call, ws);
  run(m, [&] {
    f(m, *use, Q, V, X, layers(A), layers(B), layers(C), layers(D), Surroundings<double>{E.view(), time});
  });
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
        return call_derivatives("calc_rnea_derivatives", x, ws, at(x.nv()), q, {"v", v}, {"a", a}, out,
                                {"out_dq", out_dq}, {"out_dv", out_dv}, {"out_M", out_M}, external, time,
                                [](auto&&... p) { calc_rnea_derivatives<double>(p...); });
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
        return call_derivatives("calc_aba_derivatives", x, ws, at(x.nv()), q, {"v", v}, {"tau", tau}, out,
                                {"out_dq", out_dq}, {"out_dv", out_dv}, {"out_Minv", out_Minv}, external, time,
                                [](auto&&... p) { calc_aba_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_dq"),
      optional_array("out_dv"), optional_array("out_Minv"), optional_array("external"), "time"_a = 0.,
      R"(a, da/dq, da/dv and da/dtau = M^-1 of forward dynamics, O(n^2 d).

dq is along the velocity coordinates of each joint, as integrate takes it. external: as for rnea; the forces stay as they
are in their bodies' frames.)");
  using Placement = PlacementDerivativesWorkspace<double>;
  bind_workspace<Placement>(m, "PlacementDerivativesWorkspace",
                            "Scratch of calc_rnea_placement_derivatives and calc_aba_placement_derivatives.");
  m.def(
      "calc_rnea_placement_derivatives",
      [](const PyModel& x, Held<Placement>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, ArrayIn external,
         double time) {
        const char* call = "calc_rnea_placement_derivatives";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutMatrix2 O(call, "out", out, nv, 6 * x.joints().size());
        O.apart_from(Q, V, A);
        const Use<Placement> use(call, ws);
        run(x, [&] {
          calc_rnea_placement_derivatives<double>(x, *use, Q, V, A, O.view(), Surroundings<double>{E.view(), time});
        });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      R"((nv, 6 joints) dtau by where each joint is placed on its parent: its frame turned, then shifted, along its axes.

Columns 6 j .. 6 j + 5 are joint j of the model, fixed ones included. external: as for rnea.)");
  m.def(
      "calc_aba_placement_derivatives",
      [](const PyModel& x, Held<Placement>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_dx,
         ArrayIn external, double time) {
        return call_by_parameters("calc_aba_placement_derivatives", x, ws, q, v, tau, out, {"out_dx", out_dx},
                                  6 * x.joints().size(), external, time,
                                  [](auto&&... p) { calc_aba_placement_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_dx"),
      optional_array("external"), "time"_a = 0.,
      "a, and (nv, 6 joints) da by where each joint is placed, as in calc_rnea_placement_derivatives.");
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
  m.def(
      "calc_rnea_tensors",
      [](const PyModel& x, Held<InverseHessian>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayIn external, double time) {
        return call_tensors("calc_rnea_tensors", x, ws, q, v, "a", a, external, time,
                            [](auto&&... p) { calc_rnea_tensors<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("external"), "time"_a = 0.,
      R"(All second derivatives of tau(q, v, a): [i, j, k] of d2tau_i/dq_j dq_k, dq dv, dv dv and dq da.

A contraction with weights, calc_rnea_hessian, is nv times less work. Joints: as there.)");
  m.def(
      "calc_aba_tensors",
      [](const PyModel& x, Held<ForwardHessian>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayIn external, double time) {
        return call_tensors("calc_aba_tensors", x, ws, q, v, "tau", tau, external, time,
                            [](auto&&... p) { calc_aba_tensors<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("external"), "time"_a = 0.,
      "All second derivatives of a(q, v, tau): [i, j, k] of d2a_i/dq_j dq_k, dq dv, dv dv and dq dtau.");
}

}  // namespace sinew::py
