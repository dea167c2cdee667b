// tests/fuzz/fuzz.cpp - the fuzzer of all readers: SINEW_FUZZ=urdf sinew_fuzz [options of libFuzzer]
// One program, because each would hold the whole library. Without SINEW_FUZZ it lists the readers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "fuzz/target.hpp"

namespace sinew::fuzz {
namespace {

std::map<std::string, Reader>& targets() {
  static std::map<std::string, Reader> all;
  return all;
}
Reader chosen = nullptr;

}  // namespace

Target::Target(const char* name, Reader read) { targets()[name] = read; }

}  // namespace sinew::fuzz

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace sinew::fuzz;
  const char* name = std::getenv("SINEW_FUZZ");
  const auto found = targets().find(name ? name : "");
  if (found != targets().end()) {
    chosen = found->second;
    return 0;
  }
  for (const auto& target : targets()) std::puts(target.first.c_str());
  std::exit(name ? 2 : 0);
}

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sinew::fuzz::chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
