// apps/info/tree_text.hpp - a model's tree drawn with lines, one row per body
#pragma once
#include <string>

#include "common/terminal.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

// An only child stands under its parent in the same column; children of a branch point are set off by lines.
std::string draw_tree(const Model&, const Paint&, int width);

}  // namespace sinew::app
