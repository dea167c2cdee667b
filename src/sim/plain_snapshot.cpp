// src/sim/plain_snapshot.cpp
#include "plain_snapshot.hpp"

#include <charconv>

#include "sinew/model/model_hash.hpp"

namespace sinew {

std::string to_text(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

Snapshot make_plain_snapshot(const Stepper& s) {
  Snapshot out;
  out.model = calc_model_hash(s.model());
  out.options = s.describe();
  out.set("time", std::vector<double>{s.state.time});
  out.set("step", std::vector<std::int64_t>{s.totals().steps});
  out.set("q", s.state.q);
  out.set("v", s.state.v);
  if (!s.state.activation.empty()) out.set("activation", s.state.activation);
  return out;
}

}  // namespace sinew
