// tests/contact/public_models_test.cpp - contact in the MJCF models of dm_control and gymnasium
// SINEW_ROBOTS is the site-packages folder that holds them. Without it the test is skipped, in CI it fails.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/io/load.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> find_models(const fs::path& root) {
  std::vector<fs::path> out;
  for (const char* folder :
       {"dm_control/suite", "dm_control/third_party", "gymnasium/envs/mujoco/assets", "gymnasium_robotics/envs/assets"})
    if (fs::is_directory(root / folder))
      for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        if (entry.path().extension() == ".xml") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST(PublicModels, TouchOrSayWhyNot) {
  const char* root = std::getenv("SINEW_ROBOTS");
  if (!root || !*root) {
    const char* ci = std::getenv("CI");
    ASSERT_NE(ci ? std::string(ci) : "", "true") << "SINEW_ROBOTS must name the folder of the models";
    GTEST_SKIP() << "SINEW_ROBOTS is not set: no public models to read";
  }
  int ready = 0, touching = 0;
  for (const fs::path& file : find_models(root)) {
    SCOPED_TRACE(file.string());
    const Result<ModelSpec> spec = load(file, {.load_meshes = true});
    if (!spec.ok()) continue;  // parts of models
    const Result<Model> m = compile(spec.value());
    if (!m.ok()) continue;
    try {
      ContactShapes shapes(*m);
      ++ready;
      for (const std::string& remark : shapes.remarks()) EXPECT_NE(remark.find('\''), std::string::npos) << remark;
      KinematicsWorkspace<double> ws(*m);
      calc_kinematics(*m, ws, m->neutral());
      std::vector<ContactPoint> contacts;
      shapes.find(ws, 1e-3, contacts);
      std::set<std::uint64_t> ids;
      for (const ContactPoint& c : contacts) {
        EXPECT_TRUE(std::isfinite(c.gap) && std::isfinite(norm(c.point))) << shapes.pair_name(c);
        EXPECT_NEAR(norm(c.normal), 1, 2e-14) << shapes.pair_name(c);
        EXPECT_TRUE(ids.insert(c.id).second) << shapes.pair_name(c);
      }
      touching += contacts.empty() ? 0 : 1;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find('\''), std::string::npos) << e.what();  // names something
    }
  }
  EXPECT_GT(ready, 60);
  EXPECT_GT(touching, 10);
}

}  // namespace sinew::test
