// src/contact/impact.cpp
#include "sinew/contact/impact.hpp"

#include <stdexcept>
#include <string>

#include "sinew/joint/motion.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

void check_restitution(const char* call, double e) {
  if (!(e >= 0 && e <= 1))
    throw std::invalid_argument(std::string(call) + ": the restitution is " + std::to_string(e) +
                                "; it must be between 0 and 1");
}

void apply_impulse(const ImpactBody& b1, const ImpactBody& b2, const Force<double>& iota, TwoBodyImpact& out) {
  out.v1 = b1.v - inverse(b1.I) * iota;  // [F08 11.60, 11.66]
  out.v2 = b2.v + inverse(b2.I) * iota;  // [F08 11.61, 11.67]
}

delassus::Problem make_handle(const Model& m, int node) {
  return {m, 6, {{0, node}, {1, node}, {2, node}, {3, node}, {4, node}, {5, node}}};
}

}  // namespace

TwoBodyImpact collide_without_friction(const ImpactBody& b1, const ImpactBody& b2, const Force<double>& n, double e) {
  check_restitution("collide_without_friction", e);
  TwoBodyImpact out;
  out.separation = dot(n, b2.v - b1.v);  // zeta [F08 11.62]
  const double M = dot(n, (inverse(b1.I) + inverse(b2.I)) * n);
  out.impulse[2] = out.separation < 0 ? -(1 + e) * out.separation / M : 0;  // [F08 11.65]
  apply_impulse(b1, b2, out.impulse[2] * n, out);
  return out;
}

TwoBodyImpact collide_and_stick(const ImpactBody& b1, const ImpactBody& b2, const std::array<Force<double>, 3>& N,
                                double e) {
  check_restitution("collide_and_stick", e);
  TwoBodyImpact out;
  const Motion<double> v = b2.v - b1.v;
  const Vec3<double> zeta{dot(N[0], v), dot(N[1], v), dot(N[2], v)};  // [F08 11.69]
  out.separation = zeta.z;
  const InverseInertia<double> Phi = inverse(b1.I) + inverse(b2.I);
  const Motion<double> u[] = {Phi * N[0], Phi * N[1], Phi * N[2]};
  const Sym3<double> M{dot(N[0], u[0]), dot(N[0], u[1]), dot(N[0], u[2]),
                       dot(N[1], u[1]), dot(N[1], u[2]), dot(N[2], u[2])};
  Force<double> iota{};
  if (zeta.z < 0) {
    const Vec3<double> lambda = inverse(M) * Vec3<double>{-zeta.x, -zeta.y, -(1 + e) * zeta.z};  // [F08 11.72]
    out.impulse = {lambda.x, lambda.y, lambda.z};
    iota = lambda.x * N[0] + lambda.y * N[1] + lambda.z * N[2];  // [F08 11.68]
  }
  apply_impulse(b1, b2, iota, out);
  return out;
}

ImpulseWorkspace::ImpulseWorkspace(const Model& m, int node)
    : pv(m, make_handle(m, node)), zeros(static_cast<std::size_t>(m.nv())) {
  for (int k = 0; k < 6; ++k) units[k] = detail::unit_force<double>(k);
}

Motion<double> calc_impulse_response(const Model& m, ImpulseWorkspace& ws, In<double> q, const Force<double>& iota,
                                     Out<double> dqd, double time) {
  check_size("calc_impulse_response", "dqd", dqd.size(), at(m.nv()));
  std::array<double, 36> Phi;
  delassus::pv(m, ws.pv.pv, q, ws.units, MatrixView<double>(Phi.data(), 6, 6), time);
  const std::array<double, 6> lambda{iota.ang.x, iota.ang.y, iota.ang.z, iota.lin.x, iota.lin.y, iota.lin.z};
  calc_response(m, ws.pv, q, ws.zeros, ws.units, lambda, dqd);     // H dqd = J^T iota [F08 11.57, 11.58]
  return ws.pv.accelerations[ws.pv.pv.problem.entries()[0].node];  // J dqd [F08 11.59]
}

void calc_handle_inverse_inertia(const Model& m, ImpulseWorkspace& ws, In<double> q, OutMatrix<double> Phi,
                                 double time) {
  check_shape("calc_handle_inverse_inertia", "Phi", Phi, 6, 6);
  delassus::pv(m, ws.pv.pv, q, ws.units, Phi, time);
}

}  // namespace sinew
