// src/tree/jacobian.cpp
#include "sinew/tree/jacobian.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

template <class T>
void set_column(const OutMatrix<T>& J, int k, const Motion<T>& m) {
  const T numbers[] = {m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z};
  for (std::size_t row = 0; row < 6; ++row) J(row, at(k)) = numbers[row];
}
template <class T>
void set_zero(const OutMatrix<T>& J) {
  for (std::size_t row = 0; row < J.rows(); ++row)
    for (std::size_t k = 0; k < J.cols(); ++k) J(row, k) = lit<T>(0);
}
// Calls f(k) for every velocity coordinate that moves the node. [F08 4.5]
template <class F>
void for_each_support(const Model& m, int node, F&& f) {
  for (; node > 0; node = m.nodes()[node].parent) {
    const Node& n = m.nodes()[node];
    for (int k = n.v; k < n.v + n.nv; ++k) f(k);
  }
}
// From world coordinates to those asked for. X: place <- world.
template <class T>
Motion<T> express_from_world(const Motion<T>& m, const Transform<T>& X, ReferenceFrame reference) {
  if (reference == ReferenceFrame::world) return m;
  if (reference == ReferenceFrame::body) return apply(X, m);
  return {m.ang, m.lin - cross(X.r, m.ang)};
}
template <class T>
Transform<T> pose_of(const char* call, const JacobianWorkspace<T>& ws, const Place& place) {
  check_index(call, "node", place.node, ws.v.size());
  return cast<T>(place.in_node) * ws.kinematics.X[place.node];
}

}  // namespace

template <class T>
JacobianWorkspace<T>::JacobianWorkspace(const Model& m)
    : kinematics(m),
      J(at(m.nv())),
      dJ(at(m.nv())),
      v(m.nodes().size()),
      bias(m.nodes().size()),
      rules(find_subspace_rules(m, "JacobianWorkspace")),
      turn(m.nodes().size(), -1) {
  for (std::size_t i = 1; i < turn.size(); ++i) {
    const Joint& joint = m.nodes()[i].joint;
    if (joint.kind == JointKind::revolute && !joint.reversed) turn[i] = m.nodes()[i].v;
  }
}

template <class T>
void calc_jacobian(const Model& m, JacobianWorkspace<T>& ws, In<T> q, double time) {
  check_position("calc_jacobian", m, ws.kinematics.made_for, q.size());
  calc_kinematics(m, ws.kinematics, q, time);
  // Of a revolute joint only the axis and a point on it are needed.
  for (std::size_t i = 1; i < ws.v.size(); ++i) {
    const Transform<T>& X = ws.kinematics.X[i];
    if (ws.turn[i] >= 0) {
      const Vec3<T> z{X.E.m.zx, X.E.m.zy, X.E.m.zz};
      ws.J[ws.turn[i]] = {z, cross(X.r, z)};
    } else {
      const Node& n = m.nodes()[i];
      calc_columns(n, X, q.data() + n.q, time, ws.J.data() + n.v);
    }
  }
}

template <class T>
void calc_jacobian_rates(const Model& m, JacobianWorkspace<T>& ws, In<T> q, In<T> v, double time) {
  check_state("calc_jacobian_rates", m, ws.kinematics.made_for, q.size(), v.size());
  calc_jacobian(m, ws, q, time);
  for (std::size_t i = 1; i < ws.v.size(); ++i) {
    const Node& n = m.nodes()[i];
    const Transform<T>& X = ws.kinematics.X[i];
    const T *qi = q.data() + n.q, *vi = v.data() + n.v;
    Motion<T>*J = ws.J.data() + n.v, *dJ = ws.dJ.data() + n.v;
    const JointRates<T> joint = calc_joint_rates(n, X, qi, vi, time, J);
    ws.v[i] = ws.v[n.parent] + joint.v;                                  // [F08 5.7]
    ws.bias[i] = ws.bias[n.parent] + joint.c + cross(ws.v[i], joint.v);  // [F08 5.8]
    calc_column_rates(n, ws.rules[i], X, qi, vi, time, ws.v[i], joint.v, J, dJ);
  }
}

template <class T>
void get_joint_motions(const Model& m, const JacobianWorkspace<T>& ws, OutMatrix<T> J) {
  ws.kinematics.made_for.check("get_joint_motions", m);
  check_shape("get_joint_motions", "J", J, 6, at(m.nv()));
  for (int k = 0; k < m.nv(); ++k) set_column<T>(J, k, ws.J[k]);
}

template <class T>
void get_jacobian(const Model& m, const JacobianWorkspace<T>& ws, const Place& place, ReferenceFrame reference,
                  OutMatrix<T> J) {
  ws.kinematics.made_for.check("get_jacobian", m);
  check_shape("get_jacobian", "J", J, 6, at(m.nv()));
  const Transform<T> X = pose_of("get_jacobian", ws, place);
  set_zero<T>(J);
  // [F08 4.6]
  for_each_support(m, place.node, [&](int k) { set_column<T>(J, k, express_from_world(ws.J[k], X, reference)); });
}

template <class T>
void multiply_by_jacobian_transpose(const Model& m, const JacobianWorkspace<T>& ws, const Place& place,
                                    ReferenceFrame reference, const std::type_identity_t<Force<T>>& f, Out<T> tau) {
  ws.kinematics.made_for.check("multiply_by_jacobian_transpose", m);
  check_size("multiply_by_jacobian_transpose", "tau", tau.size(), at(m.nv()));
  const Transform<T> X = pose_of("multiply_by_jacobian_transpose", ws, place);
  Force<T> world = f;
  if (reference == ReferenceFrame::body) world = apply_inverse(X, f);
  if (reference == ReferenceFrame::mixed) world.ang += cross(X.r, f.lin);
  for (T& x : tau) x = lit<T>(0);
  for_each_support(m, place.node, [&](int k) { tau[k] = dot(ws.J[k], world); });  // [F08 7.6]
}

template <class T>
void get_jacobian_rate(const Model& m, const JacobianWorkspace<T>& ws, const Place& place, ReferenceFrame reference,
                       OutMatrix<T> dJ) {
  ws.kinematics.made_for.check("get_jacobian_rate", m);
  check_shape("get_jacobian_rate", "dJ", dJ, 6, at(m.nv()));
  const Transform<T> X = pose_of("get_jacobian_rate", ws, place);
  const Motion<T>& v = ws.v[place.node];
  const Vec3<T> speed = v.lin - cross(X.r, v.ang);  // of the place's origin
  set_zero<T>(dJ);
  for_each_support(m, place.node, [&](int k) {
    const Motion<T>& J = ws.J[k];
    Motion<T> rate = ws.dJ[k];
    if (reference == ReferenceFrame::body) rate -= cross(v, J);  // the rate seen in the moving frame [F08 2.43]
    rate = express_from_world(rate, X, reference);
    if (reference == ReferenceFrame::mixed) rate.lin -= cross(speed, J.ang);
    set_column<T>(dJ, k, rate);
  });
}

template <class T>
Motion<T> get_bias_acceleration(const JacobianWorkspace<T>& ws, const Place& place, ReferenceFrame reference) {
  const Transform<T> X = pose_of("get_bias_acceleration", ws, place);
  const Motion<T>& v = ws.v[place.node];
  Motion<T> a = express_from_world(ws.bias[place.node], X, reference);
  if (reference == ReferenceFrame::mixed) a.lin += cross(v.ang, v.lin - cross(X.r, v.ang));  // [F08 2.49]
  return a;
}

#define SINEW_INSTANTIATE(T)                                                                                         \
  template struct JacobianWorkspace<T>;                                                                              \
  template void calc_jacobian(const Model&, JacobianWorkspace<T>&, In<T>, double);                                   \
  template void calc_jacobian_rates(const Model&, JacobianWorkspace<T>&, In<T>, In<T>, double);                      \
  template void get_joint_motions(const Model&, const JacobianWorkspace<T>&, OutMatrix<T>);                          \
  template void get_jacobian(const Model&, const JacobianWorkspace<T>&, const Place&, ReferenceFrame, OutMatrix<T>); \
  template void multiply_by_jacobian_transpose(const Model&, const JacobianWorkspace<T>&, const Place&,              \
                                               ReferenceFrame, const Force<T>&, Out<T>);                             \
  template void get_jacobian_rate(const Model&, const JacobianWorkspace<T>&, const Place&, ReferenceFrame,           \
                                  OutMatrix<T>);                                                                     \
  template Motion<T> get_bias_acceleration(const JacobianWorkspace<T>&, const Place&, ReferenceFrame);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
