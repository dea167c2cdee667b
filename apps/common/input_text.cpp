// apps/common/input_text.cpp
#include "common/input_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/input_error.hpp"
#include "sinew/io/input_file.hpp"

namespace sinew::app {
namespace {

std::string taken(InputFile in) {
  if (!in.fault.empty()) throw InputError(fmt::format("the file cannot be read: it {}; {}", in.fault, in.repair));
  return std::move(in.bytes);
}

// Calls f(i) for every place outside of JSON's strings; f returns the place to go on from.
template <class F>
void outside_of_strings(const std::string& text, F&& f) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else
        quoted = text[i] != '"';
      ++i;
    } else if (text[i] == '"') {
      quoted = true, ++i;
    } else {
      i = f(i);
    }
  }
}

}  // namespace

std::string read_text(const std::string& file) { return taken(read_input_file(file)); }
std::string read_text_or_standard_input(const std::string& file) {
  return file == "-" ? taken(read_standard_input()) : read_text(file);
}

void check_one_standard_input(std::initializer_list<std::pair<const char*, std::string>> files) {
  const char* first = nullptr;
  for (const auto& [name, file] : files) {
    if (file != "-") continue;
    if (first)
      throw InputError(fmt::format("{} and {} are both '-', but the standard input can be read once", first, name), 3);
    first = name;
  }
}

std::string replace_words(const std::string& json, std::initializer_list<std::string_view> words, WriteWord as) {
  std::string out;
  std::size_t written = 0;
  outside_of_strings(json, [&](std::size_t i) {
    const auto word =
        std::find_if(words.begin(), words.end(), [&](std::string_view w) { return json.compare(i, w.size(), w) == 0; });
    if (word == words.end()) return i + 1;
    out.append(json, written, i - written);
    out += as == WriteWord::as_null ? "null" : fmt::format("\"{}\"", *word);
    return written = i + word->size();
  });
  return out.append(json, written);
}

namespace detail {

void check_json_depth(const std::string& text) {
  int depth = 0, deepest = 0;
  outside_of_strings(text, [&](std::size_t i) {
    if (text[i] == '[' || text[i] == '{') deepest = std::max(deepest, ++depth);
    if (text[i] == ']' || text[i] == '}') --depth;
    return i + 1;
  });
  if (deepest > kMaxJsonDepth)
    throw InputError(fmt::format("its lists and objects are nested {} deep, the limit is {}", deepest, kMaxJsonDepth));
}

void refuse_json(const char* why) { throw InputError(fmt::format("this is not JSON: {}", why)); }

}  // namespace detail

int read_count(const nlohmann::ordered_json& json, std::string_view name, std::size_t most) {
  if (!json.is_number_unsigned()) throw InputError(fmt::format("{} is {}, not a count", name, json.dump()));
  const auto count = json.get<std::uint64_t>();
  if (count > most) throw InputError(fmt::format("{} is {}, the most that it can be is {}", name, count, most));
  return static_cast<int>(count);
}

}  // namespace sinew::app
