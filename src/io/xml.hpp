// src/io/xml.hpp - parses all XML input, and reads typed attributes with diagnostics
// Guards before parsing: size, UTF-8 (a UTF-8 BOM is skipped), no NUL bytes, no DOCTYPE (so no entities to expand),
// nesting no deeper than kMaxDepth, no more than kMaxElements elements, one root, tags that match.
#pragma once
#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/diagnostic.hpp"
#include "sinew/io/input_file.hpp"

namespace sinew::xml {

using Document = tinyxml2::XMLDocument;
using Element = tinyxml2::XMLElement;

inline constexpr std::size_t kMaxBytes = kMaxInputBytes;
inline constexpr int kMaxDepth = 400;  // the root has 1; more than tinyxml2 9 allows, see xml_deep.hpp
inline constexpr std::size_t kMaxElements = 2'000'000;
inline constexpr int kMaxAttributes = 200;  // of one element; tinyxml2 compares each with all before it

// The file's bytes, or a diagnostic.
std::optional<std::string> read_file(const std::filesystem::path& file, Diagnostics& out,
                                     const SourceLocation& asked_from = {});
// Null and a diagnostic on anything the guards or the parser refuse.
std::unique_ptr<Document> parse(std::string_view text, const std::string& file, Diagnostics& out);

SourceLocation where(const Element&, const std::string& file);
// "joint 'knee'", or "inertial of link 'shank'" when it has no name.
std::string label(const Element&);
// Text of a file for a message: one line, cut short between characters; and the same in quotes.
std::string shorten(std::string_view text, std::size_t bytes = 80);
std::string quote(std::string_view text);
std::string quote_path(const std::string& path);  // hardly ever cut

// Reads attributes of one element; everything wrong becomes a diagnostic that names element, line and value.
// Numbers are parsed with std::from_chars: the same in every locale; "nan" and "inf" are refused.
class Attributes {
 public:
  Attributes(const Element& e, const std::string& file, Diagnostics& out) : e_(e), file_(file), out_(out) {}

  std::optional<std::string_view> text(const char* name) const;
  // Absent: nullopt. Present and bad: nullopt and an error.
  std::optional<double> number(const char* name) const;
  std::optional<int> integer(const char* name) const;
  std::optional<bool> boolean(const char* name) const;  // true/false, 1/0
  // Between `least` and `values.size()` numbers; returns how many were read, 0 if absent or bad.
  std::size_t numbers(const char* name, std::span<double> values, std::size_t least) const;
  std::vector<double> numbers(const char* name) const;
  // As `numbers`, of how something looks: what is wrong is a note, and the values stay as they were.
  bool looks(const char* name, std::span<double> values, std::size_t least) const;
  // An error when absent.
  std::optional<std::string_view> required_text(const char* name) const;
  std::optional<double> required_number(const char* name) const;

  // Reports every attribute whose name is not in the list (unknown_attribute).
  void allow_only(std::span<const std::string_view> names) const;
  void allow_only(std::initializer_list<std::string_view> names) const {
    allow_only(std::span(names.begin(), names.size()));
  }

 private:
  template <class T>
  bool read_word(const char* name, std::string_view word, T& value) const;
  template <class T>
  std::optional<T> single(const char* name) const;
  void fail(Code, std::string message, std::string repair) const;

  const Element& e_;
  const std::string& file_;
  Diagnostics& out_;
};

}  // namespace sinew::xml
