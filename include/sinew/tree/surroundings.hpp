// sinew/tree/surroundings.hpp - inputs of the dynamics besides the coordinates: external forces and time
#pragma once
#include <type_traits>

#include "sinew/base/view.hpp"
#include "sinew/spatial/force.hpp"

namespace sinew {

template <class T>
struct Surroundings {
  VectorView<const Force<T>> external;  // one per body of the model, in the body's frame and about its origin; or none
  double time = 0;                      // [s] matters to prescribed joints only
};

}  // namespace sinew
