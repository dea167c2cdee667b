// src/io/json_place.cpp
#include "io/json_place.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// Walks over valid JSON.
class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {}
  std::size_t place() const { return at_; }
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void take() { ++at_; }
  std::string_view string() {  // at its opening quote; without quotes, escapes as they are
    const std::size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::string_view out = text_.substr(first, at_ - first);
    ++at_;
    return out;
  }
  void skip_value() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth, take();
      } else if (c == '}' || c == ']') {
        --depth, take();
      } else {
        while (at_ < text_.size() && std::string_view(" \t\r\n,:]}").find(text_[at_]) == std::string_view::npos) ++at_;
        if (at_ >= text_.size()) return;
      }
    } while (depth > 0);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

int find_json_line(std::string_view text, const std::vector<std::string>& steps) {
  JsonScan scan(text);
  for (const std::string& step : steps) {
    const char kind = scan.peek();
    if (kind != '{' && kind != '[') return 0;
    scan.take();
    for (std::size_t index = 0;; ++index) {
      const char next = scan.peek();
      if (next == '\0' || next == '}' || next == ']') return 0;
      if (kind == '{' ? scan.string() == step : std::to_string(index) == step) break;
      scan.skip_value();
    }
  }
  if (scan.peek() == '\0') return 0;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scan.place()), '\n'));
}

std::string JsonPlace::name() const {
  std::string out;
  for (const std::string& s : steps_) {
    const bool index = !s.empty() && s.find_first_not_of("0123456789") == std::string::npos;
    out += index ? "[" + s + "]" : (out.empty() ? "" : ".") + s;
  }
  return out.empty() ? "the file" : out;
}
void JsonPlace::refuse(Code code, const std::string& message, const std::string& repair) const {
  throw JsonRefusal(code, steps_, name() + ": " + message, repair);
}
JsonPlace JsonPlace::get(const char* key) const {
  if (!value_->is_object()) refuse(Code::bad_value, "it must be an object {...}", "write its keys in braces");
  if (!value_->contains(key))
    refuse(Code::missing_attribute, std::string("the key '") + key + "' is missing", "add it");
  std::vector<std::string> steps = steps_;
  steps.emplace_back(key);
  return {(*value_)[key], std::move(steps)};
}
std::size_t JsonPlace::size() const {
  if (!value_->is_array()) refuse(Code::bad_value, "it must be a list [...]", "write its entries in brackets");
  return value_->size();
}
JsonPlace JsonPlace::entry(std::size_t index) const {
  if (index >= size()) refuse(Code::bad_value, "it has only " + std::to_string(size()) + " entries", "add the others");
  std::vector<std::string> steps = steps_;
  steps.push_back(std::to_string(index));
  return {(*value_)[index], std::move(steps)};
}
void JsonPlace::check_keys(std::initializer_list<const char*> known) const {
  if (!value_->is_object()) refuse(Code::bad_value, "it must be an object {...}", "write its keys in braces");
  for (const auto& [key, unused] : value_->items()) {
    if (std::any_of(known.begin(), known.end(), [&, &k = key](const char* x) { return k == x; })) continue;
    std::string all;
    for (const char* x : known) all += (all.empty() ? "" : ", ") + std::string(x);
    get(key.c_str()).refuse(Code::bad_value, "there is no such key", "known: " + all);
  }
}
std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse(Code::bad_value, "it must be text", "write it in quotes");
  return value_->get<std::string>();
}
double JsonPlace::number() const {
  if (!value_->is_number()) refuse(Code::bad_number, "it must be a number", "write a decimal number");
  const double out = value_->get<double>();
  if (!std::isfinite(out)) refuse(Code::bad_number, "it is too large for a number", "write a finite number");
  return out;
}
int JsonPlace::count(int most) const {
  if (!value_->is_number_integer() || value_->get<double>() < 0 || value_->get<double>() > most)
    refuse(Code::bad_number, "it must be a whole number from 0 to " + std::to_string(most), "correct it");
  return value_->get<int>();
}

}  // namespace sinew
