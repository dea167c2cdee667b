// tests/tree/columns_test.cpp - how the columns of user joints change
#include "tree/columns.hpp"

#include <gtest/gtest.h>

#include "sinew/joint/user.hpp"
#include "sinew/tree/jacobian.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Two user joints: a universal joint, whose velocities are rates, and a planar one, whose are not but whose S is fixed.
struct UserUniversal : EuclideanJoint<2> {
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    UniversalJoint::calc(lit<T>(0), q, v, out);
  }
};
struct UserPlanar : PlanarJoint {
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    PlanarJoint::calc(lit<T>(0), q, v, out);
  }
};
// Positions of a universal joint, velocities scaled by two: S changes and v is not the rate of q.
struct OddJoint : EuclideanJoint<2> {
  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    const T twice[] = {v[0] + v[0], v[1] + v[1]};
    UniversalJoint::calc(lit<T>(0), q, twice, out);
    for (int k = 0; k < 2; ++k) out.S[k] = lit<T>(2) * out.S[k];
  }
  template <class T>
  static void rate(const T*, const T* v, T* qdot) {
    for (int k = 0; k < 2; ++k) qdot[k] = v[k] + v[k];
  }
};
Model with_user_joint(std::shared_ptr<const UserJoint> joint, bool reversed) {
  ModelSpec spec = random_tree(4, {3, {JointKind::revolute}, 0.0});
  spec.joints[1].kind = JointKind::user;
  spec.joints[1].user = std::move(joint);
  spec.joints[1].reversed = reversed;
  return compile(spec).value();
}
TEST(Columns, UserJointsSayHowTheirColumnsChangeOrAreRefused) {
  for (const bool reversed : {false, true})
    for (const auto& joint : {make_user_joint(UserUniversal{}), make_user_joint(UserPlanar{})}) {
      const Model m = with_user_joint(joint, reversed);
      Random rng(1);
      const TreeState s = random_state(m, rng);
      JacobianWorkspace<double> ws(m);
      JacobianWorkspace<Dual> dual(m);
      calc_jacobian_rates(m, ws, s.q, s.v);
      calc_jacobian(m, dual, moving_q(m, s));
      for (std::size_t k = 0; k < ws.J.size(); ++k) EXPECT_TRUE(near(ws.dJ[k], slope_of(dual.J[k]), 100));
    }
  try {
    JacobianWorkspace<double> refused(with_user_joint(make_user_joint(OddJoint{}), false));
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()).rfind("JacobianWorkspace: the user's joint 'joint1' has an S that changes", 0), 0U)
        << e.what();
  }
}

// A tree with two coordinates in a node, a node without any, and a branch.
TEST(Columns, CoordinatesAboveLeadToTheWorld) {
  ModelSpec spec = random_tree(1, {5, {JointKind::universal}, 0.0});
  spec.joints[1].kind = JointKind::prescribed;
  spec.joints[1].law = [](double) { return MotionSample{}; };
  spec.joints[4].parent = "body0";
  const Model m = compile(spec).value();
  std::vector<int> above = find_coordinates_above(m);
  ASSERT_EQ(above.size(), 8U);
  const int v2 = m.joints()[2].v, v3 = m.joints()[3].v, v4 = m.joints()[4].v;
  const auto next = [&](int k) { return above[k]; };
  EXPECT_EQ(next(0), -1);
  EXPECT_EQ(next(1), 0);
  EXPECT_EQ(next(v2), 1);
  EXPECT_EQ(next(v3), v2 + 1);
  EXPECT_EQ(next(v3 + 1), v3);
  EXPECT_EQ(next(v4), 1);
}

}  // namespace
}  // namespace sinew::test
