// src/contact/rmc.cpp - the reduced minimal form: contacts alone, loops eliminated by dense algebra [J14 37-41]
//   v+ = Y p_u + X,   Y = M^-1 - M^-1 K^T (K M^-1 K^T)^+ K M^-1,   W = J Y J^T,   q = J (X - v) + approach
// Y K^T = 0: contacts cannot move what the loops hold. Dependent loop rows are found by a rank-revealing factorization.
#include <algorithm>
#include <cmath>

#include "pseudo_inverse.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "step_data.hpp"

namespace sinew::contact {
namespace {

using Eigen::VectorXd;

constexpr double kZeroRow = 1e-10;  // of the largest: less is rounding

// Eigen's expressions, each compiled once.
RowMatrix multiply(const RowMatrix& a, const RowMatrix& b) { return a * b; }
VectorXd apply(const RowMatrix& a, const VectorXd& x) { return a * x; }
RowMatrix transpose(const RowMatrix& a) { return a.transpose(); }

MatrixView<double> view_of(RowMatrix& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}
VectorXd vector_of(In<double> a) { return Eigen::Map<const VectorXd>(a.data(), static_cast<Eigen::Index>(a.size())); }
void copy_to(const VectorXd& x, double* out) { std::copy(x.data(), x.data() + x.size(), out); }

class Rmc : public Method {
 public:
  explicit Rmc(const Model& m) : inverse_(m), contact_rows_(m), Minv_(m.nv(), m.nv()) {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  // That bring K (v+ - v) + error to zero.
  VectorXd loop_impulses(const VectorXd& dv) const { return -apply(P_, error_ + apply(K_, dv)); }
  MassInverseWorkspace<double> inverse_;
  ContactRows contact_rows_;
  RowMatrix Minv_, K_, J_, Jt_, Y_;
  RowMatrix P_;                // (K M^-1 K^T)^+
  VectorXd error_, X_, free_;  // X and the free step of velocity, both less v
};

void Rmc::assemble(StepData& d, Islands& islands) {
  const ContactStep& step = *d.step;
  const int n = d.model.nv(), loops = d.set.rows(), joints = static_cast<int>(d.joints.size());
  ProblemData& out = islands.single(0, joints, static_cast<int>(d.contacts.size()));
  calc_mass_inverse(d.model, inverse_, step.q, view_of(Minv_), step.time);
  K_.resize(loops, n), J_.resize(static_cast<Eigen::Index>(d.pushing().count()), n);
  get_constraint_jacobian(d.model, d.set, d.rows, view_of(K_));
  calc_contact_rows(d.pushing(), d.motion->kinematics, contact_rows_);
  get_contact_jacobian(d.model, d.rows, contact_rows_, view_of(J_));
  Jt_ = transpose(J_);

  calc_force_impulse(d);
  VectorXd f = vector_of(d.f);
  if (step.impulse.size() != 0) {
    VectorXd given = VectorXd::Zero(J_.rows());
    std::copy(step.impulse.begin(), step.impulse.end(), given.data() + joints);
    f += apply(Jt_, given);
  }
  free_ = apply(Minv_, f);  // [J14 37a]
  X_ = free_, Y_ = Minv_;
  if (loops > 0) {
    // Rows in units of their own, so that the rank does not depend on them.
    const RowMatrix B = multiply(Minv_, transpose(K_));
    RowMatrix A = multiply(K_, B);
    const double least = kZeroRow * kZeroRow * A.diagonal().maxCoeff();
    const VectorXd scale = A.diagonal().unaryExpr([&](double a) { return a > least ? 1 / std::sqrt(a) : 0.0; });
    const RowMatrix both = scale * scale.transpose();
    A.array() *= both.array();
    P_ = pseudo_inverse(A, 1e-11);
    P_.array() *= both.array();
    error_ = vector_of(d.loop_error);
    Y_ -= multiply(multiply(B, P_), transpose(B));  // [J14 39]
    X_ += apply(B, loop_impulses(free_));
  }
  const RowMatrix W = multiply(multiply(J_, Y_), Jt_);  // [J14 41]
  std::copy(W.data(), W.data() + W.size(), out.W.begin());
  copy_to(vector_of(d.approach) + apply(J_, X_), out.q.data());
}

void Rmc::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const VectorXd pu = apply(Jt_, vector_of(z));
  copy_to(vector_of(d.step->v) + X_ + apply(Y_, pu), out.v.data());                            // [J14 38]
  if (!out.loops.empty()) copy_to(loop_impulses(free_ + apply(Minv_, pu)), out.loops.data());  // [J14 37b]
}

}  // namespace

std::unique_ptr<Method> make_rmc(const Model& m, const ConstraintSet&) { return std::make_unique<Rmc>(m); }

}  // namespace sinew::contact
