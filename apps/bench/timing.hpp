// apps/bench/timing.hpp - how long the tree algorithms take on one model
// Calls go through random states in turn, so that branch prediction cannot learn one state. A time is the median of
// `repeats` repeats, which take `seconds` together: processor time for one thread, otherwise wall-clock time.
#pragma once
#include <string>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew::app {

struct TimingOptions {
  double seconds = 0.1;  // for each number
  int repeats = 11;
  int threads = 1;  // 0: as many as the machine has
};

struct CallTime {
  std::string name;
  double us = 0;  // per call
};
// Batch: microseconds per sample; -1: not measured.
struct BatchTime {
  std::string name;
  double double_us = -1, float_us = -1;
};
struct BatchTimes {
  int threads = 1, double_lanes = 1, float_lanes = 1;
  std::vector<BatchTime> times;
};

std::vector<CallTime> time_calls(const Model&, const TimingOptions&);
BatchTimes time_batch(const Model&, const TimingOptions&);

}  // namespace sinew::app
