// src/tree/regressor.cpp
#include "sinew/tree/regressor.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"
#include "tree/unit_inertias.hpp"

namespace sinew {
namespace {

// The force on a body for a unit of each parameter, in its own frame.
template <class T>
void calc_unit_forces(const Motion<T>& v, const Motion<T>& a, const Vec3<T>& gravity, Force<T>* f) {
  const Vec3<T>& w = v.ang;
  const Vec3<T> d = a.lin + cross(w, v.lin) - gravity;
  const T o = lit<T>(0), one = lit<T>(1);
  f[0] = {{}, d};
  const Vec3<T> axes[] = {{one, o, o}, {o, one, o}, {o, o, one}};
  for (int k = 0; k < 3; ++k) f[1 + k] = {cross(axes[k], d), cross(a.ang, axes[k]) + cross(w, cross(w, axes[k]))};
  for (int k = 0; k < 6; ++k) f[4 + k] = {column_of_k(k, a.ang) + cross(w, column_of_k(k, w)), {}};
}

}  // namespace

#if SINEW_FIRST_PASS
std::size_t inertial_parameter_count(const Model& m) { return kInertialParameters * (m.bodies().size() - 1); }

void get_inertial_parameters(const Model& m, VectorView<double> pi) {
  check_size("get_inertial_parameters", "pi", pi.size(), inertial_parameter_count(m));
  double* out = pi.data();
  for (const BodyEntry& b : m.bodies().subspan(1)) {
    const auto& [mass, h, I] = b.inertia;
    for (const double x : {mass, h.x, h.y, h.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz}) *out++ = x;
  }
}
#endif

template <class T>
RegressorWorkspace<T>::RegressorWorkspace(const Model& m) : motion(m), J(at(m.nv())) {}

template <class T>
void calc_regressor(const Model& m, RegressorWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, OutMatrix<T> Y, double time) {
  check_state("calc_regressor", m, ws.motion.kinematics.made_for, q.size(), v.size());
  check_size("calc_regressor", "a", a.size(), v.size());
  check_shape("calc_regressor", "Y", Y, at(m.nv()), inertial_parameter_count(m));
  calc_accelerations(m, ws.motion, q, v, a, time);
  const auto& X = ws.motion.kinematics.X;
  const Vec3<T> o = X.size() > 1 ? X[1].r : Vec3<T>{};
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_columns(n, Transform<T>{X[i].E, X[i].r - o}, q.data() + n.q, time, ws.J.data() + n.v);
  }
  for (std::size_t i = 0; i < Y.rows(); ++i)
    for (std::size_t j = 0; j < Y.cols(); ++j) Y(i, j) = lit<T>(0);

  const Vec3<T> gravity = cast<T>(m.gravity());
  for (std::size_t b = 1; b < m.bodies().size(); ++b) {
    const BodyEntry& body = m.bodies()[b];
    const std::size_t node = at(body.node);
    const Transform<T> in_node = cast<T>(body.in_node), from_world = in_node * Transform<T>{X[node].E, X[node].r - o};
    Force<T> f[kInertialParameters];
    calc_unit_forces(apply(in_node, in_node_axes(ws.motion.v[node], X[node])),
                     apply(in_node, in_node_axes(ws.motion.a[node], X[node])), apply(from_world.E, gravity), f);
    for (Force<T>& x : f) x = apply_inverse(from_world, x);
    // Every joint between the world and the body feels them.
    for (int i = body.node; i > 0; i = m.nodes()[i].parent) {
      const Node& n = m.nodes()[i];
      for (int k = n.v; k < n.v + n.nv; ++k)
        for (std::size_t p = 0; p < kInertialParameters; ++p)
          Y(at(k), kInertialParameters * (b - 1) + p) = dot(ws.J[k], f[p]);
    }
  }
}

template <class T>
void calc_kinetic_energy_regressor(const Model& m, RegressorWorkspace<T>& ws, In<T> q, In<T> v, Out<T> y, double time) {
  check_state("calc_kinetic_energy_regressor", m, ws.motion.kinematics.made_for, q.size(), v.size());
  check_size("calc_kinetic_energy_regressor", "y", y.size(), inertial_parameter_count(m));
  calc_velocities(m, ws.motion, q, v, time);
  T* out = y.data();
  const T half = lit<T>(0.5);
  for (const BodyEntry& b : m.bodies().subspan(1)) {
    const Motion<T> u = get_velocity(ws.motion, b, ReferenceFrame::body);
    const Vec3<T>& w = u.ang;
    const Vec3<T> h = cross(u.lin, w);
    for (const T& x : {half * dot(u.lin, u.lin), h.x, h.y, h.z, half * (w.x * w.x), w.x * w.y, w.x * w.z,
                       half * (w.y * w.y), w.y * w.z, half * (w.z * w.z)})
      *out++ = x;
  }
}

template <class T>
void calc_potential_energy_regressor(const Model& m, RegressorWorkspace<T>& ws, In<T> q, Out<T> y, double time) {
  check_position("calc_potential_energy_regressor", m, ws.motion.kinematics.made_for, q.size());
  check_size("calc_potential_energy_regressor", "y", y.size(), inertial_parameter_count(m));
  calc_kinematics(m, ws.motion.kinematics, q, time);
  T* out = y.data();
  const T o = lit<T>(0);
  const Vec3<T> gravity = cast<T>(m.gravity());
  for (const BodyEntry& b : m.bodies().subspan(1)) {
    const Transform<T> X = cast<T>(b.in_node) * ws.motion.kinematics.X[b.node];
    const Vec3<T> g = apply(X.E, gravity);
    const bool moves = b.node != 0;  // as in calc_potential_energy
    for (const T& x : {-dot(gravity, X.r), -g.x, -g.y, -g.z}) *out++ = moves ? x : o;
    for (int k = 0; k < 6; ++k) *out++ = o;
  }
}

#define SINEW_INSTANTIATE(T)                                                                                       \
  template struct RegressorWorkspace<T>;                                                                           \
  template void calc_regressor(const Model&, RegressorWorkspace<T>&, In<T>, In<T>, In<T>, OutMatrix<T>, double);   \
  template void calc_kinetic_energy_regressor(const Model&, RegressorWorkspace<T>&, In<T>, In<T>, Out<T>, double); \
  template void calc_potential_energy_regressor(const Model&, RegressorWorkspace<T>&, In<T>, Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
