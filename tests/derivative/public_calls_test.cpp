// tests/derivative/public_calls_test.cpp - every public call of derivative/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/aba_hessian.hpp"
#include "sinew/derivative/coriolis_derivatives.hpp"
#include "sinew/derivative/coupled_derivatives.hpp"
#include "sinew/derivative/delassus_rate.hpp"
#include "sinew/derivative/delassus_slopes.hpp"
#include "sinew/derivative/force_derivatives.hpp"
#include "sinew/derivative/inertia_derivatives.hpp"
#include "sinew/derivative/kinematics_derivatives.hpp"
#include "sinew/derivative/momentum_derivatives.hpp"
#include "sinew/derivative/placement_derivatives.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/derivative/rnea_hessian.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::test {
namespace {

TEST(DerivativePublicCalls, RefuseWhatDoesNotFit) {
  const ThreeModels models{mechanisms::humanoid(), mechanisms::humanoid_with_hands(2)};
  const Model& m = models.right;
  const int nv = m.nv();
  const auto q = [&](Arguments& x) -> std::vector<double>& { return x.numbers("q", m.neutral()); };
  const auto around = [&](Arguments& x) -> Surroundings<double> {
    return {x.forces("external", m.bodies().size()), 0};
  };
  CallTable table;
  Three<RneaDerivativesWorkspace<double>> rnea_ws(models);
  table.add("calc_rnea_derivatives", [&](Arguments& x) {
    calc_rnea_derivatives(m, rnea_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv), x.numbers("tau", nv),
                          x.matrix("dtau_dq", nv, nv), x.matrix("dtau_dv", nv, nv), x.matrix("M", nv, nv), around(x));
  });
  Three<AbaDerivativesWorkspace<double>> aba_ws(models);
  table.add("calc_aba_derivatives", [&](Arguments& x) {
    calc_aba_derivatives(m, aba_ws.take(x), q(x), x.numbers("v", nv), x.numbers("tau", nv), x.numbers("a", nv),
                         x.matrix("da_dq", nv, nv), x.matrix("da_dv", nv, nv), x.matrix("Minv", nv, nv), around(x));
  });
  Three<PlacementDerivativesWorkspace<double>> placement_ws(models);
  const int placements = 6 * static_cast<int>(m.joints().size());
  table.add("calc_rnea_placement_derivatives", [&](Arguments& x) {
    calc_rnea_placement_derivatives(m, placement_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv),
                                    x.matrix("dtau", nv, placements), around(x));
  });
  table.add("calc_aba_placement_derivatives", [&](Arguments& x) {
    calc_aba_placement_derivatives(m, placement_ws.take(x), q(x), x.numbers("v", nv), x.numbers("tau", nv),
                                   x.numbers("a", nv), x.matrix("da", nv, placements), around(x));
  });
  Three<RneaHessianWorkspace<double>> hessian_ws(models);
  table.add("calc_rnea_hessian", [&](Arguments& x) {
    calc_rnea_hessian(m, hessian_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv), x.numbers("lambda", nv),
                      x.matrix("dqdq", nv, nv), x.matrix("dqdv", nv, nv), x.matrix("dvdv", nv, nv),
                      x.matrix("dqda", nv, nv), around(x));
  });
  Three<AbaHessianWorkspace<double>> forward_ws(models);
  table.add("calc_aba_hessian", [&](Arguments& x) {
    calc_aba_hessian(m, forward_ws.take(x), q(x), x.numbers("v", nv), x.numbers("tau", nv), x.numbers("lambda", nv),
                     x.matrix("dqdq", nv, nv), x.matrix("dqdv", nv, nv), x.matrix("dvdv", nv, nv),
                     x.matrix("dqdtau", nv, nv), around(x));
  });
  table.add("calc_rnea_tensors", [&](Arguments& x) {
    calc_rnea_tensors(m, hessian_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv),
                      x.matrix("dqdq", nv * nv, nv), x.matrix("dqdv", nv * nv, nv), x.matrix("dvdv", nv * nv, nv),
                      x.matrix("dqda", nv * nv, nv), around(x));
  });
  table.add("calc_aba_tensors", [&](Arguments& x) {
    calc_aba_tensors(m, forward_ws.take(x), q(x), x.numbers("v", nv), x.numbers("tau", nv),
                     x.matrix("dqdq", nv * nv, nv), x.matrix("dqdv", nv * nv, nv), x.matrix("dvdv", nv * nv, nv),
                     x.matrix("dqdtau", nv * nv, nv), around(x));
  });
  Three<KinematicsDerivativesWorkspace<double>> kinematics_ws(models);
  table.add("calc_kinematics_derivatives", [&](Arguments& x) {
    calc_kinematics_derivatives(m, kinematics_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv));
  });
  table.add("get_velocity_derivatives", [&](Arguments& x) {
    get_velocity_derivatives(m, kinematics_ws.take(x), m.bodies()[1], ReferenceFrame::body, x.matrix("dq", 6, nv),
                             x.matrix("dv", 6, nv));
  });
  table.add("get_acceleration_derivatives", [&](Arguments& x) {
    get_acceleration_derivatives(m, kinematics_ws.take(x), m.bodies()[1], ReferenceFrame::body, x.matrix("dq", 6, nv),
                                 x.matrix("dv", 6, nv));
  });
  Three<MomentumDerivativesWorkspace<double>> momentum_ws(models);
  table.add("calc_centroidal_momentum_derivatives", [&](Arguments& x) {
    calc_centroidal_momentum_derivatives(m, momentum_ws.take(x), q(x), x.numbers("v", nv), x.matrix("dh_dq", 6, nv),
                                         x.matrix("dh_dv", 6, nv));
  });
  table.add("calc_centroidal_momentum_rate_derivatives", [&](Arguments& x) {
    calc_centroidal_momentum_rate_derivatives(m, momentum_ws.take(x), q(x), x.numbers("v", nv), x.numbers("a", nv),
                                              x.matrix("by_q", 6, nv), x.matrix("by_v", 6, nv),
                                              x.matrix("by_a", 6, nv));
  });
  table.add("calc_energy_derivatives", [&](Arguments& x) {
    calc_energy_derivatives(m, momentum_ws.take(x), q(x), x.numbers("v", nv), x.numbers("dT_dq", nv),
                            x.numbers("dT_dv", nv), x.numbers("dV_dq", nv));
  });
  Three<DelassusSlopesWorkspace<double>> delassus_ws(models);
  table.add("calc_delassus_slopes", [&](Arguments& x) {
    calc_delassus_slopes(m, delassus_ws.take(x), q(x), x.forces("F", m.bodies().size()),
                         x.forces("G", m.bodies().size()), x.numbers("dy", nv));
  });
  Three<DelassusRateWorkspace> rate_ws(models, [](const Model& x) { return DelassusRateWorkspace(x, 2); });
  table.add("calc_delassus_rate", [&](Arguments& x) {
    const std::vector<RowForce> rows{
        {x.index("row", 1, 2), x.index("body", 1, m.bodies().size()), {}, RowAxes::body, {}}};
    calc_delassus_rate(m, rate_ws.take(x), q(x), x.numbers("v", nv), rows, x.matrix("W", 2, 2), x.matrix("dW", 2, 2));
  });
  Three<ForceDerivativesWorkspace<double>> force_ws(models);
  const int forces = 6 * static_cast<int>(m.bodies().size());
  table.add("calc_rnea_gravity_derivatives",
            [&](Arguments& x) { calc_rnea_gravity_derivatives(m, force_ws.take(x), q(x), x.matrix("dtau", nv, 3)); });
  table.add("calc_aba_gravity_derivatives",
            [&](Arguments& x) { calc_aba_gravity_derivatives(m, force_ws.take(x), q(x), x.matrix("da", nv, 3)); });
  table.add("calc_rnea_force_derivatives", [&](Arguments& x) {
    calc_rnea_force_derivatives(m, force_ws.take(x), q(x), x.matrix("dtau", nv, forces));
  });
  table.add("calc_aba_force_derivatives",
            [&](Arguments& x) { calc_aba_force_derivatives(m, force_ws.take(x), q(x), x.matrix("da", nv, forces)); });
  Three<InertiaDerivativesWorkspace<double>> inertia_ws(models);
  const int parameters = static_cast<int>(inertial_parameter_count(m));
  table.add("calc_aba_inertia_derivatives", [&](Arguments& x) {
    calc_aba_inertia_derivatives(m, inertia_ws.take(x), q(x), x.numbers("v", nv), x.numbers("tau", nv),
                                 x.numbers("a", nv), x.matrix("da", nv, parameters), around(x));
  });
  table.add("calc_centroidal_momentum_inertia_derivatives", [&](Arguments& x) {
    calc_centroidal_momentum_inertia_derivatives(m, inertia_ws.take(x), q(x), x.numbers("v", nv),
                                                 x.matrix("dh", 6, parameters));
  });
  Three<CoriolisDerivativesWorkspace> coriolis_ws(models);
  table.add("calc_coriolis_derivatives", [&](Arguments& x) {
    calc_coriolis_derivatives(m, coriolis_ws.take(x), q(x), x.numbers("v", nv), x.numbers("w", nv), x.numbers("Cw", nv),
                              x.matrix("dCw_dq", nv, nv), x.matrix("dCw_dv", nv, nv));
  });
  Three<CoupledDerivativesWorkspace> coupled_ws(models);  // nothing is coupled, so that sizes are those of the tree
  table.add("set_dependent_positions", [&](Arguments& x) { set_dependent_positions(m, coupled_ws.take(x), q(x)); });
  table.add("calc_coupled_rnea_derivatives", [&](Arguments& x) {
    calc_coupled_rnea_derivatives(m, coupled_ws.take(x), q(x), x.numbers("w", nv), x.numbers("dw", nv),
                                  x.numbers("T", nv), x.matrix("dT_dy", nv, nv), x.matrix("dT_dw", nv, nv),
                                  x.matrix("M_y", nv, nv), around(x));
  });
  table.add("calc_coupled_aba_derivatives", [&](Arguments& x) {
    calc_coupled_aba_derivatives(m, coupled_ws.take(x), q(x), x.numbers("w", nv), x.numbers("T", nv),
                                 x.numbers("dw", nv), x.matrix("ddw_dy", nv, nv), x.matrix("ddw_dw", nv, nv),
                                 x.matrix("M_y_inverse", nv, nv), around(x));
  });
  EXPECT_EQ(table.run("derivative"), "");
}

}  // namespace
}  // namespace sinew::test
