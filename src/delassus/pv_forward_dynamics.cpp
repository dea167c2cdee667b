// src/delassus/pv_forward_dynamics.cpp - step (1) of sinew/delassus/pv_dynamics.hpp, and the rest
#include <algorithm>

#include "pv_solve.hpp"
#include "sinew/delassus/pv_points.hpp"

namespace sinew::delassus {
namespace {

// keep(i, w, v): how node i moves; it may change ws.k.
template <class Keep>
PvOutcome solve_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                         In<Force<double>> K, In<double> target, Out<double> qdd, Out<double> lambda,
                         const Surroundings<double>& s, Keep keep) {
  const char* call = "pv_forward_dynamics";
  ws.pv.problem.made_for().check(call, m);
  check_positions(call, m, q.size());
  check_coordinates(call, "v", m, v.size());
  check_coordinates(call, "tau", m, tau.size());
  check_coordinates(call, "qdd", m, qdd.size());
  check_size(call, "K", K.size(), ws.pv.problem.entries().size());
  check_size(call, "target", target.size(), ws.k.size());
  check_size(call, "lambda", lambda.size(), ws.k.size());
  const Force<double>* external = gather_external(call, m, s, ws.external);
  const Links links = links_of<double>(m);
  const double* armature = m.armature().data();
  ArticulatedWorkspace<double>& inertias = ws.pv.inertias;
  calc_turns(links.data(), static_cast<int>(links.size()), q.data(), inertias.angles.data(), inertias.turns.data());
  std::copy(tau.begin(), tau.end(), ws.f.begin());
  std::copy(target.begin(), target.end(), ws.k.begin());

  const JointMotionOf<double> motion_of{m, q.data(), v.data(), s.time, false};
  const auto joint = [&](int i, const Link<double>& l, JointMotion<double>& out) {
    motion_of(i, l, out);
    if (!has_armature_bias(l.kind, armature + l.v)) return;
    double bias[kMaxJointDofs];
    calc_armature_bias(l.kind, armature + l.v, v.data(), l.v, bias);
    for (int k = 0; k < l.nv; ++k) ws.f[l.v + k] -= bias[k];
  };
  bias_sweep<double>(
      links.data(), static_cast<int>(links.size()), {ws.slot_bias.data(), inertias.general.data()}, m.gravity(),
      v.data(), turns_of(ws), ShiftOf<double>{q.data()}, joint, SupportingNodes{ws.pv.problem},
      [&](int i, const Force<double>& F) SINEW_INLINE_LAMBDA { ws.forces[i] = external ? F + external[i] : F; },
      [&](int i, const Motion<double>& A, const Vec3<double>& w, const Vec3<double>& u) SINEW_INLINE_LAMBDA {
        if (ws.pv.problem.end_on(i) >= 0) ws.accelerations[i] = A, keep(i, w, u);
      });
  const std::span<const Entry> entries = ws.pv.problem.entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (entries[e].node != 0) ws.k[entries[e].row] -= along(ws, K.data(), e);
  return solve_from_forces(m, ws, q.data(), ws.f.data(), K.data(), qdd.data(), lambda.data());
}

}  // namespace

PvOutcome pv_forward_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<double> target, Out<double> qdd, Out<double> lambda,
                              const Surroundings<double>& s) {
  return solve_dynamics(m, ws, q, v, tau, K, target, qdd, lambda, s,
                        [](int, const Vec3<double>&, const Vec3<double>&) SINEW_INLINE_LAMBDA {});
}

PvOutcome pv_forward_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<PointRow> points, In<double> target, Out<double> qdd,
                              Out<double> lambda, const Surroundings<double>& s) {
  check_size("pv_forward_dynamics", "points", points.size(), K.size());
  return solve_dynamics(m, ws, q, v, tau, K, target, qdd, lambda, s,
                        [&](int i, const Vec3<double>& w, const Vec3<double>& u) SINEW_INLINE_LAMBDA {
                          for (int c = ws.pv.first[i]; c < ws.pv.last[i]; ++c) {
                            const int e = ws.pv.entry_of[c];
                            const PointRow& row = points[e];
                            ws.k[ws.pv.problem.entries()[e].row] -= dot(row.direction, cross(w, u + cross(w, row.p)));
                          }
                        });
}

}  // namespace sinew::delassus
