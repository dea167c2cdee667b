// src/io/mjcf/reader.cpp
#include "io/mjcf/reader.hpp"

#include <algorithm>
#include <array>

namespace sinew::mjcf {

Reader::Reader(const Node& node, const Class* from, std::string_view tag, Diagnostics& out) : Reader(node, out) {
  for (const Class* c = from; c; c = c->parent)
    for (auto e = c->elements.rbegin(); e != c->elements.rend(); ++e)
      if ((*e)->tag() == tag) sources_.push_back(*e);
}

const Node* Reader::nearest(const char* name) const {
  const auto s =
      std::find_if(sources_.begin(), sources_.end(), [&](const Node* n) { return n->xml->FindAttribute(name); });
  return s == sources_.end() ? nullptr : *s;
}

const Node* Reader::nearest(std::initializer_list<const char*> names, int& count) const {
  for (const Node* n : sources_) {
    count = static_cast<int>(
        std::count_if(names.begin(), names.end(), [&](const char* a) { return n->xml->FindAttribute(a); }));
    if (count > 0) return n;
  }
  return nullptr;
}

std::optional<std::string_view> Reader::text(const char* name) const {
  const Node* n = nearest(name);
  if (!n) return std::nullopt;
  return n->xml->Attribute(name);
}
std::optional<double> Reader::number(const char* name) const {
  const Node* n = nearest(name);
  return n ? xml::Attributes(*n->xml, *n->file, out_).number(name) : std::nullopt;
}
std::optional<int> Reader::integer(const char* name) const {
  const Node* n = nearest(name);
  return n ? xml::Attributes(*n->xml, *n->file, out_).integer(name) : std::nullopt;
}
std::optional<bool> Reader::boolean(const char* name) const {
  const Node* n = nearest(name);
  return n ? xml::Attributes(*n->xml, *n->file, out_).boolean(name) : std::nullopt;
}

std::size_t Reader::numbers(const char* name, std::span<double> values, std::size_t least) const {
  std::size_t most = 0;
  for (auto n = sources_.rbegin(); n != sources_.rend(); ++n)
    if ((*n)->xml->FindAttribute(name))
      most = std::max(most, xml::Attributes(*(*n)->xml, *(*n)->file, out_).numbers(name, values, least));
  return most;
}
void Reader::looks(const char* name, std::span<double> values, std::size_t least) const {
  for (auto n = sources_.rbegin(); n != sources_.rend(); ++n)
    if ((*n)->xml->FindAttribute(name)) xml::Attributes(*(*n)->xml, *(*n)->file, out_).looks(name, values, least);
}
std::vector<double> Reader::list(const char* name) const {
  const Node* n = nearest(name);
  return n ? xml::Attributes(*n->xml, *n->file, out_).numbers(name) : std::vector<double>{};
}
std::optional<Vec3<double>> Reader::vec3(const char* name) const {
  std::array<double, 3> v{};
  if (numbers(name, v, 3) == 0) return std::nullopt;
  return Vec3<double>{v[0], v[1], v[2]};
}
std::optional<std::string_view> Reader::required_text(const char* name) const {
  if (const auto t = text(name)) return t;
  error(Code::missing_attribute, "has no " + std::string(name), "write " + std::string(name) + "=\"...\"");
  return std::nullopt;
}

int Reader::choice(const char* name, std::initializer_list<std::string_view> words, int otherwise) const {
  const auto t = text(name);
  if (!t) return otherwise;
  const auto w = std::find(words.begin(), words.end(), *t);
  if (w != words.end()) return static_cast<int>(w - words.begin());
  std::string all;
  for (const std::string_view x : words) all += (all.empty() ? "" : ", ") + std::string(x);
  error(Code::bad_value, std::string(name) + " is " + xml::quote(*t), "write one of " + all);
  return otherwise;
}

void Reader::error(Code code, std::string message, std::string repair) const {
  out_.add({code, Severity::error, node_.where(), node_.label(), std::move(message), std::move(repair)});
}

}  // namespace sinew::mjcf
