// tests/tree/public_calls_test.cpp - every public call of model/ and tree/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/base_parameters.hpp"
#include "sinew/tree/centre_of_mass.hpp"
#include "sinew/tree/centroidal.hpp"
#include "sinew/tree/coriolis.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/dca.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/equivalence.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/floating_base.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/joint_loads.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/momentum.hpp"
#include "sinew/tree/planar_dynamics.hpp"
#include "sinew/tree/projection.hpp"
#include "sinew/tree/regressor.hpp"
#include "sinew/tree/rnea.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew::test {
namespace {

// A free body with an arm of `joints`, so that q has one number more than v.
ModelSpec floating_arm(int joints) {
  ModelBuilder b("floating_arm");
  std::string last = "world";
  for (int i = 0; i <= joints; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), make_placement({0, 0, -0.2}));
    if (i == 0)
      b.free("base", last, name);
    else
      b.revolute("joint" + std::to_string(i), last, name).at({0, 0, -0.4}).axis({0, 1, 0});
    last = name;
  }
  b.tendon("cord").through("link0").through(last);
  return b.spec();
}

class PublicCalls : public ::testing::Test {
 protected:
  const ThreeModels models{floating_arm(2), floating_arm(4)};
  const Model& m = models.right;
  const int nq = m.nq(), nv = m.nv();
  CallTable table;

  std::vector<double>& q(Arguments& x) const { return x.numbers("q", m.neutral()); }
  std::vector<double>& v(Arguments& x, const char* name = "v") const { return x.numbers(name, nv); }
  Surroundings<double> around(Arguments& x) const { return {x.forces("external", m.bodies().size()), 0}; }
  Place place(Arguments& x) const {
    Place out = m.bodies()[1];
    out.node = x.index("node", out.node, m.nodes().size());
    return out;
  }
};

TEST_F(PublicCalls, OfTendons) {
  Three<TendonWorkspace> tendons(models);
  Three<KinematicsWorkspace<double>> places(models);
  Three<VelocityWorkspace<double>> motions(models);
  const std::vector<double> zeros(at(nv));
  calc_accelerations<double>(m, motions.right, m.neutral(), zeros, zeros);
  calc_kinematics<double>(m, places.right, m.neutral());
  table.add("calc_tendons", [&](Arguments& x) {
    calc_tendons(m, tendons.take(x, "the workspace"), places.take(x, "kinematics"), q(x));
  });
  table.add("calc_tendon_rates", [&](Arguments& x) {
    calc_tendon_rates(m, tendons.take(x, "the workspace"), motions.take(x, "the motion"), q(x));
  });
  const Force<double> force{};
  table.add("calc_row_velocity", [&](Arguments& x) {
    const int node = x.index("node", 1, m.nodes().size());
    (void)calc_row_velocity({{&node, 1}, {&force, 1}}, motions.right);
  });
  table.add("calc_row_jacobian", [&](Arguments& x) {
    const int node = x.index("node", 1, m.nodes().size());
    calc_row_jacobian(m, places.take(x, "kinematics"), q(x), {{&node, 1}, {&force, 1}}, v(x, "J"));
  });
  EXPECT_EQ(table.run("tree, tendons"), "");
}

TEST_F(PublicCalls, OfModels) {
  table.add("integrate", [&](Arguments& x) { integrate(m, q(x), v(x), 0.1, x.numbers("out", nq)); });
  table.add("difference", [&](Arguments& x) { difference(m, q(x), q(x), v(x, "dv")); });
  table.add("calc_rate", [&](Arguments& x) { calc_rate<double>(m, q(x), v(x), x.numbers("qdot", nq)); });
  table.add("normalize", [&](Arguments& x) { normalize<double>(m, q(x)); });
  Model own = m;
  table.add("set_armature", [&](Arguments& x) { set_armature(own, x.index("v", nv - 1, at(nv)), 0.1); });
  table.add("with_armature", [&](Arguments& x) { (void)with_armature(m, v(x, "more")); });

  const ConventionMap map(m, Convention::mujoco);
  const int other = map.nq();
  table.add("ConventionMap::to_other_q", [&](Arguments& x) { map.to_other_q(q(x), x.numbers("other", other)); });
  table.add("ConventionMap::from_other_q",
            [&](Arguments& x) { map.from_other_q(x.numbers("other", other, 0.5), q(x)); });
  table.add("ConventionMap::to_other_v", [&](Arguments& x) { map.to_other_v(q(x), v(x), v(x, "other")); });
  table.add("ConventionMap::from_other_v", [&](Arguments& x) { map.from_other_v(q(x), v(x, "other"), v(x)); });
  table.add("ConventionMap::to_other_a", [&](Arguments& x) { map.to_other_a(q(x), v(x), v(x, "a"), v(x, "other")); });
  table.add("ConventionMap::from_other_a",
            [&](Arguments& x) { map.from_other_a(q(x), v(x), v(x, "other"), v(x, "a")); });
  table.add("ConventionMap::to_other_tau", [&](Arguments& x) { map.to_other_tau(q(x), v(x, "tau"), v(x, "other")); });
  table.add("ConventionMap::from_other_tau",
            [&](Arguments& x) { map.from_other_tau(q(x), v(x, "other"), v(x, "tau")); });
  table.add("ConventionMap::other_v_index",
            [&](Arguments& x) { (void)map.other_v_index(x.index("i", nv - 1, at(nv))); });
  EXPECT_EQ(table.run("model"), "");
}

TEST_F(PublicCalls, OfDynamics) {
  Three<RneaWorkspace<double>> rnea_ws(models);
  table.add("rnea", [&](Arguments& x) { rnea(m, rnea_ws.take(x), q(x), v(x), v(x, "a"), v(x, "tau"), around(x)); });
  table.add("calc_bias", [&](Arguments& x) { calc_bias(m, rnea_ws.take(x), q(x), v(x), v(x, "h"), around(x)); });
  table.add("calc_gravity", [&](Arguments& x) { calc_gravity(m, rnea_ws.take(x), q(x), v(x, "g")); });
  table.add("multiply_by_mass",
            [&](Arguments& x) { multiply_by_mass(m, rnea_ws.take(x), q(x), v(x, "x"), v(x, "Mx")); });
  Three<AbaWorkspace<double>> aba_ws(models);
  table.add("aba", [&](Arguments& x) { aba(m, aba_ws.take(x), q(x), v(x), v(x, "tau"), v(x, "a"), around(x)); });
  table.add("multiply_by_mass_inverse",
            [&](Arguments& x) { multiply_by_mass_inverse(m, aba_ws.take(x), q(x), v(x, "x"), v(x, "y")); });
  Three<CrbaWorkspace<double>> crba_ws(models);
  table.add("crba", [&](Arguments& x) { crba(m, crba_ws.take(x), q(x), x.matrix("M", nv, nv)); });
  table.add("crba_packed", [&](Arguments& x) {
    crba_packed(m, crba_ws.take(x), q(x), x.numbers("packed", static_cast<int>(m.dof_tree().packed_size())));
  });
  const EquivalentModel e(m);
  table.add("rnea", [&](Arguments& x) { rnea(e, rnea_ws.take(x), q(x), v(x), v(x, "a"), v(x, "tau"), around(x)); });
  table.add("calc_bias", [&](Arguments& x) { calc_bias(e, rnea_ws.take(x), q(x), v(x), v(x, "h"), around(x)); });
  table.add("aba", [&](Arguments& x) { aba(e, aba_ws.take(x), q(x), v(x), v(x, "tau"), v(x, "a"), around(x)); });
  table.add("crba", [&](Arguments& x) { crba(e, crba_ws.take(x), q(x), x.matrix("M", nv, nv)); });
  Three<MassInverseWorkspace<double>> inverse_ws(models);
  table.add("calc_mass_inverse",
            [&](Arguments& x) { calc_mass_inverse(m, inverse_ws.take(x), q(x), x.matrix("Minv", nv, nv)); });
  Three<CoriolisWorkspace<double>> coriolis_ws(models);
  table.add("calc_coriolis_matrix",
            [&](Arguments& x) { calc_coriolis_matrix(m, coriolis_ws.take(x), q(x), v(x), x.matrix("C", nv, nv)); });
  table.add("calc_mass_matrix_rate",
            [&](Arguments& x) { calc_mass_matrix_rate(m, coriolis_ws.take(x), q(x), v(x), x.matrix("dM", nv, nv)); });
  Three<DcaWorkspace<double>> dca_ws(models);
  table.add("dca", [&](Arguments& x) { dca(m, dca_ws.take(x), q(x), v(x), v(x, "tau"), v(x, "a"), around(x)); });
  const auto tie = [](const Model& of) { return DcaWorkspace<double>(of, DcaPlan(of, {{1, {{0, 3}, {0, 2}}, true}})); };
  Three<DcaWorkspace<double>> tied_ws(models, tie);
  table.add("dca_with_ties", [&](Arguments& x) {
    dca_with_ties(m, tied_ws.take(x), q(x), v(x), v(x, "tau"), x.forces("forces", 2), x.numbers("k", 1), v(x, "a"),
                  x.numbers("y", 1), around(x));
  });
  Three<JointLoadsWorkspace> loads_ws(models);
  table.add("calc_joint_forces",
            [&](Arguments& x) { calc_joint_forces(m, loads_ws.take(x), q(x), v(x), v(x, "a"), around(x)); });
  table.add("get_joint_force",
            [&](Arguments& x) { (void)get_joint_force(m, loads_ws.take(x), x.index("joint", 1, m.joints().size())); });
  table.add("get_joint_load",
            [&](Arguments& x) { (void)get_joint_load(m, loads_ws.take(x), x.index("joint", 1, m.joints().size())); });
  Three<InertiasRneaWorkspace<double>> inertias_ws(models);
  table.add("rnea_with_inertias", [&](Arguments& x) {
    std::vector<RigidInertia<double>> inertias(
        x.numbers("inertias", static_cast<int>(m.nodes().size())).size());  // only their number matters here
    rnea_with_inertias(m, inertias_ws.take(x), inertias, q(x), v(x), v(x, "a"), v(x, "tau"), around(x));
  });

  const auto split = [](const Model& of) { return HybridSplit(of, {6}); };
  Three<HybridSplit> splits(models, split);
  table.add("HybridSplit", [&](Arguments& x) { HybridSplit(m, {x.index("given", 0, at(nv))}); });
  table.add("HybridSplit::is_given", [&](Arguments& x) { (void)splits.right.is_given(x.index("v", 0, at(nv))); });
  table.add("HybridSplit::is_moved",
            [&](Arguments& x) { (void)splits.right.is_moved(x.index("node", 0, m.nodes().size())); });
  table.add("HybridSplit::node_of", [&](Arguments& x) { (void)splits.right.node_of(x.index("v", 0, at(nv))); });
  table.add("HybridCrbaWorkspace", [&](Arguments& x) { HybridCrbaWorkspace<double>(m, splits.take(x, "the split")); });
  table.add("HybridAbaWorkspace", [&](Arguments& x) { HybridAbaWorkspace<double>(m, splits.take(x, "the split")); });
  Three<HybridCrbaWorkspace<double>> hybrid_crba_ws(
      models, [&](const Model& of) { return HybridCrbaWorkspace<double>(of, split(of)); });
  table.add("hybrid_crba", [&](Arguments& x) {
    hybrid_crba(m, hybrid_crba_ws.take(x), q(x), v(x), v(x, "a"), v(x, "tau"), around(x));
  });
  Three<HybridAbaWorkspace<double>> hybrid_aba_ws(
      models, [&](const Model& of) { return HybridAbaWorkspace<double>(of, split(of)); });
  table.add("hybrid_aba",
            [&](Arguments& x) { hybrid_aba(m, hybrid_aba_ws.take(x), q(x), v(x), v(x, "a"), v(x, "tau"), around(x)); });
  table.add("ProjectionWorkspace", [&](Arguments& x) { ProjectionWorkspace<double>(m, {place(x)}); });
  Three<ProjectionWorkspace<double>> projection_ws(
      models, [](const Model& of) { return ProjectionWorkspace<double>(of, {Place(of.bodies()[2])}); });
  table.add("project", [&](Arguments& x) {
    project(m, projection_ws.take(x), q(x), v(x), v(x, "tau"), x.matrix("Phi", 6, 6), x.numbers("b", 6), around(x));
  });
  EXPECT_EQ(table.run("tree, dynamics"), "");
}

TEST_F(PublicCalls, OfMotion) {
  Three<KinematicsWorkspace<double>> kinematics_ws(models);
  table.add("calc_kinematics", [&](Arguments& x) { calc_kinematics(m, kinematics_ws.take(x), q(x)); });
  table.add("get_body_pose", [&](Arguments& x) {
    (void)get_body_pose(m, kinematics_ws.take(x), x.index("body", 1, m.bodies().size()));
  });
  table.add("get_frame_pose", [&](Arguments& x) {
    FrameEntry f = *m.find_frame("link1");
    f.node = x.index("node", f.node, m.nodes().size());
    (void)get_frame_pose(kinematics_ws.right, f);
  });
  Three<VelocityWorkspace<double>> velocity_ws(models);
  const VelocityWorkspace<double>& moving = velocity_ws.right;
  table.add("calc_velocities", [&](Arguments& x) { calc_velocities(m, velocity_ws.take(x), q(x), v(x)); });
  table.add("calc_accelerations",
            [&](Arguments& x) { calc_accelerations(m, velocity_ws.take(x), q(x), v(x), v(x, "a")); });
  table.add("get_velocity", [&](Arguments& x) { (void)get_velocity(moving, place(x), ReferenceFrame::body); });
  table.add("get_point_velocity", [&](Arguments& x) { (void)get_point_velocity(moving, place(x)); });
  table.add("get_acceleration", [&](Arguments& x) { (void)get_acceleration(moving, place(x), ReferenceFrame::body); });
  table.add("get_classical_acceleration",
            [&](Arguments& x) { (void)get_classical_acceleration(moving, place(x), ReferenceFrame::body); });
  table.add("get_point_acceleration", [&](Arguments& x) { (void)get_point_acceleration(moving, place(x)); });

  Three<JacobianWorkspace<double>> jacobian_ws(models);
  calc_jacobian_rates(m, jacobian_ws.right, m.neutral(), std::vector<double>(at(nv)));
  const auto body = ReferenceFrame::body;
  table.add("calc_jacobian", [&](Arguments& x) { calc_jacobian(m, jacobian_ws.take(x), q(x)); });
  table.add("calc_jacobian_rates", [&](Arguments& x) { calc_jacobian_rates(m, jacobian_ws.take(x), q(x), v(x)); });
  table.add("get_joint_motions",
            [&](Arguments& x) { get_joint_motions(m, jacobian_ws.take(x), x.matrix("J", 6, nv)); });
  table.add("get_jacobian",
            [&](Arguments& x) { get_jacobian(m, jacobian_ws.take(x), place(x), body, x.matrix("J", 6, nv)); });
  table.add("multiply_by_jacobian_transpose", [&](Arguments& x) {
    multiply_by_jacobian_transpose(m, jacobian_ws.take(x), place(x), body, {}, v(x, "tau"));
  });
  table.add("get_jacobian_rate",
            [&](Arguments& x) { get_jacobian_rate(m, jacobian_ws.take(x), place(x), body, x.matrix("dJ", 6, nv)); });
  table.add("get_bias_acceleration",
            [&](Arguments& x) { (void)get_bias_acceleration(jacobian_ws.right, place(x), body); });

  Three<CentreOfMassWorkspace<double>> centre_ws(models);
  table.add("calc_centre_of_mass", [&](Arguments& x) { calc_centre_of_mass(m, centre_ws.take(x), q(x)); });
  table.add("calc_centre_of_mass_velocity",
            [&](Arguments& x) { calc_centre_of_mass_velocity(m, centre_ws.take(x), q(x), v(x)); });
  table.add("calc_centre_of_mass_acceleration",
            [&](Arguments& x) { calc_centre_of_mass_acceleration(m, centre_ws.take(x), q(x), v(x), v(x, "a")); });
  table.add("calc_centre_of_mass_jacobian",
            [&](Arguments& x) { calc_centre_of_mass_jacobian(m, centre_ws.take(x), q(x), x.matrix("J", 3, nv)); });
  Three<CentroidalWorkspace<double>> centroidal_ws(models);
  table.add("calc_composite_inertia", [&](Arguments& x) { calc_composite_inertia(m, centroidal_ws.take(x), q(x)); });
  table.add("calc_centroidal_map",
            [&](Arguments& x) { calc_centroidal_map(m, centroidal_ws.take(x), q(x), x.matrix("A", 6, nv)); });
  table.add("calc_centroidal_map_rate", [&](Arguments& x) {
    calc_centroidal_map_rate(m, centroidal_ws.take(x), q(x), v(x), x.matrix("A", 6, nv), x.matrix("dA", 6, nv));
  });
  Three<EnergyWorkspace<double>> energy_ws(models);
  table.add("calc_kinetic_energy", [&](Arguments& x) { calc_kinetic_energy(m, energy_ws.take(x), q(x), v(x)); });
  table.add("calc_potential_energy", [&](Arguments& x) { calc_potential_energy(m, energy_ws.take(x), q(x)); });
  Three<MomentumWorkspace<double>> momentum_ws(models);
  table.add("calc_momentum", [&](Arguments& x) { calc_momentum(m, momentum_ws.take(x), q(x), v(x)); });
  table.add("calc_momentum_rate",
            [&](Arguments& x) { calc_momentum_rate(m, momentum_ws.take(x), q(x), v(x), v(x, "a")); });
  table.add("calc_centroidal_momentum",
            [&](Arguments& x) { calc_centroidal_momentum(m, momentum_ws.take(x), q(x), v(x)); });
  table.add("calc_centroidal_momentum_rate",
            [&](Arguments& x) { calc_centroidal_momentum_rate(m, momentum_ws.take(x), q(x), v(x), v(x, "a")); });
  table.add("calc_centroidal_bias", [&](Arguments& x) { calc_centroidal_bias(m, momentum_ws.take(x), q(x), v(x)); });
  EXPECT_EQ(table.run("tree, motion"), "");
}

TEST_F(PublicCalls, OfFloatingBases) {
  const int n = nv - 6;
  Three<FloatingBaseWorkspace<double>> ws(models);
  FloatingCoefficients<double> c(ws.right.base);
  calc_floating_coefficients(m, ws.right, m.neutral(), std::vector<double>(at(nv)), c);
  table.add("floating_aba",
            [&](Arguments& x) { floating_aba(m, ws.take(x), q(x), v(x), v(x, "tau"), v(x, "a"), around(x)); });
  table.add("calc_floating_coefficients", [&](Arguments& x) {
    FloatingCoefficients<double> out(ws.right.base);
    out.C.resize(x.numbers("out.C", n).size());
    calc_floating_coefficients(m, ws.take(x), q(x), v(x), out, around(x));
  });
  table.add("floating_crba", [&](Arguments& x) {
    FloatingCoefficients<double> of = c;
    of.C.resize(x.numbers("the coefficients", n).size());
    floating_crba(m, ws.take(x), of, v(x, "tau"), v(x, "a"));
  });
  table.add("calc_floating_equation",
            [&](Arguments& x) { calc_floating_equation(c, x.matrix("H_fl", n, n), x.numbers("C_fl", n)); });
  table.add("calc_floating_momentum", [&](Arguments& x) { (void)calc_floating_momentum(ws.right.base, c, v(x)); });
  table.add("floating_rnea",
            [&](Arguments& x) { floating_rnea(m, ws.take(x), q(x), v(x), v(x, "a"), v(x, "tau"), around(x)); });
  table.add("calc_floating_jacobian",
            [&](Arguments& x) { calc_floating_jacobian(m, ws.take(x), q(x), place(x), x.matrix("J", 6, n)); });
  EXPECT_EQ(table.run("tree, floating bases"), "");
}

TEST_F(PublicCalls, OfParameters) {
  const int count = static_cast<int>(inertial_parameter_count(m));
  Three<RegressorWorkspace<double>> ws(models);
  table.add("get_inertial_parameters", [&](Arguments& x) { get_inertial_parameters(m, x.numbers("pi", count)); });
  table.add("calc_regressor",
            [&](Arguments& x) { calc_regressor(m, ws.take(x), q(x), v(x), v(x, "a"), x.matrix("Y", nv, count)); });
  table.add("calc_kinetic_energy_regressor",
            [&](Arguments& x) { calc_kinetic_energy_regressor(m, ws.take(x), q(x), v(x), x.numbers("y", count)); });
  table.add("calc_potential_energy_regressor",
            [&](Arguments& x) { calc_potential_energy_regressor(m, ws.take(x), q(x), x.numbers("y", count)); });
  const BaseParameters base = find_base_parameters(m, {.samples = 200});
  table.add("calc_base_parameters",
            [&](Arguments& x) { calc_base_parameters(base, x.numbers("pi", count), x.numbers("beta", base.rank())); });
  EXPECT_EQ(table.run("tree, parameters"), "");
}

TEST_F(PublicCalls, OfFactors) {
  const DofTree chain({-1, 0, 1}, {0, 1, 2}), other({-1, 0, 1}, {0, 2, 1});  // as many entries, other velocities
  const int n = chain.size(), packed = static_cast<int>(chain.packed_size());
  const auto add_all = [&]<class Factor>(Factor) {
    const auto factored = [&](Arguments& x) {
      Factor f(chain);
      f.packed = x.numbers("packed", packed, 1);
      return f;
    };
    table.add("factor", [=](Arguments& x) {
      Factor f = factored(x);
      factor(chain, f);
    });
    table.add("multiply_by_l", [=](Arguments& x) { multiply_by_l(chain, factored(x), x.numbers("x", n)); });
    table.add("multiply_by_l_transpose",
              [=](Arguments& x) { multiply_by_l_transpose(chain, factored(x), x.numbers("x", n)); });
    table.add("solve_l", [=](Arguments& x) { solve_l(chain, factored(x), x.numbers("x", n)); });
    table.add("solve_l_transpose", [=](Arguments& x) { solve_l_transpose(chain, factored(x), x.numbers("x", n)); });
    table.add("multiply", [=](Arguments& x) { multiply(chain, factored(x), x.numbers("x", n)); });
    table.add("solve", [=](Arguments& x) { solve(chain, factored(x), x.numbers("x", n)); });
    table.add("calc_log_determinant", [=](Arguments& x) { (void)calc_log_determinant(chain, factored(x)); });
    table.add("invert_l", [=](Arguments& x) {
      Factor f = factored(x);
      invert_l(chain, f);
    });
    table.add("to_dense_l", [=](Arguments& x) { to_dense_l(chain, factored(x), x.matrix("L", n, n)); });
    Factor foreign(other);
    EXPECT_THROW(factor(chain, foreign), std::invalid_argument) << "of another tree with as many entries";
    EXPECT_THROW(solve(chain, foreign, std::vector<double>(at(n))), std::invalid_argument);
  };
  add_all(LtlFactor<double>(chain));
  add_all(LtdlFactor<double>(chain));
  table.add("multiply_by_packed", [&](Arguments& x) {
    multiply_by_packed<double>(chain, x.numbers("H", packed), x.numbers("x", n), x.numbers("y", n));
  });
  table.add("to_dense", [&](Arguments& x) { to_dense<double>(chain, x.numbers("H", packed), x.matrix("M", n, n)); });
  table.add("from_dense", [&](Arguments& x) {
    const MatrixView<double> M = x.matrix("M", n, n);
    from_dense<double>(chain, {M.data(), M.rows(), M.cols()}, x.numbers("H", packed));
  });
  table.add("to_tree_order", [&](Arguments& x) { to_tree_order<double>(chain, x.numbers("v", n), x.numbers("x", n)); });
  table.add("to_velocity_order",
            [&](Arguments& x) { to_velocity_order<double>(chain, x.numbers("x", n), x.numbers("v", n)); });
  EXPECT_EQ(table.run("tree, factors"), "");
}

TEST_F(PublicCalls, OfPlanarTrees) {
  const PlanarModel plane = planar_rods(3), longer = planar_rods(4);
  const int n = 3;
  // A planar tree has no identity, its links are public: a workspace of as many links fits.
  PlanarWorkspace<double> right(plane), larger(longer);
  const auto numbers = [&](Arguments& x, const char* name) -> std::vector<double>& { return x.numbers(name, n); };
  table.add("planar_rnea", [&](Arguments& x) {
    planar_rnea(plane, right, numbers(x, "q"), numbers(x, "v"), numbers(x, "a"), numbers(x, "tau"));
  });
  table.add("planar_crba", [&](Arguments& x) { planar_crba(plane, right, numbers(x, "q"), x.matrix("M", n, n)); });
  table.add("planar_aba", [&](Arguments& x) {
    planar_aba(plane, right, numbers(x, "q"), numbers(x, "v"), numbers(x, "tau"), numbers(x, "a"));
  });
  EXPECT_EQ(table.run("tree, planar"), "");
  const std::vector<double> zero(3);
  std::vector<double> out(3);
  EXPECT_THROW(planar_rnea(plane, larger, zero, zero, zero, out), std::invalid_argument);
}

// What was moved from is refused too, and a copy of a model is the same model.
TEST_F(PublicCalls, MovedAndCopied) {
  AbaWorkspace<double> ws(m);
  const AbaWorkspace<double> taken = std::move(ws);
  const std::vector<double> zero(at(nv));
  std::vector<double> a(at(nv));
  EXPECT_THROW(aba(m, ws, m.neutral(), zero, zero, a), std::invalid_argument);
  const Model copy = m;
  AbaWorkspace<double> of_copy(copy);
  EXPECT_NO_THROW(aba(m, of_copy, m.neutral(), zero, zero, a));
  const Model heavier = with_armature(m, std::vector<double>(at(nv)));
  EXPECT_NO_THROW(aba(heavier, of_copy, m.neutral(), zero, zero, a));
}

}  // namespace
}  // namespace sinew::test
