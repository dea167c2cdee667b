// python/src/mocap.hpp - mocap bodies of a simulation, or of a world of a batch
#pragma once
#include <functional>

#include "stepper.hpp"

namespace sinew::py {

struct PyMocap {
  nb::object owner;  // what they are of; stays alive
  std::shared_ptr<PyModel> model;
  // Calls f with the bodies and the state, while nobody else uses the owner.
  std::function<void(const char* call, const std::function<void(MocapBodies&, State&)>& f)> use;
};

}  // namespace sinew::py
