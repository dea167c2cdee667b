// src/linear/modal_reduction.hpp - few shapes for many freedoms: Craig and Bampton's reduction of a sparse pair K, M
// The freedoms are fixed (zero), boundary, or inner. Shapes before the last step: for each boundary freedom the static
// answer to a unit motion of it; and `inner_modes` modes of the inner freedoms with the boundary held, those of lowest
// frequency. Last, the reduced pair is brought to diagonal form and the `keep` lowest are kept. [Craig, Bampton:
// Coupling of substructures for dynamic analyses, AIAA J. 6 (1968) 1313]
// Inner modes by inverse iteration on a block of vectors, with one sparse factorization.
#pragma once
#include <string>
#include <vector>

#include "linear/matrix.hpp"
#include "sinew/linear/sparse_entry.hpp"

namespace sinew::linear {

struct ReducedShapes {
  Matrix shapes;                // freedoms x kept; mass-orthonormal
  std::vector<double> squares;  // (kept) omega^2, from the smallest
  std::string fault;            // why there is no answer; empty: there is one
};

// K and M: size x size, symmetric, both triangles given. kind: (size) 0 inner, 1 boundary, 2 fixed.
ReducedShapes reduce_modes(int size, const std::vector<SparseEntry>& K, const std::vector<SparseEntry>& M,
                           const std::vector<int>& kind, int inner_modes, int keep);

}  // namespace sinew::linear
