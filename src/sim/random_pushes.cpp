// src/sim/random_pushes.cpp
#include "sinew/sim/random_pushes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sinew/base/random.hpp"

namespace sinew {
namespace {

Vec3<double> random_direction(Random& rng) {
  const double z = rng.uniform(-1, 1), turn = rng.uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

}  // namespace

RandomPushes::RandomPushes(const Model& m, std::uint64_t seed, double dt)
    : model_(m),
      seed_(seed),
      period_(std::max(1L, std::lround(0.2 / dt))),
      duration_(std::max(1L, std::lround(0.05 / dt))),
      kinematics_(m) {
  std::vector<int> tree(m.nodes().size());  // of each node: the root node of its tree
  for (std::size_t i = 1; i < tree.size(); ++i)
    tree[i] = m.nodes()[i].parent <= 0 ? static_cast<int>(i) : tree[m.nodes()[i].parent];
  std::vector<double> mass(tree.size());
  for (const BodyEntry& b : m.bodies()) mass[tree[b.node]] += b.inertia.m;
  for (std::size_t i = 1; i < m.bodies().size(); ++i) {
    const BodyEntry& b = m.bodies()[i];
    if (b.node == 0 || !(b.inertia.m > 0)) continue;
    targets_.push_back({static_cast<int>(i), 0.5 * mass[tree[b.node]] * norm(m.gravity())});
  }
  if (targets_.empty()) throw std::invalid_argument("RandomPushes: no body of the model moves");
}

void RandomPushes::calc(long step, const State& state, std::vector<Force<double>>& external) {
  external.assign(model_.bodies().size(), {});
  if (step % period_ >= duration_) return;
  Random rng(Random(seed_).next() + static_cast<std::uint64_t>(step / period_));
  const Target& t = targets_[rng.below(static_cast<int>(targets_.size()))];
  const Vec3<double> push = t.force * random_direction(rng);
  calc_kinematics<double>(model_, kinematics_, state.q, state.time);
  const Vec3<double> f = sinew::apply(get_body_pose(model_, kinematics_, t.body).E, push);
  external[t.body] = {cross(centre_of_mass(model_.bodies()[t.body].inertia), f), f};
}

}  // namespace sinew
