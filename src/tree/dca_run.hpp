// src/tree/dca_run.hpp - all assemblies of a plan, on one thread or on several
#pragma once
#include "dca_steps.hpp"

namespace sinew::dca_steps {

// Leaves, up, down. run(count, body): body(i) for i = 0 .. count - 1 in any order, on any threads.
template <class T, class Run>
void run_up(const Model& m, DcaWorkspace<T>& ws, In<T> tau, const Run& run) {
  const Steps<T> now{{m, ws}};
  const std::size_t bodies = ws.plan.bodies.size();
  for (std::size_t i = 0; i < tau.size(); ++i) ws.tau[i] = tau[i];
  for (std::size_t b = 0; b < bodies; ++b) ws.external[b] = ws.motions.external[ws.plan.bodies[b].node];
  // bodies with massless nodes above them pass forces to their parents: one after the other
  for (std::size_t b = 0; b < bodies; ++b)
    if (ws.plan.bodies[b].path.size() > 1) now.calc_joint_of(int(b));
  run(bodies, [&](std::size_t b) {
    if (ws.plan.bodies[b].path.size() == 1) now.calc_joint_of(int(b));
  });
  run(ws.plan.tasks.size(), [&](std::size_t t) {
    for (const int i : ws.plan.tasks[t]) now.up(i);
  });
  for (const int i : ws.plan.rest) now.up(i);
}
template <class T, class Run>
void run_down(const Model& m, DcaWorkspace<T>& ws, Out<T> a, const Run& run) {
  const Steps<T> now{{m, ws}};
  for (std::size_t k = ws.plan.rest.size(); k-- > 0;) now.down(ws.plan.rest[k], a);
  run(ws.plan.tasks.size(), [&](std::size_t t) {
    for (std::size_t k = ws.plan.tasks[t].size(); k-- > 0;) now.down(ws.plan.tasks[t][k], a);
  });
}
struct OneAfterTheOther {
  template <class Body>
  void operator()(std::size_t count, const Body& body) const {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
};

template <class T, class Run>
void run_dca(const char* call, const Model& m, DcaWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
             const Surroundings<T>& around, const Run& run) {
  ws.motions.made_for.check(call, m);
  if (!ws.plan.ties.empty())
    throw std::invalid_argument(std::string(call) + ": the workspace has ties: use dca_with_ties");
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "a", a.size(), at(m.nv()));
  calc_node_motions(call, m, ws.motions, q, v, around);
  run_up(m, ws, tau, run);
  run_down(m, ws, a, run);
}

}  // namespace sinew::dca_steps
