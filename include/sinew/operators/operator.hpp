// sinew/operators/operator.hpp - spatial operators as values: build a formula, then print, describe or apply it
//   OperatorAlgebra<double> o(model);
//   const auto mass = o.H * o.A * o.M * ~o.A * ~o.H;                 // nothing is calculated yet
//   to_string(mass)                                                  // H A M A* H*
//   to_string(inverse(mass))                                         // (1 - K* psi* H*) D^-1 (1 - H psi K)
// ~X is the adjoint. Operators are typed by the spaces they map: H * H does not compile. Operators of different models
// do not combine: std::invalid_argument. inverse() knows the factorizations of [J11] and says which one it took; an
// operator without one is refused, with the formula in the message. Expressions are immutable and cheap to copy.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace sinew::sko {

struct Nodes {};     // stacked vectors of node velocities, accelerations or forces
struct Freedoms {};  // stacked vectors of hinge velocities, accelerations or forces

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
  Upsilon
};

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;
// A product or a sum of parts, a letter, or the identity; times `scale`. Adjoints stand at letters only.
struct Expression {
  enum class Kind { identity, letter, product, sum } kind = Kind::identity;
  double scale = 1;
  Letter letter = Letter::A;
  bool adjoint = false;
  std::vector<ExpressionPtr> parts;
  const void* model = nullptr;  // which model it belongs to; null: any
  bool rows_are_nodes = true, cols_are_nodes = true;
  std::string reason;  // of an inverse: the theorem that gave it
};

namespace detail {
ExpressionPtr multiply(const ExpressionPtr&, const ExpressionPtr&);
ExpressionPtr add(const ExpressionPtr&, const ExpressionPtr&, double sign);
ExpressionPtr scale(const ExpressionPtr&, double);
ExpressionPtr adjoint(const ExpressionPtr&);
ExpressionPtr invert(const ExpressionPtr&);
std::string print(const Expression&);
}  // namespace detail

template <class Row, class Col>
class Operator {
 public:
  explicit Operator(ExpressionPtr e) : expression_(std::move(e)) {}
  const ExpressionPtr& expression() const { return expression_; }
  const std::string& reason() const { return expression_->reason; }  // how an inverse was found; else empty

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
template <class S>
Operator<S, S> inverse(const Operator<S, S>& a) {
  return Operator<S, S>(detail::invert(a.expression()));
}
template <class R, class C>
std::string to_string(const Operator<R, C>& a) {
  return detail::print(*a.expression());
}

// The identity on a space; combines with the operators of any model.
template <class S>
Operator<S, S> identity() {
  Expression e;
  e.rows_are_nodes = e.cols_are_nodes = std::is_same_v<S, Nodes>;
  return Operator<S, S>(std::make_shared<const Expression>(std::move(e)));
}

}  // namespace sinew::sko
