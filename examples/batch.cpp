// examples/batch.cpp - a thousand states in one call, and sixteen simulations of robots that differ in mass
//   example_batch
#include <fmt/format.h>

#include <algorithm>

#include "sinew/batch/batch.hpp"
#include "sinew/batch/perturb.hpp"
#include "sinew/batch/simulation_batch.hpp"
#include "sinew/io/load.hpp"
#include "sinew/tree/aba.hpp"

using namespace sinew;

int main() {
  // Forward dynamics of a thousand states: a row of each array is a state, several fill a register.
  const Model robot = compile(load("models/humanoid.xml").value()).value();
  const std::size_t samples = 1000, nq = at(robot.nq()), nv = at(robot.nv());
  Random random(1);
  std::vector<double> q, v(samples * nv), tau(samples * nv), a(samples * nv);
  for (std::size_t i = 0; i < samples; ++i)
    for (const double x : random_configuration(robot, random)) q.push_back(x);
  for (double& x : v) x = random.uniform(-1, 1);
  Batch<double> batch(robot, 2);  // on two threads
  batch.aba({q.data(), samples, nq}, {v.data(), samples, nv}, {tau.data(), samples, nv}, {a.data(), samples, nv});

  // A sample has the same bits in any company: the same call for one of them alone.
  std::vector<double> one(nv);
  Batch<double> alone(robot);
  const std::size_t k = 777;
  alone.aba({&q[k * nq], 1, nq}, {&v[k * nv], 1, nv}, {&tau[k * nv], 1, nv}, {one.data(), 1, nv});
  const bool same = std::equal(one.begin(), one.end(), a.begin() + static_cast<std::ptrdiff_t>(k * nv));
  fmt::print("{} states, {} in a register; sample {} alone has the same bits: {}\n", samples, Batch<double>::lanes(), k,
             same);

  // Sixteen quadrupeds stand on the floor, each with a trunk of another mass: a compiled model per world.
  const Model quadruped = compile(load("models/scenes/quadruped.xml").value()).value();
  const std::size_t worlds = 16;
  Perturbation trunk{Property::mass, "trunk", {}};
  for (std::size_t i = 0; i < worlds; ++i) trunk.values.push_back(8 + 0.5 * static_cast<double>(i));
  std::vector<Model> models;
  for (std::size_t i = 0; i < worlds; ++i) models.push_back(compile(perturb(quadruped, {&trunk, 1}, i)).value());
  std::vector<const Model*> each;
  for (const Model& m : models) each.push_back(&m);

  // All worlds start in the file's keyframe and step together. One that fails would be set aside with its cause.
  SimulationBatch run(each, {.threads = 2});
  const KeyframeSpec& start = quadruped.spec().keyframes.at(0);
  run.set_start({start.q, start.v, 0}, start.control);
  run.reset();
  run.step(500);
  for (const WorldFailure& f : run.failures()) fmt::print("world {} failed: {}\n", f.world, f.cause);

  // What a learner would see of them: quantities by name, a row per world.
  const Observation height = run.make_observation({"z.trunk", "contacts"});
  std::vector<double> seen(worlds * height.width());
  run.observe(height, {seen.data(), worlds, height.width()});
  fmt::print("after {:.1f} s the trunk of {} kg is {:.4f} m high, that of {} kg {:.4f} m\n", run.time()[0],
             trunk.values.front(), seen.front(), trunk.values.back(), seen[(worlds - 1) * height.width()]);
  return same && run.failures().empty() && seen.front() > seen[(worlds - 1) * height.width()] ? 0 : 1;
}
