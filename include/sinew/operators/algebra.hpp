// sinew/operators/algebra.hpp - the operators of one SKO model, and the application of expressions in O(N)
//   OperatorAlgebra<double> o(model);
//   Application<double> solve(o, inverse(o.H * o.A * o.M * ~o.A * ~o.H));
//   o.update();              // after the blocks of the model changed
//   solve.apply(tau, qdd);   // gather and scatter recursions; nothing dense is formed, nothing is allocated
// The model must outlive the algebra, the algebra its applications.
#pragma once
#include "sinew/operators/operator.hpp"
#include "sinew/operators/sko_dynamics.hpp"
#include "sinew/operators/task_points.hpp"

namespace sinew::sko {

// The letters of the algebra for one SKO model; update() fills in their numbers.
template <class T>
class OperatorAlgebra {
 public:
  explicit OperatorAlgebra(const SkoModel<T>&);
  explicit OperatorAlgebra(const SkoModel<T>&&) = delete;
  OperatorAlgebra(const OperatorAlgebra&) = delete;
  OperatorAlgebra& operator=(const OperatorAlgebra&) = delete;

  // What is derived from A, H and M: Riccati's equation, composite inertias, Upsilon. O(N). Throws
  // std::invalid_argument naming the node whose hinge meets no inertia.
  void update();

  const Operator<Nodes, Nodes> E_A, A, A_tilde;        // weights; (1 - E_A)^-1; A - 1
  const Operator<Freedoms, Nodes> H;                   // hinge maps
  const Operator<Nodes, Nodes> M, R;                   // inertias; composite inertias [J11 18]
  const Operator<Nodes, Nodes> P, P_plus;              // articulated inertias [J11 31, 32]
  const Operator<Freedoms, Freedoms> D, D_inverse;     // [J11 32]
  const Operator<Nodes, Freedoms> G, K;                // [J11 32, 37]
  const Operator<Nodes, Nodes> tau, tau_bar;           // [J11 32]
  const Operator<Nodes, Nodes> E_psi, psi, psi_tilde;  // [J11 34, 35]
  const Operator<Nodes, Nodes> Upsilon;                // the block diagonal of psi* H* D^-1 H psi [J11 60]

  Operator<Freedoms, Freedoms> mass() const { return H * A * M * ~A * ~H; }         // [J11 3]
  Operator<Nodes, Freedoms> partial_velocities() const { return ~A * ~H; }          // Kane's [J11 section 2.2]
  Operator<Nodes, Nodes> Omega() const { return ~psi * ~H * D_inverse * H * psi; }  // [J11 60]
  // B of TaskPoints: the Jacobian of its points and their compliance, J M^-1 J^*.
  Operator<Points, Freedoms> jacobian(const Operator<Nodes, Points>& B) const { return ~B * ~A * ~H; }  // [R92 0.18]
  Operator<Points, Points> compliance(const Operator<Nodes, Points>& B) const { return ~B * Omega() * B; }  // [J11 60]

  const SkoModel<T>& model() const { return *model_; }
  const SkoDynamics<T>& values() const { return values_; }
  const Blocks<T>& blocks(Letter) const;  // of a letter; of E, A, A~ and their kind: the weights; not of B

 private:
  const SkoModel<T>* model_;
  SkoDynamics<T> values_;
};

// An expression as a list of recursions over the tree.
template <class T>
class Application {
 public:
  template <class R, class C>
  Application(const OperatorAlgebra<T>& o, const Operator<R, C>& x, int columns = 1)
      : Application(o, x.expression(), columns) {}
  template <class R, class C>
  Application(const OperatorAlgebra<T>&&, const Operator<R, C>&, int columns = 1) = delete;

  // y = X x. Several columns: row by row, rows of `columns` numbers.
  void apply(In<T> x, Out<T> y);
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  // Multiplications and additions of one column where no entry of a block is zero.
  long multiplications() const { return multiplications_; }
  long additions() const { return additions_; }
  // The formula, the recursions in the order in which they run, and the cost.
  std::string describe() const;

 private:
  Application(const OperatorAlgebra<T>&, const ExpressionPtr&, int columns);
  struct Step {
    enum class What { letter, add } what = What::letter;
    Letter letter = Letter::A;
    bool adjoint = false;
    double scale = 1;
    int in = 0, out = 0;
    const PointBlocks<T>* points = nullptr;  // of B
    std::string name;                        // of B
  };
  int emit(const Expression&, int in);
  int new_register(const Side&);
  int size_of(const Side&) const;  // throws where no list of points says it
  void run_letter(const Step&);
  void count(const Step&);

  const OperatorAlgebra<T>* algebra_;
  ExpressionPtr expression_;
  int columns_, rows_ = 0, cols_ = 0;
  long multiplications_ = 0, additions_ = 0;
  std::vector<Step> steps_;
  std::vector<std::vector<T>> registers_;  // 0 is the argument
  std::vector<Side> sides_;
  std::vector<T> sum_;  // (largest size x columns) scratch of the strict recursions
};

// The whole matrix of an expression, column by column, O(N) each.
template <class R, class C>
std::vector<double> materialise(const OperatorAlgebra<double>&, const Operator<R, C>&);

}  // namespace sinew::sko
