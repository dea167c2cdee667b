// apps/reproduce/f08_study.cpp
#include "reproduce/f08_study.hpp"

#include "sinew/model/mechanisms.hpp"

namespace sinew::app {
namespace {

constexpr int kMostJoints = 50;  // of GU(n): F&S overtakes CRBA at 45
constexpr int kMostInTree = 31;

}  // namespace

int count_f08_parts() { return kMostJoints + 8; }

F08Study run_f08(const std::function<void()>& tick) {
  F08Study s;
  SpatialCosts costs;
  s.table_a4 = costs.table_a4(), s.table_a5 = costs.table_a5(), s.tricks = costs.tricks();
  tick();
  s.factors = study_factors();
  tick();
  for (int n = 1; n <= kMostJoints; ++n) {
    s.chains.push_back(get_tree_counts(count_operations(compile(mechanisms::gu(n)).value(), 1)));
    tick();
  }
  s.trees = study_trees();
  tick();
  s.binary = study_binary_trees(kMostInTree);
  tick();
  s.far = study_far_bodies();
  tick();
  s.sensitivity = study_sensitivity();
  tick();
  s.symbolic = study_symbolic();
  tick();
  const std::pair<const char*, ModelSpec> mechanisms[] = {{"gu6", mechanisms::gu(6)},
                                                          {"chain12", mechanisms::chain(12)},
                                                          {"binary_tree4", mechanisms::binary_tree(4)},
                                                          {"humanoid", mechanisms::humanoid()}};
  for (const auto& [name, spec] : mechanisms)
    s.mechanisms.emplace_back(name, count_operations(compile(spec).value(), 1));
  tick();
  return s;
}

}  // namespace sinew::app
