// src/generate/graph.cpp
#include "sinew/generate/graph.hpp"

#include <algorithm>
#include <numeric>

namespace sinew::generate {
namespace {

int total_size(const std::vector<Argument>& list) {
  return std::accumulate(list.begin(), list.end(), 0, [](int sum, const Argument& a) { return sum + a.size(); });
}
bool is_value(const TracedStep& s) { return s.op != TracedOp::constant && s.op != TracedOp::input; }

}  // namespace

int Graph::input_size() const { return total_size(inputs); }
int Graph::output_size() const { return total_size(outputs); }

OperationCount count_operations(const Graph& g) {
  OperationCount n;
  for (const TracedStep& s : g.steps) switch (s.op) {
      case TracedOp::add:
      case TracedOp::sub: ++n.add; break;
      case TracedOp::mul: ++n.mul; break;
      case TracedOp::div: ++n.div; break;
      case TracedOp::sqrt: ++n.sqrt; break;
      case TracedOp::sin:
      case TracedOp::cos:
      case TracedOp::asin:
      case TracedOp::acos:
      case TracedOp::atan2: ++n.trig; break;
      default: break;
    }
  return n;
}

std::vector<int> count_uses(const Graph& g) {
  std::vector<int> uses(g.steps.size());
  for (const TracedStep& s : g.steps) {
    if (!is_value(s)) continue;
    for (const int x : {s.a, s.b, s.c})
      if (x >= 0) ++uses[at(x)];
  }
  for (const int r : g.results) ++uses[at(r)];
  return uses;
}

int count_live_values(const Graph& g) {
  std::vector<int> left = count_uses(g);  // uses that are still to come
  for (const int r : g.results) --left[at(r)];
  int live = 0, most = 0;
  for (std::size_t i = 0; i < g.steps.size(); ++i) {
    const TracedStep& s = g.steps[i];
    if (!is_value(s)) continue;
    for (const int x : {s.a, s.b, s.c})
      if (x >= 0 && --left[at(x)] == 0 && is_value(g.steps[at(x)])) --live;
    if (left[i] > 0) ++live;
    most = std::max(most, live);
  }
  return most;
}

std::vector<double> evaluate(const Graph& g, VectorView<const double> inputs) {
  check_size("evaluate", "inputs", inputs.size(), at(g.input_size()));
  std::vector<double> x(g.steps.size()), out;
  const auto value = [&](int i) { return i < 0 ? 0 : x[at(i)]; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const TracedStep& s = g.steps[i];
    if (s.op == TracedOp::constant)
      x[i] = s.value;
    else if (s.op == TracedOp::input)
      x[i] = inputs[at(s.a)];
    else
      x[i] = calc_step(s.op, value(s.a), value(s.b), value(s.c));
  }
  for (const int r : g.results) out.push_back(x[at(r)]);
  return out;
}

Graph reorder(const Graph& g, const std::vector<int>& order) {
  Graph out{{}, g.inputs, g.outputs, g.results};
  std::vector<int> place(g.steps.size(), -1);
  const auto moved = [&](int i) { return i < 0 ? i : place[at(i)]; };
  for (const int k : order) {
    TracedStep s = g.steps[at(k)];
    if (is_value(s)) s.a = moved(s.a), s.b = moved(s.b), s.c = moved(s.c);
    place[at(k)] = static_cast<int>(out.steps.size());
    out.steps.push_back(s);
  }
  for (int& r : out.results) r = place[at(r)];
  return out;
}

}  // namespace sinew::generate
