// src/tree/mass_centre.hpp - the centre of mass, after the positions are known
#pragma once
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// X: node <- world. Node 0 (the world and bodies welded to it) does not count.
template <class T>
Vec3<T> mass_centre(const Model& m, const std::vector<Transform<T>>& X) {
  Vec3<T> sum{};
  double mass = 0;
  for (std::size_t i = 1; i < X.size(); ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    sum += lit<T>(I.m) * X[i].r + apply_inverse(X[i].E, cast<T>(I.h));
    mass += I.m;
  }
  return lit<T>(1 / mass) * sum;
}

}  // namespace sinew
