// apps/common/problem_file.hpp - complementarity problems as JSON files
//   {"M": [[..]], "q": [..]}                 optional "lower", "upper": numbers; null, "inf", or
//                                            1e19 and more: infinite
//   {"W": [[..]], "q": [..], "mu": [..]}     rows: "free", "unilateral" (counts, 0), then normal, tangent, tangent of
//                                            each contact; optional "preload", "directions" (0: the cone itself),
//                                            "lower", "upper" of the unilateral rows (0, infinite)
#pragma once
#include <filesystem>
#include <vector>

#include "sinew/lcp/problem.hpp"

namespace sinew::app {

struct LcpFile {
  bool contacts = false;  // a friction problem; else a linear one
  std::vector<double> M, q, lower, upper, mu, preload;
  int free = 0, unilateral = 0, directions = 0;

  lcp::Problem linear() const;
  lcp::FrictionProblem friction() const;
};

// Throws InputError that names the key and the row.
LcpFile read_problem(const std::filesystem::path&);
LcpFile parse_problem(const std::string& json);
// All digits are written: reading gives the same bits.
void write_problem(const std::filesystem::path&, const lcp::Problem&);
void write_problem(const std::filesystem::path&, const lcp::FrictionProblem&, int directions = 0);

}  // namespace sinew::app
