// sinew/operators/operator.hpp - spatial operators as values: build a formula, then print, describe or apply it
//   OperatorAlgebra<double> o(model);
//   const auto mass = o.H * o.A * o.M * ~o.A * ~o.H;                 // nothing is calculated yet
//   to_string(mass)                                                  // H A M A* H*
//   to_string(inverse(mass))                                         // (1 - K* psi* H*) D^-1 (1 - H psi K)
// ~X is the adjoint. Operators are typed by the spaces they map: H * H does not compile. Operators of different models
// do not combine, nor do lists of points of one model: std::invalid_argument. inverse() knows the factorizations of
// [J11] and says which one it took; an operator without one is refused, with the formula in the message. Expressions
// are immutable and cheap to copy.
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew::sko {

struct Nodes {};     // stacked vectors of node velocities, accelerations or forces
struct Freedoms {};  // stacked vectors of hinge velocities, accelerations or forces
struct Points {};    // stacked vectors of velocities, accelerations or forces at a list of places on nodes: TaskPoints

// What the letters of [J11] and [R92] stand for; see OperatorAlgebra.
enum class Letter {
  E_A,
  A,
  A_tilde,
  H,
  M,
  R,
  P,
  P_plus,
  D,
  D_inverse,
  G,
  K,
  tau,
  tau_bar,
  E_psi,
  psi,
  psi_tilde,
  Upsilon,
  B
};

// What the rows or the columns of an operator are.
struct Side {
  // What is stacked.
  enum class Space { nodes, freedoms, points } space = Space::nodes;
  std::shared_ptr<const void> points;  // which list of points; null: any, or none
  friend bool operator==(const Side&, const Side&) = default;
};
template <class S>
Side side_of() {
  if (std::is_same_v<S, Points>) return {Side::Space::points, nullptr};
  return {std::is_same_v<S, Nodes> ? Side::Space::nodes : Side::Space::freedoms, nullptr};
}

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;
// A product or a sum of parts, a letter, or the identity; times `scale`. Adjoints stand at letters only.
struct Expression {
  // What it is made of.
  enum class Kind { identity, letter, product, sum } kind = Kind::identity;
  double scale = 1;
  Letter letter = Letter::A;
  bool adjoint = false;
  std::string name;  // of a list of points, where the letter is B
  std::vector<ExpressionPtr> parts;
  const void* model = nullptr;  // which model it belongs to; null: any
  Side rows, cols;
  std::string reason;  // of what inverse or simplify found: the theorems
};

namespace detail {
ExpressionPtr multiply(const ExpressionPtr&, const ExpressionPtr&);
ExpressionPtr add(const ExpressionPtr&, const ExpressionPtr&, double sign);
ExpressionPtr scale(const ExpressionPtr&, double);
ExpressionPtr adjoint(const ExpressionPtr&);
ExpressionPtr invert(const ExpressionPtr&);
ExpressionPtr simplify(const ExpressionPtr&);
std::string print(const Expression&);
}  // namespace detail

template <class Row, class Col>
class Operator {
 public:
  explicit Operator(ExpressionPtr e) : expression_(std::move(e)) {}
  const ExpressionPtr& expression() const { return expression_; }
  const std::string& reason() const { return expression_->reason; }  // of inverse and simplify; else empty

 private:
  ExpressionPtr expression_;
};

template <class R, class M, class C>
Operator<R, C> operator*(const Operator<R, M>& a, const Operator<M, C>& b) {
  return Operator<R, C>(detail::multiply(a.expression(), b.expression()));
}
template <class R, class C>
Operator<R, C> operator+(const Operator<R, C>& a, const Operator<R, C>& b) {
  return Operator<R, C>(detail::add(a.expression(), b.expression(), 1));
}
template <class R, class C>
Operator<R, C> operator-(const Operator<R, C>& a, const Operator<R, C>& b) {
  return Operator<R, C>(detail::add(a.expression(), b.expression(), -1));
}
template <class R, class C>
Operator<R, C> operator*(double s, const Operator<R, C>& a) {
  return Operator<R, C>(detail::scale(a.expression(), s));
}
template <class R, class C>
Operator<C, R> operator~(const Operator<R, C>& a) {
  return Operator<C, R>(detail::adjoint(a.expression()));
}
// By the factorizations of the algebra; reason() names the one that was used. Throws std::invalid_argument where none
// fits.
template <class S>
Operator<S, S> inverse(const Operator<S, S>& a) {
  return Operator<S, S>(detail::invert(a.expression()));
}
// The same operator with fewer factors, by the identities of [J11 38, 45, 46, 50]: B* A* H* M^-1 H A B becomes
// B* psi* H* D^-1 H psi B, which is the step from [J11 59] to [J11 60]. reason() lists what was used.
template <class R, class C>
Operator<R, C> simplify(const Operator<R, C>& a) {
  return Operator<R, C>(detail::simplify(a.expression()));
}
template <class R, class C>
std::string to_string(const Operator<R, C>& a) {
  return detail::print(*a.expression());
}

// The identity on a space; combines with the operators of any model.
template <class S>
Operator<S, S> identity() {
  Expression e;
  e.rows = e.cols = side_of<S>();
  return Operator<S, S>(std::make_shared<const Expression>(std::move(e)));
}

}  // namespace sinew::sko
