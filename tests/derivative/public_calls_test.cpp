// tests/derivative/public_calls_test.cpp - every public call of derivative/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/aba_hessian.hpp"
#include "sinew/derivative/delassus_slopes.hpp"
#include "sinew/derivative/kinematics_derivatives.hpp"
#include "sinew/derivative/momentum_derivatives.hpp"
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
  table.add("calc_energy_derivatives", [&](Arguments& x) {
    calc_energy_derivatives(m, momentum_ws.take(x), q(x), x.numbers("v", nv), x.numbers("dT_dq", nv),
                            x.numbers("dT_dv", nv), x.numbers("dV_dq", nv));
  });
  Three<DelassusSlopesWorkspace<double>> delassus_ws(models);
  table.add("calc_delassus_slopes", [&](Arguments& x) {
    calc_delassus_slopes(m, delassus_ws.take(x), q(x), x.forces("F", m.bodies().size()),
                         x.forces("G", m.bodies().size()), x.numbers("dy", nv));
  });
  EXPECT_EQ(table.run("derivative"), "");
}

}  // namespace
}  // namespace sinew::test
