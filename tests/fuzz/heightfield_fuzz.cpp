// tests/fuzz/heightfield_fuzz.cpp - any bytes as heights: refused with a sentence, or heights between 0 and 1
#include <algorithm>
#include <cstdlib>

#include "fuzz/target.hpp"
#include "io/heightfield_file.hpp"

namespace sinew::fuzz {
namespace {

template <bool png>
void read_heights(std::string_view bytes) {
  HeightfieldSpec field;
  if (!parse_heightfield(bytes, png, field).empty()) return;
  const auto within = [](double h) { return h >= 0 && h <= 1; };
  if (!std::all_of(field.elevation.begin(), field.elevation.end(), within)) std::abort();
}

}  // namespace

const Target kPng("png", read_heights<true>);
const Target kHeights("heights", read_heights<false>);

}  // namespace sinew::fuzz
