// tests/generate/trace_test.cpp - the record of an algorithm does what the algorithm does
#include "sinew/generate/trace.hpp"

#include <gtest/gtest.h>

#include "generate/traced_model.hpp"
#include "sinew/generate/schedule.hpp"
#include "sinew/generate/simplify.hpp"
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using generate::Graph;

// Of M^-1 and accelerations, whose errors grow with the condition of M.
double allowed_for(const std::string& algorithm) {
  if (algorithm == "daba") return 1e6;  // M^-1 twice
  return algorithm == "aba" || algorithm == "mass_inverse" ? 3e4 : 300;
}

void expect_the_same(const Model& m, std::uint64_t seed) {
  for (const std::string& name : generate::algorithm_names()) {
    SCOPED_TRACE(name);
    if (name[0] == 'd' && seed % 4 == 2) continue;  // derivatives take long
    if (!can_be_traced(m, name)) {
      EXPECT_THROW(generate::trace(m, name), TraceError);
      EXPECT_THROW(generate::trace_for_code(m, name), TraceError);
      continue;
    }
    const Graph recorded = generate::trace(m, name), simple = generate::simplify(recorded);
    const Graph scheduled = generate::schedule(simple);
    Random rng(seed);
    const std::vector<double> in = generate::random_inputs(m, recorded, rng);
    const std::vector<double> want = generate::run_library(m, name, in);
    EXPECT_TRUE(near(evaluate(recorded, in), want, allowed_for(name)));
    EXPECT_TRUE(near(evaluate(simple, in), want, allowed_for(name)));
    const Graph code = generate::simplify(generate::trace_for_code(m, name));
    EXPECT_TRUE(near(evaluate(code, in), want, allowed_for(name)));
    EXPECT_EQ(evaluate(scheduled, in), evaluate(simple, in));  // the same operations, in another order
    EXPECT_LE(count_live_values(scheduled), count_live_values(simple));
    EXPECT_LE(calc_cost(simple), calc_cost(generate::simplify(recorded, generate::Rules::book)));
  }
}

TEST(Trace, DoesWhatTheLibraryDoesOnRandomTrees) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_the_same(compile(traceable_tree(seed, 1 + static_cast<int>(seed % 9))).value(), seed);
  }
}

TEST(Trace, DoesWhatTheLibraryDoesOnMechanisms) {
  expect_the_same(compile(mechanisms::gu(6)).value(), 1);
  expect_the_same(compile(mechanisms::humanoid()).value(), 2);
  expect_the_same(compile(mechanisms::binary_tree(3)).value(), 3);
}

TEST(Trace, TakesAModelWithoutFreedoms) {
  ModelBuilder b("stone");
  b.body("stone").mass(1, {}, Sym3<double>::diagonal(1, 1, 1));
  b.fixed("weld", "world", "stone");
  const Model m = b.build().value();
  EXPECT_TRUE(generate::trace(m, "rnea").results.empty());
  EXPECT_EQ(generate::trace(m, "fk").results.size(), 12u);
}

TEST(Trace, RefusesNamesAndFunctionsOfTime) {
  const Model m = compile(mechanisms::gu(3)).value();
  try {
    generate::trace(m, "rnae");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'rnea'?"), std::string::npos) << e.what();
  }
  ModelSpec spec = mechanisms::gu(3);
  spec.joints[1].kind = JointKind::prescribed;
  spec.joints[1].law = [](double t) { return MotionSample{t, 1, 0}; };
  try {
    generate::trace(compile(spec).value(), "aba");
    FAIL();
  } catch (const TraceError& e) {
    EXPECT_NE(std::string(e.what()).find("'" + spec.joints[1].name + "'"), std::string::npos) << e.what();
  }
}

// A joint of a user that asks whether its angle is positive.
struct BranchingJoint : EuclideanJoint<1> {
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    const T o = lit<T>(0);
    out.X = {rotation_z(q[0]), {o, o, o}};
    if (any(q[0] < o)) out.X.r.z = lit<T>(1);
    out.S[0] = {{o, o, lit<T>(1)}, {o, o, o}};
    out.v = v[0] * out.S[0];
    out.c = {};
  }
};

TEST(Trace, NamesTheLineWhereAUsersJointBranches) {
  ModelBuilder b("branch");
  b.body("link").mass(1, {0.1, 0, 0}, Sym3<double>::diagonal(1, 1, 1));
  b.user("joint", "world", "link", make_user_joint(BranchingJoint{}));
  try {
    generate::trace(b.build().value(), "rnea");
    FAIL();
  } catch (const TraceError& e) {
    EXPECT_NE(std::string(e.what()).find("trace_test.cpp:"), std::string::npos) << e.what();
  }
}

TEST(Trace, ChecksSizes) {
  const Model m = compile(mechanisms::gu(3)).value();
  const std::vector<double> few(4);
  EXPECT_THROW(generate::run_library(m, "rnea", few), std::invalid_argument);
  EXPECT_THROW(evaluate(generate::trace(m, "rnea"), few), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
