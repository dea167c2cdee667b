// apps/info/tree_text.cpp
#include "info/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "common/describe.hpp"

namespace sinew::app {
namespace {

constexpr std::array<const char*, 6> kTitles = {"body", "kg", "joint", "kind", "dof", "limits"};
constexpr std::size_t kLimits = 5;
struct Row {
  std::string lines;  // drawn before the body's name
  std::array<std::string, 6> cells;
  bool merged = false;
};

std::string limits(const DofSpec& d) {
  const bool lower = std::isfinite(d.lower), upper = std::isfinite(d.upper);
  if (!lower && !upper) return "";
  return fmt::format("{} .. {}", lower ? fmt::format("{:.3g}", d.lower) : "",
                     upper ? fmt::format("{:.3g}", d.upper) : "");
}

class Drawing {
 public:
  explicit Drawing(const Model& m) : m_(m), children_(m.bodies().size()) {
    for (const JointEntry& j : m.joints()) children_[j.parent].push_back(j.child);
    rows_.push_back({"", {clean(m.bodies()[0].name), "", "", "", "", ""}});
    // Depth first without recursion: a chain may have any length.
    struct Item {
      int body;
      std::string first, rest;
    };
    std::vector<Item> stack;
    const auto push_children = [&](int body, const std::string& lines) {
      const std::vector<int>& next = children_[body];
      const bool branches = next.size() > 1 || body == 0;
      for (std::size_t k = next.size(); k-- > 0;) {
        const bool last = k + 1 == next.size();
        if (branches)
          stack.push_back({next[k], lines + (last ? "└─ " : "├─ "), lines + (last ? "   " : "│  ")});
        else
          stack.push_back({next[k], lines, lines});
      }
    };
    push_children(0, "");
    while (!stack.empty()) {
      const Item item = std::move(stack.back());
      stack.pop_back();
      add(item.body, item.first, item.rest);
      push_children(item.body, item.rest);
    }
  }

  std::string text(const Paint& paint, int width) const {
    std::array<int, 6> w{};
    for (std::size_t c = 0; c < w.size(); ++c) w[c] = columns(kTitles[c]);
    for (const Row& r : rows_)
      for (std::size_t c = 0; c < w.size(); ++c)
        w[c] = std::max(w[c], columns(r.cells[c]) + (c == 0 ? columns(r.lines) : 0));
    // Too wide: shorten the last column while limits stay whole, then drop it, then shorten names.
    const auto total = [&] {
      int sum = 0;
      for (const int x : w) sum += x > 0 ? x + 2 : 0;
      return sum;
    };
    int longest_limit = columns(kTitles[kLimits]);
    for (const Row& r : rows_)
      if (!r.merged) longest_limit = std::max(longest_limit, columns(r.cells[kLimits]));
    if (total() > width) w[kLimits] = std::max(longest_limit, w[kLimits] - (total() - width));
    if (total() > width) w[kLimits] = 0;
    while (total() > width && (w[0] > 12 || w[2] > 12)) --(w[0] > w[2] + 8 ? w[0] : w[2] > 12 ? w[2] : w[0]);

    std::string out = "  ";
    for (std::size_t c = 0; c < w.size(); ++c)
      if (w[c] > 0) out += (c == 1 ? fmt::format("{:>{}}", kTitles[c], w[c]) : fit(kTitles[c], w[c])) + "  ";
    out = paint.dim(trimmed(out)) + "\n";
    for (const Row& r : rows_) {
      std::string line = "  " + paint.dim(r.lines) + fit(r.cells[0], std::max(1, w[0] - columns(r.lines)));
      for (std::size_t c = 1; c < w.size(); ++c)
        if (w[c] > 0) line += "  " + (c == 1 ? fmt::format("{:>{}}", r.cells[c], w[c]) : fit(r.cells[c], w[c]));
      out += trimmed(line) + "\n";
    }
    return out;
  }

 private:
  static std::string trimmed(std::string s) {
    s.erase(s.find_last_not_of(' ') + 1);
    return s;
  }
  static std::string span(int first, int count) {
    return count == 0 ? "" : count == 1 ? std::to_string(first) : fmt::format("{}..{}", first, first + count - 1);
  }
  std::string limits_of(const JointEntry& j) const { return j.nv == 1 ? limits(m_.dofs()[j.v]) : ""; }

  void add(int body, const std::string& first, const std::string& rest) {
    const JointEntry& j = m_.joints()[m_.bodies()[body].joint];
    const double mass = m_.spec().bodies[body - 1].mass;
    const int into = merged_into(m_, body);
    Row row{first,
            {clean(m_.bodies()[body].name), mass == 0 ? "-" : fmt::format("{:.4g}", mass), clean(j.name),
             std::string(to_string(j.kind)), into < 0 ? span(j.v, j.nv) : "", limits_of(j)}};
    row.merged = into >= 0;
    if (row.merged) row.cells[kLimits] = "part of " + clean(m_.bodies()[into].name);
    rows_.push_back(std::move(row));
    for (const JointEntry& p : j.parts)
      rows_.push_back({rest, {"", "", clean(p.name), std::string(to_string(p.kind)), span(p.v, p.nv), limits_of(p)}});
  }

  const Model& m_;
  std::vector<std::vector<int>> children_;
  std::vector<Row> rows_;
};

}  // namespace

std::string draw_tree(const Model& m, const Paint& paint, int width) { return Drawing(m).text(paint, width); }

}  // namespace sinew::app
