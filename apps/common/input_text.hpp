// apps/common/input_text.hpp - files that a user names, as text and as JSON; InputError where they are refused
// Files are read by sinew/io/input_file.hpp. JSON deeper than kMaxJsonDepth is refused, because code after the parser
// (messages, copies) recurses once per level.
#pragma once
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace sinew::app {

inline constexpr int kMaxJsonDepth = 64;

std::string read_text(const std::string& file);
std::string read_text_or_standard_input(const std::string& file);  // "-": the standard input
// Throws InputError where two of these, each with the name of its option, are "-": it can be read once.
void check_one_standard_input(std::initializer_list<std::pair<const char*, std::string>>);

// Replaces words that Python writes for numbers which JSON does not have by null or by text ("NaN").
enum class WriteWord { as_null, as_text };
std::string replace_words(const std::string& json, std::initializer_list<std::string_view> words, WriteWord);

namespace detail {
void check_json_depth(const std::string& text);
[[noreturn]] void refuse_json(const char* why);
}  // namespace detail

template <class Json>
Json parse_json(const std::string& text) {
  detail::check_json_depth(text);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    detail::refuse_json(e.what());
  }
}

// A count from 0 to `most`, which is at most the largest int; `name` is how a message calls it.
int read_count(const nlohmann::ordered_json&, std::string_view name, std::size_t most);

}  // namespace sinew::app
