// src/sim/impact_chain.hpp - how the impacts of a step depend on what comes before them: their times and impulses
// In the notation of step_collisions.hpp. A path from q with the velocity s and the acceleration a leads to an impact
// at time t where a gap closes, at x = q + way, way = t (s + a t / 2) - (sum of t D before). Its velocity is s + a t.
//   gap(x) = 0         gives  dt      ("saltation": the time of the impact changes with the state)
//   impact_slopes.hpp  gives  dD      with the changes of place and velocity, those by dt included
// All derivatives are by (q, v, impulse on joints), nv columns each, and by the restitution of each contact of the
// impacts.
#pragma once
#include <vector>

#include "impact_slopes.hpp"
#include "movement_slopes.hpp"

namespace sinew::stepping {

class ImpactChain {
 public:
  using Matrix = linear::Matrix;

  // The model and the movement must outlive it.
  ImpactChain(const Model&, const MovementSlopes&);

  struct Step {
    const ContactShapes& shapes;
    const ImpactLog& log;
    In<double> q, v;
    const Matrix &end_by_q, &end_by_v, &end_by_impulse;  // (nv rows) of log.path.end
    std::span<const int> body_of;                        // (nodes)
    const SimulationOptions& options;
    const StepDerivativeOptions& asked;
    double time = 0;
  };
  // Adds rows to the report. Throws StepRefused, naming what has no derivatives.
  void calc(const Step&, StepDerivativesReport&);

  std::vector<double> gained, passed;  // (nv) sums of D, and of t D
  Matrix gained_by, passed_by;         // (nv x (3 nv + contacts of all impacts))
  bool exact = true;                   // all impacts have derivatives: no two at the same time, none at a switch

 private:
  void begin(const Step&);
  void go_to(const Step&, const ImpactLog::Round&);
  void find_times(const Step&, const ImpactLog::Round&, StepDerivativesReport&);
  int group_of(const ImpactLog::Round&, const ContactPoint&) const;
  void collide(const Step&, const ImpactLog::Round&, int impacts);
  void note(const Step&, const ImpactLog::Round&, StepDerivativesReport&);

  const Model& model_;
  const MovementSlopes& moving_;
  const int nv_;
  int columns_ = 0;  // of all that follows
  ImpactSlopes impact_;
  Matrix start_by_, rate_by_, time_by_;
  Matrix way_by_, v_by_;                       // along the axes at q
  Matrix place_by_, there_by_;                 // place, as a tangent there, and velocity along the axes there
  Matrix jump_by_;                             // D along the axes there
  std::vector<double> now_;                    // (nv) [s]
  std::vector<double> way_, speed_;            // (nv) of the round, along the axes at q
  std::vector<MovementSlopes::Shift> shifts_;  // of the joints of moving_
};

}  // namespace sinew::stepping
