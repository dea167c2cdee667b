// apps/common/report.cpp
#include "common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace sinew::app {
namespace {

using Group = std::vector<const Diagnostic*>;

std::string paint(const Paint& p, Severity s, const std::string& text) {
  return s == Severity::error ? p.red(text) : s == Severity::warning ? p.yellow(text) : p.bold(text);
}

// The repair, when the whole group shares it.
std::string shared_repair(const Group& group) {
  const bool same =
      std::all_of(group.begin(), group.end(), [&](const Diagnostic* d) { return d->repair == group[0]->repair; });
  return same ? group[0]->repair : std::string();
}

std::string where(const Diagnostic& d, const std::string& file) {
  if (d.where.line > 0 && (d.where.file == file || d.where.file.empty())) return fmt::format("line {}: ", d.where.line);
  if (d.where.line > 0) return fmt::format("{}:{}: ", d.where.file, d.where.line);
  return d.where.file.empty() || d.where.file == file ? "" : d.where.file + ": ";
}

}  // namespace

std::string report(const Diagnostics& all, const std::string& file, const Paint& p, int width) {
  std::map<std::pair<int, int>, Group> groups;  // (worst first, code)
  for (const Diagnostic& d : all) groups[{-static_cast<int>(d.severity), static_cast<int>(d.code)}].push_back(&d);
  std::string out;
  for (const auto& [key, group] : groups) {
    const Diagnostic& d = *group[0];
    const CodeEntry& entry = describe(d.code);
    const std::string times = group.size() > 1 ? fmt::format(", {} times", group.size()) : "";
    out += fmt::format("  {} {}{}\n",
                       paint(p, d.severity, fmt::format("{} S{}", to_string(d.severity), static_cast<int>(d.code))),
                       entry.name, times);
    out += p.dim(wrapped("    ", entry.law, width));
    const std::string repair = shared_repair(group);
    for (const Diagnostic* one : group) {
      out += wrapped("    - ", clean(where(*one, file) + one->element + ": " + one->message), width);
      if (repair.empty() && !one->repair.empty()) out += wrapped("      -> ", clean(one->repair), width);
    }
    if (!repair.empty()) out += wrapped("    -> ", clean(repair), width);
  }
  return out;
}

std::string summarize(const Diagnostics& all) {
  std::string out;
  for (const Severity s : {Severity::error, Severity::warning, Severity::note})
    if (const int n = all.count(s); n > 0) out += (out.empty() ? "" : ", ") + counted(n, to_string(s));
  return out.empty() ? "nothing to remark" : out;
}

}  // namespace sinew::app
