// tests/fuzz/mjcf_fuzz.cpp - any bytes: refused with an error, or a spec that compiles or is refused
// The text has no file name, so that it can include none.
#include "fuzz/target.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/model/model.hpp"

namespace sinew::fuzz {

const Target kMjcf("mjcf", [](std::string_view text) {
  const auto spec = parse_mjcf(text);
  if (spec) (void)compile(*spec);
});

}  // namespace sinew::fuzz
