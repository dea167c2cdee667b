// tests/fuzz/mjcf_fuzz.cpp - any bytes: refused with an error, or a spec that compiles or is refused
// The text has no file name, so that it can include none.
#include <cstddef>
#include <cstdint>

#include "sinew/io/mjcf.hpp"
#include "sinew/model/model.hpp"

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = sinew::parse_mjcf(text);
  if (spec) (void)sinew::compile(*spec);
  return 0;
}
