// python/src/module.cpp - the extension module sinew._core
#include "common.hpp"
#include "interrupt.hpp"

// Those not in common.hpp: it is precompiled, and each line there costs a whole build.
namespace sinew::py {
void bind_sko(nb::module_&);
void bind_operator_expressions(nb::module_&);
void bind_embedding(nb::module_&);
void bind_manifold(nb::module_&);
void bind_ltl(nb::module_&);
void bind_loads(nb::module_&);
void bind_equivalent(nb::module_&);
void bind_flexible(nb::module_&);
void bind_flexible_motion(nb::module_&);
void bind_two_trees(nb::module_&);
void bind_planar(nb::module_&);
}  // namespace sinew::py

NB_MODULE(_core, m) {
  using namespace sinew::py;  // NOLINT
  m.doc() = "The compiled part of sinew. Import sinew instead.";
  m.attr("VERSION") = SINEW_VERSION;
  import_numpy();
  import_signals();
  bind_spatial(m);
  bind_diagnostics(m);
  bind_user_joint(m);
  bind_spec(m);
  bind_model(m);
  bind_builder(m);
  bind_loaders(m);
  bind_mechanisms(m);
  bind_kinematics(m);
  bind_dynamics(m);
  bind_inertia(m);
  bind_hybrid(m);
  bind_lcp(m);
  bind_custom_constraint(m);
  bind_constraints(m);
  bind_closure(m);
  bind_batch(m);
  bind_delassus(m);
  bind_operators(m);
  bind_sko(m);
  bind_operator_expressions(m);
  bind_embedding(m);
  bind_manifold(m);
  bind_ltl(m);
  bind_loads(m);
  bind_equivalent(m);
  bind_flexible(m);
  bind_two_trees(m);
  bind_planar(m);
  bind_collide(m);
  bind_reports(m);
  bind_scene(m);
  bind_simulation(m);
  bind_flexible_motion(m);
  bind_simulation_batch(m);
  bind_records(m);
  bind_state(m);
  bind_controls(m);
  bind_files(m);
  bind_soft_contact(m);
  bind_impact(m);
  bind_collision(m);
  bind_watch(m);
  bind_pickle(m);
}
