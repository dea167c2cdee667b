// sinew/base/random.hpp - reproducible random numbers: the same bits on every platform
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace sinew {

// SplitMix64: small, fast, and its state is one number that a failing test can print.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // The next 64 bits.
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // In [lower, upper).
  double uniform(double lower = 0, double upper = 1) {
    return lower + (upper - lower) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
  }
  // In [0, n).
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  // Standard normal, by Box and Muller.
  double normal() {
    const double u = 1 - uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace sinew
