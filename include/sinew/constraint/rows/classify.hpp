// sinew/constraint/rows/classify.hpp - whether a constraint is holonomic, scleronomic, an equality [F08 section 3.4]
//   K(q, t) qdot = k(q, t)  (or >=)
// Holonomic: it is the rate of a constraint on positions. By Frobenius' theorem that is so when the forms [K, -k] on
// (q, t) have no curl on the motions they allow; the curl is computed exactly, with dual numbers.
// Scleronomic: time does not appear. Coordinates q with qdot as their rates (angles, not quaternions).
#pragma once
#include <vector>

#include "sinew/base/dual.hpp"
#include "sinew/base/view.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {

// K(q, t) v = k(q, t), to be classified: override calc() in dual numbers.
class VelocityConstraint {
 public:
  virtual ~VelocityConstraint() = default;
  virtual int coordinates() const = 0;
  virtual int rows() const = 0;
  // Whether it is bilateral; false: K v >= k.
  virtual bool equality() const { return true; }
  // K row-major, rows x coordinates; both are zero on entry.
  virtual void calc(const Dual* q, const Dual& t, Dual* K, Dual* k) const = 0;
};

// What kind of constraint it is.
struct ConstraintClass {
  bool equality = true;     // bilateral; else one-sided
  bool holonomic = true;    // at the given configuration
  bool scleronomic = true;  // at the given configuration and time
  int rank = 0;             // of K
  double curl = 0;          // largest entry of the curl on the allowed motions
};

// `tolerance` is relative to the largest entry of K and its derivatives.
ConstraintClass classify(const VelocityConstraint&, VectorView<const double> q, double t = 0,
                         double tolerance = linear::kDependent);

}  // namespace sinew
