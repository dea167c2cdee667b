// tests/io/mjcf_write_test.cpp - what is written reads back as the same model; what cannot be written is refused
#include "sinew/io/mjcf_write.hpp"

#include <cmath>

#include "io/mjcf_models.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

using namespace sinew::test;

const std::string kModel = mjcf_text(
    "<geom name='floor' type='plane' size='1 2 .1'/><geom type='hfield' hfield='h'/><site name='o'/>"
    "<body name='a &amp; b' pos='1 2 3' euler='.1 .2 .3'><joint name='x' ref='.5' range='-1 2' damping='.1' "
    "armature='.2' "
    "frictionloss='.3' stiffness='4' springref='.6' actuatorfrcrange='-7 7' pos='.1 .2 .3' axis='1 2 3'/>"
    "<joint name='y' type='slide' axis='0 1 1' ref='-.2' pos='.3 0 0'/><geom name='g' type='mesh' mesh='m' "
    "contype='2'/>"
    "<body name='c' pos='.3 0 0'><joint name='b' type='ball' pos='.1 0 0' range='0 1'/><geom type='capsule' size='.1' "
    "fromto='0 0 0 1 1 1'/>"
    "<inertial pos='.1 .2 .3' mass='2' fullinertia='1 2 2.5 .1 .2 .3'/></body></body>"
    "<body name='f' pos='4 5 6' euler='1 0 0'><freejoint name='free'/><geom name='s' size='.2'/><site name='p' pos='0 "
    "0 1'/></body>",
    "<compiler angle='radian'/><option gravity='0 1 -9' timestep='.01'/><asset><mesh name='m' " + std::string(kPrism) +
        "/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 .5 .25'/></asset>",
    "<contact><exclude body1='world' body2='f'/><pair geom1='floor' geom2='s' friction='.3 .3 .2'/></contact>"
    "<equality><connect name='k' body1='c' body2='f' anchor='.1 .2 .3'/><weld name='w' body1='f' relpose='1 2 3 1 1 0 "
    "0' anchor='4 5 6'/>"
    "<connect name='apart' site1='o' site2='p'/><joint name='q' joint1='x' joint2='y' polycoef='.1 .2 .3 .4 "
    ".5'/></equality>"
    "<actuator><position name='servo' joint='x' kp='3' kv='1' ctrlrange='-1 1'/></actuator>"
    "<keyframe><key name='start' time='2' qpos='1 2 1 0 0 0 3 4 5 0 1 0 0' qvel='1 2 3 4 5 6 7 8 9 10 11' "
    "ctrl='1'/></keyframe>");

TEST(MjcfWrite, ReadsBackAsTheSameModel) {
  const ModelSpec first = spec_of(kModel);
  const auto text = to_mjcf(first);
  ASSERT_TRUE(accepted(text));
  const ModelSpec second = spec_of(*text);
  EXPECT_EQ(second.gravity, first.gravity);
  EXPECT_EQ(second.timestep, first.timestep);
  ASSERT_EQ(second.bodies.size(), first.bodies.size());
  for (std::size_t i = 0; i < first.bodies.size(); ++i) {
    EXPECT_EQ(second.bodies[i].name, first.bodies[i].name);
    EXPECT_EQ(second.bodies[i].mass, first.bodies[i].mass);  // the same bits
    EXPECT_EQ(second.bodies[i].com, first.bodies[i].com);
    EXPECT_NEAR(second.bodies[i].inertia.xy, first.bodies[i].inertia.xy, 1e-15);
  }
  const std::vector<double> q{.7, -.4, .5, .5, .5, .5, 0, 1, 0, 0, 3, 4, 5};
  for (const BodySpec& b : first.bodies)
    EXPECT_TRUE(test::is_small(distance(pose_at(second, b.name, q), pose_at(first, b.name, q)), 1e-14)) << b.name;

  const DofSpec &d = first.joints[0].parts[0].dofs[0], &e = second.joints[0].parts[0].dofs[0];
  EXPECT_EQ(e.lower, d.lower);
  EXPECT_EQ(e.damping, d.damping);
  EXPECT_EQ(e.armature, d.armature);
  EXPECT_EQ(e.friction, d.friction);
  EXPECT_EQ(e.stiffness, d.stiffness);
  EXPECT_EQ(e.rest, d.rest);
  EXPECT_EQ(e.max_effort, d.max_effort);
  EXPECT_EQ(second.joints[1].dofs[0].upper, 1);
  ASSERT_EQ(second.shapes.size(), first.shapes.size());
  for (std::size_t i = 0; i < first.shapes.size(); ++i) {
    EXPECT_EQ(second.shapes[i].name, first.shapes[i].name);
    EXPECT_EQ(second.shapes[i].size, first.shapes[i].size);
    EXPECT_EQ(second.shapes[i].contact_type, first.shapes[i].contact_type);
    EXPECT_TRUE(test::is_small(distance(second.shapes[i].pose, first.shapes[i].pose), 1e-15));
  }
  EXPECT_EQ(second.meshes[0].triangles, first.meshes[0].triangles);
  EXPECT_EQ(second.heightfields[0].elevation, first.heightfields[0].elevation);
  ASSERT_EQ(second.loops.size(), first.loops.size());
  for (std::size_t i = 0; i < first.loops.size(); ++i) {
    EXPECT_EQ(second.loops[i].body_a, first.loops[i].body_a);
    EXPECT_TRUE(test::is_small(distance(second.loops[i].pose_a.r, first.loops[i].pose_a.r), 1e-14));
    EXPECT_TRUE(test::is_small(distance(second.loops[i].pose_b.r, first.loops[i].pose_b.r), 1e-14));
  }
  EXPECT_EQ(second.couplings[0].offset, first.couplings[0].offset);
  EXPECT_EQ(second.couplings[0].terms[0].coefficients, first.couplings[0].terms[0].coefficients);
  EXPECT_EQ(second.actuators[0].bias, first.actuators[0].bias);
  EXPECT_EQ(second.pairs[0].torsional_friction, .2);
  EXPECT_EQ(second.exclusions[0].body_a, "world");
  EXPECT_EQ(second.keyframes[0].q, first.keyframes[0].q);
  EXPECT_EQ(second.keyframes[0].v, first.keyframes[0].v);
}

// A chain whose joint frames are turned against the bodies on both sides.
ModelSpec turned_chain(JointSpec joint) {
  ModelSpec s;
  s.bodies = {{"a", 1, {.1, .2, .3}, Sym3<double>::diagonal(1, 1, 1), {}},
              {"b", 1, {}, Sym3<double>::diagonal(1, 1, 1), {}}};
  JointSpec first;
  first.name = "first", first.parent = "world", first.child = "a";
  joint.name = "second", joint.parent = "a", joint.child = "b";
  joint.placement = make_pose(Vec3<double>{1, 2, 3}, normalized(Quaternion<double>{1, 2, 3, 4}));
  joint.child_placement = make_pose(Vec3<double>{.3, .2, .1}, normalized(Quaternion<double>{4, -3, 2, 1}));
  s.joints = {first, joint};
  return s;
}

TEST(MjcfWrite, JointFramesMayStandAnyhow) {
  JointSpec revolute, universal, cylindrical, composite;
  revolute.axis = {0, .6, .8}, revolute.neutral = {.4};
  universal.kind = JointKind::universal, universal.axis = {1, 0, 0}, universal.axis2 = {0, 1, 0};
  cylindrical.kind = JointKind::cylindrical, cylindrical.axis = {0, 0, 1}, cylindrical.neutral = {.3, .2};
  composite.kind = JointKind::composite;
  composite.parts = {revolute, cylindrical};
  composite.parts[0].name = "p0", composite.parts[1].name = "p1";
  composite.parts[1].placement = make_pose(Vec3<double>{.5, 0, 0}, normalized(Quaternion<double>{1, 1, 0, 0}));
  for (const JointSpec& j : {revolute, universal, cylindrical, composite}) {
    const ModelSpec s = turned_chain(j);
    const auto text = to_mjcf(s);
    ASSERT_TRUE(accepted(text));
    const std::size_t n = j.kind == JointKind::revolute ? 1 : j.kind == JointKind::composite ? 3 : 2;
    std::vector<double> q{.1, .7, -.8, .9};
    q.resize(1 + n);
    EXPECT_TRUE(test::is_small(distance(pose_at(spec_of(*text), "b", q), pose_at(s, "b", q)), 1e-14))
        << to_string(j.kind);
  }
}

TEST(MjcfWrite, WhatMjcfCannotSayIsRefused) {
  for (const JointKind k :
       {JointKind::helical, JointKind::planar, JointKind::rack_and_pinion, JointKind::spherical, JointKind::free}) {
    JointSpec j;
    j.kind = k, j.pitch = 1, j.radius = 1;
    EXPECT_TRUE(refused(to_mjcf(turned_chain(j)), Code::unsupported_element, 0, "second")) << to_string(k);
  }
  JointSpec fast;
  fast.dofs.resize(1);
  fast.dofs[0].max_velocity = 3;
  EXPECT_TRUE(refused(to_mjcf(turned_chain(fast)), Code::unsupported_element, 0, "velocity"));
  EXPECT_TRUE(warned(to_mjcf(turned_chain(fast), {.lossy = true}), Code::unsupported_element, 0, "velocity"));
  ModelSpec s = turned_chain({});
  LoopSpec loop;
  loop.name = "l", loop.kind = JointKind::revolute, loop.body_a = "a", loop.body_b = "b";
  s.loops.push_back(loop);
  EXPECT_TRUE(refused(to_mjcf(s), Code::unsupported_element, 0, "loop 'l'"));
  s = turned_chain({});
  std::swap(s.joints[0], s.joints[1]);
  EXPECT_TRUE(refused(to_mjcf(s), Code::unsupported_element, 0, "depth-first"));
  s = turned_chain({});
  s.couplings.push_back({"c", "first", {{"second", {1}, 0}, {"second", {1}, 0}}, 0, true, {}});
  EXPECT_TRUE(refused(to_mjcf(s), Code::unsupported_element, 0, "polynomial"));
}

TEST(MjcfWrite, PolynomialsMoveToMjcfsReference) {
  ModelSpec s = turned_chain({});
  s.joints[1].neutral = {.5};
  s.couplings.push_back({"c", "first", {{"second", {2, 3, -1}, .2}}, .7, true, {}});
  const CouplingSpec c = spec_of(*to_mjcf(s)).couplings.at(0);
  const auto value = [](const CouplingSpec& x, double q) {
    double sum = x.offset, power = 1;
    for (const double k : x.terms[0].coefficients) sum += k * (power *= q - x.terms[0].reference);
    return sum;
  };
  for (const double q : {-1.0, 0.0, .4, 2.0}) EXPECT_NEAR(value(c, q), value(s.couplings[0], q), 1e-13);
}

}  // namespace
}  // namespace sinew
