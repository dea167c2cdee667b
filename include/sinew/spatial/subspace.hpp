// sinew/spatial/subspace.hpp - subspaces of motions and of forces, and their dual complements [F08 section 3.3]
// A motion subspace is the range of a 6 x n matrix, n from 0 to 6. Its orthogonal complement consists of forces:
// those that do no work on any of its motions. The product is that of motion with force, never a Euclidean one, so
// every statement here holds in all coordinates and units.
// For building models and for analysis; in double, not for inner loops.
#pragma once
#include <array>
#include <initializer_list>

#include "sinew/linear/tolerance.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

namespace sinew {

// Up to six columns. Basis<Motion<double>> and Basis<Force<double>> are the two kinds.
template <class V>
class Basis {
 public:
  Basis() = default;
  // Throws std::invalid_argument beyond six columns.
  Basis(std::initializer_list<V> columns) {
    for (const V& c : columns) push_back(c);
  }
  void push_back(const V& column);
  int size() const { return size_; }
  V& operator[](int i) { return columns_[std::size_t(i)]; }
  const V& operator[](int i) const { return columns_[std::size_t(i)]; }
  const V* begin() const { return columns_.data(); }
  const V* end() const { return columns_.data() + size_; }

  // S y
  V operator*(const std::array<double, 6>& y) const {
    V sum{};
    for (int i = 0; i < size_; ++i) sum += y[std::size_t(i)] * (*this)[i];
    return sum;
  }

 private:
  std::array<V, 6> columns_{};
  int size_ = 0;
};
using MotionSubspace = Basis<Motion<double>>;
using ForceSubspace = Basis<Force<double>>;

// How many of the columns are independent. `tolerance` is relative to the largest entry.
int rank(const MotionSubspace&, double tolerance = linear::kDependent);
int rank(const ForceSubspace&, double tolerance = linear::kDependent);

// T with T^T S = 0, 6 - n columns, and T_a with T_a^T S = 1, n columns: together a basis of all forces.
// Unit columns of S give unit columns here. Throws std::domain_error where the columns of S depend on each other.
struct DualForces {
  ForceSubspace constraint;  // T
  ForceSubspace active;      // T_a
};
DualForces dual_forces(const MotionSubspace& S);

// The motions that no force of T works on: the complement of the complement is the subspace itself.
MotionSubspace complement(const ForceSubspace& T);

// Coordinates of f in the direct sum of the two subspaces, first those of `a`. [F08 3.27]
// Throws std::domain_error unless the two together are a basis.
std::array<double, 6> coordinates(const Force<double>& f, const ForceSubspace& a, const ForceSubspace& b);

// f = active + constraint: what accelerates a body of inertia I that may move in S, and what the constraint opposes.
// Does not depend on the basis chosen for S. [F08 3.28]
struct ForceParts {
  Force<double> active, constraint;
};
ForceParts split_force(const Force<double>& f, const MotionSubspace& S, const RigidInertia<double>& I);

// S (S^T I S)^-1 S^T: the inverse inertia of a body that may move only in S; its rank is n. [F08 3.54]
InverseInertia<double> constrained_inverse(const MotionSubspace& S, const RigidInertia<double>& I);

}  // namespace sinew
