// src/io/mjcf/schema.hpp - the elements and attributes of MJCF, and how they are handled
#pragma once
#include "io/mjcf/remarks.hpp"

namespace sinew::mjcf {

// Attributes of one kind of element, separated by spaces.
struct Rule {
  std::string_view element;    // "geom", "equality/weld"
  std::string_view kept;       // enter the model
  std::string_view noted;      // known, not kept: a note
  std::string_view effective;  // known, not kept although they change the motion: a warning
};

// Null for an element that has no rule.
const Rule* find_rule(std::string_view element);

// Reports attributes that are not kept, and attributes that MJCF does not have.
void check_attributes(const Node&, std::string_view element, Remarks&, Diagnostics&);

// Names of the children that a section may have; empty for a section without such a list.
std::string_view known_children(std::string_view section);

bool has_word(std::string_view words, std::string_view word);

}  // namespace sinew::mjcf
