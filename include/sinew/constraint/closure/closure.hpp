// sinew/constraint/closure/closure.hpp - loops closed by the user's formulae: q = gamma(y) [F08 section 8.11]
//   v = G dy/dt,   dv/dt = G d2y/dt2 + g,   G = d gamma / dy,   g = dG/dt dy/dt          [F08 8.56-8.60]
// Simulated in y, a mechanism cannot drift out of its constraints.
#pragma once
#include <string>
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// What a closure function fills in.
struct ClosureOutput {
  VectorView<double> q;  // gamma(y)
  MatrixView<double> G;  // nv x independents, zero on entry
  VectorView<double> g;  // nv, zero on entry
};

// The user's formulae: override independents() and calc().
class ClosureFunction {
 public:
  virtual ~ClosureFunction() = default;
  virtual int independents() const = 0;
  // Empty where y is acceptable; otherwise the reason why it is not.
  virtual std::string refuse(VectorView<const double> /*y*/) const { return {}; }
  virtual void calc(VectorView<const double> y, VectorView<const double> yd, const ClosureOutput&) const = 0;
};

// The mechanism at y, yd.
struct ClosedMotion {
  ClosedMotion(const Model&, const ClosureFunction&);
  std::vector<double> q, v;  // positions and velocities of the tree
  std::vector<double> G, g;  // nv x independents, row-major; nv

  // G as a matrix.
  MatrixView<const double> basis() const { return {G.data(), g.size(), g.empty() ? 0 : G.size() / g.size()}; }
};
// Throws std::domain_error with the reason where y is refused; allocates nothing otherwise.
void calc_closure(const ClosureFunction&, In<double> y, In<double> yd, ClosedMotion&);

// Differences between the formulae and the constraints: all zero where the formulae are right.
struct ClosureCheck {
  double position = 0;      // largest position error at gamma(y) [m or rad]
  double velocity = 0;      // largest entry of K G
  double acceleration = 0;  // largest entry of K g - k
  double rate = 0;          // largest entry of G - d gamma / dy, by central differences on the joints' manifold
};
ClosureCheck check_closure(const Model&, const ConstraintSet&, const ClosureFunction&, In<double> y, In<double> yd,
                           double time = 0);

}  // namespace sinew
