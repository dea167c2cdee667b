// python/src/parameter_derivatives.cpp - derivatives by gravity, external forces and inertial parameters
#include "derivative_calls.hpp"
#include "sinew/derivative/force_derivatives.hpp"
#include "sinew/derivative/inertia_derivatives.hpp"

namespace sinew::py {
namespace {

using ByForces = ForceDerivativesWorkspace<double>;
using ByInertia = InertiaDerivativesWorkspace<double>;

// f(model, workspace, q, matrix, time): what depends on the position only.
template <class F>
Array call_at_position(const char* call, const PyModel& m, Held<ByForces>& ws, ArrayIn q, ArrayOut out,
                       std::size_t columns, double time, F&& f) {
  const InVector Q(call, "q", q, at(m.nq()));
  OutMatrix2 O(call, "out", out, at(m.nv()), columns);
  O.apart_from(Q);
  const Use<ByForces> use(call, ws);
  run(m, [&] { f(m, *use, Q, O.view(), time); });
  return O.take();
}

}  // namespace

void bind_parameter_derivatives(nb::module_& m) {
  bind_workspace<ByForces>(m, "ForceDerivativesWorkspace",
                           "Scratch of the derivatives by gravity and external forces.");
  bind_workspace<ByInertia>(m, "InertiaDerivativesWorkspace", "Scratch of the derivatives by inertial parameters.");
  m.def(
      "calc_rnea_gravity_derivatives",
      [](const PyModel& x, Held<ByForces>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_at_position("calc_rnea_gravity_derivatives", x, ws, q, out, 3, time,
                                [](auto&&... p) { calc_rnea_gravity_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "(nv, 3) dtau of inverse dynamics by gravity along the axes of the world, O(n).");
  m.def(
      "calc_aba_gravity_derivatives",
      [](const PyModel& x, Held<ByForces>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_at_position("calc_aba_gravity_derivatives", x, ws, q, out, 3, time,
                                [](auto&&... p) { calc_aba_gravity_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "(nv, 3) da of forward dynamics by gravity along the axes of the world.");
  m.def(
      "calc_rnea_force_derivatives",
      [](const PyModel& x, Held<ByForces>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_at_position("calc_rnea_force_derivatives", x, ws, q, out, 6 * x.bodies().size(), time,
                                [](auto&&... p) { calc_rnea_force_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "(nv, 6 bodies) dtau of inverse dynamics by external forces as rnea takes them: -J^T of every body.");
  m.def(
      "calc_aba_force_derivatives",
      [](const PyModel& x, Held<ByForces>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_at_position("calc_aba_force_derivatives", x, ws, q, out, 6 * x.bodies().size(), time,
                                [](auto&&... p) { calc_aba_force_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "(nv, 6 bodies) da of forward dynamics by external forces as aba takes them: M^-1 J^T of every body.");
  m.def(
      "calc_aba_inertia_derivatives",
      [](const PyModel& x, Held<ByInertia>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_dpi,
         ArrayIn external, double time) {
        return call_by_parameters("calc_aba_inertia_derivatives", x, ws, q, v, tau, out, {"out_dpi", out_dpi},
                                  inertial_parameter_count(x), external, time,
                                  [](auto&&... p) { calc_aba_inertia_derivatives<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_dpi"),
      optional_array("external"), "time"_a = 0.,
      "a, and (nv, 10 (bodies - 1)) da by the inertial parameters, in the order of get_inertial_parameters.");
  m.def(
      "calc_centroidal_momentum_inertia_derivatives",
      [](const PyModel& x, Held<ByInertia>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        const char* call = "calc_centroidal_momentum_inertia_derivatives";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        OutMatrix2 D(call, "out", out, 6, inertial_parameter_count(x));
        D.apart_from(Q, V);
        const Use<ByInertia> use(call, ws);
        run(x, [&] { calc_centroidal_momentum_inertia_derivatives<double>(x, *use, Q, V, D.view(), time); });
        return D.take();
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0.,
      R"((6, 10 (bodies - 1)) dh of the momentum about the centre of mass by the inertial parameters.

The centre of mass moves with them. Order of the columns: get_inertial_parameters.)");
}

}  // namespace sinew::py
