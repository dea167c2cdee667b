// tests/batch/device_library_test.cpp - the library of kernels: found or not, and what it says without a device
#include "sinew/batch/device_library.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

namespace sinew::test {
namespace {

std::string why_not() {
  try {
    EXPECT_NE(device::make_cuda_backend<float>()->name(), "cpu");
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

class DeviceLibrary : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* set = getenv("SINEW_CUDA_LIBRARY")) before_ = set;
  }
  void TearDown() override {
    before_.empty() ? unsetenv("SINEW_CUDA_LIBRARY") : setenv("SINEW_CUDA_LIBRARY", before_.c_str(), 1);
  }

 private:
  std::string before_;
};

TEST_F(DeviceLibrary, NamesThePathThatWasTriedAndHowToBuildIt) {
  setenv("SINEW_CUDA_LIBRARY", "/no/such/libsinew_cuda.so", 1);
  EXPECT_EQ(device::list_cuda_libraries(), std::vector<std::string>{"/no/such/libsinew_cuda.so"});
  const std::string why = why_not();
  EXPECT_NE(why.find("/no/such/libsinew_cuda.so"), std::string::npos) << why;
  EXPECT_NE(why.find("make cuda-library"), std::string::npos) << why;
}

TEST_F(DeviceLibrary, IsLookedForBesideTheProgramFirst) {
  unsetenv("SINEW_CUDA_LIBRARY");
  const std::vector<std::string> paths = device::list_cuda_libraries();
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(std::filesystem::path(paths[0]).filename(), "libsinew_cuda.so");
  EXPECT_EQ(paths[1], "libsinew_cuda.so");
}

TEST_F(DeviceLibrary, LoadsWithoutADeviceAndSaysSo) {
  const char* path = getenv("SINEW_CUDA_LIBRARY");
  if (!path) GTEST_SKIP() << "SINEW_CUDA_LIBRARY is not set";
  const std::string why = why_not();
  EXPECT_TRUE(why.empty() || why.find("there is no CUDA device") != std::string::npos) << why;
}

TEST_F(DeviceLibrary, ALibraryWithoutKernelsIsRefused) {
  setenv("SINEW_CUDA_LIBRARY", "libc.so.6", 1);
  EXPECT_NE(why_not().find("has no 'sinew_cuda_layout'"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
