// src/contact/rmc.cpp - the reduced minimal form: contacts alone, loops eliminated by dense algebra [J14 37-41]
//   v+ = Y p_u + X,   Y = M^-1 - M^-1 K^T (K M^-1 K^T)^+ K M^-1,   W = J Y J^T,   q = J (X - v) + approach
// Y K^T = 0: contacts cannot move what the loops hold. Dependent loop rows are found by a rank-revealing factorization.
#include <algorithm>
#include <cmath>

#include "linear/pivoted_qr.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "step_data.hpp"

namespace sinew::contact {
namespace {

using linear::Matrix, linear::multiply, linear::transpose;
using Numbers = std::vector<double>;

Numbers add(Numbers a, In<double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

class Rmc : public Method {
 public:
  explicit Rmc(const Model& m) : inverse_(m), contact_rows_(m), Minv_(m.nv(), m.nv()) {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  // Loop impulses that bring K (v+ - v) + error to zero.
  Numbers loop_impulses(In<double> dv) const {
    Numbers out = multiply(P_, add(multiply(K_, dv), error_));
    for (double& p : out) p = -p;
    return out;
  }
  MassInverseWorkspace<double> inverse_;
  ContactRows contact_rows_;
  Matrix Minv_, K_, J_, Jt_, Y_;
  Matrix P_;                  // (K M^-1 K^T)^+
  Numbers error_, X_, free_;  // X and the free step of velocity, both less v
};

void Rmc::assemble(StepData& d, Islands& islands) {
  const ContactStep& step = *d.step;
  const int n = d.model.nv(), loops = d.set.rows();
  const lcp::RowLayout layout = d.pushing().layout();
  ProblemData& out = islands.single(layout);
  calc_mass_inverse(d.model, inverse_, step.q, Minv_, step.time);
  K_.resize(loops, n), J_.resize(layout.rows(), n);
  get_constraint_jacobian(d.model, d.set, d.rows, K_);
  calc_contact_rows(d.pushing(), d.motion->kinematics, contact_rows_);
  get_contact_jacobian(d.model, d.rows, contact_rows_, J_);
  Jt_ = transpose(J_);

  calc_force_impulse(d);
  Numbers f = d.f;
  if (step.impulse.size() != 0) {
    Numbers given(at(J_.rows()));
    std::copy(step.impulse.begin(), step.impulse.end(), given.data() + layout.first_contact());
    f = add(multiply(Jt_, given), f);
  }
  free_ = multiply(Minv_, f);  // [J14 37a]
  X_ = free_, Y_ = Minv_;
  if (loops > 0) {
    // Scale the rows, so that the rank does not depend on their units.
    const Matrix B = multiply(Minv_, transpose(K_));
    Matrix A = multiply(K_, B);
    double largest = 0;
    for (int i = 0; i < loops; ++i) largest = std::max(largest, A(i, i));
    Numbers scale(at(loops));
    for (int i = 0; i < loops; ++i)
      scale[i] = A(i, i) > linear::kCancelled * linear::kCancelled * largest ? 1 / std::sqrt(A(i, i)) : 0;
    const auto apply_scale = [&](Matrix& a) {
      for (int i = 0; i < loops; ++i)
        for (int j = 0; j < loops; ++j) a(i, j) *= scale[i] * scale[j];
    };
    apply_scale(A);
    P_ = linear::pseudo_inverse(A, linear::kSingular);
    apply_scale(P_);
    error_ = d.loop_error;
    linear::subtract(Y_, multiply(multiply(B, P_), transpose(B)));  // [J14 39]
    X_ = add(multiply(B, loop_impulses(free_)), X_);
  }
  const Matrix W = multiply(multiply(J_, Y_), Jt_);  // [J14 41]
  std::copy_n(W.data(), W.size(), out.W.begin());
  const Numbers q = add(multiply(J_, X_), d.approach);
  std::copy(q.begin(), q.end(), out.q.begin());
}

void Rmc::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const Numbers pu = multiply(Jt_, z), v = add(add(multiply(Y_, pu), X_), d.step->v);  // [J14 38]
  std::copy(v.begin(), v.end(), out.v.begin());
  if (out.loops.empty()) return;
  const Numbers p = loop_impulses(add(multiply(Minv_, pu), free_));  // [J14 37b]
  std::copy(p.begin(), p.end(), out.loops.begin());
}

}  // namespace

std::unique_ptr<Method> make_rmc(const Model& m, const ConstraintSet&) { return std::make_unique<Rmc>(m); }

}  // namespace sinew::contact
