// src/io/xml_scan.hpp - one linear pass over XML text before a recursive parser sees it
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/code.hpp"

namespace sinew::xml {

struct ScanFault {
  Code code;
  int line;
  std::string element, message, repair;
};

// An element that must be parsed separately, because the parser cannot nest that deep.
struct Cut {
  std::size_t begin, end;  // in the text
};

// The first thing the guards of xml.hpp refuse, if any. Does not recurse. Cuts come in the order of their beginnings.
std::optional<ScanFault> scan(std::string_view text, std::vector<Cut>* cuts = nullptr);

// The first element's name, empty when the text begins with none. Looks no further, so the text may still be bad.
std::string_view find_root_name(std::string_view text);

}  // namespace sinew::xml
