// src/base/nearest_name.cpp
#include "sinew/base/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace sinew {
namespace {

std::string plain(std::string_view s) {
  std::string out(s);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return out;
}

}  // namespace

int count_edits(std::string_view a, std::string_view b) {
  // Rows of the table of distances between beginnings of a and b: two back, the last, this one.
  std::vector<int> two_back(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], two_back[j - 2] + 1);
    }
    two_back.swap(last), last.swap(now);
  }
  return last[b.size()];
}

namespace {

std::size_t count_common(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

std::string find_nearest_name(std::string_view name, std::span<const std::string> known) {
  const std::string typed = plain(name.substr(0, 200));
  const std::string* nearest = nullptr;
  std::size_t longest = 0;
  int fewest = static_cast<int>(std::max<std::size_t>(1, typed.size() / 3)) + 1;
  for (const std::string& k : known) {
    const std::string candidate = plain(k);
    if (candidate.size() > typed.size() + static_cast<std::size_t>(fewest) ||
        typed.size() > candidate.size() + static_cast<std::size_t>(fewest))
      continue;
    const int edits = count_edits(typed, candidate);
    const std::size_t common = count_common(typed, candidate);  // of two as near, the one that begins alike
    if (edits < fewest || (nearest && edits == fewest && common > longest))
      fewest = edits, nearest = &k, longest = common;
  }
  if (nearest) return *nearest;
  const auto begins = [&](const std::string& k) { return typed.size() > 1 && plain(k).starts_with(typed); };
  if (std::count_if(known.begin(), known.end(), begins) != 1) return {};
  return *std::find_if(known.begin(), known.end(), begins);
}

std::string suggest_name(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = find_nearest_name(name, known);
  return nearest.empty() ? nearest : "; did you mean '" + nearest + "'?";
}

}  // namespace sinew
