// apps/common/start_state.cpp
#include "common/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/io/record.hpp"

namespace sinew::app {
namespace {

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return out;
    begin = end + 1;
  }
}
std::optional<double> to_number(const std::string& text) {
  double x = 0;
  const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, x);
  if (error != std::errc() || stop != end || !std::isfinite(x)) return std::nullopt;
  return x;
}

}  // namespace

std::string complain_about_numbers(const std::string& text) {
  for (const std::string& part : split(text, ","))
    if (!to_number(part)) return "'" + text + "' is not a list of numbers";
  return "";
}

std::vector<double> read_numbers(const char* option, const std::string& text,
                                 std::initializer_list<std::size_t> counts) {
  std::vector<double> out;
  for (const std::string& part : split(text, ",")) {
    const std::optional<double> x = to_number(part);
    if (!x) throw InputError(fmt::format("{}: '{}' is not a finite number", option, part), kUsage);
    out.push_back(*x);
  }
  if (std::find(counts.begin(), counts.end(), out.size()) == counts.end())
    throw InputError(fmt::format("{} has {} numbers, but takes {}", option, out.size(), fmt::join(counts, " or ")),
                     kUsage);
  return out;
}

void read_positions(const std::string& text, SceneOptions& o) {
  if (text.find('=') == std::string::npos) {
    o.q.clear();
    for (const std::string& part : split(text, ", ")) {
      const std::optional<double> x = to_number(part);
      if (!x) throw InputError(fmt::format("--q: '{}' is not a finite number", part), kUsage);
      o.q.push_back(*x);
    }
    return;
  }
  for (const std::string& part : split(text, ",")) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--q: '{}' is not joint=number", part), kUsage);
    std::vector<double> values;
    for (const std::string& number : split(part.substr(equals + 1), ": ")) {
      const std::optional<double> x = to_number(number);
      if (!x) throw InputError(fmt::format("--q: '{}' is not a finite number", number), kUsage);
      values.push_back(*x);
    }
    o.set.emplace_back(part.substr(0, equals), std::move(values));
  }
}

void read_start_state(const std::string& text, const ModelSpec& spec, SceneOptions& o) {
  std::vector<std::string> known;
  known.reserve(spec.keyframes.size());
  for (const KeyframeSpec& k : spec.keyframes) known.push_back(k.name);
  if (std::find(known.begin(), known.end(), text) != known.end()) {
    o.keyframe = text;
    return;
  }
  const std::filesystem::path file(text);
  const std::string ending = file.extension().string();
  if (text != "-" && !std::filesystem::exists(file))
    throw InputError(
        fmt::format("--state: there is neither a keyframe nor a file '{}'; {}{}", text,
                    known.empty() ? "the model has no keyframes" : fmt::format("keyframes: {}", fmt::join(known, ", ")),
                    suggest_name(text, known)),
        kUsage);
  if (ending != ".h5" && ending != ".csv") return parse_start_state(read_text_or_standard_input(text), o);
  try {
    const Snapshot last = read_last_snapshot(file);
    o.q = last.reals("q"), o.v = last.reals("v"), o.time = last.reals("time").at(0);
    if (last.find("activation")) o.activation = last.reals("activation");
  } catch (const std::invalid_argument& e) {
    throw InputError(fmt::format("--state: {}", e.what()));
  }
}

}  // namespace sinew::app
