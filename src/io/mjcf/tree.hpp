// src/io/mjcf/tree.hpp - the document with its includes put in place
// Includes are looked up in the main file's folder, then in that of the file that names them. Each file comes in once,
// so there are no cycles.
#pragma once
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/xml.hpp"

namespace sinew::mjcf {

struct Node {
  const xml::Element* xml = nullptr;
  const std::string* file = nullptr;  // for diagnostics
  std::vector<Node> children;

  std::string_view tag() const { return xml->Name(); }
  SourceLocation where() const { return xml::where(*xml, *file); }
  std::string label() const { return tag().size() > 80 ? xml::quote(tag()) : xml::label(*xml); }
};

struct Tree {
  std::vector<std::unique_ptr<xml::Document>> documents;
  std::list<std::string> files;  // addresses stay
  Node root;
};

// Where a file that `node` names is: seen from the main file's folder, or else, if it is there, from the folder of the
// file that holds the node.
std::filesystem::path find_file(const std::filesystem::path& main_folder, const std::filesystem::path& name,
                                const Node& node);

// An empty `file` opens nothing: an include is then an error.
std::optional<Tree> read_tree(std::string_view text, const std::filesystem::path& file, Diagnostics& out);

}  // namespace sinew::mjcf
