// src/io/report_columns.hpp - columns of integers as bytes that deflate well (docs/report.md, "The run")
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinew::report {

inline constexpr std::int32_t kNoAncestor = 0x40000000;

struct ColumnSpec {
  const char* name;
  std::size_t length;
  int order;
};

class Columns {
 public:
  // With the order, 0 to 2, whose differences are smallest.
  void add(const char* name, std::span<const std::int32_t>);
  void add_reals(const char* name, std::span<const float>);
  // Differences to ancestors: indices of earlier numbers, or -1 for none.
  void add_descendants(const char* name, std::span<const std::int32_t>, std::span<const std::int64_t> ancestors);

  const std::vector<ColumnSpec>& specs() const { return specs_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(const char* name, int order, std::span<const std::int32_t> differences);
  std::vector<ColumnSpec> specs_;
  std::string bytes_;
};

// Integers in the order of the numbers.
std::int32_t to_ordered(float);
// With 13 bits of mantissa: a relative error of at most 6e-5.
float round_coarsely(double);

std::string deflate(const std::string& bytes);  // a zlib stream

}  // namespace sinew::report
