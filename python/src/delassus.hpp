// python/src/delassus.hpp - rows as forces on places of a model
#pragma once
#include "common.hpp"
#include "sinew/delassus/problem.hpp"

namespace sinew::py {

using DelassusEntries = std::vector<std::pair<int, nb::object>>;  // row, place

std::vector<Place> read_places(const PyModel&, const DelassusEntries&);
// Throws ValueError for rows that do not exist.
delassus::Problem make_problem(const PyModel&, int rows, const DelassusEntries&, const std::vector<Place>&);

}  // namespace sinew::py
