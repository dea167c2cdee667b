// tests/fuzz/urdf_fuzz.cpp - any bytes: refused with an error, or a spec that compiles or is refused
#include <cstddef>
#include <cstdint>

#include "sinew/io/urdf.hpp"
#include "sinew/model/model.hpp"

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = sinew::parse_urdf(text, {}, {.floating_base = size % 2 == 1});
  if (spec) (void)sinew::compile(*spec);
  return 0;
}
