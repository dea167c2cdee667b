// src/generate/simplify.cpp
#include "sinew/generate/simplify.hpp"

#include <algorithm>
#include <map>

#include "generate/builder.hpp"

namespace sinew::generate {
namespace {

bool is_sum(TracedOp op) { return op == TracedOp::add || op == TracedOp::sub; }

// A term of a sum, factor * step; -1: the constant `factor`.
struct Term {
  double factor = 0;
  int step = -1;
  bool single = false;  // nothing but this sum uses it
};

// One pass over a graph in which nothing is calculated twice: every sum is taken apart into its terms, as far as
// nothing else uses its parts, and put together again.
class Regroup {
 public:
  Regroup(const Graph& g, bool angle_sums) : g_(g), uses_(count_uses(g)), angle_sums_(angle_sums) {}

  Graph run() {
    new_.resize(g_.steps.size());
    std::vector<char> wanted(g_.steps.size());
    for (const int r : g_.results) wanted[at(r)] = 1;
    for (std::size_t i = g_.steps.size(); i-- > 0;)
      if (wanted[i] && g_.steps[i].op != TracedOp::input)
        for (const int x : {g_.steps[i].a, g_.steps[i].b, g_.steps[i].c})
          if (x >= 0) wanted[at(x)] = 1;
    mark_inner_sums();
    for (std::size_t i = 0; i < g_.steps.size(); ++i)
      if (wanted[i] && !inner_[i]) new_[i] = rebuild(g_.steps[i]);
    Graph out{{}, g_.inputs, g_.outputs, {}};
    for (const int r : g_.results) out.results.push_back(b_.settle(new_[at(r)]));
    out.steps = b_.take();
    return out;
  }

 private:
  // Sums that only another sum uses: they are taken apart there.
  void mark_inner_sums() {
    inner_.resize(g_.steps.size());
    for (const TracedStep& s : g_.steps) {
      if (!is_sum(s.op)) continue;
      for (const int x : {s.a, s.b})
        if (is_sum(g_.steps[at(x)].op) && uses_[at(x)] == 1) inner_[at(x)] = 1;
    }
  }

  Signed rebuild(const TracedStep& s) {
    const auto part = [&](int i) { return i < 0 ? Signed{} : new_[at(i)]; };
    switch (s.op) {
      case TracedOp::constant: return b_.make_constant(s.value);
      case TracedOp::input: return b_.make_input(s.a);
      case TracedOp::add:
      case TracedOp::sub: return rebuild_sum(s);
      case TracedOp::mul: return multiply(s);
      case TracedOp::div: return b_.divide(part(s.a), part(s.b));
      default: return b_.apply(s.op, part(s.a), part(s.b), part(s.c));
    }
  }

  // x (c y) is c (x y) where nothing else uses c y.
  Signed multiply(const TracedStep& s) {
    Signed x = new_[at(s.a)], y = new_[at(s.b)];
    double factor = 1;
    const auto lift = [&](Signed& part, int old) {
      const Builder::Scaled split = b_.split(part);
      if (split.step < 0 || split.step == part.step || uses_[at(old)] > 1) return;
      factor *= split.factor;
      part = {split.step, false};
    };
    if (!b_.is_constant(x) && !b_.is_constant(y)) lift(x, s.a), lift(y, s.b);
    const Signed product = b_.multiply(x, y);
    return factor == 1 ? product : b_.multiply(b_.make_constant(factor), product);
  }

  void collect(int old, double sign, std::vector<Term>& terms) {
    const TracedStep& s = g_.steps[at(old)];
    if (is_sum(s.op) && inner_[at(old)]) {
      collect(s.a, sign, terms);
      collect(s.b, s.op == TracedOp::sub ? -sign : sign, terms);
      return;
    }
    const Builder::Scaled x = b_.split(new_[at(old)]);
    for (Term& t : terms)  // like terms
      if (t.step == x.step) {
        t.factor += sign * x.factor;
        return;
      }
    terms.push_back({sign * x.factor, x.step, uses_[at(old)] == 1});
  }

  Signed rebuild_sum(const TracedStep& s) {
    std::vector<Term> terms;
    collect(s.a, 1, terms);
    collect(s.b, s.op == TracedOp::sub ? -1 : 1, terms);
    use_trigonometry(terms);
    std::erase_if(terms, [](const Term& t) { return t.factor == 0; });
    return put_together(terms);
  }

  // Both factors of a product, as steps; false where the term is none.
  bool find_factors(const Term& t, int (&factors)[2]) const {
    if (t.step < 0 || b_.at_step(t.step).op != TracedOp::mul) return false;
    factors[0] = b_.at_step(t.step).a, factors[1] = b_.at_step(t.step).b;
    return true;
  }
  // The angle of a sine or cosine, -1: it is none.
  int angle_of(int step, TracedOp op) const { return b_.at_step(step).op == op ? b_.at_step(step).a : -1; }

  // k sin^2 a + k cos^2 a = k;  k cos a cos b -+ k sin a sin b = k cos(a +- b), and so for the sine.
  void use_trigonometry(std::vector<Term>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      for (std::size_t j = 0; j < terms.size(); ++j) {
        int p[2], r[2];
        if (i == j || !find_factors(terms[i], p) || !find_factors(terms[j], r)) continue;
        if (std::abs(terms[i].factor) != std::abs(terms[j].factor) || terms[i].factor == 0) continue;
        const bool same_sign = terms[i].factor == terms[j].factor;
        const int c0 = angle_of(p[0], TracedOp::cos), c1 = angle_of(p[1], TracedOp::cos);
        const int s0 = angle_of(r[0], TracedOp::sin), s1 = angle_of(r[1], TracedOp::sin);
        if (c0 >= 0 && c1 >= 0 && s0 >= 0 && s1 >= 0) {  // cos cos and sin sin
          if (c0 == c1 && s0 == s1 && c0 == s0 && same_sign)
            replace(terms, i, j, {terms[i].factor, -1, true});
          else if (angle_sums_ && ((c0 == s0 && c1 == s1) || (c0 == s1 && c1 == s0)) && c0 != c1)
            replace(terms, i, j, turned(terms[i].factor, TracedOp::cos, c0, c1, same_sign));
          continue;
        }
        // sin a cos b and cos a sin b
        if (!angle_sums_ || i > j) continue;
        const auto mixed = [&](const int(&f)[2], int& sine, int& cosine) {
          const int k = angle_of(f[0], TracedOp::sin) >= 0 ? 0 : 1;
          sine = angle_of(f[k], TracedOp::sin), cosine = angle_of(f[1 - k], TracedOp::cos);
          return sine >= 0 && cosine >= 0 && sine != cosine;
        };
        int sa, cb, sb, ca;
        if (mixed(p, sa, cb) && mixed(r, sb, ca) && sa == ca && sb == cb)
          replace(terms, i, j, turned(terms[i].factor, TracedOp::sin, sa, sb, !same_sign));
      }
  }
  Term turned(double factor, TracedOp op, int a, int b, bool minus) {
    const Signed angle = b_.add({a, false}, {b, minus});
    const Builder::Scaled x = b_.split(b_.apply(op, angle, {}, {}));
    return {factor * x.factor, x.step, false};
  }
  static void replace(std::vector<Term>& terms, std::size_t i, std::size_t j, const Term& by) {
    terms[i].factor = terms[j].factor = 0;
    terms.push_back(by);
  }

  // Common factors first: the one in most products that nothing else uses.
  Signed put_together(const std::vector<Term>& terms) {
    std::map<int, int> count;
    const auto factors_of = [&](const Term& t, int(&f)[2]) { return t.single && find_factors(t, f); };
    for (const Term& t : terms) {
      int f[2];
      if (!factors_of(t, f)) continue;
      ++count[f[0]];
      if (f[0] != f[1]) ++count[f[1]];
    }
    int best = -1, most = 1;
    for (const auto& [step, n] : count)
      if (n > most) best = step, most = n;
    if (best < 0) return add_in_order(terms);

    std::vector<Term> rest, inside;
    for (const Term& t : terms) {
      int f[2];
      if (!factors_of(t, f) || (f[0] != best && f[1] != best)) {
        rest.push_back(t);
        continue;
      }
      inside.push_back({t.factor, f[0] == best ? f[1] : f[0], false});
    }
    // A constant that all of them have stays outside.
    const double outside = inside[0].factor;
    const bool alike = std::all_of(inside.begin(), inside.end(),
                                   [&](const Term& t) { return std::abs(t.factor) == std::abs(outside); });
    if (alike)
      for (Term& t : inside) t.factor /= outside;
    const Signed product = b_.multiply(add_in_order(inside), {best, false});
    const Builder::Scaled x = b_.split(product);
    rest.insert(rest.begin(), {(alike ? outside : 1) * x.factor, x.step, false});
    return put_together(rest);
  }

  // k x + k y = k (x + y) for a constant k, neighbours first; then from left to right.
  Signed add_in_order(const std::vector<Term>& terms) {
    Signed sum = b_.make_constant(0);
    std::vector<char> done(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (done[i]) continue;
      const double k = terms[i].factor;
      Signed part = b_.scale(1, terms[i].step);
      bool shared = false;
      if (terms[i].step < 0) {
        part = b_.make_constant(k);
      } else if (k != 1 && k != -1) {
        for (std::size_t j = i + 1; j < terms.size(); ++j)
          if (!done[j] && terms[j].step >= 0 && std::abs(terms[j].factor) == std::abs(k)) {
            part = b_.add(part, {terms[j].step, terms[j].factor != k});
            shared = true, done[j] = 1;
          }
        part = shared ? b_.multiply(b_.make_constant(k), part) : b_.scale(k, terms[i].step);
      } else {
        part.minus = k < 0;
      }
      sum = b_.add(sum, part);
    }
    return sum;
  }

  const Graph& g_;
  std::vector<int> uses_;
  bool angle_sums_;
  Builder b_;
  std::vector<Signed> new_;
  std::vector<char> inner_;
};

// The rules of one step at a time; what occurs twice is found too, unless by the book.
Graph rebuild_steps(const Graph& g) {
  Builder b;
  std::vector<Signed> made(g.steps.size());
  const auto part = [&](int i) { return i < 0 ? Signed{} : made[at(i)]; };
  for (std::size_t i = 0; i < g.steps.size(); ++i) {
    const TracedStep& s = g.steps[i];
    switch (s.op) {
      case TracedOp::constant: made[i] = b.make_constant(s.value); break;
      case TracedOp::input: made[i] = b.make_input(s.a); break;
      case TracedOp::add: made[i] = b.add(part(s.a), part(s.b)); break;
      case TracedOp::sub: made[i] = b.add(part(s.a), -part(s.b)); break;
      case TracedOp::mul: made[i] = b.multiply(part(s.a), part(s.b)); break;
      case TracedOp::div: made[i] = b.divide(part(s.a), part(s.b)); break;
      default: made[i] = b.apply(s.op, part(s.a), part(s.b), part(s.c)); break;
    }
  }
  Graph out{{}, g.inputs, g.outputs, {}};
  for (const int r : g.results) out.results.push_back(b.settle(made[at(r)]));
  out.steps = b.take();
  return out;
}

Graph drop_unused(const Graph& g) {
  std::vector<char> wanted(g.steps.size());
  for (const int r : g.results) wanted[at(r)] = 1;
  for (std::size_t i = g.steps.size(); i-- > 0;) {
    const TracedStep& s = g.steps[i];
    if (!wanted[i] || s.op == TracedOp::input || s.op == TracedOp::constant) continue;
    for (const int x : {s.a, s.b, s.c})
      if (x >= 0) wanted[at(x)] = 1;
  }
  std::vector<int> order;
  for (std::size_t i = 0; i < g.steps.size(); ++i)
    if (wanted[i]) order.push_back(static_cast<int>(i));
  return reorder(g, order);
}

// F08's own list of rules: no sharing, no signs, no like terms.
Graph apply_book_rules(const Graph& g) {
  Graph out{{}, g.inputs, g.outputs, {}};
  std::vector<int> made(g.steps.size());
  const auto add_step = [&](const TracedStep& s) {
    out.steps.push_back(s);
    return static_cast<int>(out.steps.size()) - 1;
  };
  const auto is_value = [&](int i, double x) {
    return i >= 0 && out.steps[at(i)].op == TracedOp::constant && out.steps[at(i)].value == x;
  };
  for (std::size_t i = 0; i < g.steps.size(); ++i) {
    TracedStep s = g.steps[i];
    if (s.op == TracedOp::constant || s.op == TracedOp::input) {
      made[i] = add_step(s);
      continue;
    }
    for (int* x : {&s.a, &s.b, &s.c})
      if (*x >= 0) *x = made[at(*x)];
    const auto constant = [&](int x) { return x < 0 || out.steps[at(x)].op == TracedOp::constant; };
    const auto number = [&](int x) { return x < 0 ? 0 : out.steps[at(x)].value; };
    const bool product = s.op == TracedOp::mul;
    if (constant(s.a) && constant(s.b) && constant(s.c))
      made[i] = add_step({TracedOp::constant, -1, -1, -1, calc_step(s.op, number(s.a), number(s.b), number(s.c))});
    else if (product && (is_value(s.a, 0) || is_value(s.b, 0)))
      made[i] = add_step({TracedOp::constant, -1, -1, -1, 0});
    else if ((product && is_value(s.a, 1)) || (s.op == TracedOp::add && is_value(s.a, 0)))
      made[i] = s.b;
    else if (((product || s.op == TracedOp::div) && is_value(s.b, 1)) || (is_sum(s.op) && is_value(s.b, 0)))
      made[i] = s.a;
    else
      made[i] = add_step(s);
  }
  for (const int r : g.results) out.results.push_back(made[at(r)]);
  return drop_unused(out);
}

Graph regroup_until_done(Graph g, bool angle_sums) {
  constexpr int kMostPasses = 12;  // 3 to 5 are enough for robots
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Graph next = drop_unused(Regroup(g, angle_sums).run());
    if (calc_cost(next) >= calc_cost(g)) break;
    g = std::move(next);
  }
  return g;
}

// -(x - y) is y - x, and -(c x) is (-c) x, where nothing else uses what stands in the brackets.
Graph absorb_negations(Graph g) {
  const std::vector<int> uses = count_uses(g);
  for (TracedStep& s : g.steps) {
    if (s.op != TracedOp::neg || uses[at(s.a)] > 1) continue;
    const TracedStep inner = g.steps[at(s.a)];
    if (inner.op == TracedOp::sub) s = {TracedOp::sub, inner.b, inner.a, -1, 0};
  }
  return drop_unused(g);
}

}  // namespace

long calc_cost(const Graph& g) {
  const OperationCount n = count_operations(g);
  return n.add + n.mul + 4 * (n.div + n.sqrt) + 10 * n.trig;
}

Graph simplify(const Graph& g, Rules rules) {
  if (rules == Rules::book) return apply_book_rules(g);
  const Graph plain = drop_unused(rebuild_steps(drop_unused(g)));
  Graph grouped = regroup_until_done(plain, false), summed = regroup_until_done(plain, true);
  return absorb_negations(calc_cost(summed) < calc_cost(grouped) ? std::move(summed) : std::move(grouped));
}

}  // namespace sinew::generate
