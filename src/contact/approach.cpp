// src/contact/approach.cpp - the search for the nearest points of two solids on the CPU
#include "sinew/contact/kernel/approach.hpp"

#include "contact/solid.hpp"

namespace sinew::contact {

Approach find_approach(const Solid& a, const Solid& b, double reach) { return ApproachSearch(a, b).run(reach); }
bool are_surely_apart(const Solid& a, const Solid& b, double reach, Vector& axis) {
  return ApproachSearch(a, b).is_beyond(reach, axis);
}

}  // namespace sinew::contact
