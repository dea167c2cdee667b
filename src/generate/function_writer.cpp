// src/generate/function_writer.cpp
#include "generate/function_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "sinew/generate/schedule.hpp"
#include "sinew/generate/simplify.hpp"
#include "sinew/generate/trace.hpp"

namespace sinew::generate {
namespace {

// "q[7] positions".
std::string describe_argument(const Argument& a) {
  if (a.cols == 1) return fmt::format("{}[{}] {}", a.name, a.rows, a.meaning);
  return fmt::format("{}[{} * {}] {}", a.name, a.rows, a.cols, a.meaning);
}

// Whether the text has an element of the array.
bool mentions(const std::string& text, const std::string& array) {
  const std::string element = array + "[";
  for (std::size_t k = 0; (k = text.find(element, k)) != std::string::npos; ++k)
    if (k == 0 || (!std::isalnum(static_cast<unsigned char>(text[k - 1])) && text[k - 1] != '_')) return true;
  return false;
}

// Compilers warn of parameters that nothing reads.
std::string excuse_unused(const std::string& text, const std::vector<Argument>& inputs) {
  std::string out;
  for (const Argument& x : inputs)
    if (!mentions(text, x.name) && text.find("(" + x.name) == std::string::npos &&
        text.find(", " + x.name) == std::string::npos)
      out += fmt::format("  (void){};\n", x.name);
  return out;
}

Graph find_shortest(const std::vector<Graph>& formulas) {
  Graph best = simplify(formulas[0]);
  for (std::size_t i = 1; i < formulas.size(); ++i)
    if (Graph g = simplify(formulas[i]); calc_cost(g) < calc_cost(best)) best = std::move(g);
  return best;
}

}  // namespace

std::string in_comment(std::string text) {
  for (char& c : text)
    if (c == '*' || c == '/' || c == '\\' || !std::isprint(static_cast<unsigned char>(c))) c = '_';
  return text;
}

FunctionWriter::FunctionWriter(const Model& m, std::string prefix, const std::string& algorithm, const Options& o)
    : m_(m), prefix_(std::move(prefix)), algorithm_(algorithm), name_(algorithm.substr(0, algorithm.find(':'))), o_(o) {
  how_.prefix = prefix_;
  how_.single = o.single;
  how_.lanes = o.lanes > 1;
  how_.strided = o.language == Language::cuda;
  const Graph recorded = trace(m, algorithm);
  graph_ = find_shortest(trace_for_code(m, algorithm));
  check_length(graph_);
  graph_ = schedule(graph_);
  body_ = make_body(graph_, how_);
  parts_ = find_parts(body_, o.statements);
  statement_of_.assign(graph_.steps.size(), -1);
  for (std::size_t k = 0; k < body_.statements.size(); ++k)
    statement_of_[at(body_.statements[k].step)] = static_cast<int>(k);
  row_ = {name_,
          declaration(),
          graph_.inputs,
          graph_.outputs,
          count_operations(recorded),
          count_operations(graph_),
          count_live_values(graph_),
          static_cast<int>(parts_.size()) - 1,
          list_left_out(m, algorithm)};
}

void FunctionWriter::check_length(const Graph& g) const {
  const OperationCount n = count_operations(g);
  if (n.mul + n.add + n.div <= o_.most_operations) return;
  throw TraceError(
      fmt::format("{} of '{}' takes {} operations, more than {} make code that no compiler likes; ask for rnea, "
                  "crba, aba or drnea, whose length grows with the number of joints, or leave out parts of the robot",
                  algorithm_, m_.name(), n.mul + n.add + n.div, o_.most_operations));
}

std::string FunctionWriter::comment() const {
  const OperationCount &a = row_.recorded, &b = row_.written;
  std::string out = fmt::format("/* {}\n", in_comment(describe_algorithm(algorithm_)));
  for (const auto* list : {&graph_.inputs, &graph_.outputs})
    for (const Argument& x : *list)
      out += fmt::format(" *   {} {}\n", list == &graph_.inputs ? "in: " : "out:", describe_argument(x));
  for (const std::string& what : row_.left_out) out += fmt::format(" *   left out: {}\n", in_comment(what));
  return out + fmt::format(
                   " * {} multiplications, {} additions, {} divisions, {} sines and cosines; before simplification "
                   "{}, {}, {}, {}.\n * At most {} values are needed later at once. */\n",
                   b.mul, b.add, b.div + b.sqrt, b.trig, a.mul, a.add, a.div + a.sqrt, a.trig, row_.live_values);
}

// ---- What it is called with
std::string FunctionWriter::declaration() const {
  std::string out = fmt::format("void {}_{}(", prefix_, name_);
  if (how_.strided) out += "long n, ";
  return out + parameters() + ")";
}
std::string FunctionWriter::parameters(const std::string& words) const {
  std::string out;
  for (const Argument& x : graph_.inputs) out += fmt::format("const {} *{}{}, ", type(), words, x.name);
  for (const Argument& x : graph_.outputs) out += fmt::format("{} *{}{}, ", type(), words, x.name);
  out.resize(out.size() - 2);
  return out;
}
std::string FunctionWriter::declaration_with_restrict() const {
  return fmt::format("{}void {}_{}({}{})", how_.strided ? "static inline " : "", prefix_, name_,
                     how_.strided ? "long n, " : "", parameters(restricted()));
}
std::string FunctionWriter::part_parameters(const std::string& lines) const {
  std::string out;
  const auto add = [&](const char* constant, const std::string& name) {
    if (mentions(lines, name)) out += fmt::format(", {}{} *{}{}", constant, type(), restricted(), name);
  };
  for (const Argument& x : graph_.inputs) add("const ", x.name);
  for (const Argument& x : graph_.outputs) add("", x.name);
  add("const ", "sine"), add("const ", "cosine"), add("", "w");
  return (how_.strided ? "long n" : "") + out.substr(how_.strided || out.empty() ? 0 : 2);
}
std::string FunctionWriter::part_arguments(const std::string& lines) const {
  std::string out;
  const auto add = [&](const std::string& name) {
    if (mentions(lines, name)) out += ", " + name;
  };
  for (const auto* list : {&graph_.inputs, &graph_.outputs})
    for (const Argument& x : *list) add(x.name);
  add("sine"), add("cosine"), add("w");
  return (how_.strided ? "n" : "") + out.substr(how_.strided || out.empty() ? 0 : 2);
}

// ---- Batches
std::string FunctionWriter::batch_declaration() const {
  std::string out = fmt::format("void {}_{}_batch(long n", prefix_, name_);
  for (const Argument& x : graph_.inputs) out += fmt::format(", const {} *{}", scalar(), x.name);
  for (const Argument& x : graph_.outputs) out += fmt::format(", {} *{}", scalar(), x.name);
  return out + ")";
}
// Samples are turned into lanes and back. Lanes beyond the last sample repeat it.
std::string FunctionWriter::batch_definition() const {
  std::string room, gather, call, scatter;
  const auto add = [&](const Argument& x, bool input) {
    if (x.size() == 0) {
      call += ", 0";
      return;
    }
    room += fmt::format("  {} {}_lanes[{}];\n", type(), x.name, x.size());
    call += fmt::format(", {}_lanes", x.name);
    (input ? gather : scatter) +=
        fmt::format("      for (i = 0; i < {}; ++i) {};\n", x.size(),
                    input ? fmt::format("{0}_lanes[i][k] = {0}[{1} * at + i]", x.name, x.size())
                          : fmt::format("{0}[{1} * (from + k) + i] = {0}_lanes[i][k]", x.name, x.size()));
  };
  for (const Argument& x : graph_.inputs) add(x, true);
  for (const Argument& x : graph_.outputs) add(x, false);
  return fmt::format(
      "{0} {{\n{1}  long from;\n  int i, k;\n"
      "  for (from = 0; from < n; from += {2}) {{\n"
      "    const int count = n - from < {2} ? (int)(n - from) : {2};\n"
      "    for (k = 0; k < {2}; ++k) {{\n"
      "      const long at = from + (k < count ? k : count - 1);\n{3}    }}\n"
      "    {4}_{5}({6});\n"
      "    for (k = 0; k < count; ++k) {{\n{7}    }}\n  }}\n}}\n\n",
      batch_declaration(), room, o_.lanes, gather, prefix_, name_, call.substr(2), scatter);
}

// ---- What it does
std::string FunctionWriter::definition() const {
  const bool whole = parts_.size() == 2;
  std::string parts, calls;
  std::vector<int> slots;
  const int room = whole ? 0 : find_slots(slots);
  for (std::size_t k = 0; !whole && k + 1 < parts_.size(); ++k) {
    parts += fmt::format("/* {} of {}{} */\n", k + 1, parts_.size() - 1, describe_part(parts_[k], parts_[k + 1]));
    const std::string lines = statements(parts_[k], parts_[k + 1], slots);
    parts += fmt::format("static {}void {}_{}_{}({}) {{\n{}}}\n\n", device_words(), prefix_, name_, k + 1,
                         part_parameters(lines), lines);
    calls += fmt::format("  {}_{}_{}({});\n", prefix_, name_, k + 1, part_arguments(lines));
  }
  std::string out = sines(whole, room) + (whole ? statements(0, parts_[1], slots) : calls);
  for (const auto& [result, text] : body_.direct) {
    const bool number = text.find('[') == std::string::npos;
    out += fmt::format("  {} = {};\n", spell_output(graph_, result, how_),
                       how_.lanes && number ? fmt::format("{}_all({})", prefix_, text) : text);
  }
  return parts + device_words() + declaration_with_restrict() + " {\n" + out + excuse_unused(out, graph_.inputs) +
         "}\n\n";
}

// Sines and cosines of all angles, four at once, and the room for what later parts read.
std::string FunctionWriter::sines(bool whole, int room) const {
  std::string out;
  const std::size_t angles = body_.angles.size();
  const std::size_t padded = how_.strided || how_.lanes ? angles : (angles + 3) / 4 * 4;
  if (angles > 0) out += fmt::format("  {} angle[{}], sine[{}], cosine[{}];\n", type(), padded, padded, padded);
  if (!whole && room > 0) out += fmt::format("  {} w[{}];\n", type(), room);
  if (angles == 0) return out;
  for (std::size_t i = 0; i < padded; ++i)
    out += fmt::format("  angle[{}] = {};\n", i, i < angles ? body_.angles[i] : spell_number(0, how_));
  return out + (how_.lanes ? fmt::format("  {}_sincos({}, (const {} *)angle, ({} *)sine, ({} *)cosine);\n", prefix_,
                                         angles * at(o_.lanes), scalar(), scalar(), scalar())
                           : fmt::format("  {}_sincos({}, angle, sine, cosine);\n", prefix_, padded));
}

int FunctionWriter::find_joint(int input) const {
  int offset = input;
  for (const Argument& x : graph_.inputs) {
    if (offset >= x.size()) {
      offset -= x.size();
      continue;
    }
    for (std::size_t j = 0; j < m_.joints().size(); ++j) {
      const JointEntry& e = m_.joints()[j];
      const int from = x.name == "q" ? e.q : e.v, count = x.name == "q" ? e.nq : e.nv;
      if (offset >= from && offset < from + count) return static_cast<int>(j);
    }
    break;
  }
  return -1;
}

std::string FunctionWriter::describe_part(int begin, int end) const {
  int first = -1, last = -1;
  for (int k = begin; k < end; ++k)
    for (const int input : body_.statements[at(k)].inputs) {
      const int j = find_joint(input);
      if (j < 0) continue;
      first = first < 0 ? j : std::min(first, j);
      last = std::max(last, j);
    }
  if (first < 0) return "";
  return fmt::format("; joints {} .. {}", in_comment(m_.joints()[at(first)].name),
                     in_comment(m_.joints()[at(last)].name));
}

int FunctionWriter::find_slots(std::vector<int>& slots) const {
  const int n = static_cast<int>(body_.statements.size());
  std::vector<int> last(at(n), -1), part(at(n));
  for (std::size_t p = 0; p + 1 < parts_.size(); ++p)
    for (int k = parts_[p]; k < parts_[p + 1]; ++k) part[at(k)] = static_cast<int>(p);
  for (int k = 0; k < n; ++k)
    for (const int step : body_.statements[at(k)].reads) last[at(statement_of_[at(step)])] = k;
  slots.assign(at(n), -1);
  std::vector<std::vector<int>> until(parts_.size());  // the slots that are read up to each part
  std::set<int> free;
  int count = 0;
  for (int k = 0; k < n; ++k) {
    if (k > 0 && part[at(k)] != part[at(k - 1)])
      free.insert(until[at(part[at(k - 1)])].begin(), until[at(part[at(k - 1)])].end());
    if (last[at(k)] < 0 || part[at(last[at(k)])] == part[at(k)]) continue;
    const int slot = free.empty() ? count++ : *free.begin();
    free.erase(slot);
    until[at(part[at(last[at(k)])])].push_back(slot);
    slots[at(k)] = slot;
  }
  return count;
}

std::string FunctionWriter::statements(int begin, int end, const std::vector<int>& slots) const {
  std::string out;
  std::set<int> loaded;
  for (int k = begin; k < end; ++k) {
    const Statement& s = body_.statements[at(k)];
    for (const int step : s.reads)
      if (const int from = statement_of_[at(step)]; from < begin && loaded.insert(step).second)
        out += fmt::format("  const {} t{} = w[{}];\n", type(), step, slots[at(from)]);
    const bool kept = !slots.empty() && slots[at(k)] >= 0;
    const std::string line = s.named || s.results.size() != 1 ? fmt::format("const {} t{}", type(), s.step)
                                                              : spell_output(graph_, s.results[0], how_);
    out += fmt::format("  {} = {};\n", line, s.text);
    if (s.named || s.results.size() != 1)
      for (const int r : s.results) out += fmt::format("  {} = t{};\n", spell_output(graph_, r, how_), s.step);
    if (kept) out += fmt::format("  w[{}] = t{};\n", slots[at(k)], s.step);
  }
  return out;
}

}  // namespace sinew::generate
