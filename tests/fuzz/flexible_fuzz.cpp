// tests/fuzz/flexible_fuzz.cpp - any bytes as flexible bodies of a small arm: refused with an error, or bodies that
// hold together
#include "fuzz/small_arm.hpp"
#include "fuzz/target.hpp"
#include "sinew/io/flexible.hpp"

namespace sinew::fuzz {

const Target kFlexible("flexible",
                       [](std::string_view text) { (void)parse_flexible(text, "/nowhere/fuzz.json", small_arm()); });

}  // namespace sinew::fuzz
