// tests/model/validate_test.cpp - every law that compile() enforces, each broken once
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sinew/model/builder.hpp"

namespace sinew::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Two links on revolute joints, a frame, a shape, a loop and a coupling: nothing to complain about.
ModelSpec good() {
  ModelBuilder b("good");
  b.body("a").mass(solid_box(1, {0.1, 0.1, 0.1})).box({0.1, 0.1, 0.1}).frame("tip");
  b.body("b").mass(solid_box(1, {0.1, 0.1, 0.1}), make_placement({0.2, 0, 0}));
  b.revolute("j", "world", "a").limits(-1, 1).damping(0.1);
  b.revolute("k", "a", "b");
  b.gear("mimic", "k", "j", 2);
  LoopSpec loop;
  loop.name = "ring";
  loop.kind = JointKind::spherical;
  loop.body_a = "world";
  loop.body_b = "b";
  b.loop(loop);
  return b.spec();
}

struct Law {
  const char* name;
  Code code;
  Severity severity;
  std::string element;
  std::function<void(ModelSpec&)> break_it;
};

std::vector<Law> laws() {
  const Severity E = Severity::error, W = Severity::warning;
  return {
      {"negative mass", Code::negative_mass, E, "body 'a'", [](ModelSpec& s) { s.bodies[0].mass = -1; }},
      {"nan mass", Code::not_finite, E, "body 'a'", [](ModelSpec& s) { s.bodies[0].mass = kNan; }},
      {"nan inertia", Code::not_finite, E, "body 'b'", [](ModelSpec& s) { s.bodies[1].inertia.xy = kNan; }},
      {"indefinite inertia", Code::inertia_not_positive, W, "body 'a'",
       [](ModelSpec& s) { s.bodies[0].inertia.xy = 9; }},
      {"inertia that turns a joint backwards", Code::negative_joint_inertia, E, "joint 'j'",
       [](ModelSpec& s) { s.bodies[0].inertia.zz = -9; }},
      {"triangle inequality", Code::inertia_triangle, W, "body 'a'",
       [](ModelSpec& s) { s.bodies[0].inertia = Sym3<double>::diagonal(1, 1, 3); }},
      {"inertia without mass", Code::massless_inertia, W, "body 'a'", [](ModelSpec& s) { s.bodies[0].mass = 0; }},
      {"coordinate that moves nothing", Code::massless_tip, W, "joint 'k'",
       [](ModelSpec& s) { s.bodies[1].mass = 0, s.bodies[1].inertia = {}; }},
      {"long axis", Code::axis_not_unit, W, "joint 'j'",
       [](ModelSpec& s) {
         s.joints[0].axis = {0, 0, 2};
       }},
      {"zero axis", Code::bad_joint_parameter, E, "joint 'j'", [](ModelSpec& s) { s.joints[0].axis = {}; }},
      {"nan axis", Code::bad_joint_parameter, E, "joint 'j'", [](ModelSpec& s) { s.joints[0].axis.x = kNan; }},
      {"scaled rotation", Code::rotation_not_orthonormal, E, "joint 'j'",
       [](ModelSpec& s) { s.joints[0].placement.E.m.xx = 1.1; }},
      {"mirrored frame", Code::rotation_not_orthonormal, E, "frame 'tip'",
       [](ModelSpec& s) { s.frames[0].pose.E.m.zz = -1; }},
      {"nan placement", Code::not_finite, E, "joint 'k'", [](ModelSpec& s) { s.joints[1].placement.r.x = kNan; }},
      {"crossed limits", Code::empty_limit_range, E, "joint 'j'", [](ModelSpec& s) { s.joints[0].dofs[0].lower = 2; }},
      {"nan limit", Code::not_finite, E, "joint 'j'", [](ModelSpec& s) { s.joints[0].dofs[0].lower = kNan; }},
      {"negative damping", Code::negative_coefficient, E, "joint 'j'",
       [](ModelSpec& s) { s.joints[0].dofs[0].damping = -1; }},
      {"too many dofs", Code::wrong_coordinate_count, E, "joint 'k'", [](ModelSpec& s) { s.joints[1].dofs.resize(2); }},
      {"short neutral", Code::wrong_coordinate_count, E, "joint 'k'",
       [](ModelSpec& s) {
         s.joints[1].neutral = {1, 2};
       }},
      {"body twice", Code::duplicate_name, E, "body 'a'", [](ModelSpec& s) { s.bodies[1].name = "a"; }},
      {"joint twice", Code::duplicate_name, E, "joint 'j'", [](ModelSpec& s) { s.joints[1].name = "j"; }},
      {"body called world", Code::duplicate_name, E, "body 'world'", [](ModelSpec& s) { s.bodies[1].name = "world"; }},
      {"nameless body", Code::empty_name, E, "body", [](ModelSpec& s) { s.bodies[1].name = ""; }},
      {"unknown parent", Code::unknown_name, E, "joint 'k'", [](ModelSpec& s) { s.joints[1].parent = "ghost"; }},
      {"unknown frame body", Code::unknown_name, E, "frame 'tip'", [](ModelSpec& s) { s.frames[0].body = "ghost"; }},
      {"unknown loop body", Code::unknown_name, E, "loop 'ring'", [](ModelSpec& s) { s.loops[0].body_a = "ghost"; }},
      {"unknown coupled joint", Code::unknown_name, E, "coupling 'mimic'",
       [](ModelSpec& s) { s.couplings[0].terms[0].joint = "ghost"; }},
      {"coupled to itself", Code::bad_joint_parameter, E, "coupling 'mimic'",
       [](ModelSpec& s) { s.couplings[0].terms[0].joint = "k"; }},
      {"coupled ball", Code::wrong_coordinate_count, E, "coupling 'mimic'",
       [](ModelSpec& s) { s.joints[1].kind = JointKind::spherical; }},
      {"self joint", Code::self_joint, E, "joint 'k'", [](ModelSpec& s) { s.joints[1].parent = "b"; }},
      {"loop on one body", Code::self_joint, E, "loop 'ring'", [](ModelSpec& s) { s.loops[0].body_a = "b"; }},
      {"two parents", Code::several_parents, E, "body 'b'",
       [](ModelSpec& s) {
         JointSpec extra = s.joints[1];
         extra.name = "extra";
         extra.parent = "world";
         s.joints.push_back(extra);
       }},
      {"no joint to the world", Code::several_roots, E, "body 'b'",
       [](ModelSpec& s) { s.joints.pop_back(), s.couplings.clear(); }},
      {"world as child", Code::cycle, E, "joint 'j'",
       [](ModelSpec& s) { std::swap(s.joints[0].parent, s.joints[0].child); }},
      {"flat box", Code::bad_shape_size, E, "box on body 'a'", [](ModelSpec& s) { s.shapes[0].size[1] = 0; }},
      {"unknown mesh", Code::unknown_name, E, "mesh on body 'a'",
       [](ModelSpec& s) { s.shapes[0].kind = ShapeKind::mesh; }},
      {"keyframe too short", Code::wrong_coordinate_count, E, "keyframe 'home'",
       [](ModelSpec& s) {
         s.keyframes.push_back({"home", 0, {1}, {}, {}, {}});
       }},
      {"actuator on nothing", Code::unknown_name, E, "actuator 'm'",
       [](ModelSpec& s) { s.actuators.push_back({.name = "m", .kind = "motor", .target = "ghost"}); }},
      {"nan gravity", Code::not_finite, E, "gravity", [](ModelSpec& s) { s.gravity.z = kNan; }},
      {"no bodies", Code::no_bodies, W, "model 'good'", [](ModelSpec& s) { s = ModelSpec{.name = "good"}; }},
      {"empty composite", Code::bad_joint_parameter, E, "joint 'j'",
       [](ModelSpec& s) { s.joints[0].kind = JointKind::composite, s.joints[0].dofs.clear(), s.couplings.clear(); }},
      {"prescribed without law", Code::bad_joint_parameter, E, "joint 'j'",
       [](ModelSpec& s) { s.joints[0].kind = JointKind::prescribed, s.joints[0].dofs.clear(), s.couplings.clear(); }},
      {"user joint without user", Code::bad_joint_parameter, E, "joint 'j'",
       [](ModelSpec& s) { s.joints[0].kind = JointKind::user, s.joints[0].dofs.clear(), s.couplings.clear(); }},
      {"slanted universal", Code::bad_joint_parameter, E, "joint 'k'",
       [](ModelSpec& s) {
         s.joints[1].kind = JointKind::universal, s.joints[1].axis2 = {0, 0, 1}, s.couplings.clear();
       }},
  };
}

TEST(Validate, GoodModelHasNothingToSay) {
  const Result<Model> r = compile(good());
  for (const Diagnostic& d : r.diagnostics()) ADD_FAILURE() << to_string(d);
  EXPECT_TRUE(r);
}

TEST(Validate, EachBrokenLawIsNamedWithItsElementAndRepair) {
  for (const Law& law : laws()) {
    ModelSpec spec = good();
    law.break_it(spec);
    const Result<Model> r = compile(spec);
    const Diagnostic* found = nullptr;
    for (const Diagnostic& d : r.diagnostics())
      if (d.code == law.code && d.element == law.element) found = &d;
    if (!found) {
      ADD_FAILURE() << law.name << " was not reported on " << law.element;
      for (const Diagnostic& d : r.diagnostics()) ADD_FAILURE() << "  instead: " << to_string(d);
      continue;
    }
    EXPECT_EQ(found->severity, law.severity) << law.name;
    EXPECT_EQ(r.ok(), law.severity != Severity::error) << law.name;
    EXPECT_FALSE(found->message.empty()) << law.name;
    EXPECT_FALSE(found->repair.empty()) << law.name;
  }
}

TEST(Validate, StrictMakesWarningsErrors) {
  ModelSpec spec = good();
  spec.bodies[0].inertia = Sym3<double>::diagonal(1, 1, 3);
  EXPECT_TRUE(compile(spec));
  EXPECT_FALSE(compile(spec, {.strict = true}));
}

TEST(Validate, CyclesAreNamedAlongTheirPath) {
  ModelSpec spec = good();
  spec.joints[0].parent = "b";  // a hangs on b, b on a
  const Result<Model> r = compile(spec);
  ASSERT_FALSE(r);
  ASSERT_EQ(r.diagnostics().list().size(), 1U);
  const Diagnostic& d = r.diagnostics().list()[0];
  EXPECT_EQ(d.code, Code::cycle);
  EXPECT_NE(d.message.find("'a' <- 'b' <- 'a'"), std::string::npos) << d.message;
}

TEST(Validate, ValueOfAFailedResultThrowsTheFirstError) {
  ModelSpec spec = good();
  spec.bodies[0].mass = -1;
  try {
    (void)compile(spec).value();
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "error S202: body 'a': mass is -1 kg (make it positive, or 0 for a massless link)");
  }
}

TEST(Codes, EveryCodeHasALawAndAName) {
  int last = 0;
  for (const CodeEntry& c : all_codes()) {
    EXPECT_FALSE(c.law.empty());
    EXPECT_FALSE(c.name.empty());
    EXPECT_GT(static_cast<int>(c.code), last) << "in order of number";
    last = static_cast<int>(c.code);
    EXPECT_EQ(&describe(c.code), &c);
  }
  EXPECT_THROW(describe(static_cast<Code>(999)), std::out_of_range);
}

}  // namespace
}  // namespace sinew::test
