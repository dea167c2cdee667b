// apps/common/terminal.cpp
#include "common/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sinew::app {

int find_width(std::FILE* stream) {
  winsize size{};
  if (isatty(fileno(stream)) == 0 || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<int>(size.ws_col, 60, 140);
}

Paint::Paint(std::FILE* stream) : on_(isatty(fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr) {}

std::string Paint::wrap(const char* code, std::string_view s) const {
  return on_ && !s.empty() ? fmt::format("\033[{}m{}\033[0m", code, s) : std::string(s);
}

namespace {
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
}  // namespace

int columns(std::string_view s) { return static_cast<int>(std::count_if(s.begin(), s.end(), starts_character)); }

std::string fit(std::string_view s, int width) {
  const int n = columns(s);
  if (n <= width) return std::string(s) + std::string(static_cast<std::size_t>(width - n), ' ');
  // Cut the middle: long names differ more often at their ends.
  const int tail = (width - 1) / 3, head = width - 1 - tail;
  const auto byte_of = [&](int character) {
    std::size_t i = 0;
    for (int seen = 0; i < s.size(); ++i)
      if (starts_character(s[i]) && seen++ == character) break;
    return i;
  };
  return std::string(s.substr(0, byte_of(head))) + "…" + std::string(s.substr(byte_of(n - tail)));
}

std::string clean(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    // U+0080 .. U+009F, two bytes long, are control characters too.
    const bool late = c == 0xC2 && i + 1 < s.size() && static_cast<unsigned char>(s[i + 1]) < 0xA0;
    out += c < 32 || c == 127 || late ? '?' : s[i];
    i += late ? 1 : 0;
  }
  return out;
}

std::string counted(int n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string wrapped(std::string_view first, std::string_view text, int width) {
  const auto indent = static_cast<std::size_t>(columns(first));
  std::string out(first);
  int at = static_cast<int>(indent);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const bool line_start = at == static_cast<int>(indent);
    if (!line_start && at + 1 + columns(word) > width) {
      out += '\n' + std::string(indent, ' ');
      at = static_cast<int>(indent);
    } else if (!line_start) {
      out += ' ';
      ++at;
    }
    out += word;
    at += columns(word);
    begin = end + 1;
  }
  return out + '\n';
}

}  // namespace sinew::app
