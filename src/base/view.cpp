// src/base/view.cpp
#include "sinew/base/view.hpp"

namespace sinew {

void refuse_index(const char* call, const char* name, const std::string& index, std::size_t count) {
  throw std::invalid_argument(std::string(call) + ": there is no " + name + " " + index + " (there are " +
                              std::to_string(count) + ", counted from 0)");
}

}  // namespace sinew
