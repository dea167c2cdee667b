// apps/verify/study.cpp
#include "verify/study.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/model/configuration.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"
#include "sinew/tree/textbook.hpp"

namespace sinew::app {
namespace {

using Numbers = std::vector<double>;

double largest(const Numbers& x) {
  double out = 0;
  for (const double v : x) out = std::isnan(v) || std::isnan(out) ? NAN : std::max(out, std::abs(v));
  return out;
}

class Study {
 public:
  explicit Study(const Model& m)
      : m_(m), n_(at(m.nv())), sko_(m), dynamics_(sko_.sko), rnea_(m), aba_(m), crba_(m), inverse_(m), energy_(m) {}

  void add_state(Random& rng) {
    const Numbers q = random_configuration(m_, rng), v = draw(rng), a = draw(rng);
    sko_.update(q, v);
    const sko::OperatorAlgebra<double> algebra(sko_.sko);
    for (const sko::CheckedIdentity& x : sko::check_identities(algebra, rng))
      note("operator identity", x.formula, x.equation, x.residual);
    compare_algorithms(q, v, a);
  }
  std::vector<VerifiedLaw> take() { return std::move(laws_); }

 private:
  Numbers draw(Random& rng) const {
    Numbers out(n_);
    for (double& x : out) x = rng.uniform(-1, 1);
    return out;
  }

  void compare_algorithms(const Numbers& q, const Numbers& v, const Numbers& a) {
    Numbers tau(n_), other(n_), M(n_ * n_), Minv(n_ * n_), M_sko(n_ * n_);
    rnea(m_, rnea_, q, v, a, tau);
    same("rnea = textbook rnea", "F08 Table 5.1", tau, textbook::rnea(m_, q, v, a));
    sko::inverse_dynamics<double>(sko_.sko, dynamics_, sko_.stack(a), other);
    same("rnea = inverse dynamics of the SKO model", "J11 10", tau, sko_.unstack(other));

    crba(m_, crba_, q, MatrixView<double>(M.data(), n_, n_));
    same("crba = textbook crba", "F08 Table 6.2", M, textbook::crba(m_, q));
    sko::calc_mass_matrix<double>(sko_.sko, dynamics_, MatrixView<double>(M_sko.data(), n_, n_));
    Numbers in_order(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) in_order[coordinate(i) * n_ + coordinate(j)] = M_sko[i * n_ + j];
    same("crba = mass matrix of the SKO model", "J11 17", M, in_order);
    multiply_by_mass(m_, rnea_, q, a, other);
    same("crba times a vector = product by recursion", "", multiply(M, a), other);

    // Accelerations are compared as forces, M times their difference: how well M is conditioned does not matter then.
    aba(m_, aba_, q, v, tau, other);
    same_motion("aba undoes rnea", "F08 Table 7.1", M, other, a);
    same_motion("textbook aba undoes rnea", "F08 Table 7.1", M, textbook::aba(m_, q, v, tau), a);
    sko::forward_dynamics<double>(sko_.sko, dynamics_, sko_.stack(tau), other);
    same_motion("forward dynamics of the SKO model undoes rnea", "J11 54", M, sko_.unstack(other), a);
    calc_mass_inverse(m_, inverse_, q, MatrixView<double>(Minv.data(), n_, n_));
    const Numbers Ma = multiply(M, a);
    same_motion("M^-1 M = 1", "", M, multiply(Minv, Ma), a);

    const double kinetic = calc_kinetic_energy(m_, energy_, q, v);
    double product = 0;
    const Numbers Mv = multiply(M, v);
    for (std::size_t i = 0; i < n_; ++i) product += 0.5 * v[i] * Mv[i];
    if (is_still()) same("kinetic energy = v M v / 2", "", {kinetic}, {product});
  }

  // Joints that move by a law of time add energy of their own.
  bool is_still() const {
    return std::none_of(m_.nodes().begin(), m_.nodes().end(),
                        [](const Node& n) { return n.joint.kind == JointKind::prescribed; });
  }
  std::size_t coordinate(std::size_t freedom) const { return at(sko_.coordinate(static_cast<int>(freedom))); }
  Numbers multiply(const Numbers& A, const Numbers& x) const {
    Numbers out(n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) out[i] += A[i * n_ + j] * x[j];
    return out;
  }
  void same(const char* law, const char* equation, const Numbers& a, const Numbers& b) {
    Numbers d(a);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= b[i];
    note("algorithms agree", law, equation, largest(d) / std::max({largest(a), largest(b), 1e-300}));
  }
  void same_motion(const char* law, const char* equation, const Numbers& M, const Numbers& a, const Numbers& b) {
    Numbers d(a);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= b[i];
    double scale = 1e-300;  // |M| |a|: what cancels in M (a - b)
    for (std::size_t i = 0; i < n_; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < n_; ++j) row += std::abs(M[i * n_ + j] * b[j]);
      scale = std::max(scale, row);
    }
    note("algorithms agree", law, equation, largest(multiply(M, d)) / scale);
  }
  void note(const std::string& group, const std::string& law, const std::string& equation, double residual) {
    const auto known = std::find_if(laws_.begin(), laws_.end(),
                                    [&](const VerifiedLaw& l) { return l.law == law && l.equation == equation; });
    if (known == laws_.end())
      laws_.push_back({group, law, equation, residual});
    else
      known->residual = std::isnan(residual) ? residual : std::max(known->residual, residual);
  }

  const Model& m_;
  std::size_t n_;
  sko::RigidSko sko_;
  sko::SkoDynamics<double> dynamics_;
  RneaWorkspace<double> rnea_;
  AbaWorkspace<double> aba_;
  CrbaWorkspace<double> crba_;
  MassInverseWorkspace<double> inverse_;
  EnergyWorkspace<double> energy_;
  std::vector<VerifiedLaw> laws_;
};

}  // namespace

std::vector<VerifiedLaw> verify(const Model& m, int states, std::uint64_t seed) {
  Random rng(seed);
  Study study(m);
  for (int i = 0; i < states; ++i) study.add_state(rng);
  return study.take();
}

}  // namespace sinew::app
