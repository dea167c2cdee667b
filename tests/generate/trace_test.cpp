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
  if (algorithm == "daba") return 1e6;                                               // M^-1 twice
  if (algorithm.starts_with("delassus") || algorithm == "mass_inverse") return 2e5;  // M is formed and factored
  return algorithm == "aba" || algorithm == "step" ? 3e4 : 300;
}

void expect_the_same(const Model& m, std::uint64_t seed) {
  for (const std::string& algorithm : generate::algorithm_names()) {
    const std::string name = ask_for(m, algorithm);
    if (name.empty()) continue;
    if (name == "step" && m.nv() == 0) continue;  // there is nothing that a Simulation could move
    SCOPED_TRACE(name);
    if ((name == "drnea" || name == "daba") && seed % 4 == 2) continue;  // derivatives take long
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
    for (const Graph& formula : generate::trace_for_code(m, name))
      EXPECT_TRUE(near(evaluate(generate::simplify(formula), in), want, allowed_for(name)));
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

// A slider of mass m carries a pendulum with a point of mass m at length l: W of the point and of the slider, along
// the axes of the world, in closed form.
TEST(Trace, DelassusOfAPendulumOnASlider) {
  const double m = 2, l = 0.5, angle = 0.7;
  ModelBuilder b("cart");
  b.body("cart").mass(m, {}, Sym3<double>::diagonal(1, 1, 1));
  b.body("bob").mass(m, {0, 0, -l}, Sym3<double>{}).frame("tip", {{}, {0, 0, -l}});
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  b.revolute("hinge", "cart", "bob").axis({0, 1, 0});
  const Model model = b.build().value();
  const std::vector<double> q{0.3, angle};
  // Coordinates: the cart moves along x; the tip moves by the cart and, per unit of angle, by l (-c, 0, s).
  const double c = std::cos(angle), s = std::sin(angle);
  const double M[2][2] = {{2 * m, -m * l * c}, {-m * l * c, m * l * l}};
  const double det = M[0][0] * M[1][1] - M[0][1] * M[0][1];
  const double J[6][2] = {{1, -l * c}, {0, 0}, {0, l * s}, {1, 0}, {0, 0}, {0, 0}};
  std::vector<double> want;
  for (const auto& a : J)
    for (const auto& d : J)
      want.push_back((a[0] * (M[1][1] * d[0] - M[0][1] * d[1]) + a[1] * (M[0][0] * d[1] - M[0][1] * d[0])) / det);
  for (const Graph& g : generate::trace_for_code(model, "delassus:tip,cart"))
    EXPECT_TRUE(near(evaluate(g, q), want, 10));
}

void expect_refusal(const Model& m, const std::string& algorithm, const std::string& words) {
  try {
    generate::trace(m, algorithm);
    FAIL() << algorithm;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}
TEST(Trace, RefusesFrames) {
  const Model m = compile(mechanisms::humanoid()).value();
  expect_refusal(m, "delassus", "needs the names of frames");
  expect_refusal(m, "delassus:", "needs the names of frames");
  expect_refusal(m, "rnea:left_foot", "takes no names of frames");
  expect_refusal(m, "delassus:left_foto", "did you mean 'left_foot'?");
  expect_refusal(m, "delassus:left_foot,left_foot", "twice");
  expect_refusal(m, "delassus:world", "does not move");
}

TEST(Trace, TakesListsApart) {
  using List = std::vector<std::string>;
  EXPECT_EQ(generate::split_algorithms("rnea"), List{"rnea"});
  EXPECT_EQ(generate::split_algorithms("rnea,delassus:foot,hand,crba"), (List{"rnea", "delassus:foot,hand", "crba"}));
  EXPECT_EQ(generate::split_algorithms("delassus:aba"), List{"delassus:aba"});
  EXPECT_EQ(generate::split_algorithms("rnea,foot"), (List{"rnea", "foot"}));
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
