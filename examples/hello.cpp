// examples/hello.cpp - a humanoid stands on a floor for two seconds
//   example_hello          The README quotes this file.
// quote: begin
#include <cstdio>

#include "sinew/io/load.hpp"
#include "sinew/sim/scene.hpp"
#include "sinew/sim/simulation.hpp"

int main() {
  sinew::SceneOptions o;  // set it on a floor; a servo per joint holds the pose
  o.floor.emplace(), o.hold.emplace(), o.on_floor = true;
  const sinew::Scene scene = make_scene(sinew::load("models/humanoid.xml").value(), o).value();
  sinew::Simulation sim(scene.model);
  sim.state = scene.start, sim.control = scene.control;
  while (sim.state.time < 2) sim.step();
  std::printf("%zu contacts, deepest overlap %.0e m, %ld problems unsolved\n", sim.contacts().size(),
              sim.totals().deepest, sim.totals().unsolved);
  // quote: end
  return sim.totals().unsolved == 0 && norm(sim.momentum().lin) < 5e-11 * scene.model.mass() ? 0 : 1;
}
