// src/lcp/row_layout.cpp
#include "sinew/lcp/row_layout.hpp"

namespace sinew::lcp {

std::string to_string(const RowLayout& l) {
  return std::to_string(l.free) + " free, " + std::to_string(l.unilateral) + " unilateral and " +
         std::to_string(l.contacts) + " contacts make " + std::to_string(l.rows()) + " rows";
}

}  // namespace sinew::lcp
