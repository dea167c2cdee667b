// apps/reproduce/f08_symbolic.cpp - section 10.4: Table 10.3, and Figure 10.6 on robots
#include <fmt/format.h>

#include <numbers>

#include "reproduce/f08_study.hpp"
#include "sinew/base/index.hpp"
#include "sinew/generate/schedule.hpp"
#include "sinew/generate/simplify.hpp"
#include "sinew/generate/trace.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/dh.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/spatial/mat3.hpp"

namespace sinew::app {
namespace {

using generate::Graph;
using generate::Rules;

long count_flops(const Graph& g) {
  const OperationCount n = count_operations(g);
  return n.mul + n.add + n.div + n.sqrt;
}

// [F08 Table 10.3]: p = v x I v, tau_out = p . s.
Graph record_table_10_3() {
  Recording r;
  const Traced o = lit<Traced>(0), a = lit<Traced>(1.5), b = lit<Traced>(1.6), c = lit<Traced>(1.7);
  const Traced v1 = r.make_input(), v2 = r.make_input(), v3 = r.make_input();
  const Vec3<Traced> v{v1, v2, v3}, s{o, o, lit<Traced>(1)};
  const Mat3<Traced> I{a, o, o, o, b, o, o, o, c};
  const Traced tau = dot(cross(v, I * v), s);
  Graph g{{}, {{"v", 3, 1, ""}}, {{"tau_out", 1, 1, ""}}, {r.find_step(tau)}};
  g.steps = r.steps();
  return g;
}

// Assignments as the table prints them: what is used twice, or is a result, gets a name.
class Assignments {
 public:
  explicit Assignments(const Graph& g) : g_(g), uses_(count_uses(g)) {
    for (std::size_t i = 0; i < g.steps.size(); ++i)
      if (has_name(static_cast<int>(i)))
        lines_.push_back(name(static_cast<int>(i)) + " = " + spell(static_cast<int>(i)));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  bool is_result(int i) const { return g_.results[0] == i; }
  bool has_name(int i) const {
    const TracedOp op = g_.steps[at(i)].op;
    return op != TracedOp::constant && op != TracedOp::input && (is_result(i) || uses_[at(i)] > 1);
  }
  std::string name(int i) {
    if (is_result(i)) return "tau_out";
    if (names_.empty()) names_.resize(g_.steps.size());
    if (names_[at(i)].empty()) names_[at(i)] = fmt::format("tmp{:03}", ++named_);
    return names_[at(i)];
  }
  std::string part(int i) { return has_name(i) ? name(i) : spell(i); }
  std::string spell(int i) {
    const TracedStep& s = g_.steps[at(i)];
    if (s.op == TracedOp::constant) return fmt::format("{}", s.value);
    if (s.op == TracedOp::input) return fmt::format("v({})", s.a + 1);
    const bool product = s.op == TracedOp::mul;
    const auto factor = [&](int x) {
      const TracedOp op = g_.steps[at(x)].op;
      return product && !has_name(x) && (op == TracedOp::add || op == TracedOp::sub) ? "(" + part(x) + ")" : part(x);
    };
    return factor(s.a) + (product ? " * " : s.op == TracedOp::add ? " + " : " - ") + factor(s.b);
  }

  const Graph& g_;
  std::vector<int> uses_;
  std::vector<std::string> names_, lines_;
  int named_ = 0;
};

// Six joints with the zeros of a Puma 560: right angles, few offsets, inertias along the axes of the links.
ModelSpec puma_like() {
  constexpr double kRight = std::numbers::pi / 2;
  const struct {
    double alpha, a, d, mass;
    Vec3<double> com, inertia;
  } links[] = {{0, 0, 0, 13, {0, 0, 0.07}, {0.3, 0.3, 0.35}},
               {-kRight, 0, 0.24, 17.4, {0.07, 0, 0}, {0.13, 0.52, 0.54}},
               {0, 0.43, -0.09, 4.8, {0, -0.07, 0}, {0.19, 0.015, 0.21}},
               {kRight, -0.02, 0.43, 0.82, {0, 0, -0.02}, {0.0018, 0.0018, 0.0013}},
               {-kRight, 0, 0, 0.34, {0, 0, 0}, {0.0003, 0.0003, 0.0004}},
               {kRight, 0, 0, 0.09, {0, 0, 0.03}, {0.00015, 0.00015, 0.00004}}};
  ModelBuilder b("puma_like");
  std::string parent = "world";
  for (const auto& l : links) {
    const std::string name = fmt::format("link{}", b.spec().bodies.size() + 1);
    b.body(name).mass(l.mass, l.com, Sym3<double>::diagonal(l.inertia.x, l.inertia.y, l.inertia.z));
    b.revolute("joint" + name.substr(4), parent, name).axis({0, 0, 1});
    DhRow row;
    row.a = l.a, row.alpha = l.alpha, row.d = l.d;
    b.spec().joints.back().placement = dh_transform(row);
    parent = name;
  }
  return b.spec();
}

}  // namespace

SymbolicStudy study_symbolic() {
  SymbolicStudy out;
  const Graph table = record_table_10_3(), book = simplify(table, Rules::book), all = simplify(table);
  out.table = {{"assignment-statement file", count_flops(table), Assignments(table).lines()},
               {"by the book's rules", count_flops(book), Assignments(book).lines()},
               {"by all rules", count_flops(all), Assignments(all).lines()}};
  const std::pair<const char*, ModelSpec> robots[] = {{"puma_like", puma_like()},
                                                      {"gu6", mechanisms::gu(6)},
                                                      {"dual_arm", mechanisms::dual_arm()},
                                                      {"humanoid", mechanisms::humanoid()}};
  for (const auto& [name, spec] : robots) {
    const Model m = compile(spec).value();
    for (const char* algorithm : {"rnea", "crba", "aba"}) {
      const Graph recorded = generate::trace(m, algorithm), simple = simplify(recorded);
      out.robots.push_back({name, algorithm, count_flops(recorded), count_flops(simplify(recorded, Rules::book)),
                            count_flops(simple), count_live_values(simple), count_live_values(schedule(simple))});
    }
  }
  return out;
}

}  // namespace sinew::app
