// tests/support/embedded_cases.hpp - mechanisms for tests of constraint embedding
#pragma once
#include "support/geared_leg.hpp"
#include "support/loop_mechanisms.hpp"

namespace sinew::test {

inline std::vector<LoopCase> embedded_cases() {
  std::vector<LoopCase> out = loop_cases();
  out.push_back({"lift10", mechanisms::scissor_lift({.stages = 10, .local_loops = true}), 20});
  out.push_back({"lift100", mechanisms::scissor_lift({.stages = 100, .local_loops = true}), 200});
  out.push_back({"lift10_long_loops", mechanisms::scissor_lift({.stages = 10}), 20});
  out.push_back({"geared_leg", geared_leg(), 3});
  out.push_back({"geared_arm", mechanisms::geared_arm(), 2});
  return out;
}

}  // namespace sinew::test
