// src/sim/relaxed_laws.hpp - contact laws relaxed by the path parameter of an interior point
// Rows have impulses p and velocities w = W p + b, the bias included. For kappa > 0 [J]
//   (1) a stop, or a contact without friction      p w = kappa
//   (2) a contact                                  (mu p_n, p_t) o (h, w_t) = kappa e,   h = w_n / mu + |w_t|^2 / h
//   (3) dry friction of a joint, |p| <= f          (f, p) o (h, w) = kappa e
// with the product of the second-order cone, (a, b) o (c, d) = (a c + b . d, a d + c b), and e = (1, 0). h is the
// velocity of de Saxce, w_n / mu + |w_t|, wherever the contact slides or sticks, and is smooth where that has a corner.
// So (2) says  p_n w_n = kappa  and  p_t = -(mu p_n / h) w_t,  (3) says  w (f^2 - p^2) = -kappa p.  kappa -> 0 are the
// laws themselves.
#pragma once
#include <array>
#include <vector>

#include "linear/matrix.hpp"

namespace sinew::stepping {

class RelaxedLaws {
 public:
  using Matrix = linear::Matrix;
  enum class Kind { presses, contact, dry_friction };

  void clear() { laws_.clear(), rows_ = 0; }
  // Of the next row, or the next three rows (normal, tangents) of a contact. bound: mu, or f [N s or N m s].
  void add(Kind, double bound);
  int rows() const { return rows_; }

  // From a solution of the exact laws, (rows) p and w, to that of the relaxed ones: Newton's method on both. kappa: of
  // each row or contact, as they were added. False where it does not converge.
  bool solve(const Matrix& W, std::vector<double>& p, std::vector<double>& w, double kappa);

  // After solve: d(law i) = by_impulse . dp + by_velocity . dw, over the rows of the same contact.
  struct Slope {
    std::array<double, 3> by_impulse{}, by_velocity{};
    double by_bound = 0;
  };
  const std::vector<Slope>& slopes() const { return slopes_; }

 private:
  struct Law {
    Kind kind{};
    int row = 0;
    double bound = 0;
    int count() const { return kind == Kind::contact ? 3 : 1; }
  };
  bool iterate(const Matrix& W, std::vector<double>& p, std::vector<double>& w, double kappa);
  bool find_change(const Matrix& W, const std::vector<double>& p, const std::vector<double>& w);
  void start(const Law&, const Matrix& W, double kappa, double* p, double* w) const;
  void linearize(const Law&, double kappa, const double* p, const double* w);
  double calc_change(const Law&, const double* p, const double* w, const double* dp, const double* dw) const;
  double calc_step(const Law&, const double* p, const double* w, const double* dp, const double* dw) const;

  std::vector<Law> laws_;
  std::vector<Slope> slopes_;              // (rows)
  std::vector<double> values_;             // (rows) of the laws
  std::vector<double> unit_;               // (rows) of impulses, and of one over velocities
  std::vector<double> b_, off_, dp_, dw_;  // (rows) of w = W p + b: b, what is missing, the change of an iteration
  Matrix A_;                               // of the change
  std::vector<double> work_;
  std::vector<int> order_;
  int rows_ = 0;
};

}  // namespace sinew::stepping
