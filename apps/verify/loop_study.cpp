// apps/verify/loop_study.cpp
#include "verify/loop_study.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/constraint/embedding/embedded_sko.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/operators/identities.hpp"

namespace sinew::app {
namespace {

using Reals = std::vector<double>;

double relative_difference(const Reals& a, const Reals& b) {
  double difference = 0, scale = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return NAN;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max({scale, std::abs(a[i]), std::abs(b[i])});
  }
  return difference / scale;
}

class ClosedStates {
 public:
  explicit ClosedStates(const Model& m) : m_(m), set_(m), ws_(m, set_), multipliers_(m, set_) {}
  bool any_loops() const { return set_.rows() > 0; }

  // From the neutral position by a random motion that the loops allow, at most 0.1 rad or m per coordinate.
  bool add_state(Random& rng, std::vector<VerifiedLaw>& laws) {
    constexpr double kFar = 0.1;
    Reals q(m_.neutral().begin(), m_.neutral().end()), v = draw(rng), next(q);
    const EmbeddingReport& report = close_loops(m_, set_, ws_.embedding, q, v);
    if (report.status != EmbeddingStatus::ready) return false;
    double fastest = 1e-300;
    for (const double x : v) fastest = std::max(fastest, std::abs(x));
    integrate(m_, q, v, kFar * rng.uniform(0, 1) / fastest, next);
    if (close_loops(m_, set_, ws_.embedding, next, v).status != EmbeddingStatus::ready) return false;
    check(rng, next, v, laws);
    return true;
  }
  std::string why_not() const { return describe(ws_.embedding.report, m_, set_); }

 private:
  Reals draw(Random& rng) const {
    Reals out(at(m_.nv()));
    for (double& x : out) x = rng.uniform(-1, 1);
    return out;
  }

  void check(Random& rng, const Reals& q, const Reals& v, std::vector<VerifiedLaw>& laws) {
    const Reals tau = draw(rng);
    Reals embedded(v.size()), want(v.size()), lambda(at(set_.rows()));
    embedded_forward_dynamics(m_, set_, ws_, q, v, tau, embedded);
    constrained_forward_dynamics(m_, set_, multipliers_, q, v, tau, want, lambda);
    note(laws, "acceleration = that with multipliers", "J11 58f", relative_difference(embedded, want));

    EmbeddedSko e(m_, ws_.embedding);
    e.update(ws_.embedding, q, v);
    sko::SkoDynamics<double> dynamics(e.sko);
    Reals T(ws_.embedding.independent.size()), by_node(T.size()), ydd;
    for (const int k : ws_.embedding.independent) ydd.push_back(embedded[at(k)]);
    reduce_forces(m_, ws_.embedding, tau, T);
    sko::forward_dynamics<double>(e.sko, dynamics, e.stack(ws_.embedding, T), by_node);
    note(laws, "acceleration = forward dynamics of the SKO model", "J11 54",
         relative_difference(e.unstack(ws_.embedding, by_node), ydd));
    const sko::OperatorAlgebra<double> algebra(e.sko);
    for (const sko::CheckedIdentity& x : sko::check_identities(algebra, rng))
      note(laws, x.formula, x.equation, x.residual);
  }
  static void note(std::vector<VerifiedLaw>& laws, const std::string& law, const std::string& equation,
                   double residual) {
    const std::string name = "loops embedded: " + law;
    const auto known = std::find_if(laws.begin(), laws.end(),
                                    [&](const VerifiedLaw& l) { return l.law == name && l.equation == equation; });
    if (known == laws.end())
      laws.push_back({"embedded loops", name, equation, residual});
    else
      known->residual = std::isnan(residual) ? residual : std::max(known->residual, residual);
  }

  const Model& m_;
  ConstraintSet set_;
  EmbeddedWorkspace ws_;
  ConstrainedWorkspace multipliers_;
};

}  // namespace

LoopStudy verify_loops(const Model& m, int states, std::uint64_t seed) {
  LoopStudy out;
  if (m.loops().empty() && m.couplings().empty()) return out;
  try {
    ClosedStates closed(m);
    if (!closed.any_loops()) return out;
    Random rng(seed);
    for (int i = 0; i < states && out.why_not.empty(); ++i)
      if (!closed.add_state(rng, out.laws)) out.why_not = closed.why_not();
  } catch (const std::invalid_argument& e) {
    out.why_not = e.what();
  }
  if (!out.why_not.empty()) out.laws.clear();
  return out;
}

}  // namespace sinew::app
