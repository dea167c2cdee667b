// apps/count/report.cpp - what `sinew count` writes
#include <fmt/format.h>

#include "common/json_text.hpp"
#include "common/terminal.hpp"
#include "count/operations.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

long total(const OperationCount& c) { return c.mul + c.add + c.div + c.sqrt + c.trig; }

Json to_json(const OperationCount& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}, {"total", total(c)}};
}

Json to_json(const Operations& o) {
  const TreeNumbers& t = o.tree;
  Json out = {{"n", t.n},
              {"D0", t.D0_dh + t.D0_general},
              {"D1", t.D1_dh + t.D1_general},
              {"D2", t.D2},
              {"D0_dh", t.D0_dh},
              {"D0_general", t.D0_general},
              {"D1_dh", t.D1_dh},
              {"D1_general", t.D1_general},
              {"revolute", o.revolute},
              {"branched", o.branched}};
  for (const OperationRow& r : o.rows) {
    Json row = to_json(r.count);
    row["book"] = nullptr;
    if (r.book) {
      row["book"] = {{"source", "F08 " + r.book->source}, {"formula", r.book->formula}};
      row["book"].update(to_json(r.book->count));
    }
    out["algorithms"][r.name] = row;
  }
  return out;
}

}  // namespace

std::string in_short(const OperationCount& c) {
  std::string out;
  const std::pair<long, const char*> parts[] = {{c.mul, "m"}, {c.add, "a"}, {c.div, "d"}, {c.sqrt, " sqrt"}};
  for (const auto& [n, unit] : parts)
    if (n != 0) out += fmt::format("{}{}{}", out.empty() ? "" : " ", n, unit);
  return out.empty() ? "0" : out;
}

std::string to_text(const Operations& o, const std::string& name) {
  const Paint paint(stdout);
  const int width = find_width(stdout);
  const TreeNumbers& t = o.tree;
  std::string out =
      fmt::format("{}: n = {}, D0 = {} ({} + {}), D1 = {} ({} + {}), D2 = {}\n", paint.bold(clean(name)), t.n,
                  t.D0_dh + t.D0_general, t.D0_dh, t.D0_general, t.D1_dh + t.D1_general, t.D1_dh, t.D1_general, t.D2);
  out += paint.dim(fmt::format("{:<16}{:>8}{:>8}{:>6}{:>6}{:>6}{:>9}   {}", "", "mul", "add", "div", "sqrt", "trig",
                               "total", "F08, general geometry")) +
         "\n";
  for (const OperationRow& r : o.rows) {
    const OperationCount& c = r.count;
    std::string line =
        fmt::format("{:<16}{:>8}{:>8}{:>6}{:>6}{:>6}{:>9}", r.name, c.mul, c.add, c.div, c.sqrt, c.trig, total(c));
    if (r.book) {
      line += fmt::format("   {}, {}", in_short(r.book->count), r.book->source);
      if (columns(line) + columns(r.book->formula) + 2 <= width) line += ": " + r.book->formula;
    }
    out += line + "\n";
  }
  if (!o.revolute || o.branched)
    out += fmt::format("\nF08 Table 10.1 is for unbranched chains of revolute joints on a fixed base; this model {}.\n",
                       o.revolute ? "branches" : "has other joints");
  return out;
}

std::string to_json_text(const Operations& o, const std::string& file, const std::string& name, std::uint64_t seed) {
  Json out = {{"file", file}, {"name", name}, {"seed", seed}};
  out.update(to_json(o));
  return write_short(out);
}

}  // namespace sinew::app
