// src/constraint/rank/mobility.cpp
#include "sinew/constraint/rank/mobility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "constraint/rows/name_rows.hpp"
#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rank/explicit_form.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
namespace {

constexpr double kClosed = 1e-8;  // a larger position error: the mechanism is not assembled

class Analysis {
 public:
  Analysis(const Model& m, const ConstraintSet& set, double time, const MobilityOptions& options)
      : m_(m), set_(set), time_(time), options_(options), rows_(m, set) {
    K_.resize(static_cast<std::size_t>(set.rows()) * rows_.zeros.size());
  }

  ExplicitForm form_at(VectorView<const double> q) {
    const MatrixView<double> K(K_.data(), static_cast<std::size_t>(set_.rows()), rows_.zeros.size());
    calc_constraint_rows(m_, set_, rows_, q, rows_.zeros, time_);
    get_constraint_jacobian(m_, set_, rows_, K);
    const std::vector<double> zero(rows_.k.size());
    return calc_explicit_form({K.data(), K.rows(), K.cols()}, zero, {options_.tolerance, {}});
  }
  double error() const {
    double out = 0;
    for (const double e : rows_.position) out = std::max(out, std::abs(e));
    return out;
  }

  // Moves a little along a random motion that K allows, then closes the constraints again.
  bool step_away(const ExplicitForm& here, VectorView<const double> q0, Random& rng, std::vector<double>& q) const {
    const std::size_t n = here.g.size(), free = here.independent.size();
    std::vector<double> dv(n);
    double longest = 0;
    for (std::size_t c = 0; c < free; ++c) {
      const double y = rng.normal();
      for (std::size_t i = 0; i < n; ++i) dv[i] += here.G[i * free + c] * y;
    }
    for (const double x : dv) longest = std::max(longest, std::abs(x));
    q.assign(q0.begin(), q0.end());
    integrate(m_, q0, dv, options_.distance / longest, q);
    const Assembly closed = assemble(m_, set_, q, time_, {1e-13, options_.distance, 200});
    difference(m_, q0, q, dv);
    longest = 0;
    for (const double x : dv) longest = std::max(longest, std::abs(x));
    return closed.error < 1e-12 && longest > options_.distance / 20 && longest < options_.distance * 20;
  }

 private:
  const Model& m_;
  const ConstraintSet& set_;
  double time_;
  MobilityOptions options_;
  ConstraintRows rows_;
  std::vector<double> K_;
};

}  // namespace

Mobility find_mobility(const Model& m, const ConstraintSet& set, VectorView<const double> q, double time,
                       const MobilityOptions& options) {
  check_set("find_mobility", m, set);
  check_size("find_mobility", "q", q.size(), at(m.nq()));
  Analysis analysis(m, set, time, options);
  const ExplicitForm here = analysis.form_at(q);
  Mobility out;
  out.freedoms = m.nv();
  out.rows = set.rows();
  out.rank = here.rank;
  out.instantaneous = out.lowest = out.highest = out.freedoms - out.rank;  // [F08 8.52]
  out.overconstraint = out.rows - out.rank;                                // [F08 8.55]
  out.redundant = here.redundant;
  out.error = analysis.error();
  if (out.error > kClosed) {
    out.decided = false;
    out.how = fmt::format("not decided: the constraints are open by {:.3g} here", out.error);
  } else if (out.overconstraint == 0) {
    out.how = "no row depends on the others, so every motion that is possible here can be carried on";
  } else if (out.instantaneous == 0) {
    out.how = "nothing can move";
  } else if (options.samples <= 0) {
    out.decided = false;
    out.how = "not decided: no positions nearby were looked at";
  } else {
    Random rng(1);
    std::vector<double> nearby;
    for (int s = 0; s < options.samples; ++s) {
      if (!analysis.step_away(here, q, rng, nearby)) continue;
      const int mobility = out.freedoms - analysis.form_at(nearby).rank;
      out.lowest = out.samples == 0 ? mobility : std::min(out.lowest, mobility);
      out.highest = out.samples == 0 ? mobility : std::max(out.highest, mobility);
      ++out.samples;
    }
    out.decided = out.samples > 0;
    out.how = out.decided
                  ? fmt::format("compared with {} assembled positions about {:g} away", out.samples, options.distance)
                  : "not decided: no position nearby closes; the motion may stop here";
  }
  return out;
}

std::vector<std::string> describe(const Mobility& a, const ConstraintSet& set) {
  std::vector<std::string> out;
  const auto plural = [](int n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); };
  out.push_back(fmt::format("mobility {}: {} less {} (of {})", a.decided ? a.lowest : a.instantaneous,
                            plural(a.freedoms, "tree freedom"), plural(a.rank, "independent constraint"), a.rows));
  if (a.decided && a.highest != a.lowest)
    out.back() = fmt::format("mobility {} to {}: motions branch here", a.lowest, a.highest);
  if (a.decided && a.instantaneous != a.lowest)
    out.push_back(fmt::format("singular position: {} possible for an instant", plural(a.instantaneous, "motion")));
  if (a.overconstraint > 0)
    out.push_back(
        fmt::format("overconstrained by {}: the other rows imply {}", a.overconstraint, name_rows(a.redundant, set)));
  out.push_back(a.how);
  return out;
}

}  // namespace sinew
