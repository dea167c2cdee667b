// tests/operators/public_calls_test.cpp - every public call of operators/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/flexible_sko.hpp"
#include "sinew/operators/mass_solve.hpp"
#include "sinew/operators/refinement.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/operators/transformation.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew::test {
namespace {

class OperatorCalls : public ::testing::Test {
 protected:
  OperatorCalls() {
    for (sko::RigidSko* x : {&r, &twin, &larger}) {
      const std::vector<double> v(at(x->model().nv()), 0.0);
      x->update(x->model().neutral(), v);
    }
  }
  const ThreeModels models{mechanisms::chain(4), mechanisms::chain(6)};
  const Model& m = models.right;
  const int nv = m.nv();
  sko::RigidSko r{models.right}, twin{models.twin}, larger{models.larger};
  sko::SkoDynamics<double> ws{r.sko}, twin_ws{twin.sko}, larger_ws{larger.sko};
  CallTable table;

  sko::SkoDynamics<double>& take(Arguments& x) { return x.choose("the workspace", ws, twin_ws, larger_ws); }
  std::vector<double>& v(Arguments& x, const char* name) const { return x.numbers(name, nv); }
};

TEST_F(OperatorCalls, Refuse) {
  table.add("inverse_dynamics", [this](Arguments& x) {
    sko::inverse_dynamics<double>(r.sko, take(x), v(x, "the accelerations"), v(x, "the forces"));
  });
  table.add("forward_dynamics", [this](Arguments& x) {
    sko::forward_dynamics<double>(r.sko, take(x), v(x, "the forces"), v(x, "the accelerations"));
  });
  table.add("calc_mass_matrix",
            [this](Arguments& x) { sko::calc_mass_matrix<double>(r.sko, take(x), x.matrix("mass", nv, nv)); });
  solve_riccati(r.sko, ws.riccati);
  calc_propagators(r.sko, ws.riccati);
  table.add("solve_mass",
            [this](Arguments& x) { sko::solve_mass(r.sko, take(x), v(x, "the forces"), v(x, "the accelerations")); });
  table.add("calc_compliance", [this](Arguments& x) {
    std::vector<sko::PickOff> points(1);
    points[0].node = x.index("node", 1, at(r.sko.shape().nodes()));
    points[0].columns = 2;
    points[0].block = x.numbers("a block of B", 12);
    sko::calc_compliance(r.sko, take(x), points, x.matrix("Lambda", 2, 2));
  });
  table.add("RigidSko::update", [this](Arguments& x) { r.update(x.numbers("q", m.neutral()), v(x, "v"), {}); });
  table.add("RigidSko::stack", [this](Arguments& x) { r.stack(v(x, "the vector")); });
  table.add("RigidSko::unstack", [this](Arguments& x) { r.unstack(v(x, "the vector")); });

  sko::SkoModel<double> free_blocks = r.sko;
  const int nodes = free_blocks.shape().nodes();
  table.add("SkoModel::set_weight", [&](Arguments& x) {
    const int node = x.index("node", 1, at(nodes));
    const MatrixView<double> b = x.matrix("A", 6, 6);
    free_blocks.set_weight(node, {b.data(), b.rows(), b.cols()});
  });
  table.add("SkoModel::set_hinge", [&](Arguments& x) {
    const int node = x.index("node", 1, at(nodes));
    const MatrixView<double> b = x.matrix("H", 1, 6);
    free_blocks.set_hinge(node, {b.data(), b.rows(), b.cols()});
  });
  table.add("SkoModel::set_inertia", [&](Arguments& x) {
    const int node = x.index("node", 1, at(nodes));
    const MatrixView<double> b = x.matrix("M", 6, 6);
    free_blocks.set_inertia(node, {b.data(), b.rows(), b.cols()});
  });
  table.add("SkoModel::set_bias", [&](Arguments& x) {
    free_blocks.set_bias(x.index("node", 1, at(nodes)), x.numbers("the bias acceleration", 6),
                         x.numbers("the bias force", 6));
  });
  table.add("SkoModel::A", [&](Arguments& x) { (void)free_blocks.A(x.index("node", 1, at(nodes))); });
  table.add("SkoModel::H", [&](Arguments& x) { (void)free_blocks.H(x.index("node", 1, at(nodes))); });
  table.add("SkoModel::M", [&](Arguments& x) { (void)free_blocks.M(x.index("node", 1, at(nodes))); });
  table.add("SkoModel::a", [&](Arguments& x) { (void)free_blocks.a(x.index("node", 1, at(nodes))); });
  table.add("SkoModel::b", [&](Arguments& x) { (void)free_blocks.b(x.index("node", 1, at(nodes))); });
  const sko::Shape& shape = r.sko.shape();
  table.add("Shape::related",
            [&](Arguments& x) { (void)shape.related(x.index("node", 1, at(nodes)), x.index("node", 2, at(nodes))); });
  table.add("Shape::common_ancestor", [&](Arguments& x) {
    (void)shape.common_ancestor(x.index("node", 1, at(nodes)), x.index("node", 2, at(nodes)));
  });
  const sko::Blocks<double>&A = r.sko.A(), &R = ws.riccati.P;
  table.add("calc_forward_block", [&](Arguments& x) {
    sko::calc_forward_block(shape, A, A, R, x.index("node", 1, at(nodes)), x.index("node", 2, at(nodes)));
  });
  table.add("calc_backward_block", [&](Arguments& x) {
    sko::calc_backward_block(shape, A, A, R, x.index("node", 1, at(nodes)), x.index("node", 2, at(nodes)));
  });
  const sko::FlexibleModel flexible(m, {});
  sko::FlexibleSko bends(flexible);
  table.add("FlexibleModel::part_of",
            [&](Arguments& x) { (void)flexible.part_of(x.index("body", 1, m.bodies().size())); });
  table.add("FlexibleSko::update", [&](Arguments& x) { bends.update(x.numbers("q", m.neutral()), v(x, "v"), {}); });
  table.add("FlexibleSko::set_armature", [&](Arguments& x) { bends.set_armature(x.index("v", 0, at(nv)), 0.1); });
  table.add("FlexibleSko::stack", [&](Arguments& x) { bends.stack(v(x, "the vector")); });
  table.add("FlexibleSko::unstack", [&](Arguments& x) { bends.unstack(v(x, "the vector")); });
  table.add("FlexibleSko::calc_jacobian", [&](Arguments& x) {
    bends.calc_jacobian({x.index("part", 1, at(nodes)), -1, {}}, x.matrix("J", 6, nv));
  });
  table.add("FlexibleSko::add_force", [&](Arguments& x) {
    bends.add_force({x.index("part", 1, at(nodes)), -1, {}}, {}, v(x, "the forces"));
  });
  table.add("FlexibleSko::add_joint_force",
            [&](Arguments& x) { bends.add_joint_force(x.index("part", 1, at(nodes)), {}, v(x, "the forces")); });
  const sko::OperatorAlgebra<double> o(r.sko);
  sko::Application<double> mass(o, o.mass());
  table.add("Application::apply", [&](Arguments& x) { mass.apply(v(x, "the argument"), v(x, "the result")); });
  sko::TaskPoints<double> points(r.sko, {make_pick_off(r, m.bodies()[1]), make_pick_off(r, m.bodies()[2])});
  table.add("TaskPoints::node", [&](Arguments& x) { (void)points.node(x.index("point", 1, 2)); });
  table.add("TaskPoints::set_block",
            [&](Arguments& x) { points.set_block(x.index("point", 1, 2), x.numbers("the block", 36)); });
  table.add("make_pick_off", [&](Arguments& x) {
    Place place = m.bodies()[1];
    place.node = x.index("node", 1, at(nodes)) + 1;
    (void)make_pick_off(r, place);
  });
  sko::Aggregation<double> all(r.sko, {{"all", {0, 1, 2, 3}}});
  table.add("Aggregation::holder", [&](Arguments& x) { (void)all.holder(x.index("node", 1, at(nodes))); });
  const std::vector<double> W = {0, 0, 1, 0, 0, 0}, inertia = {0.01};
  const sko::Refinement<double> parts(r.sko,
                                      {.hinges = {}, .parts = {{0, "a", W, inertia, {}}, {1, "b", W, inertia, {}}}});
  table.add("Refinement::part_node", [&](Arguments& x) { (void)parts.part_node(x.index("part", 1, 2)); });
  sko::Transformation t(r.sko);
  table.add("Transformation::set_velocity_map", [&](Arguments& x) {
    const int node = x.index("node", 1, at(nodes));
    const MatrixView<double> b = x.matrix("T", 6, 6), rate = x.matrix("the rate of T", 6, 6);
    for (std::size_t i = 0; i < std::min(b.rows(), b.cols()); ++i) b(i, i) += 5;
    t.set_velocity_map(node, {b.data(), b.rows(), b.cols()}, {rate.data(), rate.rows(), rate.cols()});
  });
  table.add("Transformation::set_hinge_map", [&](Arguments& x) {
    const int node = x.index("node", 1, at(nodes));
    const MatrixView<double> b = x.matrix("N", 1, 1), rate = x.matrix("the rate of N", 1, 1);
    for (std::size_t i = 0; i < std::min(b.rows(), b.cols()); ++i) b(i, i) += 5;
    t.set_hinge_map(node, {b.data(), b.rows(), b.cols()}, {rate.data(), rate.rows(), rate.cols()});
  });
  table.add("Transformation::update", [&](Arguments& x) { t.update(v(x, "the hinge velocities")); });
  sko::Transformation of_twin(twin.sko), of_larger(larger.sko);
  table.add("set_inertial_axes", [&](Arguments& x) {
    sko::set_inertial_axes(x.choose("the transformation", t, of_twin, of_larger), r, x.numbers("q", m.neutral()),
                           v(x, "the vector"));
  });
  EXPECT_EQ(table.run("operators"), "");
}

}  // namespace
}  // namespace sinew::test
