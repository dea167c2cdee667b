// sinew/tree/surroundings.hpp - what acts on a tree beside its coordinates
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
