// tests/fuzz/flexible_fuzz.cpp - any bytes as flexible bodies of a small arm: refused with an error, or bodies that
// hold together
#include <algorithm>
#include <cctype>
#include <string>

#include "fuzz/small_arm.hpp"
#include "fuzz/target.hpp"
#include "sinew/io/flexible.hpp"

namespace sinew::fuzz {
namespace {

// Many modes take seconds under the sanitizer and reach no other code: counts of modes keep their first digit, or 3.
std::string with_few_modes(std::string_view text) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string out(text);
  for (std::size_t at = out.find("modes"); at != std::string::npos; at = out.find("modes", at + 1)) {
    const std::size_t first = out.find_first_of("0123456789\"}", out.find(':', at));
    if (first == std::string::npos || !is_digit(out[first])) continue;
    std::size_t end = first + 1;
    while (end < out.size() && is_digit(out[end])) ++end;
    out.erase(first + 1, end - first - 1);
    out[first] = std::min(out[first], '3');
  }
  return out;
}

}  // namespace

const Target kFlexible("flexible", [](std::string_view text) {
  (void)parse_flexible(with_few_modes(text), "/nowhere/fuzz.json", small_arm());
});

}  // namespace sinew::fuzz
