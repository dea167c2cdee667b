// tests/sim/control_track_test.cpp
#include "sinew/sim/control_track.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "sinew/model/builder.hpp"

namespace sinew::test {
namespace {

Model driven_arm() {
  ModelBuilder b("arm");
  for (const char* name : {"a", "b", "c"}) b.body(name).mass(solid_sphere(1, 0.1));
  b.revolute("shoulder", "world", "a");
  b.revolute("elbow", "a", "b");
  b.universal("wrist", "b", "c");
  b.motor("lift", "shoulder");
  return b.build().value();
}

TEST(ControlTrack, RowsHoldUntilTheNext) {
  const Model m = driven_arm();
  const ControlTrack track(m, {{0, 1, 2}, {"lift", "elbow", "wrist[1]"}, {1, 10, 100, 2, 20, 200, 3, 30, 300}});
  std::vector<double> control{-1}, applied{7, 7, 7, 7};
  const auto at_time = [&](double t) {
    track.set(t, control, applied);
    return std::vector<double>{control[0], applied[1], applied[3]};
  };
  EXPECT_EQ(at_time(-5), (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(at_time(0.999), (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(at_time(1), (std::vector<double>{2, 20, 200}));
  EXPECT_EQ(at_time(99), (std::vector<double>{3, 30, 300}));
  EXPECT_EQ(applied[0], 7);  // what no column drives stays
  EXPECT_EQ(applied[2], 7);
}

TEST(ControlTrack, RefusesWhatFitsNothing) {
  const Model m = driven_arm();
  const auto says = [&](ControlTable table) {
    try {
      ControlTrack(m, std::move(table));
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(says({{0}, {"elbw"}, {1}}).find("did you mean 'elbow'"), std::string::npos);
  EXPECT_NE(says({{0}, {"wrist"}, {1}}).find("wrist[0]"), std::string::npos);
  EXPECT_NE(says({{0}, {"wrist[2]"}, {1}}).find("2 velocity coordinates"), std::string::npos);
  EXPECT_NE(says({{0}, {"wrist[]"}, {1}}).find("neither"), std::string::npos);
  EXPECT_NE(says({{0}, {"elbow", "elbow[0]"}, {1, 2}}).find("drive the same"), std::string::npos);
  EXPECT_NE(says({{}, {"lift"}, {}}).find("no rows"), std::string::npos);
  EXPECT_NE(says({{0, 0}, {"lift"}, {1, 2}}).find("row 1"), std::string::npos);
  EXPECT_NE(says({{0, NAN}, {"lift"}, {1, 2}}).find("not finite"), std::string::npos);
  EXPECT_NE(says({{0}, {"lift"}, {INFINITY}}).find("'lift' is not finite"), std::string::npos);
  EXPECT_NE(says({{0}, {"lift"}, {1, 2}}).find("2"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
