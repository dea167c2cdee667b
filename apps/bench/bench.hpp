// apps/bench/bench.hpp - `sinew bench`: the command in bench.cpp, times in timing.cpp, output in report.cpp
#pragma once
#include "bench/peer_times.hpp"
#include "bench/timing.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

struct BenchResult {
  std::string file, name;
  int nv = 0, bodies = 0;  // that move
  std::vector<CallTime> calls;
  BatchTimes batch;
  std::vector<PeerTimes> peers;
};

std::string to_text(const BenchResult&);
std::string to_json_text(const std::vector<BenchResult>&);

}  // namespace sinew::app
