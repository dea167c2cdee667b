// src/lcp/solve.cpp
#include "sinew/lcp/solve.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "lcp/check.hpp"
#include "lcp/cone_path.hpp"
#include "lcp/linear_path.hpp"
#include "lcp/sparse_cut.hpp"
#include "lcp/sparse_path.hpp"
#include "sinew/lcp/polyhedral.hpp"
#include "sinew/lcp/residual.hpp"

namespace sinew::lcp {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 9> kMethods{{{Method::automatic, "automatic"},
                                                                       {Method::lemke, "lemke"},
                                                                       {Method::pivoting, "pivoting"},
                                                                       {Method::pgs, "pgs"},
                                                                       {Method::newton, "newton"},
                                                                       {Method::proximal, "proximal"},
                                                                       {Method::qp, "qp"},
                                                                       {Method::gauss_seidel, "gauss_seidel"},
                                                                       {Method::alart_curnier, "alart_curnier"}}};

// The certificate where nothing was solved: the answer is zeros.
Certificate give_up(Status status, int size, const SolverOptions& options, VectorView<double> z) {
  std::fill(z.begin(), z.end(), 0.0);
  Certificate out;
  out.status = status, out.solver = to_string(options.method), out.size = size, out.tolerance = options.tolerance;
  out.residual = out.absolute = std::numeric_limits<double>::infinity();
  return out;
}

// z holds the first answer; `other` the second.
Certificate take_better(Certificate first, Certificate second, const std::vector<double>& other, VectorView<double> z) {
  const int iterations = first.iterations + second.iterations;
  const bool better =
      second.status == Status::solved || second.status == Status::ray || second.residual < first.residual;
  if (better) std::copy(other.begin(), other.end(), z.begin());
  Certificate& out = better ? second : first;
  out.iterations = iterations;
  return out;
}

// Nothing more is tried.
Certificate judge_end(Certificate c, const SolverOptions& o) {
  const bool close = o.method == Method::automatic && o.acceptable > 0 && c.residual <= cascade::kCloseInTheEnd;
  if ((c.status == Status::limit || c.status == Status::ray) && close) c.status = Status::close;
  return c;
}

}  // namespace

std::string_view to_string(Method m) {
  for (const auto& [method, name] : kMethods)
    if (method == m) return name;
  return "unknown";
}
std::optional<Method> find_method(std::string_view name) {
  for (const auto& [method, its_name] : kMethods)
    if (its_name == name) return method;
  return std::nullopt;
}
std::string_view to_string(Status s) {
  constexpr std::array<std::string_view, 7> kNames{"solved", "ray",        "infeasible", "limit",
                                                   "close",  "non_finite", "out_of_time"};
  return kNames[static_cast<std::size_t>(s)];
}

struct Solver::Impl {
  LinearPath linear;
  ConePath cone;
  SparsePath sparse;
  std::vector<double> W;  // of a sparse problem that is tried again
  SparseCut cut;
  std::vector<double> contradiction;  // of such a problem that is too large for W; else that of `cone`
  bool from_cut = false;
  void forget_contradiction() { cone.forget_contradiction(), contradiction.clear(), from_cut = false; }
  Certificate solve_parts(const SparseProblem&, const SolverOptions&, VectorView<double> answer, Certificate first);
  Certificate end_wedged(const SparseProblem&, const SolverOptions& warm, VectorView<double> answer, Certificate out);
  Polyhedral polyhedral;
  std::vector<double> z, start;  // of the pyramid
};

Solver::Solver(const SolverOptions& o) : options(o), impl_(std::make_unique<Impl>()) {}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

Certificate Solver::solve(const Problem& p, VectorView<double> z) {
  check(p, z.size());
  impl_->forget_contradiction();
  if (!is_finite(p)) return give_up(Status::non_finite, p.size(), options, z);
  if (find_crossed_bounds(p) >= 0) return give_up(Status::infeasible, p.size(), options, z);
  return impl_->linear.solve(p, options, z);
}

void Solver::reserve(const RowLayout& most) {
  impl_->cone.reserve(most, options);
  impl_->start.reserve(static_cast<std::size_t>(most.rows()));
}

void Solver::reserve_sparse(const SparseRoom& most) {
  impl_->sparse.reserve(most, options);
  impl_->start.reserve(static_cast<std::size_t>(most.rows.rows()));
}

Certificate Solver::solve(const FrictionProblem& p, VectorView<double> z) { return solve(p, z, options); }

Certificate Solver::solve(const FrictionProblem& p, VectorView<double> z, const SolverOptions& o) {
  check(p, z.size());
  impl_->forget_contradiction();
  if (o.directions == 0) {
    if (has_finite_vectors(p))
      if (const auto last = impl_->cone.repeat(p, o, z)) return *last;
    if (!is_finite(p)) return give_up(Status::non_finite, p.size(), o, z);
    const Certificate first = impl_->cone.solve(p, o, z);
    if (first.status != Status::limit || !o.warm || o.method != Method::automatic || o.iterations > 0)
      return judge_end(first, o);
    // Once more without the start: a wrong one may lead away from every answer.
    SolverOptions cold = o;
    cold.warm = false;
    impl_->start.assign(z.size(), 0.0);
    const Certificate second = impl_->cone.solve(p, cold, impl_->start);
    return judge_end(take_better(first, second, impl_->start, z), o);
  }
  check_pyramids(p, o.directions);
  const int size = polyhedral_size(p, o.directions);
  impl_->z.resize(static_cast<std::size_t>(size));
  if (!is_finite(p)) {
    give_up(Status::non_finite, size, o, impl_->z);
    return give_up(Status::non_finite, size, o, z);
  }
  impl_->polyhedral.build(p, o.directions);
  if (o.warm) impl_->polyhedral.unfold(p, z, impl_->z);
  Certificate out = impl_->linear.solve(impl_->polyhedral.problem(), o, impl_->z);
  if (out.status == Status::limit && o.method == Method::automatic) retry_from_cone(p, o, z, out);
  impl_->polyhedral.fold(impl_->z, z);
  return out;
}

Certificate Solver::solve(const SparseProblem& p, VectorView<double> z) { return solve(p, z, options); }

Certificate Solver::solve(const SparseProblem& p, VectorView<double> z, const SolverOptions& o) {
  check(p, z.size());
  if (o.directions != 0)
    throw std::invalid_argument(
        "lcp: a pyramid needs the matrix W; a sparse problem is for the cone itself, directions 0");
  impl_->forget_contradiction();
  if (!is_finite(p)) return give_up(Status::non_finite, p.size(), o, z);
  if (const auto last = impl_->sparse.repeat(p, o, z)) return *last;
  impl_->start.assign(z.begin(), z.end());
  SolverOptions own = o;
  if (o.acceptable > 0 && p.size() > cascade::kDenseRows)
    own.acceptable = std::max(o.acceptable, cascade::kSparseAcceptable);
  const Certificate first = impl_->sparse.solve(p, own, z);
  if (first.status == Status::solved || first.status == Status::close || o.method != Method::automatic ||
      first.status == Status::out_of_time)
    return judge_end(first, o);
  if (p.size() > cascade::kDenseRows) return judge_end(impl_->solve_parts(p, own, z, first), o);
  // Once more with W, from the same start: slower, and with more methods.
  const std::size_t n = p.q.size();
  impl_->W.resize(n * n);
  const MatrixView<double> W(impl_->W.data(), n, n);
  p.calc_matrix(W);
  const FrictionProblem dense{{W.data(), n, n}, p.q, p.mu, p.preload, p.free, p.unilateral, p.lower, p.upper};
  const Certificate second = impl_->cone.solve(dense, own, impl_->start);
  return judge_end(take_better(first, second, impl_->start, z), o);
}

// Of a problem that is too large for its W: the part that is violated most is solved with its own, and all of it again
// from there; or the part is proved to contradict itself. `first`: of the answer.
Certificate Solver::Impl::solve_parts(const SparseProblem& p, const SolverOptions& o, VectorView<double> answer,
                                      Certificate first) {
  if (o.iterations > 0) return first;
  SolverOptions warm = o;
  warm.warm = true;
  for (int round = 0; round < cascade::kCuts && first.status == Status::limit; ++round) {
    cut.make(p, answer, cascade::kCutRows);
    const Certificate part = cone.solve(cut.problem(), warm, cut.z);
    first.iterations += part.iterations;
    if (part.status == Status::ray) return first.solver = part.solver, end_wedged(p, warm, answer, first);
    if (part.status != Status::solved && part.status != Status::close) return first;
    start.assign(answer.begin(), answer.end());
    cut.put(cut.z, start);
    first = take_better(first, sparse.solve(p, warm, start), start, answer);
  }
  return first;
}

// The last cut contradicts itself. What is outside of the contradiction is solved with its impulses as they are.
Certificate Solver::Impl::end_wedged(const SparseProblem& p, const SolverOptions& warm, VectorView<double> answer,
                                     Certificate out) {
  contradiction.assign(answer.size(), 0.0), from_cut = true;
  cut.put(cone.contradiction(), contradiction);
  cut.put(cut.z, answer);
  cut.make_rest(p, answer, contradiction);
  out.iterations += sparse.solve(cut.rest(), warm, cut.z).iterations;
  cut.put(cut.z, answer);
  const Residual r = calc_residual(p, answer);
  out.status = Status::ray, out.residual = r.relative, out.absolute = r.absolute;
  return out;
}

// Tries an unsolved pyramid again from the answer of the exact cone; keeps the better of the two.
void Solver::retry_from_cone(const FrictionProblem& p, const SolverOptions& o, VectorView<double> z, Certificate& out) {
  SolverOptions exact = o, newton = o;
  exact.directions = 0, newton.method = Method::newton, newton.warm = true;
  impl_->start.resize(impl_->z.size());
  const Certificate cone = impl_->cone.solve(p, exact, z);
  impl_->polyhedral.unfold(p, z, impl_->start);
  Certificate again = impl_->linear.solve(impl_->polyhedral.problem(), newton, impl_->start);
  out.iterations += cone.iterations + again.iterations, again.iterations = out.iterations;
  if (again.residual < out.residual) std::swap(out, again), std::swap(impl_->z, impl_->start);
}

VectorView<const double> Solver::polyhedral_unknowns() const { return impl_->z; }
VectorView<const double> Solver::contradiction() const {
  return impl_->from_cut ? VectorView<const double>(impl_->contradiction) : impl_->cone.contradiction();
}

}  // namespace sinew::lcp
