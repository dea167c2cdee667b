// apps/bench/peer_times.hpp - what tools/bench_one.py says about Pinocchio and MuJoCo
#pragma once
#include <map>
#include <string>
#include <vector>

namespace sinew::app {

struct PeerTimes {
  std::string name, version, how;
  std::string error;                 // why it was not timed
  std::map<std::string, double> us;  // per call, by the names of `sinew bench`
};

// Runs the script with $SINEW_PYTHON, .venv/bin/python beside tools/, or python3. Throws InputError.
std::vector<PeerTimes> time_peers(const std::string& file, bool floating, double seconds);

}  // namespace sinew::app
