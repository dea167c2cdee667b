// apps/tree_text.hpp - a model's tree drawn with lines, one row a body
#pragma once
#include <string>

#include "sinew/model/model.hpp"
#include "terminal.hpp"

namespace sinew::app {

// An only child stands under its parent in the same column; children of a branch point are set off by lines.
std::string draw_tree(const Model&, const Paint&, int width);

}  // namespace sinew::app
