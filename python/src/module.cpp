// python/src/module.cpp - the extension module sinew._core
#include "common.hpp"

NB_MODULE(_core, m) {
  using namespace sinew::py;  // NOLINT
  m.doc() = "The compiled part of sinew. Import sinew instead.";
  m.attr("VERSION") = SINEW_VERSION;
  import_numpy();
  bind_spatial(m);
  bind_diagnostics(m);
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
  bind_constraints(m);
  bind_delassus(m);
  bind_operators(m);
  bind_collide(m);
  bind_reports(m);
  bind_scene(m);
  bind_simulation(m);
  bind_records(m);
}
