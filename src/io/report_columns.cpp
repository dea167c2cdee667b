// src/io/report_columns.cpp
#include "io/report_columns.hpp"

#include <zlib.h>

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace sinew::report {
namespace {

// Everything is modulo 2^32.
std::int32_t minus(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
std::uint32_t zigzag(std::int32_t d) {
  return (static_cast<std::uint32_t>(d) << 1U) ^ static_cast<std::uint32_t>(d >> 31);
}
std::vector<std::int32_t> differences_of(std::span<const std::int32_t> x) {
  std::vector<std::int32_t> out(x.begin(), x.end());
  for (std::size_t i = out.size(); i-- > 1;) out[i] = minus(out[i], out[i - 1]);
  return out;
}
// About how many bits it takes.
double cost_of(std::span<const std::int32_t> d) {
  double bits = 0;
  for (const std::int32_t x : d) bits += std::bit_width(zigzag(x));
  return bits;
}

}  // namespace

void Columns::put(const char* name, int order, std::span<const std::int32_t> d) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    for (const std::int32_t x : d) bytes_ += static_cast<char>(zigzag(x) >> shift & 255U);
  specs_.push_back({name, d.size(), order});
}

void Columns::add(const char* name, std::span<const std::int32_t> x) {
  const std::vector<std::int32_t> first = differences_of(x), second = differences_of(first);
  const std::array<std::span<const std::int32_t>, 3> candidates{x, first, second};
  int best = 0;
  for (int k = 1; k < 3; ++k)
    if (cost_of(candidates[static_cast<std::size_t>(k)]) < cost_of(candidates[static_cast<std::size_t>(best)]))
      best = k;
  put(name, best, candidates[static_cast<std::size_t>(best)]);
}

void Columns::add_reals(const char* name, std::span<const float> x) {
  std::vector<std::int32_t> ordered;
  ordered.reserve(x.size());
  for (const float value : x) ordered.push_back(to_ordered(value));
  add(name, ordered);
}

void Columns::add_descendants(const char* name, std::span<const std::int32_t> x,
                              std::span<const std::int64_t> ancestors) {
  std::vector<std::int32_t> d(x.begin(), x.end());
  for (std::size_t i = 0; i < d.size(); ++i)
    if (ancestors[i] >= 0) d[i] = minus(x[i], x[static_cast<std::size_t>(ancestors[i])]);
  put(name, 3, d);
}

std::int32_t to_ordered(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

float round_coarsely(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  if (!std::isfinite(x)) return static_cast<float>(x);
  return std::bit_cast<float>((bits + 0x200U) & ~0x3ffU);
}

std::string deflate(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  constexpr int kLevel = 9;
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), kLevel) != Z_OK)
    throw std::runtime_error("make_report: zlib cannot deflate the run");
  out.resize(size);
  return out;
}

}  // namespace sinew::report
