// src/tree/centre_of_mass.cpp
#include "sinew/tree/centre_of_mass.hpp"

#include "base/scalar_pass.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"
#include "tree/mass_centre.hpp"

namespace sinew {

template <class T>
CentreOfMassWorkspace<T>::CentreOfMassWorkspace(const Model& m)
    : motion(m), moment(m.nodes().size()), mass(m.nodes().size()) {
  for (std::size_t i = mass.size(); i-- > 1;) {
    mass[i] += m.nodes()[i].inertia.m;
    mass[m.nodes()[i].parent] += mass[i];
  }
}

template <class T>
const Vec3<T>& calc_centre_of_mass(const Model& m, CentreOfMassWorkspace<T>& ws, In<T> q, double time) {
  check_position("calc_centre_of_mass", m, ws.mass.size(), q.size());
  calc_kinematics(m, ws.motion.kinematics, q, time);
  return ws.position = mass_centre(m, ws.motion.kinematics.X);
}

template <class T>
const Vec3<T>& calc_centre_of_mass_velocity(const Model& m, CentreOfMassWorkspace<T>& ws, In<T> q, In<T> v,
                                            double time) {
  check_state("calc_centre_of_mass_velocity", m, ws.mass.size(), q.size(), v.size());
  calc_velocities(m, ws.motion, q, v, time);
  Vec3<T> sum{};
  for (std::size_t i = 1; i < ws.mass.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    const Vec3<T> h = apply_inverse(ws.motion.kinematics.X[i].E, cast<T>(I.h));
    sum += lit<T>(I.m) * ws.motion.v[i].lin + cross(ws.motion.v[i].ang, h);
  }
  return ws.velocity = lit<T>(1 / ws.mass[0]) * sum;
}

template <class T>
const Vec3<T>& calc_centre_of_mass_acceleration(const Model& m, CentreOfMassWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                                double time) {
  check_state("calc_centre_of_mass_acceleration", m, ws.mass.size(), q.size(), v.size());
  check_size("calc_centre_of_mass_acceleration", "a", a.size(), v.size());
  calc_accelerations(m, ws.motion, q, v, a, time);
  Vec3<T> sum{};
  for (std::size_t i = 1; i < ws.mass.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    const Vec3<T> h = apply_inverse(ws.motion.kinematics.X[i].E, cast<T>(I.h));
    const Motion<T>&u = ws.motion.v[i], &du = ws.motion.a[i];
    // m a + dw x h + w x (m v + w x h)
    sum += lit<T>(I.m) * (du.lin + cross(u.ang, u.lin)) + cross(du.ang, h) + cross(u.ang, cross(u.ang, h));
  }
  return ws.acceleration = lit<T>(1 / ws.mass[0]) * sum;
}

template <class T>
void calc_centre_of_mass_jacobian(const Model& m, CentreOfMassWorkspace<T>& ws, In<T> q, OutMatrix<T> J, double time) {
  check_shape("calc_centre_of_mass_jacobian", "J", J, 3, static_cast<std::size_t>(m.nv()));
  calc_centre_of_mass(m, ws, q, time);
  const auto& X = ws.motion.kinematics.X;
  const auto from_centre = [&](std::size_t i) { return Transform<T>{X[i].E, X[i].r - ws.position}; };
  for (std::size_t i = 1; i < X.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    ws.moment[i] = lit<T>(I.m) * (X[i].r - ws.position) + apply_inverse(X[i].E, cast<T>(I.h));
  }
  for (std::size_t i = X.size(); i-- > 1;) {
    const Node& n = m.nodes()[i];
    ws.moment[n.parent] += ws.moment[i];
    const T share = lit<T>(ws.mass[i] / ws.mass[0]), part = lit<T>(1 / ws.mass[0]);
    Motion<T> s[kMaxJointDofs];
    calc_columns(n, from_centre(i), q.data() + n.q, time, s);
    for (int k = 0; k < n.nv; ++k) {
      const Vec3<T> column = share * s[k].lin - part * cross(ws.moment[i], s[k].ang);
      const auto j = static_cast<std::size_t>(n.v + k);
      J(0, j) = column.x, J(1, j) = column.y, J(2, j) = column.z;
    }
  }
}

#define SINEW_INSTANTIATE(T)                                                                                           \
  template struct CentreOfMassWorkspace<T>;                                                                            \
  template const Vec3<T>& calc_centre_of_mass(const Model&, CentreOfMassWorkspace<T>&, In<T>, double);                 \
  template const Vec3<T>& calc_centre_of_mass_velocity(const Model&, CentreOfMassWorkspace<T>&, In<T>, In<T>, double); \
  template const Vec3<T>& calc_centre_of_mass_acceleration(const Model&, CentreOfMassWorkspace<T>&, In<T>, In<T>,      \
                                                           In<T>, double);                                             \
  template void calc_centre_of_mass_jacobian(const Model&, CentreOfMassWorkspace<T>&, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
