// python/src/kinematics_derivatives.cpp - derivatives of velocities, momentum, energy and Delassus matrices
#include "sinew/derivative/kinematics_derivatives.hpp"

#include "derivative_calls.hpp"
#include "sinew/derivative/delassus_rate.hpp"
#include "sinew/derivative/delassus_slopes.hpp"
#include "sinew/derivative/momentum_derivatives.hpp"

namespace sinew::py {
namespace {

using Kinematics = KinematicsDerivativesWorkspace<double>;
using Momentum = MomentumDerivativesWorkspace<double>;
using Delassus = DelassusSlopesWorkspace<double>;

// f(dq, dv): two matrices of 6 x nv.
template <class F>
std::tuple<Array, Array> fill_two(const char* call, const PyModel& m, ArrayOut out_dq, ArrayOut out_dv, F&& f) {
  OutMatrix2 A(call, "out_dq", out_dq, 6, at(m.nv())), B(call, "out_dv", out_dv, 6, at(m.nv()));
  refuse_same_array(call, A, B, at(m.nv()));
  f(A, B);
  return {A.take(), B.take()};
}

}  // namespace

void bind_kinematics_derivatives(nb::module_& m) {
  bind_workspace<Kinematics>(m, "KinematicsDerivativesWorkspace", "What calc_kinematics_derivatives finds.");
  bind_workspace<Momentum>(m, "MomentumDerivativesWorkspace", "Scratch of the derivatives of momentum and energy.");
  bind_workspace<Delassus>(m, "DelassusSlopesWorkspace", "Scratch of calc_delassus_slopes.");
  m.def(
      "calc_kinematics_derivatives",
      [](const PyModel& x, Held<Kinematics>& ws, ArrayIn q, ArrayIn v, ArrayIn a, double time) {
        const char* call = "calc_kinematics_derivatives";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
        const Use<Kinematics> use(call, ws);
        run(x, [&] { calc_kinematics_derivatives<double>(x, *use, Q, V, A, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, "time"_a = 0.,
      "Fills the workspace that get_velocity_derivatives and get_acceleration_derivatives read, O(n).");
  m.def(
      "get_velocity_derivatives",
      [](const PyModel& x, Held<Kinematics>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out_dq,
         ArrayOut out_dv) {
        const char* call = "get_velocity_derivatives";
        const Use<Kinematics> use(call, ws);
        return fill_two(call, x, out_dq, out_dv, [&](OutMatrix2& A, OutMatrix2& B) {
          get_velocity_derivatives<double>(x, *use, find_place(call, x, place), reference, A.view(), B.view());
        });
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out_dq"),
      optional_array("out_dv"),
      "dV/dq and dV/dv of the velocity V of a body or frame, as get_velocity gives it; 6 x nv each.");
  m.def(
      "get_acceleration_derivatives",
      [](const PyModel& x, Held<Kinematics>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out_dq,
         ArrayOut out_dv) {
        const char* call = "get_acceleration_derivatives";
        const Use<Kinematics> use(call, ws);
        return fill_two(call, x, out_dq, out_dv, [&](OutMatrix2& A, OutMatrix2& B) {
          get_acceleration_derivatives<double>(x, *use, find_place(call, x, place), reference, A.view(), B.view());
        });
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out_dq"),
      optional_array("out_dv"),
      "dA/dq and dA/dv of the spatial acceleration A of a body or frame, as get_acceleration gives it; 6 x nv each.\n"
      "dA/da is dV/dv.");
  m.def(
      "calc_centroidal_momentum_derivatives",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayOut out_dq, ArrayOut out_dv, double time) {
        const char* call = "calc_centroidal_momentum_derivatives";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Use<Momentum> use(call, ws);
        return fill_two(call, x, out_dq, out_dv, [&](OutMatrix2& A, OutMatrix2& B) {
          A.apart_from(Q, V), B.apart_from(Q, V);
          run(x, [&] { calc_centroidal_momentum_derivatives<double>(x, *use, Q, V, A.view(), B.view(), time); });
        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out_dq"), optional_array("out_dv"), "time"_a = 0.,
      "dh/dq and dh/dv of the momentum about the centre of mass, along the axes of the world; 6 x nv each, O(n).");
  m.def(
      "calc_centroidal_momentum_rate_derivatives",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out_dq, ArrayOut out_dv,
         ArrayOut out_da, double time) {
        const char* call = "calc_centroidal_momentum_rate_derivatives";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
        OutMatrix2 I(call, "out_dq", out_dq, 6, nv), J(call, "out_dv", out_dv, 6, nv), K(call, "out_da", out_da, 6, nv);
        I.apart_from(Q, V, A), J.apart_from(Q, V, A), K.apart_from(Q, V, A);
        refuse_same_array(call, I, J, nv), refuse_same_array(call, I, K, nv), refuse_same_array(call, J, K, nv);
        const Use<Momentum> use(call, ws);
        run(x, [&] {
          calc_centroidal_momentum_rate_derivatives<double>(x, *use, Q, V, A, I.view(), J.view(), K.view(), time);
        });
        return std::tuple<Array, Array, Array>{I.take(), J.take(), K.take()};
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out_dq"), optional_array("out_dv"),
      optional_array("out_da"), "time"_a = 0.,
      "Derivatives of calc_centroidal_momentum_rate by q, v and a; 6 x nv each, O(n). By a it is the centroidal map.");
  m.def(
      "calc_energy_derivatives",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayOut out_T_dq, ArrayOut out_T_dv,
         ArrayOut out_V_dq, double time) {
        const char* call = "calc_energy_derivatives";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv);
        OutVector A(call, "out_T_dq", out_T_dq, nv), B(call, "out_T_dv", out_T_dv, nv);
        OutVector C(call, "out_V_dq", out_V_dq, nv);
        A.apart_from(Q, V), B.apart_from(Q, V, A), C.apart_from(Q, V, A, B);
        const Use<Momentum> use(call, ws);
        run(x, [&] { calc_energy_derivatives<double>(x, *use, Q, V, A, B, C, time); });
        return std::tuple<Array, Array, Array>{A.take(), B.take(), C.take()};
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out_T_dq"), optional_array("out_T_dv"),
      optional_array("out_V_dq"), "time"_a = 0.,
      "dT/dq and dT/dv of the kinetic energy, dV/dq of the potential energy; nv numbers each, O(n).");
  m.def(
      "calc_delassus_slopes",
      [](const PyModel& x, Held<Delassus>& ws, ArrayIn q, ArrayIn F, ArrayIn G, ArrayOut out, double time) {
        const char* call = "calc_delassus_slopes";
        const InVector Q(call, "q", q, at(x.nq()));
        const InForces P(call, "F", F, x.bodies().size()), R(call, "G", G, x.bodies().size());
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(Q);
        const Use<Delassus> use(call, ws);
        double y = 0;
        run(x, [&] { y = calc_delassus_slopes<double>(x, *use, Q, P.view(), R.view(), O, time); });
        return std::tuple<double, Array>{y, O.take()};
      },
      "model"_a, "workspace"_a, "q"_a, "F"_a, "G"_a, optional_array("out"), "time"_a = 0.,
      R"(y = lambda^T J M^-1 J^T mu and dy/dq, with forces F of lambda and G of mu on the bodies.

F and G: (bodies, 6), each in its body's frame and about its origin, couple above force; they stay there as q changes.)");
  nb::enum_<RowAxes>(m, "RowAxes", "With what the force of a row of J turns.")
      .value("body", RowAxes::body, "with its body")
      .value("world", RowAxes::world, "not at all: along axes of the world");
  nb::class_<RowForce>(m, "RowForce", "A part of a row of J: the force of a unit multiplier on one body.")
      .def(
          "__init__",
          [](RowForce* self, int row, int body, const Force<double>& force, RowAxes axes, const Vec3<double>& point) {
            new (self) RowForce{row, body, force, axes, point};
          },
          "row"_a, "body"_a, "force"_a, "axes"_a = RowAxes::body, "point"_a = Vec3<double>{})
      .def_rw("row", &RowForce::row, "Of W.")
      .def_rw("body", &RowForce::body, "Index in model.bodies.")
      .def_rw("force", &RowForce::force, "In the body's frame and about its origin, couple above force.")
      .def_rw("axes", &RowForce::axes, "Whether it turns with the body.")
      .def_rw("point", &RowForce::point, "Where it acts, in the body's frame, if its axes are the world's.");
  nb::class_<Held<DelassusRateWorkspace>>(m, "DelassusRateWorkspace", "Scratch of calc_delassus_rate.")
      .def(nb::init<const PyModel&, int>(), "model"_a, "rows"_a);
  m.def(
      "calc_delassus_rate",
      [](const PyModel& x, Held<DelassusRateWorkspace>& ws, ArrayIn q, ArrayIn v, const std::vector<RowForce>& rows,
         ArrayOut out, ArrayOut out_rate, double time) {
        const char* call = "calc_delassus_rate";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const std::size_t n = ws.value.rows;
        OutMatrix2 W(call, "out", out, n, n), D(call, "out_rate", out_rate, n, n);
        W.apart_from(Q, V), D.apart_from(Q, V);
        if (n > 0 && W.data() == D.data()) throw nb::value_error("calc_delassus_rate: two outputs are the same array");
        const Use<DelassusRateWorkspace> use(call, ws);
        run(x, [&] { calc_delassus_rate(x, *use, Q, V, rows, W.view(), D.view(), time); });
        return std::tuple<Array, Array>{W.take(), D.take()};
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "rows"_a, optional_array("out"), optional_array("out_rate"),
      "time"_a = 0., "W = J M^-1 J^T and its rate while q moves along v, with the rows of J given by their forces.");
}

}  // namespace sinew::py
