// tests/io/public_robots.hpp - the robots of the package example-robot-data
// SINEW_ROBOTS is the site-packages folder that holds it. Without it tests are skipped, in CI they fail.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::test {

class PublicRobots : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* root = std::getenv("SINEW_ROBOTS");
    if (root && *root) {
      folder = std::filesystem::path(root) / "cmeel.prefix/share/example-robot-data/robots";
      ASSERT_TRUE(std::filesystem::is_directory(folder)) << folder;
      return;
    }
    const char* ci = std::getenv("CI");
    ASSERT_NE(ci ? std::string_view(ci) : "", "true") << "SINEW_ROBOTS must name the folder of example-robot-data";
    GTEST_SKIP() << "SINEW_ROBOTS is not set: no public robots to read";
  }

  std::vector<std::filesystem::path> files(std::string_view extension) const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == extension) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::filesystem::path folder;
};

}  // namespace sinew::test
