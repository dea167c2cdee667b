// sinew/lcp/solve.hpp - the solvers by name, and the default path through them
// The caller names a solver; `automatic` tries several, and its certificate names the one whose answer was taken.
//   lcp::Solver solver({.directions = 4});
//   lcp::Certificate c = solver.solve(problem, z);      // z: in, the warm start; out, the answer
// The workspace grows to the largest problem that it has met, or that `reserve` was told of; a problem no larger
// allocates nothing (except the first pyramid that `automatic` tries again from the cone's answer).
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "sinew/base/interrupt.hpp"
#include "sinew/lcp/certificate.hpp"
#include "sinew/lcp/problem.hpp"
#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::lcp {

// Who solves; docs/lcp.md says when to take which.
enum class Method {
  automatic,  // the default path; see docs/lcp.md
  // linear complementarity, also of a contact problem with a pyramid
  lemke,
  pivoting,
  pgs,
  newton,
  proximal,
  qp,
  // the exact cone
  gauss_seidel,
  alart_curnier,
};
std::string_view to_string(Method);
std::optional<Method> find_method(std::string_view name);

// Method, tolerance and limits.
struct SolverOptions {
  Method method = Method::automatic;
  int directions = 0;        // contact problems: 0 the exact cone, or an even number, the pyramid
  double tolerance = 1e-10;  // relative residual that counts as solved
  double acceptable = 0;     // `automatic`, for the cone: relative residual below which it skips its slow methods. When
                             // they were all tried, 1e-6 counts as close too. 0: only the tolerance counts
  int iterations = 0;     // most pivots, sweeps or Newton steps; 0: the method's own limit. `automatic` for the cone:
                          // of all that it tries, and a few more where a step is in progress
  bool warm = false;      // z holds the answer of a similar problem: its active set is tried first
  double repeat = 1e-2;   // `automatic`, for the cone: keeps z if its residual is below this part of the tolerance,
                          // or of 1e-10 where that is less: errors of answers that are kept add up. 1: if it solves
  int sparse_rows = 130;  // formulation os: islands of so many rows, or 0.6 of them where velocities are few, are
                          // solved without W where that pays; 0: all
  bool settle = false;    // solves beyond the tolerance where the warm start is near, for what may rest
  // Asked: the call throws Interrupted and leaves no answer; the solver may be used again. Past its deadline: the
  // answer is the best so far, after a few sweeps where there was none, and the status is out_of_time.
  Interrupt interrupt{};
};

// The residual below which the last answer is kept.
inline double find_kept_residual(const SolverOptions& o) {
  return o.repeat * (o.repeat < 1 ? std::min(o.tolerance, 1e-10) : o.tolerance);
}

// Solves problems one after the other with the memory that it has.
class Solver {
 public:
  explicit Solver(const SolverOptions& = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // Room for contact problems with the exact cone of at most that many rows and contacts. Solves nothing.
  void reserve(const RowLayout& most);
  // Room for problems without W. How much their factors need depends on which trees touch: it is made for heaps, and
  // grows where they are more tangled.
  void reserve_sparse(const SparseRoom& most);

  SolverOptions options;  // may be changed between calls
  Certificate solve(const Problem&, VectorView<double> z);
  // z: free, unilateral, then (normal, tangent, tangent) of each contact, also where a pyramid was solved.
  Certificate solve(const FrictionProblem&, VectorView<double> z);
  Certificate solve(const FrictionProblem&, VectorView<double> z, const SolverOptions&);  // options of this call
  // Without the matrix W: sparse steps in the space of velocities, for many bodies; W is built only where these fail
  // and it is small. The exact cone only.
  Certificate solve(const SparseProblem&, VectorView<double> z);
  Certificate solve(const SparseProblem&, VectorView<double> z, const SolverOptions&);
  // After a pyramid: the unknowns of the linear problem itself, polyhedral_size of them.
  VectorView<const double> polyhedral_unknowns() const;
  // After a problem with the exact cone whose status is ray: impulses d of all its rows, the largest 1, that prove that
  // they contradict. They obey the laws of their rows, d within bounds and cones, and change no velocity, W d = 0; yet
  // the rows ask for more of them, q . d < 0. So in every answer one of these contacts would move sideways, faster than
  // it parts, u_n < mu |u_t| (Farkas' lemma), and no such answer was found. The answer z violates these rows by the
  // least, which is the certificate's residual, and solves the others. Empty after all other problems.
  VectorView<const double> contradiction() const;

 private:
  void retry_from_cone(const FrictionProblem&, const SolverOptions&, VectorView<double> z, Certificate& out);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::lcp
