// src/operators/stacking.cpp
#include "operators/stacking.hpp"

#include "sinew/base/index.hpp"

namespace sinew::sko {

std::vector<double> stack_in_order(const char* call, In<double> by_coordinate, const std::vector<int>& order) {
  check_size(call, "the vector", by_coordinate.size(), order.size());
  std::vector<double> out(order.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_coordinate[at(order[i])];
  return out;
}
std::vector<double> unstack_in_order(const char* call, In<double> by_freedom, const std::vector<int>& order) {
  check_size(call, "the vector", by_freedom.size(), order.size());
  std::vector<double> out(order.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[at(order[i])] = by_freedom[i];
  return out;
}

}  // namespace sinew::sko
