// apps/common/obstacles.hpp - what a simulation of a model would trip over
#pragma once
#include <string>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

struct Obstacle {
  bool stops = false;  // a run would be refused, or would not be finite or solved; else it is worth knowing
  std::string what, repair;
};

// Names a joint that moves no inertia at q, alone or with others; empty: there is none.
std::string find_missing_inertia(const Model&, In<double> q, double time);
// At the start that a run would take: the first keyframe, or the neutral position.
std::vector<Obstacle> find_obstacles(const Model&);

}  // namespace sinew::app
