// src/io/mjcf/defaults.cpp
#include "io/mjcf/defaults.hpp"

namespace sinew::mjcf {
namespace {

constexpr std::size_t kMostElements = 200;  // every lookup goes through them

// The rule that a default element follows.
std::string rule_of(std::string_view tag) {
  if (tag == "pair") return "contact/pair";
  if (has_word(known_children("actuator"), tag)) return "actuator/" + std::string(tag);
  return std::string(tag);
}

}  // namespace

void Defaults::read(const Node& root, Remarks& remarks, Diagnostics& out) {
  bool first = true;
  for (const Node& n : root.children) {
    if (n.tag() != "default") continue;
    const char* name = n.xml->Attribute("class");
    if (first && name) {  // the outermost class may have any name
      classes_.front().name = name;
      by_name_.emplace(name, &classes_.front());
    } else if (name && !by_name_.contains(name)) {
      out.add(Code::bad_value, n.label(), "a further outermost class must be the first one again", "nest the class",
              n.where());
    }
    first = false;
    check_attributes(n, "default", remarks, out);
    read(n, classes_.front(), remarks, out);
  }
}

void Defaults::read(const Node& node, Class& into, Remarks& remarks, Diagnostics& out) {
  for (const Node& n : node.children) {
    if (n.tag() != "default") {
      if (!has_word(known_children("default"), n.tag())) {
        remarks.count(Code::unknown_element, "default " + n.label(), "MJCF has no default for it", n);
        continue;
      }
      check_attributes(n, rule_of(n.tag()), remarks, out);
      if (into.elements.size() == kMostElements)
        out.add(Code::too_many_elements, n.label(), "its class has too many elements", "give each kind once",
                n.where());
      else if (into.elements.size() < kMostElements)
        into.elements.push_back(&n);
      continue;
    }
    const char* name = n.xml->Attribute("class");
    if (!name || !*name) {
      out.add(Code::missing_attribute, n.label(), "a nested default has no class", "write class=\"...\"", n.where());
      continue;
    }
    classes_.push_back({name, &into, {}});
    if (!by_name_.emplace(name, &classes_.back()).second)
      out.add(Code::duplicate_name, n.label(), "class " + xml::quote(name) + " is defined twice", "rename one",
              n.where());
    check_attributes(n, "default", remarks, out);
    read(n, classes_.back(), remarks, out);
  }
}

const Class* Defaults::find(const Node& node, const char* attribute, const Class* otherwise, Diagnostics& out) const {
  const char* name = node.xml->Attribute(attribute);
  if (!name) return otherwise;
  if (const auto it = by_name_.find(name); it != by_name_.end()) return it->second;
  out.add(Code::unknown_name, node.label(), std::string(attribute) + " " + xml::quote(name) + " is not a default class",
          "define it under <default>", node.where());
  return otherwise;
}

}  // namespace sinew::mjcf
