// src/model/made_for.cpp
#include "sinew/model/made_for.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

namespace sinew {

Identity Identity::make_new() {
  static std::atomic<std::uint64_t> last{0};
  Identity out;
  out.value_ = ++last;
  return out;
}

void MadeFor::refuse(const char* call, const char* name, int nodes, int nv) const {
  const auto sizes = [](int n, int v) { return std::to_string(n) + " nodes and " + std::to_string(v) + " velocities"; };
  throw std::invalid_argument(std::string(call) + ": " + name + " was made for another model, with " +
                              sizes(nodes_, nv_) + "; this one has " + sizes(nodes, nv));
}

}  // namespace sinew
