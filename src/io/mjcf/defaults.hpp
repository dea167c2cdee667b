// src/io/mjcf/defaults.hpp - classes of default attributes
#pragma once
#include <list>
#include <map>

#include "io/mjcf/schema.hpp"
#include "sinew/spatial/vec3.hpp"

namespace sinew::mjcf {

struct Class {
  std::string name;
  const Class* parent = nullptr;
  std::vector<const Node*> elements;  // in the order of the file
};

class Defaults {
 public:
  void read(const Node& root, Remarks&, Diagnostics&);
  const Class* top() const { return &classes_.front(); }
  // The class that the attribute `attribute` of the node names, `otherwise` without it; an error for an unknown one.
  const Class* find(const Node& node, const char* attribute, const Class* otherwise, Diagnostics&) const;

 private:
  void read(const Node& node, Class& into, Remarks&, Diagnostics&);

  std::list<Class> classes_{Class{"main", nullptr, {}}};
  std::map<std::string, Class*, std::less<>> by_name_{{"main", &classes_.front()}};
};

}  // namespace sinew::mjcf
