// apps/common/terminal.hpp - text for people: width, colour only on a terminal, wrapping
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace sinew::app {

// Columns of the terminal behind the stream, within 60 .. 140; 100 where there is none.
int find_width(std::FILE*);

// Colour and weight, only where the stream is a terminal and NO_COLOR is not set.
class Paint {
 public:
  explicit Paint(std::FILE*);
  std::string bold(std::string_view s) const { return wrap("1", s); }
  std::string dim(std::string_view s) const { return wrap("2", s); }
  std::string red(std::string_view s) const { return wrap("31;1", s); }
  std::string yellow(std::string_view s) const { return wrap("33;1", s); }

 private:
  std::string wrap(const char* code, std::string_view s) const;
  bool on_;
};

// Columns that UTF-8 text takes, every character counted as one.
int columns(std::string_view);
// As wide as asked: cut with an ellipsis or filled with blanks.
std::string fit(std::string_view, int width);
// Names come from files: control characters become '?'.
std::string clean(std::string_view);
// "1 warning", "2 warnings".
std::string counted(int n, std::string_view noun);
// Broken at blanks; the first line starts after `first`, the others after as many blanks.
std::string wrapped(std::string_view first, std::string_view text, int width);

}  // namespace sinew::app
