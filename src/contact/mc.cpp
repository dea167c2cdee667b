// src/contact/mc.cpp - the minimal form: joint velocities, loop impulses, contacts [J14 28-36]
//   [ M  -K^T  -J^T ] [ v+ ]   [ -M v - (T - C) dt ]        v+ and loop impulses are free
//   [ K   0     0   ] [ p  ] + [ error - K v       ]
//   [ J   0     0   ] [ r  ]   [ approach - J v    ]
#include <algorithm>
#include <cmath>

#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/crba.hpp"
#include "step_data.hpp"

namespace sinew::contact {
namespace {

class Mc : public Method {
 public:
  explicit Mc(const Model& m) : crba_(m), contact_rows_(m), given_(at(m.nv())) {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  CrbaWorkspace<double> crba_;
  ContactRows contact_rows_;
  std::vector<double> given_, impulse_;
};

// Rows across the plane of a planar mechanism are zero except for rounding, which a solver's scaling would amplify.
void clear_zero_rows(OutMatrix<double> K) {
  double largest = 0;
  for (std::size_t r = 0; r < K.rows(); ++r)
    for (std::size_t c = 0; c < K.cols(); ++c) largest = std::max(largest, std::abs(K(r, c)));
  for (std::size_t r = 0; r < K.rows(); ++r) {
    double* row = &K(r, 0);
    if (std::all_of(row, row + K.cols(), [&](double x) { return std::abs(x) <= linear::kCancelledEntry * largest; }))
      std::fill_n(row, K.cols(), 0.0);
  }
}

void Mc::assemble(StepData& d, Islands& islands) {
  const ContactStep& step = *d.step;
  const auto n = at(d.model.nv()), loops = at(d.set.rows());
  lcp::RowLayout layout = d.layout();
  layout.free += d.model.nv();
  ProblemData& out = islands.single(layout);
  std::fill(out.W.begin(), out.W.end(), 0.0);
  const MatrixView<double> W = out.matrix();
  const std::size_t size = out.q.size();
  crba(d.model, crba_, step.q, OutMatrix<double>(W.data(), n, n, size), step.time);
  calc_contact_rows(d.pushing(), d.motion->kinematics, contact_rows_);
  const OutMatrix<double> K(W.data() + n * size, loops, n, size);
  const OutMatrix<double> J(W.data() + (n + loops) * size, size - n - loops, n, size);
  get_constraint_jacobian(d.model, d.set, d.rows, K);
  get_contact_jacobian(d.model, d.rows, contact_rows_, J);
  clear_zero_rows(K);
  clear_zero_rows(J);
  for (std::size_t r = n; r < size; ++r)
    for (std::size_t c = 0; c < n; ++c) W(c, r) = -W(r, c);

  calc_force_impulse(d);
  std::fill(given_.begin(), given_.end(), 0.0);
  if (step.impulse.size() != 0) {
    impulse_.assign(d.joints.size(), 0.0);
    impulse_.insert(impulse_.end(), step.impulse.begin(), step.impulse.end());
    multiply_by_contact_jacobian_transpose(d.model, d.rows, contact_rows_, impulse_, given_);
  }
  std::copy(d.loop_error.begin(), d.loop_error.end(), out.q.begin() + static_cast<std::ptrdiff_t>(n));
  std::copy(d.approach.begin(), d.approach.end(), out.q.begin() + static_cast<std::ptrdiff_t>(n + loops));
  for (std::size_t r = 0; r < size; ++r) {
    if (r < n) out.q[r] = -d.f[r] - given_[r];
    for (std::size_t c = 0; c < n; ++c) out.q[r] -= W(r, c) * step.v[c];
  }
}

void Mc::recover(StepData&, In<double> z, ContactAnswer& out) {
  std::copy_n(z.data(), out.v.size(), out.v.data());
  std::copy_n(z.data() + out.v.size(), out.loops.size(), out.loops.data());
}

}  // namespace

std::unique_ptr<Method> make_mc(const Model& m, const ConstraintSet&) { return std::make_unique<Mc>(m); }

}  // namespace sinew::contact
