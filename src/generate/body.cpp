// src/generate/body.cpp
#include "generate/body.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::generate {
namespace {

constexpr std::size_t kLongest = 90;  // letters of an expression that stands inside another

// How tightly an expression binds.
enum class Binding { sum, product, whole };
struct Expression {
  std::string text;
  Binding binding = Binding::whole;
  std::vector<int> reads, inputs;
};

std::string spell_element(const Argument& a, int i, const Spelling& how) {
  if (!how.strided) return fmt::format("{}[{}]", a.name, i);
  return i == 0 ? fmt::format("{}[0]", a.name) : fmt::format("{}[{} * n]", a.name, i);
}
std::string spell_argument(const std::vector<Argument>& list, int i, const Spelling& how) {
  for (const Argument& a : list) {
    if (i < a.size()) return spell_element(a, i, how);
    i -= a.size();
  }
  return {};
}

const char* operation_word(TracedOp op) {
  switch (op) {
    case TracedOp::sqrt: return "sqrt";
    case TracedOp::sin: return "sin";
    case TracedOp::cos: return "cos";
    case TracedOp::asin: return "asin";
    case TracedOp::acos: return "acos";
    case TracedOp::atan2: return "atan2";
    case TracedOp::abs: return "fabs";
    case TracedOp::min: return "min";
    case TracedOp::max: return "max";
    case TracedOp::less: return "less";
    case TracedOp::less_equal: return "less_equal";
    case TracedOp::equal: return "equal";
    case TracedOp::select: return "select";
    default: return "";
  }
}

class BodyMaker {
 public:
  BodyMaker(const Graph& g, const Spelling& how) : g_(g), how_(how), uses_(count_uses(g)) {}

  Body run() {
    find_results();
    find_angles();
    find_inner();
    for (std::size_t i = 0; i < g_.steps.size(); ++i) {
      const int step = static_cast<int>(i);
      if (is_leaf(step) || inner_[i] || angle_place_[i] >= 0 || !needed_[i]) continue;
      Expression e = spell(step);
      Statement s{std::move(e.text),  step, std::move(e.reads), results_of_[i], uses_[i] > count_results(i),
                  std::move(e.inputs)};
      out_.statements.push_back(std::move(s));
    }
    std::sort(out_.helpers.begin(), out_.helpers.end());
    out_.helpers.erase(std::unique(out_.helpers.begin(), out_.helpers.end()), out_.helpers.end());
    return std::move(out_);
  }

 private:
  const TracedStep& step_at(int i) const { return g_.steps[at(i)]; }
  bool is_leaf(int i) const { return step_at(i).op == TracedOp::constant || step_at(i).op == TracedOp::input; }
  int count_results(std::size_t i) const { return static_cast<int>(results_of_[i].size()); }

  void find_results() {
    results_of_.resize(g_.steps.size());
    for (std::size_t r = 0; r < g_.results.size(); ++r) {
      const int step = g_.results[r];
      if (is_leaf(step))
        out_.direct.emplace_back(static_cast<int>(r), spell(step).text);
      else
        results_of_[at(step)].push_back(static_cast<int>(r));
    }
  }

  // Sines and cosines of what needs no other sine; the steps that only make those angles are not needed again.
  void find_angles() {
    angle_place_.assign(g_.steps.size(), -1);
    std::vector<char> simple(g_.steps.size());
    std::vector<int> place_of(g_.steps.size(), -1);
    for (std::size_t i = 0; i < g_.steps.size(); ++i) {
      const TracedStep& s = g_.steps[i];
      const bool sine = s.op == TracedOp::sin, cosine = s.op == TracedOp::cos;
      simple[i] = is_leaf(static_cast<int>(i)) || s.op == TracedOp::add || s.op == TracedOp::sub ||
                  s.op == TracedOp::mul || s.op == TracedOp::neg;
      for (const int x : {s.a, s.b})
        if (!is_leaf(static_cast<int>(i)) && x >= 0 && !simple[at(x)]) simple[i] = 0;
      if ((!sine && !cosine) || !simple[at(s.a)]) continue;
      int& place = place_of[at(s.a)];
      if (place < 0) {
        place = static_cast<int>(out_.angles.size());
        out_.angles.push_back(spell_whole(s.a).text);
      }
      angle_place_[i] = place;
    }
    for (std::size_t i = 0; i < g_.steps.size(); ++i)
      if (angle_place_[i] >= 0)
        for (const int r : results_of_[i]) out_.direct.emplace_back(r, spell(static_cast<int>(i)).text);
    // What is needed once the angles are known.
    needed_.assign(g_.steps.size(), 0);
    for (const int r : g_.results) needed_[at(r)] = 1;
    for (std::size_t i = g_.steps.size(); i-- > 0;) {
      if (!needed_[i] || angle_place_[i] >= 0 || is_leaf(static_cast<int>(i))) continue;
      for (const int x : {g_.steps[i].a, g_.steps[i].b, g_.steps[i].c})
        if (x >= 0) needed_[at(x)] = 1;
    }
    std::fill(uses_.begin(), uses_.end(), 0);
    for (const int r : g_.results) ++uses_[at(r)];
    for (std::size_t i = 0; i < g_.steps.size(); ++i)
      if (needed_[i] && angle_place_[i] < 0 && !is_leaf(static_cast<int>(i)))
        for (const int x : {g_.steps[i].a, g_.steps[i].b, g_.steps[i].c})
          if (x >= 0) ++uses_[at(x)];
  }

  // Short sums and products that one step uses stand inside it.
  void find_inner() {
    inner_.assign(g_.steps.size(), 0);
    length_.assign(g_.steps.size(), 6);
    for (std::size_t i = 0; i < g_.steps.size(); ++i) {
      const TracedStep& s = g_.steps[i];
      if (s.op != TracedOp::add && s.op != TracedOp::sub && s.op != TracedOp::mul && s.op != TracedOp::neg) continue;
      length_[i] = 4;
      for (const int x : {s.a, s.b})
        if (x >= 0) length_[i] += inner_[at(x)] ? length_[at(x)] : step_at(x).op == TracedOp::constant ? 18 : 6;
      inner_[i] = uses_[i] == 1 && results_of_[i].empty() && length_[i] < kLongest;
    }
  }

  // A step as it stands in another: by its name, or whole.
  Expression spell_part(int i) {
    if (is_leaf(i) || angle_place_[at(i)] >= 0 || inner_[at(i)]) return spell(i);
    return {fmt::format("t{}", i), Binding::whole, {i}, {}};
  }
  // Down to the inputs.
  Expression spell_whole(int i) {
    inner_.assign(g_.steps.size(), 1);
    return spell(i);
  }

  static void take(Expression& e, const Expression& part) {
    e.reads.insert(e.reads.end(), part.reads.begin(), part.reads.end());
    e.inputs.insert(e.inputs.end(), part.inputs.begin(), part.inputs.end());
  }
  static std::string wrap(const Expression& e, bool brackets) { return brackets ? "(" + e.text + ")" : e.text; }

  Expression spell(int i) {
    const TracedStep& s = step_at(i);
    if (s.op == TracedOp::constant)
      return {spell_number(s.value, how_), s.value < 0 ? Binding::sum : Binding::whole, {}, {}};
    if (s.op == TracedOp::input) return {spell_argument(g_.inputs, s.a, how_), Binding::whole, {}, {s.a}};
    if (!angle_place_.empty() && angle_place_[at(i)] >= 0)
      return {fmt::format("{}[{}]", s.op == TracedOp::sin ? "sine" : "cosine", angle_place_[at(i)]),
              Binding::whole,
              {},
              {}};
    Expression e, x = spell_part(s.a), y = s.b < 0 ? Expression{} : spell_part(s.b);
    take(e, x), take(e, y);
    switch (s.op) {
      case TracedOp::add:
        e.text = x.text + " + " + wrap(y, y.binding == Binding::sum);
        e.binding = Binding::sum;
        return e;
      case TracedOp::sub:
        e.text = x.text + " - " + wrap(y, y.binding == Binding::sum);
        e.binding = Binding::sum;
        return e;
      case TracedOp::mul:
        e.text = wrap(x, x.binding == Binding::sum) + " * " + wrap(y, y.binding != Binding::whole);
        e.binding = Binding::product;
        return e;
      case TracedOp::div:
        e.text = wrap(x, x.binding == Binding::sum) + " / " + wrap(y, y.binding != Binding::whole);
        e.binding = Binding::product;
        return e;
      case TracedOp::neg:
        e.text = "-" + wrap(x, x.binding != Binding::whole);
        e.binding = Binding::sum;
        return e;
      default: break;
    }
    out_.helpers.emplace_back(operation_word(s.op));
    e.text = fmt::format("{}_{}({}", how_.prefix, operation_word(s.op), x.text);
    if (s.b >= 0) e.text += ", " + y.text;
    if (s.c >= 0) {
      const Expression z = spell_part(s.c);
      take(e, z);
      e.text += ", " + z.text;
    }
    e.text += ')';
    return e;
  }

  const Graph& g_;
  const Spelling& how_;
  std::vector<int> uses_;
  std::vector<std::vector<int>> results_of_;
  std::vector<int> angle_place_;  // of a sine or cosine; -1: it is calculated where it stands
  std::vector<char> needed_, inner_;
  std::vector<std::size_t> length_;
  Body out_;
};

}  // namespace

std::string spell_number(double x, const Spelling& how) {
  std::string out = how.single ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return how.single ? out + "f" : out;
}

std::string spell_output(const Graph& g, int result, const Spelling& how) {
  return spell_argument(g.outputs, result, how);
}

Body make_body(const Graph& g, const Spelling& how) { return BodyMaker(g, how).run(); }

std::vector<int> find_parts(const Body& body, int most_statements) {
  const int n = static_cast<int>(body.statements.size());
  // crossing[k]: named values before statement k that are read from there on.
  std::vector<int> crossing(at(n + 1)), last(at(n), -1);
  std::vector<std::pair<int, int>> place;  // step, statement; by step
  place.reserve(at(n));
  for (int k = 0; k < n; ++k) place.emplace_back(body.statements[at(k)].step, k);
  std::sort(place.begin(), place.end());
  for (int k = 0; k < n; ++k)
    for (const int step : body.statements[at(k)].reads) {
      const auto at_step = std::lower_bound(place.begin(), place.end(), std::pair{step, 0});
      last[at(at_step->second)] = k;
    }
  for (int k = 0; k < n; ++k)
    if (last[at(k)] > k) ++crossing[at(k + 1)], --crossing[at(last[at(k)] + 1)];
  for (int k = 1; k <= n; ++k) crossing[at(k)] += crossing[at(k - 1)];
  std::vector<int> parts{0};
  while (n - parts.back() > most_statements) {
    int best = parts.back() + most_statements;
    for (int k = best; k > parts.back() + most_statements * 3 / 5; --k)
      if (crossing[at(k)] < crossing[at(best)]) best = k;
    parts.push_back(best);
  }
  parts.push_back(n);
  return parts;
}

}  // namespace sinew::generate
