// tests/fuzz/urdf_fuzz.cpp - any bytes: refused with an error, or a spec that compiles or is refused
#include "fuzz/target.hpp"
#include "sinew/io/urdf.hpp"
#include "sinew/model/model.hpp"

namespace sinew::fuzz {

const Target kUrdf("urdf", [](std::string_view text) {
  const auto spec = parse_urdf(text, {}, {.floating_base = text.size() % 2 == 1});
  if (spec) (void)compile(*spec);
});

}  // namespace sinew::fuzz
