// src/io/xml_deep.hpp - nesting deeper than tinyxml2 allows (100 levels in version 9, fixed when it was built)
// The text is parsed in pieces, each shallow enough, and the pieces are put together in one document.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "io/xml.hpp"
#include "io/xml_scan.hpp"

namespace sinew::xml {

// Text that `scan` has passed, with its cuts. On failure the document carries the error and `error_line` its line.
std::unique_ptr<Document> parse_in_pieces(std::string_view text, const std::vector<Cut>& cuts, int& error_line);

// The line of a node in the whole text; copied nodes keep it as user data, for tinyxml2 does not copy it.
int get_line(const tinyxml2::XMLNode&);

}  // namespace sinew::xml
