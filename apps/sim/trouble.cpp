// apps/sim/trouble.cpp - why problems of a run are not solved
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/run.hpp"

namespace sinew::app {
namespace {

double find_tree_mass(const Model& m, int node) {
  const auto top = [&](int n) {
    while (n > 0 && m.nodes()[n].parent > 0) n = m.nodes()[n].parent;
    return n;
  };
  double mass = 0;
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    if (top(static_cast<int>(i)) == top(node)) mass += m.nodes()[i].inertia.m;
  return mass;
}

// What contradicts, those first that take the largest part in it.
std::string name_wedged(const Stepper& s) {
  constexpr std::size_t kShown = 4;
  const std::size_t shown = std::min(s.wedged().size(), kShown), more = s.wedged().size() - shown;
  std::vector<std::string> names;
  for (const WedgedPart& p : s.wedged().first(shown)) names.push_back(p.name);
  return fmt::format("{}{}", fmt::join(names, "; "), more > 0 ? fmt::format("; {} more", more) : "");
}

}  // namespace

std::string find_reason(const Stepper& s, const std::string& contradiction) {
  if (!contradiction.empty()) return contradiction;
  if (s.report().out_of_time > 0) return "--most-seconds-per-step is too short for this scene on this machine";
  if (s.report().wedged > 0)
    return fmt::format(
        "bodies are wedged: no motion satisfies these contacts at once, and the answer violates them by the least: {}",
        name_wedged(s));
  constexpr double kDeep = 1e-3, kUnequal = 1e4;
  const ContactPoint* deepest = nullptr;
  double ratio = 1;
  std::string unequal;
  for (const ContactPoint& c : s.contacts()) {
    if (!deepest || c.gap < deepest->gap) deepest = &c;
    if (c.node_a == 0 || c.node_b == 0) continue;
    const auto node = [&](int touching) { return s.model().bodies()[at(s.contact_body(touching))].node; };
    const double a = find_tree_mass(s.model(), node(c.node_a)), b = find_tree_mass(s.model(), node(c.node_b));
    const double here = std::max(a, b) / std::max(std::min(a, b), 1e-300);
    if (here > ratio) ratio = here, unequal = s.shapes().pair_name(c);
  }
  if (deepest && deepest->gap < -kDeep)
    return fmt::format("bodies overlap in a way that no motion may remove: {}, {:.2g} mm deep",
                       s.shapes().pair_name(*deepest), -1000 * deepest->gap);
  if (ratio > kUnequal) return fmt::format("the masses in contact differ by a factor of {:.1g}: {}", ratio, unequal);
  if (s.constraints().rows() > 0 && s.contacts().empty())
    return "loops or gears alone; see whether they can all hold (sinew info says the mobility)";
  return fmt::format("not known; the problem had {} contacts. Write it down with --dump and try sinew lcp on it",
                     s.contacts().size());
}

}  // namespace sinew::app
