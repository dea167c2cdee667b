// src/sim/impact_slopes.hpp - how the velocity after an impact changes with place and velocity before it
// An impact has two phases (contact/collision.hpp), with impulses P and Q of the rows J and G = restitution P_n:
//   (1) M (c - v) = J^T P,    J c  and P obey the contact laws;    (2) M (w - c) = J^T (Q + G),   J w  and Q obey them
// in (2) friction is bounded by mu (Q_n + G). Each phase is a linear system at its modes, as in step_derivatives.hpp:
//   open: dQ = 0    closed: d(J_n w) = 0    sticks: d(J_t w) = 0
//   slides: dQ_t + mu d(Q_n + G) s + (mu (Q_n + G) / |J_t w|) (1 - s s^T) d(J_t w) = 0,   s = J_t w / |J_t w|
#pragma once
#include <string>
#include <vector>

#include "contact_row_slopes.hpp"
#include "impact_log.hpp"
#include "linear/matrix.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/sim/step_derivatives.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::stepping {

class ImpactSlopes {
 public:
  using Matrix = linear::Matrix;

  // The model must outlive it.
  explicit ImpactSlopes(const Model&);

  // Of all contacts of a round. body_of: (nodes) one of their bodies. False where a contact has no derivatives:
  // `refused` is its number.
  bool calc(const ContactShapes&, const ImpactLog::Round&, std::span<const int> body_of, RestitutionFriction,
            const StepDerivativeOptions&, double time);
  Matrix after_by_restitution;    // (nv x contacts)
  Matrix after_by_q, after_by_v;  // (nv x nv)
  Matrix gap_by_q;                // (contacts x nv)
  std::vector<double> approach;   // (contacts) [m/s] normal velocities before
  std::vector<StepMode> modes;    // (contacts) of compression
  std::vector<double> distances;  // (contacts) to the next mode, of both phases
  std::vector<char> at_switch;    // (contacts)
  bool unique = true;             // the velocity does not depend on how contacts share the impulse
  double inconsistency = 0;       // relative
  int refused = 0;

 private:
  // A phase: to which velocity, by which impulses, with how much of the normal ones known before.
  struct Phase {
    In<double> from, to, impulses, known;  // (nv), (nv), (3 contacts) without what is known, (contacts)
  };
  bool calc_phase(const ContactShapes&, const ImpactLog::Round&, std::span<const int> body_of, const Phase&,
                  const StepDerivativeOptions&, bool first);
  void find_laws(const ImpactLog::Round&, const Phase&, const StepDerivativeOptions&, bool first);
  void solve_laws();

  const Model& model_;
  const int nv_;
  ContactRowSlopes touching_;
  RneaDerivativesWorkspace<double> rnea_;
  MassInverseWorkspace<double> inverses_;
  double time_ = 0;
  int contacts_ = 0;
  std::vector<double> velocities_, still_, tau_, known_, rest_, change_, gap_;
  std::vector<Force<double>> external_;
  Matrix inverse_, M_, Fq_, by_weight_, Fv_, d_force_;
  Matrix J_, Uq_;                  // (3 contacts x nv)
  Matrix C_, A_;                   // J M^-1, J M^-1 J^T
  Matrix free_;                    // (nv x inputs) change of the velocity without a change of impulses
  Matrix T_, B_;                   // T dp = -B
  Matrix impulse_by_;              // (3 contacts x inputs)
  Matrix to_by_;                   // (nv x inputs)
  std::vector<char> of_velocity_;  // (3 contacts) the row is one of velocities, not of impulses
  std::vector<int> order_;
};

}  // namespace sinew::stepping
