// src/operators/stacking.hpp - vectors in the order of coordinates, and in the order of an SKO model's freedoms
#pragma once
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::sko {

// order: coordinate of each freedom. Both throw std::invalid_argument naming the caller where sizes differ.
std::vector<double> stack_in_order(const char* call, In<double> by_coordinate, const std::vector<int>& order);
std::vector<double> unstack_in_order(const char* call, In<double> by_freedom, const std::vector<int>& order);

}  // namespace sinew::sko
