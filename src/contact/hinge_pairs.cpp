// src/contact/hinge_pairs.cpp - hinges and loops as pairs of inequalities, after Trinkle [J14 5]
// Each bilateral row g stands twice,  0 <= p' with g V+ >= 0  and  0 <= p'' with -g V+ >= 0; its impulse is p' - p''.
// Body velocities are eliminated. Unknowns are doubled and the matrix is singular: this form is for comparison only.
#include <algorithm>

#include "body_space.hpp"

namespace sinew::contact {
namespace {

class HingePairs : public Method {
 public:
  HingePairs(const Model& m, const ConstraintSet& set) : bodies_(m, set, "hinge_pairs") {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  BodySpace bodies_;
  std::vector<double> p_;
};

void HingePairs::assemble(StepData& d, Islands& islands) {
  bodies_.assemble(d);
  const lcp::RowLayout& rows = bodies_.system().layout;
  const int pairs = rows.free;
  ProblemData& out = islands.single({0, 2 * pairs + rows.unilateral, rows.contacts});
  const MatrixView<const double> Lambda = bodies_.compliance();
  const MatrixView<double> W = out.matrix();
  // Row r of the problem is sign(r) times row of(r) of the bodies: pairs side by side, then joints and contacts.
  const auto of = [&](int r) { return at(r < 2 * pairs ? r / 2 : r - pairs); };
  const auto sign = [&](int r) { return r < 2 * pairs && r % 2 == 1 ? -1.0 : 1.0; };
  const int n = static_cast<int>(out.q.size());
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) W(at(r), at(c)) = sign(r) * sign(c) * Lambda(of(r), of(c));
    out.q[r] = sign(r) * bodies_.free_velocity()[of(r)];
  }
}

void HingePairs::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const MaximalSystem& s = bodies_.system();
  const int pairs = s.layout.free;
  p_.resize(at(s.rows()));
  for (int r = 0; r < pairs; ++r) p_[r] = z[2 * r] - z[2 * r + 1];
  std::copy_n(z.data() + 2 * pairs, s.rows() - pairs, p_.data() + pairs);
  bodies_.recover(d, p_.data(), out);
}

}  // namespace

std::unique_ptr<Method> make_hinge_pairs(const Model& m, const ConstraintSet& set) {
  return std::make_unique<HingePairs>(m, set);
}

}  // namespace sinew::contact
