// src/operators/operator.cpp - expressions: products, sums, adjoints, recognised inverses, printing
#include "sinew/operators/operator.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sinew/base/index.hpp"

namespace sinew::sko::detail {
namespace {

using Kind = Expression::Kind;
constexpr std::array<const char*, 19> kNames = {"E_A",   "A",   "A~",   "H",       "M", "R",   "P",
                                                "P+",    "D",   "D^-1", "G",       "K", "tau", "tau_bar",
                                                "E_psi", "psi", "psi~", "Upsilon", "B"};

ExpressionPtr make(Expression e) { return std::make_shared<const Expression>(std::move(e)); }

const void* common_model(const Expression& a, const Expression& b) {
  if (a.model && b.model && a.model != b.model)
    throw std::invalid_argument("operators of different models do not combine: '" + print(a) + "' and '" + print(b) +
                                "'; build both from one OperatorAlgebra");
  return a.model ? a.model : b.model;
}

// The same rows, or columns, seen from two operators: one list of points.
Side common_side(const Expression& a, const Side& of_a, const Expression& b, const Side& of_b) {
  if (of_a.points && of_b.points && of_a.points != of_b.points)
    throw std::invalid_argument("operators of different lists of points do not combine: '" + print(a) + "' and '" +
                                print(b) + "'");
  return of_a.points ? of_a : of_b;
}

bool is_symmetric(Letter l) {
  return l == Letter::M || l == Letter::R || l == Letter::P || l == Letter::P_plus || l == Letter::D ||
         l == Letter::D_inverse || l == Letter::Upsilon;
}

// The same formula? Scales inside count; the one in front only where asked.
bool same(const Expression& a, const Expression& b, bool with_scale = true) {
  if (a.kind != b.kind || a.model != b.model || a.parts.size() != b.parts.size()) return false;
  if (with_scale && a.scale != b.scale) return false;
  if (a.kind == Kind::letter &&
      (a.letter != b.letter || a.adjoint != b.adjoint || a.rows != b.rows || a.cols != b.cols))
    return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!same(*a.parts[i], *b.parts[i])) return false;
  return true;
}

ExpressionPtr letter_of(const Expression& like, Letter l, const Side& rows, const Side& cols) {
  Expression e;
  e.kind = Kind::letter, e.letter = l, e.model = like.model;
  e.rows = rows, e.cols = cols;
  return make(std::move(e));
}
ExpressionPtr one(const Side& side) {
  Expression e;
  e.rows = e.cols = side;
  return make(std::move(e));
}

// The letters of one model, to write formulas with.
struct Letters {
  const Expression& like;
  Side nodes = side_of<Nodes>(), freedoms = side_of<Freedoms>();
  ExpressionPtr n(Letter l) const { return letter_of(like, l, nodes, nodes); }  // nodes to nodes
  ExpressionPtr hinge() const { return letter_of(like, Letter::H, freedoms, nodes); }
  ExpressionPtr gain(Letter l) const { return letter_of(like, l, nodes, freedoms); }
  ExpressionPtr of_freedoms(Letter l) const { return letter_of(like, l, freedoms, freedoms); }
};
ExpressionPtr chain(std::initializer_list<ExpressionPtr> parts) {
  ExpressionPtr out;
  for (const ExpressionPtr& p : parts) out = out ? multiply(out, p) : p;
  return out;
}

struct Known {
  ExpressionPtr formula, inverse;
  const char* reason;
};
// 1 + H A K and its inverse 1 - H psi K [J11 50].
ExpressionPtr innovations_of(const Letters& l) {
  return add(one(l.freedoms), chain({l.hinge(), l.n(Letter::A), l.gain(Letter::K)}), 1);
}
ExpressionPtr whitening_of(const Letters& l) {
  return add(one(l.freedoms), chain({l.hinge(), l.n(Letter::psi), l.gain(Letter::K)}), -1);
}
std::vector<Known> known_inverses(const Expression& e) {
  const Letters l{e};
  const ExpressionPtr H = l.hinge(), A = l.n(Letter::A), psi = l.n(Letter::psi), K = l.gain(Letter::K),
                      M = l.n(Letter::M);
  const ExpressionPtr of_nodes = one(l.nodes), innovations = innovations_of(l), whitening = whitening_of(l);
  return {
      {chain({H, A, M, adjoint(A), adjoint(H)}),
       chain({adjoint(whitening), l.of_freedoms(Letter::D_inverse), whitening}), "innovations factorization [J11 51]"},
      {chain({H, psi, M, adjoint(psi), adjoint(H)}), l.of_freedoms(Letter::D_inverse), "H psi M psi* H* = D [J11 46]"},
      {innovations, whitening, "innovations factor [J11 50]"},
      {whitening, innovations, "innovations factor [J11 50]"},
      {add(of_nodes, chain({A, K, H}), 1), add(of_nodes, chain({psi, K, H}), -1), "A psi^-1 = 1 + A K H [J11 44]"},
      {add(of_nodes, chain({K, H, A}), 1), add(of_nodes, chain({K, H, psi}), -1), "psi^-1 A = 1 + K H A [J11 44]"},
      {A, add(of_nodes, l.n(Letter::E_A), -1), "A is the resolvent of E_A"},
      {psi, add(of_nodes, l.n(Letter::E_psi), -1), "psi is the resolvent of E_psi"},
      {add(of_nodes, l.n(Letter::E_A), -1), A, "A is the resolvent of E_A"},
      {add(of_nodes, l.n(Letter::E_psi), -1), psi, "psi is the resolvent of E_psi"},
      {l.of_freedoms(Letter::D), l.of_freedoms(Letter::D_inverse), "D is block-diagonal"},
      {l.of_freedoms(Letter::D_inverse), l.of_freedoms(Letter::D), "D is block-diagonal"},
  };
}

void note_reason(std::string& reasons, const std::string& one_more) {
  if (one_more.empty() || reasons.find(one_more) != std::string::npos) return;
  reasons += (reasons.empty() ? "" : ", ") + one_more;
}

// Null: none is known.
ExpressionPtr try_invert(const ExpressionPtr& x) {
  const Expression& e = *x;
  if (e.scale == 0) return nullptr;
  if (e.kind == Kind::identity) return scale(one(e.rows), 1 / e.scale);
  for (const Known& k : known_inverses(e)) {
    for (const bool turned : {false, true}) {
      const ExpressionPtr formula = turned ? adjoint(k.formula) : k.formula;
      // A sum must match with its scales inside; a product or a letter carries one scale in front.
      if (!same(e, *formula, e.kind == Kind::sum)) continue;
      Expression out = *scale(turned ? adjoint(k.inverse) : k.inverse, e.kind == Kind::sum ? 1 : 1 / e.scale);
      out.reason = k.reason;
      return make(std::move(out));
    }
  }
  if (e.kind != Kind::product) return nullptr;
  ExpressionPtr out = scale(one(e.rows), 1 / e.scale);
  std::string reason;
  for (std::size_t i = e.parts.size(); i-- > 0;) {
    const ExpressionPtr part = try_invert(e.parts[i]);
    if (!part || e.parts[i]->rows != e.parts[i]->cols) return nullptr;
    note_reason(reason, part->reason);
    out = multiply(out, part);
  }
  Expression with_reason = *out;
  with_reason.reason = reason;
  return make(std::move(with_reason));
}

// Neighbours in a product, and what they are equal to.
struct Rule {
  std::vector<ExpressionPtr> factors;
  ExpressionPtr equal_to;
  const char* equation;
};
std::vector<Rule> make_rules(const Expression& e) {
  const Letters l{e};
  const ExpressionPtr H = l.hinge(), A = l.n(Letter::A), psi = l.n(Letter::psi), K = l.gain(Letter::K);
  const ExpressionPtr innovations = innovations_of(l), whitening = whitening_of(l), of_freedoms = one(l.freedoms);
  const ExpressionPtr D = l.of_freedoms(Letter::D), D_inverse = l.of_freedoms(Letter::D_inverse);
  std::vector<Rule> rules = {
      {{whitening, H, A}, chain({H, psi}), "[J11 45]"},
      {{innovations, H, psi}, chain({H, A}), "[J11 45]"},
      {{A, K, whitening}, chain({psi, K}), "[J11 45]"},
      {{psi, K, innovations}, chain({A, K}), "[J11 45]"},
      {{H, psi, l.n(Letter::M), adjoint(psi), adjoint(H)}, D, "[J11 46]"},
      {{innovations, whitening}, of_freedoms, "[J11 50]"},
      {{whitening, innovations}, of_freedoms, "[J11 50]"},
      {{H, l.gain(Letter::G)}, of_freedoms, "[J11 38]"},
      {{H, l.n(Letter::tau)}, H, "[J11 38]"},
      {{D, D_inverse}, of_freedoms, "[J11 32]"},
      {{D_inverse, D}, of_freedoms, "[J11 32]"},
  };
  for (std::size_t i = 0, n = rules.size(); i < n; ++i) {  // and adjoint
    Rule turned{{}, adjoint(rules[i].equal_to), rules[i].equation};
    for (std::size_t j = rules[i].factors.size(); j-- > 0;) turned.factors.push_back(adjoint(rules[i].factors[j]));
    rules.push_back(std::move(turned));
  }
  return rules;
}

}  // namespace

ExpressionPtr simplify(const ExpressionPtr& x) {
  if (x->kind == Kind::sum) {
    Expression out = *x;
    for (ExpressionPtr& part : out.parts) {
      part = simplify(part);
      note_reason(out.reason, part->reason);
    }
    return make(std::move(out));
  }
  const std::vector<Rule> rules = make_rules(*x);
  ExpressionPtr now = x;
  std::string reasons;
  const auto apply_one = [&] {
    if (now->kind != Kind::product) return false;
    const std::vector<ExpressionPtr>& parts = now->parts;
    for (const Rule& rule : rules)
      for (std::size_t begin = 0; begin + rule.factors.size() <= parts.size(); ++begin) {
        const std::size_t end = begin + rule.factors.size();
        if (!std::equal(rule.factors.begin(), rule.factors.end(), parts.begin() + std::ptrdiff_t(begin),
                        [](const ExpressionPtr& a, const ExpressionPtr& b) { return same(*a, *b); }))
          continue;
        ExpressionPtr next = scale(one(now->rows), now->scale);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (i == begin) next = multiply(next, rule.equal_to);
          if (i < begin || i >= end) next = multiply(next, parts[i]);
        }
        now = next;
        note_reason(reasons, rule.equation);
        return true;
      }
    return false;
  };
  while (apply_one()) {
  }
  Expression out = *now;
  out.reason = reasons;
  return make(std::move(out));
}

ExpressionPtr multiply(const ExpressionPtr& a, const ExpressionPtr& b) {
  const void* model = common_model(*a, *b);
  Expression out;
  out.kind = Kind::product;
  out.scale = a->scale * b->scale;
  out.model = model;
  out.rows = a->rows, out.cols = b->cols;
  common_side(*a, a->cols, *b, b->rows);
  for (const ExpressionPtr& x : {a, b}) {
    if (x->kind == Kind::identity) continue;
    if (x->kind == Kind::product) {
      out.parts.insert(out.parts.end(), x->parts.begin(), x->parts.end());
    } else {
      Expression part = *x;
      part.scale = 1;  // it stands in front of the product; a sum keeps its scales inside
      out.parts.push_back(make(std::move(part)));
    }
  }
  if (out.parts.empty()) return scale(one(out.rows), out.scale);
  if (out.parts.size() == 1) return scale(out.parts[0], out.scale);
  return make(std::move(out));
}

ExpressionPtr add(const ExpressionPtr& a, const ExpressionPtr& b, double sign) {
  Expression out;
  out.kind = Kind::sum;
  out.model = common_model(*a, *b);
  out.rows = common_side(*a, a->rows, *b, b->rows), out.cols = common_side(*a, a->cols, *b, b->cols);
  const auto take = [&](const ExpressionPtr& x, double s) {
    if (x->kind != Kind::sum) return out.parts.push_back(scale(x, s));
    for (const ExpressionPtr& part : x->parts) out.parts.push_back(scale(part, s));
  };
  take(a, 1);
  take(b, sign);
  return make(std::move(out));
}

ExpressionPtr scale(const ExpressionPtr& a, double s) {
  if (s == 1) return a;
  Expression out = *a;
  if (out.kind == Kind::sum) {
    for (ExpressionPtr& part : out.parts) part = scale(part, s);
  } else {
    out.scale *= s;
  }
  return make(std::move(out));
}

ExpressionPtr adjoint(const ExpressionPtr& a) {
  Expression out = *a;
  std::swap(out.rows, out.cols);
  if (out.kind == Kind::letter && !is_symmetric(out.letter)) out.adjoint = !out.adjoint;
  for (ExpressionPtr& part : out.parts) part = adjoint(part);
  if (out.kind == Kind::product) std::reverse(out.parts.begin(), out.parts.end());
  return make(std::move(out));
}

ExpressionPtr invert(const ExpressionPtr& a) {
  if (ExpressionPtr out = try_invert(a)) return out;
  throw std::invalid_argument("inverse: no factorization of '" + print(*a) +
                              "' is known; materialise it and use a dense factorization");
}

std::string print(const Expression& e) {
  const auto number = [](double x) {
    std::string s = std::to_string(x);
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
    return s;
  };
  std::string front = e.kind == Kind::sum || e.scale == 1 ? "" : e.scale == -1 ? "-" : number(e.scale) + " ";
  if (e.kind == Kind::identity) return e.scale == 1 || e.scale == -1 ? front + "1" : number(e.scale);
  if (e.kind == Kind::letter)
    return front + (e.name.empty() ? kNames[static_cast<std::size_t>(e.letter)] : e.name) + (e.adjoint ? "*" : "");
  std::string out = front;
  for (std::size_t i = 0; i < e.parts.size(); ++i) {
    const Expression& part = *e.parts[i];
    if (e.kind == Kind::product) {
      out += (i ? " " : "") + (part.kind == Kind::sum ? "(" + print(part) + ")" : print(part));
    } else {
      const std::string text = print(part);
      if (i == 0)
        out += text;
      else
        out += text[0] == '-' ? " - " + text.substr(1) : " + " + text;
    }
  }
  return out;
}

}  // namespace sinew::sko::detail
