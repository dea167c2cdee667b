// tests/support/crank_piston_closure.hpp - the arm that a piston raises, closed by formulae [F08 Fig 8.3]
#pragma once
#include <cmath>

#include "sinew/constraint/closure/closure.hpp"

namespace sinew::test {

// y = angles of arm and forearm.
class CrankPiston : public ClosureFunction {
 public:
  CrankPiston(double l1, double l2) : l1_(l1), l2_(l2) {}
  int independents() const override { return 2; }
  std::string refuse(VectorView<const double> y) const override {
    return l1_ == l2_ && y[0] == 0 ? "the piston has no length" : "";
  }
  void calc(VectorView<const double> y, VectorView<const double> yd, const ClosureOutput& out) const override {
    const double s = std::sin(y[0]), c = std::cos(y[0]), ll = l1_ * l2_, w2 = yd[0] * yd[0];
    const double d = std::sqrt(l1_ * l1_ + l2_ * l2_ - 2 * ll * c);
    const double u1 = (l2_ * l2_ - ll * c) / (d * d), u2 = ll * s / d;
    out.q[0] = y[0];
    out.q[1] = std::atan2(l2_ * s, l2_ * c - l1_);
    out.q[2] = d;
    out.q[3] = y[1];
    out.G(0, 0) = 1;
    out.G(1, 0) = u1;
    out.G(2, 0) = u2;
    out.G(3, 1) = 1;
    out.g[1] = (l1_ * l1_ - l2_ * l2_) * ll * s * w2 / (d * d * d * d);
    out.g[2] = (ll * c - u2 * u2) * w2 / d;
  }

 private:
  double l1_, l2_;
};

}  // namespace sinew::test
