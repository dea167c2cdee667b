// src/base/view.cpp
#include "sinew/base/view.hpp"

namespace sinew {

void refuse_index(const char* call, const char* name, const std::string& index, std::size_t count) {
  throw std::invalid_argument(std::string(call) + ": there is no " + name + " " + index + ", their number is " +
                              std::to_string(count));
}

}  // namespace sinew
