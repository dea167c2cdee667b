// src/tree/unit_inertias.hpp - rotational inertia as a linear function of its six numbers
#pragma once
#include "sinew/spatial/vec3.hpp"

namespace sinew {

// I w = K(w) (I_xx I_xy I_xz I_yy I_yz I_zz): the k-th column of K(w).
template <class T>
Vec3<T> column_of_k(int k, const Vec3<T>& w) {
  const T o = lit<T>(0);
  switch (k) {
    case 0: return {w.x, o, o};
    case 1: return {w.y, w.x, o};
    case 2: return {w.z, o, w.x};
    case 3: return {o, w.y, o};
    case 4: return {o, w.z, w.y};
    default: return {o, o, w.z};
  }
}

}  // namespace sinew
