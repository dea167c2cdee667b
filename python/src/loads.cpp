// python/src/loads.cpp - tendons, joint loads with drives, coefficients of floating bases, principal axes
#include <array>

#include "entries.hpp"
#include "sinew/model/principal_axes.hpp"
#include "sinew/tree/floating_base.hpp"
#include "sinew/tree/joint_loads.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew::py {
namespace {

using Tendons = TendonWorkspace;
using Kinematics = KinematicsWorkspace<double>;
using Velocity = VelocityWorkspace<double>;
using Loads = JointLoadsWorkspace;
using Floating = FloatingBaseWorkspace<double>;
using Coefficients = FloatingCoefficients<double>;

void bind_tendon_lengths(nb::module_& m) {
  using W = Held<Tendons>;
  const auto numbers = [](nb::class_<W>& c, const char* name, std::vector<double> Tendons::*member, const char* doc) {
    c.def_prop_ro(
        name, [name, member](W& w) { return copy_vector((*Use<Tendons>(name, w)).*member); }, doc);
  };
  nb::class_<W> c(m, "TendonWorkspace", "Lengths of tendons and how they change, after calc_tendons.");
  c.def(nb::init<const PyModel&>(), "model"_a);
  numbers(c, "length", &Tendons::length, "[m] by calc_tendons and calc_tendon_rates");
  numbers(c, "velocity", &Tendons::velocity, "J v, by calc_tendon_rates");
  numbers(c, "acceleration", &Tendons::acceleration, "d^2L/dt^2 where dv/dt = 0, by calc_tendon_rates");
  numbers(c, "neutral", &Tendons::neutral, "Length at the neutral position.");
  numbers(c, "rest", &Tendons::rest, "Length where springs of joints rest.");
  m.def(
      "calc_tendons",
      [](const PyModel& x, W& ws, Held<Kinematics>& kinematics, ArrayIn q, double time) {
        const InVector Q("calc_tendons", "q", q, at(x.nq()));
        const Use<Tendons> use("calc_tendons", ws);
        const Use<Kinematics> poses("calc_tendons", kinematics);
        run(x, [&] { calc_tendons(x, *use, *poses, Q, time); });
      },
      "model"_a, "workspace"_a, "kinematics"_a, "q"_a, "time"_a = 0.,
      "After calc_kinematics at q: L of every tendon. Fixed ones: the sum of factor q. Spatial ones: the shortest "
      "string\n"
      "through the sites and outside of the shapes, as in MuJoCo.");
  m.def(
      "calc_tendon_rates",
      [](const PyModel& x, W& ws, Held<Velocity>& velocity, ArrayIn q, double time) {
        const InVector Q("calc_tendon_rates", "q", q, at(x.nq()));
        const Use<Tendons> use("calc_tendon_rates", ws);
        const Use<Velocity> motion("calc_tendon_rates", velocity);
        run(x, [&] { calc_tendon_rates(x, *use, *motion, Q, time); });
      },
      "model"_a, "workspace"_a, "velocity"_a, "q"_a, "time"_a = 0.,
      "After calc_accelerations at q and v with dv/dt = 0: dL/dt = J v and dJ/dt v too.");
  m.def(
      "get_tendon_jacobian",
      [](const PyModel& x, W& ws, Held<Kinematics>& kinematics, ArrayIn q, int tendon, ArrayOut out, double time) {
        const char* call = "get_tendon_jacobian";
        const InVector Q(call, "q", q, at(x.nq()));
        check_index(call, "tendon", tendon, x.tendons().size());
        const Use<Tendons> use(call, ws);
        use->made_for.check(call, x);
        const Use<Kinematics> poses(call, kinematics);
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(Q);
        run(x, [&] { calc_row_jacobian(x, *poses, Q, use->row(x, tendon), O, time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "kinematics"_a, "q"_a, "tendon"_a, optional_array("out"), "time"_a = 0.,
      "After calc_tendons: the row J of a tendon with dL/dt = J v.");
}

void bind_drives(nb::module_& m) {
  using P = JointForceParts;
  nb::class_<P>(m, "JointForceParts", "f = active + constraint: what the drive gives, and what the bearings do.")
      .def_prop_ro(
          "tau", [](const P& p) { return freeze(copy_vector(p.tau)); },
          "S^T f, in the first entries: as many as the joint has freedoms.")
      .def_ro("active", &P::active, "T_a tau, torque above force.")
      .def_ro("constraint", &P::constraint, "T lambda, torque above force.");
  m.def(
      "get_joint_load",
      [](const PyModel& x, Held<Loads>& ws, const nb::object& joint, ArrayIn directions, bool on_parent) {
        const char* call = "get_joint_load";
        const int j = find_joint(call, x, joint);
        Drive drive;
        drive.on_parent = on_parent;
        if (!directions.is_none()) {
          const nb::object held = read_array(call, "directions", directions, 2);
          auto* a = reinterpret_cast<PyArrayObject*>(held.ptr());
          if (PyArray_DIM(a, 1) != 6 || PyArray_DIM(a, 0) > 6)
            throw nb::value_error(
                "get_joint_load: directions must be rows of six numbers, one per freedom of the joint");
          const auto* p = static_cast<const double*>(PyArray_DATA(a));
          for (npy_intp i = 0; i < PyArray_DIM(a, 0); ++i, p += 6)
            drive.directions.push_back({{p[0], p[1], p[2]}, {p[3], p[4], p[5]}});
        }
        const Use<Loads> use(call, ws);
        return get_joint_load(x, *use, j, drive);
      },
      "model"_a, "workspace"_a, "joint"_a, optional_array("directions"), "on_parent"_a = true,
      nb::sig("def get_joint_load(model: Model, workspace: JointLoadsWorkspace, joint: int | str | JointEntry, "
              "directions: numpy.typing.ArrayLike | None = None, on_parent: bool = True) -> JointForceParts"),
      R"(After calc_joint_forces: f = T_a tau + T lambda of a joint [F08 3.35, Example 3.2].

directions: forces that the drive can give, torque above force, one row per freedom, in the frame of the parent body
(on_parent) or of the child; None: a motor on the axis. Results: on the child, in its frame, about its origin.)");
  m.def(
      "find_principal_axes", [](const Sym3<double>& inertia) { return find_principal_axes(inertia); }, "inertia"_a,
      "The turn w x y z from the axes of a 3 x 3 inertia to its principal ones. Moments descend from x to z; order "
      "and\n"
      "senses are MuJoCo's.");
}

struct PyCoefficients {
  std::shared_ptr<PyModel> model;
  FloatingBase base;
  Coefficients value;
};

Array rows_of(const std::vector<Force<double>>& f) {
  std::vector<double> out;  // 6 x n
  for (const auto part : {&Force<double>::ang, &Force<double>::lin})
    for (const auto axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z})
      for (const Force<double>& x : f) out.push_back(x.*part.*axis);
  return copy_matrix(out, 6, f.size());
}

void bind_coefficients(nb::module_& m) {
  using C = PyCoefficients;
  nb::class_<C>(m, "FloatingCoefficients",
                R"(The coefficients of the equation of motion in base coordinates, n joint coordinates:

    [ Ic0  F ] [ a0 ]   [ pc0 ]   [  0  ]
    [ F^T  H ] [ a  ] + [  C  ] = [ tau ]          [F08 9.13])")
      .def_prop_ro(
          "joints", [](const C& c) { return copy_integers(c.base.joints); }, "Velocity coordinate of each joint one.")
      .def_prop_ro(
          "base", [](const C& c) { return c.base.v; }, "First of the six velocity coordinates of the base.")
      .def_prop_ro(
          "Ic0",
          [](const C& c) {
            const RigidInertia<double>& I = c.value.Ic0;
            const Sym3<double>& J = I.I;
            const auto& h = I.h;
            const std::array<double, 36> out = {J.xx, J.xy, J.xz, 0,    -h.z, h.y, J.xy, J.yy, J.yz, h.z, 0, -h.x,
                                                J.xz, J.yz, J.zz, -h.y, h.x,  0,   0,    h.z,  -h.y, I.m, 0, 0,
                                                -h.z, 0,    h.x,  0,    I.m,  0,   h.y,  -h.x, 0,    0,   0, I.m};
            return copy_matrix(out, 6, 6);
          },
          "6 x 6, of the whole system")
      .def_prop_ro(
          "pc0", [](const C& c) { return c.value.pc0; }, "Bias force of the whole system, with gravity.")
      .def_prop_ro(
          "F", [](const C& c) { return rows_of(c.value.F); }, "6 x n: force on the base for unit accelerations.")
      .def_prop_ro(
          "H", [](const C& c) { return copy_matrix(c.value.H, c.value.C.size(), c.value.C.size()); },
          "Joint-space inertia of the joints (n, n).")
      .def_prop_ro(
          "C", [](const C& c) { return copy_vector(c.value.C); }, "Bias forces of the joints (n).");
  m.def(
      "calc_floating_coefficients",
      [](const std::shared_ptr<PyModel>& x, Held<Floating>& ws, ArrayIn q, ArrayIn v, ArrayIn external, double time) {
        const char* call = "calc_floating_coefficients";
        const InVector Q(call, "q", q, at(x->nq())), V(call, "v", v, at(x->nv()));
        const InForces E(call, "external", external, x->bodies().size());
        const Use<Floating> use(call, ws);
        C out{x, use->base, Coefficients(use->base)};
        run(*x, [&] { calc_floating_coefficients<double>(*x, *use, Q, V, out.value, {E.view(), time}); });
        return out;
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("external"), "time"_a = 0., "[F08 Table 9.5]");
  const auto check_model = [](const char* call, const PyModel& x, const C& c) {
    if (!x.identity().is_same(c.model->identity()))
      throw nb::value_error((std::string(call) + ": the coefficients are of another model").c_str());
  };
  m.def(
      "floating_crba",
      [check_model](const PyModel& x, Held<Floating>& ws, const C& c, ArrayIn tau, ArrayOut out) {
        const char* call = "floating_crba";
        check_model(call, x, c);
        const InVector T(call, "tau", tau, at(x.nv()));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(T);
        const Use<Floating> use(call, ws);
        run(x, [&] { floating_crba<double>(x, *use, c.value, T, O); });
        return O.take();
      },
      "model"_a, "workspace"_a, "coefficients"_a, "tau"_a, optional_array("out"),
      "Forward dynamics from the coefficients, factored as L^T D L on the sparsity of the whole tree [F08 9.13].");
  m.def(
      "calc_floating_equation",
      [](const C& c, ArrayOut out_H, ArrayOut out_C) {
        const char* call = "calc_floating_equation";
        const auto n = c.value.C.size();
        OutMatrix2 H(call, "out_H", out_H, n, n);
        OutVector B(call, "out_C", out_C, n);
        H.apart_from(B);
        calc_floating_equation<double>(c.value, H.view(), B);
        return std::pair(H.take(), B.take());
      },
      "coefficients"_a, optional_array("out_H"), optional_array("out_C"),
      "H^fl and C^fl with H^fl a + C^fl = tau in joint coordinates: the base eliminated [F08 9.14-9.16].");
  m.def(
      "calc_floating_momentum",
      [check_model](const PyModel& x, const C& c, ArrayIn v) {
        check_model("calc_floating_momentum", x, c);
        const InVector V("calc_floating_momentum", "v", v, at(x.nv()));
        return calc_floating_momentum<double>(c.base, c.value, V);
      },
      "model"_a, "coefficients"_a, "v"_a,
      "Ic0 v0 + F qd: the system's momentum in base coordinates [F08 Example 9.3].");
}

}  // namespace

void bind_loads(nb::module_& m) {
  bind_tendon_lengths(m);
  bind_drives(m);
  bind_coefficients(m);
}

}  // namespace sinew::py
