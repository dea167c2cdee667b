// src/io/mjcf/reader.hpp - attributes of an element over those of its default class
// The nearest source wins. A list shorter than its default's keeps the default's tail, as in MuJoCo.
#pragma once
#include <initializer_list>

#include "io/mjcf/defaults.hpp"

namespace sinew::mjcf {

class Reader {
 public:
  Reader(const Node& node, Diagnostics& out) : node_(node), out_(out), sources_{&node} {}
  // tag: of the default elements to look up.
  Reader(const Node& node, const Class* from, std::string_view tag, Diagnostics& out);

  // Over sources of different tags, outermost first, the node itself last.
  Reader(const Node& node, const std::vector<const Node*>& sources, Diagnostics& out)
      : node_(node), out_(out), sources_(sources.rbegin(), sources.rend()) {}

  const Node& node() const { return node_; }
  bool has(const char* name) const { return nearest(name) != nullptr; }
  std::optional<std::string_view> text(const char* name) const;
  std::optional<double> number(const char* name) const;
  std::optional<int> integer(const char* name) const;
  std::optional<bool> boolean(const char* name) const;
  std::size_t numbers(const char* name, std::span<double> values, std::size_t least) const;
  // The same for how things look: what is wrong with them is a note, and they are not used.
  void looks(const char* name, std::span<double> values, std::size_t least) const;
  std::vector<double> list(const char* name) const;
  std::optional<Vec3<double>> vec3(const char* name) const;
  std::optional<std::string_view> required_text(const char* name) const;
  // Index of the text in `words`; an error when it is none of them; `otherwise` when absent.
  int choice(const char* name, std::initializer_list<std::string_view> words, int otherwise) const;
  // The nearest source that has any of the names, and how many of them it has.
  const Node* nearest(std::initializer_list<const char*> names, int& count) const;

  void error(Code code, std::string message, std::string repair) const;

 private:
  const Node* nearest(const char* name) const;

  const Node& node_;
  Diagnostics& out_;
  std::vector<const Node*> sources_;  // nearest first
};

}  // namespace sinew::mjcf
