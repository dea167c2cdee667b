// python/src/kinematics.cpp - poses, velocities, accelerations and Jacobians
#include "sinew/tree/kinematics.hpp"
#include "common.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew::py {
namespace {

using Kinematics = KinematicsWorkspace<double>;
using Velocity = VelocityWorkspace<double>;
using Jacobian = JacobianWorkspace<double>;

void write_pose(const Transform<double>& X, double* p) {
  const Mat3<double>& m = X.E.m;
  const double rows[] = {m.xx, m.yx, m.zx, X.r.x, m.xy, m.yy, m.zy, X.r.y, m.xz, m.yz, m.zz, X.r.z, 0, 0, 0, 1};
  std::copy(std::begin(rows), std::end(rows), p);
}

Place place_of(const char* call, const PyModel& m, const MadeFor& made_for, PlaceIn p) {
  made_for.check(call, m);
  return find_place(call, m, p);
}

template <class V>
Array six(const V& v, OutVector& o) {
  const double n[] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
  std::copy(std::begin(n), std::end(n), o.data());
  return o.take();
}
Array three(const Vec3<double>& v, OutVector& o) {
  o.data()[0] = v.x, o.data()[1] = v.y, o.data()[2] = v.z;
  return o.take();
}

void bind_poses(nb::module_& m) {
  bind_workspace<Kinematics>(m, "KinematicsWorkspace", "Poses of all nodes, after calc_kinematics.");
  m.def(
      "calc_kinematics",
      [](const PyModel& x, Held<Kinematics>& ws, ArrayIn q, double time) {
        const InVector Q("calc_kinematics", "q", q, at(x.nq()));
        const Use<Kinematics> use("calc_kinematics", ws);
        run(x, [&] { calc_kinematics<double>(x, *use, Q, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "time"_a = 0.,
      "Where all bodies stand: X_i = X_J(q_i) X_T(i) X_lambda(i), O(n) [F08 Example 4.3]. Then get_body_pose, ...");
  m.def(
      "get_body_pose",
      [](const PyModel& x, Held<Kinematics>& ws, PlaceIn body) {
        const Use<Kinematics> use("get_body_pose", ws);
        return get_body_pose<double>(x, *use, find_body("get_body_pose", x, body));
      },
      "model"_a, "workspace"_a, "body"_a, "After calc_kinematics. r is the position, the rows of E are its axes.");
  m.def(
      "get_frame_pose",
      [](const PyModel& x, Held<Kinematics>& ws, PlaceIn frame) {
        const Use<Kinematics> use("get_frame_pose", ws);
        const Place p = place_of("get_frame_pose", x, use->made_for, frame);
        return p.in_node * use->X[at(p.node)];
      },
      "model"_a, "workspace"_a, "frame"_a, "After calc_kinematics. Of a frame or a body.");
  m.def(
      "get_body_poses",
      [](const PyModel& x, Held<Kinematics>& ws, ArrayOut out) {
        const Use<Kinematics> use("get_body_poses", ws);
        use->made_for.check("get_body_poses", x);
        const auto n = x.bodies().size();
        OutMatrix2 O("get_body_poses", "out", out, 4 * n, 4);
        if (O.view().stride() != 4) throw nb::value_error("get_body_poses: out must be contiguous");
        for (std::size_t b = 0; b < n; ++b)
          write_pose(get_body_pose<double>(x, *use, static_cast<int>(b)), O.data() + 16 * b);
        return nb::steal<Array>(nb::object(O.take().attr("reshape")(n, 4, 4)).release());
      },
      "model"_a, "workspace"_a, optional_array("out"),
      "All bodies: (bodies, 4, 4), each from coordinates of the body to those of the world. out: (4 bodies, 4), of "
      "which\n"
      "a view comes back.");
}

void bind_velocities(nb::module_& m) {
  bind_workspace<Velocity>(m, "VelocityWorkspace", "Poses, velocities and accelerations of all nodes.");
  m.def(
      "calc_velocities",
      [](const PyModel& x, Held<Velocity>& ws, ArrayIn q, ArrayIn v, double time) {
        const char* call = "calc_velocities";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Use<Velocity> use(call, ws);
        run(x, [&] { calc_velocities<double>(x, *use, Q, V, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "time"_a = 0., "v_i = v_lambda(i) + v_J, O(n) [F08 5.7].");
  m.def(
      "calc_accelerations",
      [](const PyModel& x, Held<Velocity>& ws, ArrayIn q, ArrayIn v, ArrayIn a, double time) {
        const char* call = "calc_accelerations";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv())), A(call, "a", a, at(x.nv()));
        const Use<Velocity> use(call, ws);
        run(x, [&] { calc_accelerations<double>(x, *use, Q, V, A, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, "time"_a = 0.,
      "a_i = a_lambda(i) + S dv_i + c_J + v_i x v_J, O(n) [F08 5.8]. True accelerations: the base has 0, not -g.");
  m.def(
      "get_velocity",
      [](const PyModel& x, Held<Velocity>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_velocity";
        const Use<Velocity> use(call, ws);
        OutVector O(call, "out", out, 6);
        return six(get_velocity(*use, place_of(call, x, use->kinematics.made_for, place), reference), O);
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_velocities: angular above linear velocity of a body or frame.");
  m.def(
      "get_acceleration",
      [](const PyModel& x, Held<Velocity>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_acceleration";
        const Use<Velocity> use(call, ws);
        OutVector O(call, "out", out, 6);
        return six(get_acceleration(*use, place_of(call, x, use->kinematics.made_for, place), reference), O);
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_accelerations: the spatial acceleration, the rate of the velocity seen at a fixed origin.");
  m.def(
      "get_classical_acceleration",
      [](const PyModel& x, Held<Velocity>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_classical_acceleration";
        const Use<Velocity> use(call, ws);
        OutVector O(call, "out", out, 6);
        return six(get_classical_acceleration(*use, place_of(call, x, use->kinematics.made_for, place), reference), O);
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_accelerations: dw/dt above d^2 r/dt^2.");
  m.def(
      "get_point_velocity",
      [](const PyModel& x, Held<Velocity>& ws, PlaceIn place, const Vec3<double>& p, ArrayOut out) {
        const char* call = "get_point_velocity";
        const Use<Velocity> use(call, ws);
        OutVector O(call, "out", out, 3);
        return three(get_point_velocity(*use, place_of(call, x, use->kinematics.made_for, place), p), O);
      },
      "model"_a, "workspace"_a, "place"_a, "p"_a = Vec3<double>{}, optional_array("out"),
      "After calc_velocities: of the point p of the place, along the axes of the world [m/s].");
  m.def(
      "get_point_acceleration",
      [](const PyModel& x, Held<Velocity>& ws, PlaceIn place, const Vec3<double>& p, ArrayOut out) {
        const char* call = "get_point_acceleration";
        const Use<Velocity> use(call, ws);
        OutVector O(call, "out", out, 3);
        return three(get_point_acceleration(*use, place_of(call, x, use->kinematics.made_for, place), p), O);
      },
      "model"_a, "workspace"_a, "place"_a, "p"_a = Vec3<double>{}, optional_array("out"),
      "After calc_accelerations: d^2 r/dt^2 of the point p of the place, along the axes of the world [m/s^2].");
}

void bind_jacobians(nb::module_& m) {
  bind_workspace<Jacobian>(m, "JacobianWorkspace", "Joint motions and their rates.");
  m.def(
      "calc_jacobian",
      [](const PyModel& x, Held<Jacobian>& ws, ArrayIn q, double time) {
        const InVector Q("calc_jacobian", "q", q, at(x.nq()));
        const Use<Jacobian> use("calc_jacobian", ws);
        run(x, [&] { calc_jacobian<double>(x, *use, Q, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "time"_a = 0., "All joint motions, O(n); then get_jacobian, ...");
  m.def(
      "calc_jacobian_rates",
      [](const PyModel& x, Held<Jacobian>& ws, ArrayIn q, ArrayIn v, double time) {
        const char* call = "calc_jacobian_rates";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Use<Jacobian> use(call, ws);
        run(x, [&] { calc_jacobian_rates<double>(x, *use, Q, V, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "time"_a = 0.,
      "Joint motions and their rates, for get_jacobian_rate and its kind.");
  m.def(
      "get_joint_motions",
      [](const PyModel& x, Held<Jacobian>& ws, ArrayOut out) {
        const Use<Jacobian> use("get_joint_motions", ws);
        OutMatrix2 O("get_joint_motions", "out", out, 6, at(x.nv()));
        get_joint_motions<double>(x, *use, O.view());
        return O.take();
      },
      "model"_a, "workspace"_a, optional_array("out"), "After calc_jacobian: 6 x nv, axes and origin of the world.");
  m.def(
      "get_jacobian",
      [](const PyModel& x, Held<Jacobian>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_jacobian";
        const Use<Jacobian> use(call, ws);
        OutMatrix2 O(call, "out", out, 6, at(x.nv()));
        get_jacobian<double>(x, *use, find_place(call, x, place), reference, O.view());
        return O.take();
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_jacobian: J with velocity of the place = J v, angular above linear, 6 x nv [F08 4.5].");
  m.def(
      "get_jacobian_rate",
      [](const PyModel& x, Held<Jacobian>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_jacobian_rate";
        const Use<Jacobian> use(call, ws);
        OutMatrix2 O(call, "out", out, 6, at(x.nv()));
        get_jacobian_rate<double>(x, *use, find_place(call, x, place), reference, O.view());
        return O.take();
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_jacobian_rates: dJ/dt, the rate of the numbers in J.");
  m.def(
      "get_bias_acceleration",
      [](const PyModel& x, Held<Jacobian>& ws, PlaceIn place, ReferenceFrame reference, ArrayOut out) {
        const char* call = "get_bias_acceleration";
        const Use<Jacobian> use(call, ws);
        OutVector O(call, "out", out, 6);
        return six(get_bias_acceleration<double>(*use, place_of(call, x, use->kinematics.made_for, place), reference),
                   O);
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a = ReferenceFrame::mixed, optional_array("out"),
      "After calc_jacobian_rates: dJ/dt v, the acceleration of the place where dv/dt = 0.");
  m.def(
      "multiply_by_jacobian_transpose",
      [](const PyModel& x, Held<Jacobian>& ws, PlaceIn place, ReferenceFrame reference, ArrayIn f, ArrayOut out) {
        const char* call = "multiply_by_jacobian_transpose";
        const Use<Jacobian> use(call, ws);
        const InVector F(call, "f", f, 6);
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(F);
        const double* p = F.data();
        multiply_by_jacobian_transpose<double>(x, *use, find_place(call, x, place), reference,
                                               {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}}, O);
        return O.take();
      },
      "model"_a, "workspace"_a, "place"_a, "reference"_a, "f"_a, optional_array("out"),
      "After calc_jacobian: J^T f, the joint forces of a torque above force on the place [F08 7.6].");
}

}  // namespace

void bind_kinematics(nb::module_& m) {
  bind_poses(m);
  bind_velocities(m);
  bind_jacobians(m);
}

}  // namespace sinew::py
