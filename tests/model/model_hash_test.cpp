// tests/model/model_hash_test.cpp
#include "sinew/model/model_hash.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sinew/model/mechanisms.hpp"
#include "sinew/model/model.hpp"

namespace sinew::test {

TEST(ModelHash, SeesWhatActsOnTheMotionAndNothingElse) {
  ModelSpec spec = mechanisms::pendulum(3);
  const std::uint64_t hash = calc_model_hash(compile(spec).value());
  const auto changed = [&](const std::function<void(ModelSpec&)>& change) {
    ModelSpec other = spec;
    change(other);
    return calc_model_hash(compile(other).value()) != hash;
  };
  EXPECT_FALSE(changed([](ModelSpec&) {}));
  EXPECT_FALSE(changed([](ModelSpec& s) { s.shapes[0].rgba = {1, 0, 0, 1}; }));
  EXPECT_FALSE(changed([](ModelSpec& s) { s.keyframes.clear(); }));
  EXPECT_TRUE(changed([](ModelSpec& s) { s.bodies[1].mass *= 1 + 1e-15; }));
  EXPECT_TRUE(changed([](ModelSpec& s) { s.gravity.z = -9.7; }));
  EXPECT_TRUE(changed([](ModelSpec& s) { s.shapes[0].restitution += 0.1; }));
  EXPECT_TRUE(changed([](ModelSpec& s) { s.joints[2].placement.r.x += 1e-12; }));
  EXPECT_TRUE(changed([](ModelSpec& s) {
    s.joints[0].dofs.resize(1);
    s.joints[0].dofs[0].damping += 1e-3;
  }));
}

}  // namespace sinew::test
