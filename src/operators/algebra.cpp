// src/operators/algebra.cpp
#include "sinew/operators/algebra.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/base/counted.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {
namespace {

template <class Row, class Col>
Operator<Row, Col> make_letter(Letter l, const void* model) {
  Expression e;
  e.kind = Expression::Kind::letter, e.letter = l, e.model = model;
  e.rows = side_of<Row>(), e.cols = side_of<Col>();
  return Operator<Row, Col>(std::make_shared<const Expression>(std::move(e)));
}

// How a letter acts: block by block, from child to parent, by a recursion along the tree, or from points to nodes.
enum class Action { diagonal, edge, resolvent, strict, pick_off };
Action action_of(Letter l) {
  if (l == Letter::B) return Action::pick_off;
  if (l == Letter::E_A || l == Letter::E_psi || l == Letter::K) return Action::edge;
  if (l == Letter::A || l == Letter::psi) return Action::resolvent;
  if (l == Letter::A_tilde || l == Letter::psi_tilde) return Action::strict;
  return Action::diagonal;
}

}  // namespace

template <class T>
OperatorAlgebra<T>::OperatorAlgebra(const SkoModel<T>& m)
    : E_A(make_letter<Nodes, Nodes>(Letter::E_A, &m)),
      A(make_letter<Nodes, Nodes>(Letter::A, &m)),
      A_tilde(make_letter<Nodes, Nodes>(Letter::A_tilde, &m)),
      H(make_letter<Freedoms, Nodes>(Letter::H, &m)),
      M(make_letter<Nodes, Nodes>(Letter::M, &m)),
      R(make_letter<Nodes, Nodes>(Letter::R, &m)),
      P(make_letter<Nodes, Nodes>(Letter::P, &m)),
      P_plus(make_letter<Nodes, Nodes>(Letter::P_plus, &m)),
      D(make_letter<Freedoms, Freedoms>(Letter::D, &m)),
      D_inverse(make_letter<Freedoms, Freedoms>(Letter::D_inverse, &m)),
      G(make_letter<Nodes, Freedoms>(Letter::G, &m)),
      K(make_letter<Nodes, Freedoms>(Letter::K, &m)),
      tau(make_letter<Nodes, Nodes>(Letter::tau, &m)),
      tau_bar(make_letter<Nodes, Nodes>(Letter::tau_bar, &m)),
      E_psi(make_letter<Nodes, Nodes>(Letter::E_psi, &m)),
      psi(make_letter<Nodes, Nodes>(Letter::psi, &m)),
      psi_tilde(make_letter<Nodes, Nodes>(Letter::psi_tilde, &m)),
      Upsilon(make_letter<Nodes, Nodes>(Letter::Upsilon, &m)),
      model_(&m),
      values_(m) {
  update();
}

template <class T>
void OperatorAlgebra<T>::update() {
  const Shape& s = model_->shape();
  if (const int bad = solve_riccati(*model_, values_.riccati); bad >= 0)
    throw std::invalid_argument("OperatorAlgebra: the hinge of " + s.describe(bad) +
                                " meets no inertia, or its hinge map has dependent rows; give M(k) inertia along it");
  calc_propagators(*model_, values_.riccati);
  solve_forward_lyapunov(s, model_->A(), model_->A(), model_->M(), values_.composite);
  calc_upsilon(*model_, values_);
}

template <class T>
const Blocks<T>& OperatorAlgebra<T>::blocks(Letter l) const {
  const Riccati<T>& r = values_.riccati;
  switch (l) {
    case Letter::E_A:
    case Letter::A:
    case Letter::A_tilde: return model_->A();
    case Letter::H: return model_->H();
    case Letter::M: return model_->M();
    case Letter::R: return values_.composite;
    case Letter::P: return r.P;
    case Letter::P_plus: return r.P_plus;
    case Letter::D: return r.D;
    case Letter::D_inverse: return r.D_inverse;
    case Letter::G: return r.G;
    case Letter::K: return r.K;
    case Letter::tau: return r.tau;
    case Letter::tau_bar: return r.tau_bar;
    case Letter::E_psi:
    case Letter::psi:
    case Letter::psi_tilde: return r.psi;
    case Letter::Upsilon: return values_.upsilon;
    case Letter::B: break;  // of TaskPoints, not of the model
  }
  throw std::invalid_argument("OperatorAlgebra: the model has no blocks of this letter");
}

template <class T>
Application<T>::Application(const OperatorAlgebra<T>& o, const ExpressionPtr& e, int columns)
    : algebra_(&o), expression_(e), columns_(columns) {
  if (columns < 1)
    throw std::invalid_argument("Application: columns must be at least 1, not " + std::to_string(columns));
  if (e->model && e->model != &o.model())
    throw std::invalid_argument("Application: '" + detail::print(*e) + "' belongs to another model");
  const Shape& s = o.model().shape();
  rows_ = size_of(e->rows);
  cols_ = size_of(e->cols);
  int most = 0;
  for (int k = 0; k < s.nodes(); ++k) most = std::max(most, s.size(k));
  sum_.resize(at(most * columns));
  const int result = emit(*e, new_register(e->cols));
  if (result != static_cast<int>(registers_.size()) - 1 || result == 0) {  // the answer is in the last register
    const int last = new_register(e->rows);
    steps_.push_back({Step::What::add, {}, false, 1, result, last, nullptr, {}});
  }
  for (const Step& step : steps_) count(step);
}

template <class T>
int Application<T>::size_of(const Side& side) const {
  const Shape& s = algebra_->model().shape();
  if (side.space == Side::Space::nodes) return s.size();
  if (side.space == Side::Space::freedoms) return s.freedoms();
  if (side.points) return static_cast<const PointBlocks<T>*>(side.points.get())->size;
  throw std::invalid_argument("Application: '" + detail::print(*expression_) +
                              "' is the identity of any list of points; multiply it by a B");
}

template <class T>
int Application<T>::new_register(const Side& side) {
  registers_.emplace_back(at(size_of(side) * columns_));
  sides_.push_back(side);
  return static_cast<int>(registers_.size()) - 1;
}

// Steps that put e times register `in` into a register, whose number is returned.
template <class T>
int Application<T>::emit(const Expression& e, int in) {
  switch (e.kind) {
    case Expression::Kind::identity: {
      if (e.scale == 1) return in;
      const Side side = sides_[at(in)];  // an identity of any points has those of its argument
      const int out = new_register(side);
      steps_.push_back({Step::What::add, {}, false, e.scale, in, out, nullptr, {}});
      return out;
    }
    case Expression::Kind::letter: {
      const int out = new_register(e.rows);
      const void* points = e.letter == Letter::B ? (e.adjoint ? e.rows : e.cols).points.get() : nullptr;
      steps_.push_back({Step::What::letter, e.letter, e.adjoint, e.scale, in, out,
                        static_cast<const PointBlocks<T>*>(points), e.name});
      return out;
    }
    case Expression::Kind::product: {
      for (std::size_t i = e.parts.size(); i-- > 0;) in = emit(*e.parts[i], in);
      if (e.scale == 1) return in;
      const int out = new_register(e.rows);
      steps_.push_back({Step::What::add, {}, false, e.scale, in, out, nullptr, {}});
      return out;
    }
    case Expression::Kind::sum: {
      std::vector<int> parts;
      std::vector<double> scales;
      for (const ExpressionPtr& part : e.parts) {
        Expression unscaled = *part;
        unscaled.scale = 1;
        parts.push_back(emit(unscaled, in));
        scales.push_back(part->scale);
      }
      const int out = new_register(e.rows);
      for (std::size_t i = 0; i < parts.size(); ++i)
        steps_.push_back({Step::What::add, {}, false, scales[i], parts[i], out, nullptr, {}});
      return out;
    }
  }
  return in;
}

template <class T>
void Application<T>::apply(In<T> x, Out<T> y) {
  check_size("Application", "the argument", x.size(), at(cols_ * columns_));
  check_size("Application", "the result", y.size(), at(rows_ * columns_));
  std::copy(x.begin(), x.end(), registers_[0].begin());
  int cleared = -1;
  for (const Step& step : steps_) {
    std::vector<T>& out = registers_[at(step.out)];
    if (step.out != cleared) std::fill(out.begin(), out.end(), lit<T>(0)), cleared = step.out;
    if (step.what == Step::What::letter) {
      run_letter(step);
      if (step.scale != 1)
        for (T& v : out) v = lit<T>(step.scale) * v;
    } else {
      const std::vector<T>& in = registers_[at(step.in)];
      for (std::size_t i = 0; i < out.size(); ++i) {
        const T term = step.scale == 1 ? in[i] : step.scale == -1 ? -in[i] : lit<T>(step.scale) * in[i];
        out[i] = out[i] + term;
      }
    }
  }
  std::copy(registers_.back().begin(), registers_.back().end(), y.begin());
}

template <class T>
void Application<T>::run_letter(const Step& step) {
  const Shape& s = algebra_->model().shape();
  const Blocks<T>& W = step.points ? step.points->blocks : algebra_->blocks(step.letter);
  const int c = columns_;
  const T* x = registers_[at(step.in)].data();
  T* y = registers_[at(step.out)].data();
  const bool in_nodes = sides_[at(step.in)].space == Side::Space::nodes,
             out_nodes = sides_[at(step.out)].space == Side::Space::nodes;
  const auto in = [&](const SweepNode& k) { return x + (in_nodes ? k.begin : k.freedom_begin) * c; };
  const auto out = [&](const SweepNode& k) { return y + (out_nodes ? k.begin : k.freedom_begin) * c; };
  const auto tips_to_base = [&](const auto& body) {
    for (std::size_t i = s.sweep().size(); i-- > 0;)
      if (const SweepNode& k = s.sweep()[i]; k.parent != kInertial) body(k, W.rows(k.node), W.cols(k.node), W[k.node]);
  };
  const auto base_to_tips = [&](const auto& body) {
    for (const SweepNode& k : s.sweep())
      if (k.parent != kInertial) body(k, W.rows(k.node), W.cols(k.node), W[k.node]);
  };
  switch (action_of(step.letter)) {
    case Action::diagonal:
      for (const SweepNode& k : s.sweep())
        if (step.adjoint)
          multiply_transposed<false>(W.cols(k.node), W.rows(k.node), c, W[k.node], in(k), out(k));
        else
          multiply<false>(W.rows(k.node), W.cols(k.node), c, W[k.node], in(k), out(k));
      return;
    case Action::edge:
      base_to_tips([&](const SweepNode& k, int rows, int cols, const T* w) {
        if (step.adjoint)
          multiply_transposed<false>(cols, rows, c, w, x + k.parent_begin * c, out(k));
        else
          multiply<true>(rows, cols, c, w, in(k), y + k.parent_begin * c);
      });
      return;
    case Action::resolvent:
      std::copy(x, x + registers_[at(step.in)].size(), y);
      if (step.adjoint) {  // scatter [J11 8]
        base_to_tips([&](const SweepNode& k, int rows, int cols, const T* w) {
          multiply_transposed<true>(cols, rows, c, w, y + k.parent_begin * c, out(k));
        });
      } else {  // gather [J11 5]
        tips_to_base([&](const SweepNode& k, int rows, int cols, const T* w) {
          multiply<true>(rows, cols, c, w, out(k), y + k.parent_begin * c);
        });
      }
      return;
    case Action::strict: {  // [J11 Corollary 3.1]: without the subtraction that A - 1 would be
      const auto add = [&](int begin, int size) {
        for (int i = 0; i < size * c; ++i) sum_[at(i)] = y[begin * c + i] + x[begin * c + i];
        return sum_.data();
      };
      if (step.adjoint) {
        base_to_tips([&](const SweepNode& k, int rows, int cols, const T* w) {
          multiply_transposed<false>(cols, rows, c, w, add(k.parent_begin, k.parent_size), out(k));
        });
      } else {
        tips_to_base([&](const SweepNode& k, int rows, int cols, const T* w) {
          multiply<true>(rows, cols, c, w, add(k.begin, k.size), y + k.parent_begin * c);
        });
      }
      return;
    }
    case Action::pick_off:
      for (int i = 0; i < W.count(); ++i) {
        const int node = s.begin(step.points->node[at(i)]) * c, point = step.points->begin[at(i)] * c;
        if (step.adjoint)
          multiply_transposed<false>(W.cols(i), W.rows(i), c, W[i], x + node, y + point);  // [R92 0.16]
        else
          multiply<true>(W.rows(i), W.cols(i), c, W[i], x + point, y + node);
      }
      return;
  }
}

// One column, no entry zero.
template <class T>
void Application<T>::count(const Step& step) {
  const Shape& s = algebra_->model().shape();
  const long size = size_of(sides_[at(step.out)]);
  if (step.what == Step::What::add) {
    const bool first = std::none_of(static_cast<const Step*>(steps_.data()), &step,
                                    [&](const Step& other) { return other.out == step.out; });
    if (step.scale != 1 && step.scale != -1) multiplications_ += size;
    if (!first) additions_ += size;
    return;
  }
  if (step.scale != 1) multiplications_ += size;
  const Blocks<T>& W = step.points ? step.points->blocks : algebra_->blocks(step.letter);
  const Action action = action_of(step.letter);
  std::vector<bool> touched(at(s.nodes()), false);
  if (action == Action::pick_off) {
    for (int i = 0; i < W.count(); ++i) {
      const long m = W.rows(i), n = W.cols(i);
      const std::size_t node = at(step.points->node[at(i)]);
      multiplications_ += m * n;
      additions_ += m * n;
      if (step.adjoint)
        additions_ -= m > 0 ? n : 0;
      else if (!touched[node] && n > 0)
        additions_ -= m, touched[node] = true;
    }
    return;
  }
  std::vector<int> children(at(s.nodes()), 0);
  for (int k = 0; k < s.nodes(); ++k)
    if (s.parent(k) != kInertial) ++children[at(s.parent(k))];
  for (const int k : s.outward()) {
    const long m = W.rows(k), n = W.cols(k);
    const int p = s.parent(k);
    if (action == Action::diagonal) {
      multiplications_ += m * n;
      additions_ += m * n - (step.adjoint ? n : m) * (m * n > 0);
      continue;
    }
    if (p == kInertial) continue;
    multiplications_ += m * n;
    additions_ += m * n;
    if (action == Action::resolvent) continue;
    // The first term of a sum is no addition.
    if (step.adjoint) {
      additions_ -= n;
      if (action == Action::strict && s.parent(p) != kInertial) additions_ += m;
    } else {
      if (!touched[at(p)]) additions_ -= m, touched[at(p)] = true;
      if (action == Action::strict && children[at(k)] > 0) additions_ += n;
    }
  }
}

template <class T>
std::string Application<T>::describe() const {
  std::string out = detail::print(*expression_) + "\n";
  if (!expression_->reason.empty()) out += "  found by: " + expression_->reason + "\n";
  out += "  " + std::to_string(rows_) + " x " + std::to_string(cols_) + ", applied by\n";
  for (const Step& step : steps_) {
    if (step.what == Step::What::add) continue;
    Expression letter;
    letter.kind = Expression::Kind::letter, letter.letter = step.letter, letter.adjoint = step.adjoint;
    letter.name = step.name;
    const char* how[] = {"block by block", "from each node to its neighbour", "recursion", "recursion", "pick-off"};
    const Action action = action_of(step.letter);
    std::string text = how[static_cast<int>(action)];
    if (action == Action::edge) text = step.adjoint ? "parent to children, one step" : "children to parent, one step";
    if (action == Action::resolvent || action == Action::strict)
      text = step.adjoint ? "scatter, base to tips" : "gather, tips to base";
    if (action == Action::pick_off) text = step.adjoint ? "from nodes to points" : "from points to nodes";
    out += "    " + detail::print(letter) + ": " + text + "\n";
  }
  return out + "  " + std::to_string(multiplications_) + " multiplications, " + std::to_string(additions_) +
         " additions at most, O(N)\n";
}

template <class R, class C>
std::vector<double> materialise(const OperatorAlgebra<double>& o, const Operator<R, C>& x) {
  Application<double> one(o, x);
  std::vector<double> e(at(one.cols()), 0.0), y(at(one.rows())), out(e.size() * y.size());
  for (std::size_t j = 0; j < e.size(); ++j) {
    e[j] = 1;
    one.apply(e, y);
    e[j] = 0;
    for (std::size_t i = 0; i < y.size(); ++i) out[i * e.size() + j] = y[i];
  }
  return out;
}

template class OperatorAlgebra<double>;
template class OperatorAlgebra<Counted>;
template class Application<double>;
template class Application<Counted>;
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Nodes, Nodes>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Nodes, Freedoms>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Freedoms, Nodes>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Freedoms, Freedoms>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Points, Points>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Points, Freedoms>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Freedoms, Points>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Points, Nodes>&);
template std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<Nodes, Points>&);

}  // namespace sinew::sko
