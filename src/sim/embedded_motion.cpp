// src/sim/embedded_motion.cpp - integrators in minimal coordinates
#include <algorithm>
#include <limits>

#include "refuse_embedding.hpp"
#include "sinew/sim/integrate.hpp"

namespace sinew {
namespace {

// The state of a stage, closed.
struct ClosedStage {
  ClosedStage(const Model& m, const ConstraintSet& set, const EmbeddingOptions& options)
      : embedded(m, set, options), q(at(m.nq())), v(at(m.nv())), tau(v) {}
  EmbeddedWorkspace embedded;
  std::vector<double> q, v, tau;
};

}  // namespace

EmbeddedMotion make_embedded_dynamics(const Model& m, const ConstraintSet& set, const EmbeddingOptions& options,
                                      JointForces forces, UnclosedStage unclosed) {
  const auto stage = std::make_shared<ClosedStage>(m, set, options);
  EmbeddedMotion out;
  out.work = std::shared_ptr<EmbeddedWorkspace>(stage, &stage->embedded);
  out.rate = [&m, &set, stage, unclosed, forces = std::move(forces)](const StatePoint& x, const StateRate& r) {
    ClosedStage& s = *stage;
    std::copy(x.q.begin(), x.q.end(), s.q.begin());
    std::copy(x.v.begin(), x.v.end(), s.v.begin());
    std::fill(r.extra.begin(), r.extra.end(), 0.0);
    const EmbeddingReport& report = close_loops(m, set, s.embedded.embedding, s.q, s.v, x.time);
    const bool open = report.status == EmbeddingStatus::not_closed || report.status == EmbeddingStatus::non_finite;
    if (open && unclosed == UnclosedStage::retry) {
      std::fill(r.v.begin(), r.v.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    refuse_unless_ready(report, m, set, x.time);
    if (forces) forces({s.q, s.v, x.extra, x.time}, s.tau);
    embedded_forward_dynamics_prepared(m, s.embedded, s.v, s.tau, r.v, {{}, x.time});
    refuse_unless_ready(report, m, set, x.time);
  };
  out.projection = [&m, &set, stage](State& s, Out<double>) {
    EmbeddingWorkspace& e = stage->embedded.embedding;
    stage->q = s.q, stage->v = s.v;
    if (close_loops(m, set, e, s.q, s.v, s.time).status == EmbeddingStatus::ready)
      renew_coordinates(m, set, e, s.q, s.v, s.time);
    refuse_unless_ready(e.report, m, set, s.time);
    return s.q != stage->q || s.v != stage->v;
  };
  return out;
}

}  // namespace sinew
