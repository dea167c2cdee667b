// src/io/number_words.hpp - words of a text, and numbers from words, the same in every locale
#pragma once
#include <charconv>
#include <string_view>
#include <system_error>

namespace sinew {

// Words of a text, without copies.
class Words {
 public:
  explicit Words(std::string_view s) : s_(s) {}
  std::string_view next() {
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    std::size_t i = 0;
    while (i < s_.size() && is_space(s_[i])) ++i;
    std::size_t e = i;
    while (e < s_.size() && !is_space(s_[e])) ++e;
    const std::string_view w = s_.substr(i, e - i);
    s_.remove_prefix(e);
    return w;
  }

 private:
  std::string_view s_;
};

// A whole word as a number.
template <class T>
bool parse_number(std::string_view w, T& v) {
  if (!w.empty() && w.front() == '+') w.remove_prefix(1);
  const auto [p, ec] = std::from_chars(w.data(), w.data() + w.size(), v);
  return ec == std::errc{} && p == w.data() + w.size();
}

}  // namespace sinew
