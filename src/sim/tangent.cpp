// src/sim/tangent.cpp
#include "sinew/sim/tangent.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "sinew/base/dual.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/exponential.hpp"

namespace sinew {
namespace {
Vec3<double> vec(const double* x) { return {x[0], x[1], x[2]}; }
void set(double* x, const Vec3<double>& a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }

constexpr double kSmallSquare = 0.25;  // square of an angle: below it the series are exact to rounding

// G(s) = sqrt(s)/2 coth(sqrt(s)/2) at s = -t, t the square of an angle, and G'(s) there.
struct Cotangent {
  double G, dG;
};
Cotangent cotangent(double t) {
  const double angle = std::sqrt(t), s = std::sin(angle / 2), c = std::cos(angle / 2);
  return {angle / 2 * c / s, (angle / (2 * s * s) - c / s) / (4 * angle)};
}

// dexp^-1 of turns: v + 1/2 u x v + (1 - G) / t  u x (u x v)
Vec3<double> inverse_of_dexp(const Vec3<double>& u, const Vec3<double>& v) {
  const double t = dot(u, u);
  const double k = t < kSmallSquare
                       ? ::sinew::detail::five_terms(t, 1. / 12, 1. / 720, 1. / 30240, 1. / 1209600, 1. / 47900160) +
                             t * t * t * t * t * (691. / 1307674368000.)
                       : (1 - cotangent(t).G) / t;
  const Vec3<double> w = cross(u, v);
  return v + 0.5 * w + k * cross(u, w);
}

// dexp^-1 of displacements: 1 + ad/2 + a ad^2 + b ad^4, since ad (ad^2 + t)^2 = 0. a and b are such
// that the even part 1 + a s + b s^2 equals G(s), and its derivative G'(s), at s = ad^2 = -t.
Motion<double> inverse_of_dexp(const Motion<double>& u, const Motion<double>& v) {
  const double t = dot(u.ang, u.ang);
  double a, b;
  if (t < kSmallSquare) {
    a = 1. / 12 + t * t * (-1. / 30240 + t * (-1. / 604800 + t * (-1. / 15966720 + t * (-691. * 4 / 1307674368000.))));
    b = -1. / 720 + t * (-1. / 15120 + t * (-1. / 403200 + t * (-1. / 11975040 + t * (-691. * 5 / 1307674368000.))));
  } else {
    const auto [G, dG] = cotangent(t);
    b = (1 - G - dG * t) / (t * t);
    a = dG + 2 * b * t;
  }
  const Motion<double> one = cross(u, v), two = cross(u, one), four = cross(u, cross(u, two));
  return v + 0.5 * one + a * two + b * four;
}

}  // namespace

TangentMap::TangentMap(const Model& m) : model_(m) {
  for (int i = 0; i < static_cast<int>(m.nodes().size()); ++i) {
    const Node& n = m.nodes()[i];
    if (n.joint.kind == JointKind::spherical) turning_.push_back(i);
    if (n.joint.kind == JointKind::free) moving_.push_back(i);
    if (n.joint.kind == JointKind::planar) planar_.push_back(i);
    if (n.joint.kind != JointKind::user || n.nv == 0) continue;
    user_.push_back(i);
    if (n.nq > 8)
      throw std::invalid_argument("TangentMap: a user's joint has " + std::to_string(n.nq) +
                                  " position coordinates; integrators take at most 8");
  }
}

void TangentMap::calc_rate(In<double> q0, In<double> u, In<double> v, Out<double> udot) const {
  check_size("TangentMap", "q0", q0.size(), at(model_.nq()));
  for (const VectorView<const double>& x : {u, v, In<double>(udot)})
    check_size("TangentMap", "u, v or udot", x.size(), at(model_.nv()));
  if (udot.data() != v.data())
    for (std::size_t i = 0; i < v.size(); ++i) udot[i] = v[i];
  for (const int i : turning_) {
    const int k = model_.nodes()[i].v;
    set(&udot[k], inverse_of_dexp(vec(&u[k]), vec(&v[k])));
  }
  for (const int i : moving_) {
    const auto k = at(model_.nodes()[i].v);
    const Motion<double> d =
        inverse_of_dexp(Motion<double>{vec(&u[k]), vec(&u[k + 3])}, Motion<double>{vec(&v[k]), vec(&v[k + 3])});
    set(&udot[k], d.ang), set(&udot[k + 3], d.lin);
  }
  for (const int i : planar_) {
    const auto k = at(model_.nodes()[i].v);
    const auto motion = [k](const In<double>& x) { return Motion<double>{{0, 0, x[k]}, {x[k + 1], x[k + 2], 0}}; };
    const Motion<double> d = inverse_of_dexp(motion(u), motion(v));
    udot[k] = d.ang.z, udot[k + 1] = d.lin.x, udot[k + 2] = d.lin.y;
  }
  for (const int i : user_) {
    const Node& n = model_.nodes()[i];
    calc_user_rate(n, &q0[n.q], &u[n.v], &v[n.v], &udot[n.v]);
  }
}

// Q udot = qdot(q, v), where column k of Q is how q0 moved along u changes with u_k: least squares, by Gram-Schmidt.
void TangentMap::calc_user_rate(const Node& n, const double* q0, const double* u, const double* v, double* udot) const {
  constexpr std::size_t kMost = 8;
  const auto nq = at(n.nq), nv = at(n.nv);
  std::array<Dual, kMost> from, along, to;
  std::array<std::array<double, kMost>, kMaxJointDofs> Q{};
  std::array<std::array<double, kMaxJointDofs>, kMaxJointDofs> R{};
  std::array<double, kMost> q{}, qdot{};
  for (std::size_t i = 0; i < nq; ++i) from[i] = Dual{q0[i]};
  for (std::size_t k = 0; k < nv; ++k) {
    for (std::size_t j = 0; j < nv; ++j) along[j] = Dual{u[j], j == k ? 1.0 : 0.0};
    integrate(n.joint, from.data(), along.data(), to.data());
    for (std::size_t i = 0; i < nq; ++i) Q[k][i] = to[i].slope, q[i] = to[i].value;
  }
  sinew::calc_rate(n.joint, q.data(), v, qdot.data());
  std::array<double, kMaxJointDofs> y{};
  for (std::size_t k = 0; k < nv; ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < nq; ++i) R[j][k] += Q[j][i] * Q[k][i];
      for (std::size_t i = 0; i < nq; ++i) Q[k][i] -= R[j][k] * Q[j][i];
    }
    for (std::size_t i = 0; i < nq; ++i) R[k][k] += Q[k][i] * Q[k][i];
    R[k][k] = std::sqrt(R[k][k]);
    for (std::size_t i = 0; i < nq; ++i) Q[k][i] /= R[k][k], y[k] += Q[k][i] * qdot[i];
  }
  for (std::size_t k = nv; k-- > 0;) {
    udot[k] = y[k];
    for (std::size_t j = k + 1; j < nv; ++j) udot[k] -= R[k][j] * udot[j];
    udot[k] /= R[k][k];
  }
}

}  // namespace sinew
