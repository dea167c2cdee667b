// apps/common/json_text.hpp - numbers to JSON, and JSON to text that people can read
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinew/spatial/transform.hpp"

namespace sinew::app {

nlohmann::ordered_json to_json(const Vec3<double>&);
nlohmann::ordered_json to_json(const Rotation<double>&);  // the matrix whose columns are the frame's axes, by rows
nlohmann::ordered_json to_json(const Motion<double>&);    // {"angular": .., "linear": ..}
nlohmann::ordered_json to_json(const Force<double>&);
// Row-major; a list of rows.
nlohmann::ordered_json to_json_matrix(const std::vector<double>&, std::size_t rows, std::size_t cols);

// "M[2][3]" of the first number that is not finite; empty: all are.
std::string find_not_finite(const nlohmann::ordered_json&);
// Indented, a list of numbers on one line.
std::string write_short(const nlohmann::ordered_json&);

}  // namespace sinew::app
