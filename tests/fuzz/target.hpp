// tests/fuzz/target.hpp - readers under test, by name
//   const Target kStl("stl", [](std::string_view bytes) { ... });
// Seeds are in tests/fuzz/corpus/<name>/, words in tests/fuzz/<name>.dict.
#pragma once
#include <string_view>

namespace sinew::fuzz {

// Reads any bytes; it must refuse them in its own way or read them, nothing else.
using Reader = void (*)(std::string_view);

struct Target {
  Target(const char* name, Reader);
};

}  // namespace sinew::fuzz
