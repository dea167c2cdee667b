// sinew/constraint/two_trees/change_coupling.hpp - attach, hand over, release: the instant in which a coupling changes
//   M (nu_after - nu) = -J^* A^* p,   A_P V^_P + A_S V^_S = U^ afterwards                    [R92 0.20], [F08 11.57]
// The impulse p makes the closure velocities obey the new coupling: a plastic capture. Rows that were obeyed before
// get none, so that a release, even of all rows, changes nothing. Steps A to C are those of the last prepare, and
// nothing of either tree is made anew; call prepare with the new velocities to go on (the admittances are kept).
// Every change is audited: momentum of the whole, kinetic energy, and the energy that the impulse takes, each found by
// another way. Cost: that of couple, and O(n) for the audit. Loops of the trees stay obeyed.
// Momentum is kept where the coupled points are at one place, and neither tree is held by the world: two points apart
// make a couple of p and -p, and a base on the world takes up momentum.
#pragma once
#include <string>

#include "sinew/constraint/two_trees/primary_secondary.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/momentum.hpp"

namespace sinew {

// Momentum, energy and closure velocities before and after a change.
struct CouplingAudit {
  Force<double> momentum_before, momentum_after;  // of both trees, about the world's origin [kg m^2/s, kg m/s]
  double angular_size = 0, linear_size = 0;       // sizes of the momenta of the two trees, added up
  double energy_before = 0, energy_after = 0;     // kinetic, of both trees [J]
  double work = 0;                       // of the impulse, from its closure velocities: -p (u + u_after) / 2 [J]
  double gap_before = 0, gap_after = 0;  // largest entry of A_P V^_P + A_S V^_S - U^ [m/s or rad/s]
  double impulse = 0;                    // largest entry of p [N s or N m s]
  // Parts: change of momentum, the larger of angular and linear; energy that is not explained by the work.
  double momentum_error() const;
  double energy_error() const;
};
// Sentences for a reader.
std::string describe(const CouplingAudit&);

// Scratch of change_coupling, and the audit of the last change.
struct ChangeWorkspace {
  ChangeWorkspace(const Model& primary, const CoupledTree&, const Model& secondary, const CoupledTree&, int most_rows);
  CouplingWorkspace coupling;
  CouplingAudit audit;  // of the last change
  MomentumWorkspace<double> momentum_p, momentum_s;
  EnergyWorkspace<double> energy_p, energy_s;
};
// After both prepare(). v_P and v_S: velocities after the change; impulse: p, one per row. The certificate is that of
// ws.coupling, the audit ws.audit. Allocates nothing.
const SolveCertificate& change_coupling(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                                        ChangeWorkspace& ws, MatrixView<const double> A_P, MatrixView<const double> A_S,
                                        In<double> target, Out<double> v_P, Out<double> v_S, Out<double> impulse,
                                        const RankOptions& = {});

}  // namespace sinew
