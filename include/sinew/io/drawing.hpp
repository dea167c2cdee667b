// sinew/io/drawing.hpp - a model as a page draws it: JSON with bodies, joints and shapes
// The fields are those of viewer/src/scene.ts; docs/report.md describes them. A record keeps it as meta/drawing.
#pragma once
#include <string>

#include "sinew/model/model.hpp"

namespace sinew {

// Meshes that the model holds are in it; others are named by their files. Linear in the size of the model.
std::string make_drawing(const Model&);
// The same drawing with the geometry of all meshes that can be read. What cannot is said in its list `left_out`.
// Throws std::invalid_argument if the text is not a drawing.
std::string read_drawing_meshes(const std::string& drawing);

}  // namespace sinew
