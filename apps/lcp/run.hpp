// apps/lcp/run.hpp - `sinew lcp`: one problem through one solver, or through all of them
#pragma once
#include <string>

namespace sinew::app {

struct LcpRequest {
  std::string file, solver = "automatic";  // a name of lcp/solve.hpp, or "all"
  int directions = -1;                     // -1: as the file says
  double tolerance = 1e-10;
  int iterations = 0;
  bool json = false;
};
// Prints the answer and returns the exit code.
int run_lcp(const LcpRequest&);

}  // namespace sinew::app
