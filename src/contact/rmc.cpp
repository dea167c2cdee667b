// src/contact/rmc.cpp - the reduced minimal form: contacts alone, loops eliminated by dense algebra [J14 37-41]
//   v+ = Y p_u + X,   Y = M^-1 - M^-1 K^T (K M^-1 K^T)^+ K M^-1,   W = J Y J^T,   q = J (X - v) + approach
// Y K^T = 0: contacts cannot move what the loops hold. Dependent loop rows are found by a rank-revealing factorization.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "sinew/tree/mass_inverse.hpp"
#include "step_data.hpp"

namespace sinew::contact {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

constexpr double kZeroRow = 1e-10;  // of the largest: less is rounding

MatrixView<double> view_of(RowMatrix& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}
Eigen::Map<const VectorXd> map_of(In<double> a) { return {a.data(), static_cast<Eigen::Index>(a.size())}; }

class Rmc : public Method {
 public:
  explicit Rmc(const Model& m) : inverse_(m), contact_rows_(m), Minv_(m.nv(), m.nv()) {}
  void assemble(StepData&, ProblemData&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  VectorXd loop_impulses(const VectorXd& dv) const;  // that bring K (v+ - v) + error to zero
  MassInverseWorkspace<double> inverse_;
  ContactRows contact_rows_;
  RowMatrix Minv_, K_, J_, Y_, B_;  // B = M^-1 K^T
  VectorXd error_, X_, free_;       // X and the free step of velocity, both less v
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> loops_;
  VectorXd row_scale_;
};

VectorXd Rmc::loop_impulses(const VectorXd& dv) const {
  return row_scale_.cwiseProduct(loops_.solve(VectorXd(-row_scale_.cwiseProduct(error_ + K_ * dv))));
}

void Rmc::assemble(StepData& d, ProblemData& out) {
  const ContactStep& step = *d.step;
  const int n = d.model.nv(), loops = d.set.rows(), contacts = static_cast<int>(d.contacts.size());
  out.resize(0, 0, contacts);
  calc_mass_inverse(d.model, inverse_, step.q, view_of(Minv_), step.time);
  K_.resize(loops, n), J_.resize(3 * contacts, n);
  get_constraint_jacobian(d.model, d.set, d.rows, view_of(K_));
  calc_contact_rows(d.contacts, d.rows.motion.kinematics, contact_rows_);
  get_contact_jacobian(d.model, d.rows, contact_rows_, view_of(J_));

  calc_force_impulse(d);
  VectorXd f = map_of(d.f);
  if (step.impulse.size() != 0) f += J_.transpose() * map_of(step.impulse);
  free_ = Minv_ * f;  // [J14 37a]
  X_ = free_, Y_ = Minv_;
  if (loops > 0) {
    // Rows in units of their own, so that the rank does not depend on them.
    B_ = Minv_ * K_.transpose();
    Eigen::MatrixXd A = K_ * B_;
    const double least = kZeroRow * kZeroRow * A.diagonal().maxCoeff();
    row_scale_ = A.diagonal().unaryExpr([&](double a) { return a > least ? 1 / std::sqrt(a) : 0.0; });
    A = row_scale_.asDiagonal() * A * row_scale_.asDiagonal();
    loops_.setThreshold(1e-11);
    loops_.compute(A);
    error_ = map_of(d.loop_error);
    const RowMatrix scaled = row_scale_.asDiagonal() * B_.transpose();
    Y_ -= scaled.transpose() * loops_.solve(scaled);  // [J14 39]
    X_ += B_ * loop_impulses(free_);
  }
  Eigen::Map<RowMatrix>(out.W.data(), 3 * contacts, 3 * contacts) = J_ * Y_ * J_.transpose();  // [J14 41]
  Eigen::Map<VectorXd>(out.q.data(), 3 * contacts) = map_of(d.approach) + J_ * X_;
}

void Rmc::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const VectorXd pu = J_.transpose() * map_of(z);
  Eigen::Map<VectorXd>(out.v.data(), static_cast<Eigen::Index>(out.v.size())) =
      map_of(d.step->v) + X_ + Y_ * pu;  // [J14 38]
  if (!out.loops.empty())
    Eigen::Map<VectorXd>(out.loops.data(), static_cast<Eigen::Index>(out.loops.size())) =
        loop_impulses(free_ + Minv_ * pu);  // [J14 37b]
}

}  // namespace

std::unique_ptr<Method> make_rmc(const Model& m, const ConstraintSet&) { return std::make_unique<Rmc>(m); }

}  // namespace sinew::contact
