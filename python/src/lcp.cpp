// python/src/lcp.cpp - complementarity problems and their solvers: sinew.lcp
#include "sinew/lcp/solve.hpp"

#include "interrupt.hpp"
#include "lcp.hpp"
#include "sinew/lcp/residual.hpp"

namespace sinew::py {
namespace {

using namespace lcp;

// A problem with its numbers: what the views of lcp::Problem look at.
struct PyProblem {
  std::vector<double> M, q, lower, upper;
  Problem view() const { return {{M.data(), q.size(), q.size()}, q, lower, upper}; }
};

std::vector<double> read_matrix(const char* call, const char* name, ArrayIn in, std::size_t n) {
  const InMatrix x(call, name, in, n, n);
  return {x.data(), x.data() + n * n};
}
std::vector<double> read_or_empty(const char* call, const char* name, ArrayIn in, std::size_t n) {
  if (in.is_none()) return {};
  const InVector x(call, name, in, n);
  return {x.data(), x.data() + n};
}

template <class P>
std::pair<Array, Certificate> solve(Held<Solver>& solver, const P& problem, ArrayIn start, ArrayOut out) {
  const char* call = "solve";
  const Use<Solver> use(call, solver, "the solver");
  const auto n = problem.q.size();
  OutVector z(call, "out", out, n);
  if (start.is_none()) {
    std::fill(z.data(), z.data() + n, 0.);
  } else {
    const InVector s(call, "start", start, n);
    if (s.data() != z.data()) z.apart_from(s), std::copy(s.data(), s.data() + n, z.data());
  }
  // Small ones end before anybody can press Ctrl-C.
  constexpr std::size_t kLong = 30;
  std::optional<CtrlC> signals;
  if (n >= kLong) use->options.interrupt = signals.emplace().hook();
  for (;;) try {
      const Certificate c = run_long([&] { return use->solve(problem.view(), z); });
      use->options.interrupt = {};
      return {z.take(), c};
    } catch (const Interrupted&) {
      signals->check();
    }
}

Array contradiction(Held<Solver>& solver) {
  const Use<Solver> use("contradiction", solver, "the solver");
  return copy_vector(use->contradiction());
}

template <class P>
std::tuple<double, double, bool> residual(const P& problem, ArrayIn z) {
  const InVector Z("calc_residual", "z", z, problem.q.size());
  const Residual r = calc_residual(problem.view(), Z);
  return {r.relative, r.absolute, r.finite};
}

}  // namespace

void bind_lcp(nb::module_& top) {
  nb::module_ m = top.def_submodule("lcp", "Complementarity and friction problems, and their solvers.");
  nb::enum_<Status>(m, "Status", "How a solver ended.")
      .value("solved", Status::solved, "The residual is within the tolerance.")
      .value("ray", Status::ray,
             "A pivoting method ended on a secondary ray: no solution was found; or rows of a cone contradict, as\n"
             "Solver.contradiction() proves, and the answer violates them by the least.")
      .value("infeasible", Status::infeasible,
             "There is no solution: bounds cross, or equations contradict each other.")
      .value("limit", Status::limit, "Iterations ran out; the answer is the best that was found.")
      .value("close", Status::close, "Within `acceptable` but not within the tolerance.")
      .value("non_finite", Status::non_finite, "The data or the answer hold a number that is not finite.")
      .value("out_of_time", Status::out_of_time, "The time was used up; the answer is the best that was found.");
  nb::enum_<Method>(m, "Method", "Solvers of complementarity problems; docs/lcp.md compares them.")
      .value("automatic", Method::automatic, "several, in a fixed order; the certificate names the one that was taken")
      .value("lemke", Method::lemke, "Lemke's complementary pivots.")
      .value("pivoting", Method::pivoting, "Principal pivoting after Dantzig, Cottle and Keller, with bounds.")
      .value("pgs", Method::pgs, "Projected Gauss-Seidel.")
      .value("newton", Method::newton, "Semismooth Newton on the natural map.")
      .value("proximal", Method::proximal, "Proximal point: a sequence of regular problems.")
      .value("qp", Method::qp, "A convex quadratic programme, by an interior method [F08 11.43].")
      .value("gauss_seidel", Method::gauss_seidel, "the exact cone")
      .value("alart_curnier", Method::alart_curnier, "the exact cone");
  using O = SolverOptions;
  nb::class_<O>(m, "SolverOptions", "Method, tolerance and limits of a Solver.")
      .def(
          "__init__",
          [](O* self, Method method, int directions, double tolerance, double acceptable, int iterations, bool warm,
             double repeat, int sparse_rows, bool settle) {
            new (self) O{method, directions, tolerance, acceptable, iterations, warm, repeat, sparse_rows, settle};
          },
          nb::kw_only(), "method"_a = Method::automatic, "directions"_a = 0, "tolerance"_a = 1e-10, "acceptable"_a = 0.,
          "iterations"_a = 0, "warm"_a = false, "repeat"_a = 1e-2, "sparse_rows"_a = O{}.sparse_rows,
          "settle"_a = false)
      .def_rw("method", &O::method, "Which solver.")
      .def_rw("directions", &O::directions, "0: the exact cone; an even number: the pyramid")
      .def_rw("tolerance", &O::tolerance, "relative residual that counts as solved")
      .def_rw("acceptable", &O::acceptable,
              "`automatic`, for the cone: relative residual below which it skips its slow methods.")
      .def_rw("iterations", &O::iterations, "0: the method's own limit")
      .def_rw("warm", &O::warm, "True: z holds the answer of a similar problem, whose active set is tried first.")
      .def_rw("repeat", &O::repeat,
              "`automatic`, for the cone: keeps z if its residual is below this part of the tolerance.")
      .def_rw("sparse_rows", &O::sparse_rows,
              "Islands with trees of so many rows are solved without W where that pays; 0: all.")
      .def_rw("settle", &O::settle, "Solves beyond the tolerance where the warm start is near, for what may rest.")
      .def("__repr__", [](const O& o) {
        return "SolverOptions(method=" + std::string(to_string(o.method)) +
               ", tolerance=" + std::to_string(o.tolerance) + ")";
      });
  using C = Certificate;
  nb::class_<C>(m, "Certificate", "What a solver did, and how well: residuals are measured on the answer.")
      .def_ro("status", &C::status, "How it ended.")
      .def_ro("solver", &C::solver, "whose answer this is")
      .def_ro("size", &C::size, "Unknowns.")
      .def_ro("iterations", &C::iterations, "Pivots, sweeps or Newton steps, of all solvers that were tried.")
      .def_ro("tolerance", &C::tolerance, "Relative residual that counts as solved.")
      .def_ro("residual", &C::residual, "relative natural residual")
      .def_ro("absolute", &C::absolute, "largest entry of z - P(z - w)")
      .def("__repr__", [](const C& c) {
        char text[96];
        std::snprintf(text, sizeof text, ", residual %.3g, %d iterations>", c.residual, c.iterations);
        return "<Certificate " + std::string(to_string(c.status)) + " by " + std::string(c.solver) + text;
      });
  nb::class_<PyProblem>(
      m, "Problem",
      "lower <= z <= upper, w = M z + q: w >= 0 where z = lower, w <= 0 where z = upper, w = 0 between\n"
      "[J14 section 2.2]. No bounds: 0 <= z, w >= 0, z w = 0. Keeps copies of its numbers.")
      .def(
          "__init__",
          [](PyProblem* self, ArrayIn M, ArrayIn q, ArrayIn lower, ArrayIn upper) {
            const char* call = "Problem";
            std::vector<double> Q = read_numbers(call, "q", q);
            const auto n = Q.size();
            if (lower.is_none() != upper.is_none()) throw nb::value_error("Problem: give both bounds, or none");
            new (self) PyProblem{read_matrix(call, "M", M, n), std::move(Q), read_or_empty(call, "lower", lower, n),
                                 read_or_empty(call, "upper", upper, n)};
          },
          "M"_a, "q"_a, optional_array("lower"), optional_array("upper"))
      .def_prop_ro(
          "size", [](const PyProblem& p) { return p.q.size(); }, "The number of unknowns.");
  nb::class_<PyFrictionProblem>(
      m, "FrictionProblem",
      "Rows: free (w = 0), unilateral, then normal, tangent, tangent of each contact with Coulomb's\n"
      "law 0 <= r_n, u_n >= 0, |r_t| <= mu (r_n + preload). Keeps copies of its numbers.")
      .def(
          "__init__",
          [](PyFrictionProblem* self, ArrayIn W, ArrayIn q, ArrayIn mu, ArrayIn preload, int free, int unilateral,
             ArrayIn lower, ArrayIn upper) {
            const char* call = "FrictionProblem";
            std::vector<double> Q = read_numbers(call, "q", q), Mu = read_numbers(call, "mu", mu);
            const auto n = Q.size(), contacts = Mu.size();
            if (free < 0 || unilateral < 0 || at(free) + at(unilateral) + 3 * contacts != n)
              throw nb::value_error(("FrictionProblem: q has " + std::to_string(n) +
                                     " rows, but free + unilateral + 3 contacts is " + std::to_string(free) + " + " +
                                     std::to_string(unilateral) + " + " + std::to_string(3 * contacts))
                                        .c_str());
            if (lower.is_none() != upper.is_none()) throw nb::value_error("FrictionProblem: give both bounds, or none");
            for (const double x : Mu)
              if (!(x >= 0)) throw nb::value_error("FrictionProblem: mu must not be negative");
            new (self) PyFrictionProblem{read_matrix(call, "W", W, n),
                                         std::move(Q),
                                         std::move(Mu),
                                         read_or_empty(call, "preload", preload, contacts),
                                         read_or_empty(call, "lower", lower, at(unilateral)),
                                         read_or_empty(call, "upper", upper, at(unilateral)),
                                         free,
                                         unilateral};
          },
          "W"_a, "q"_a, "mu"_a, optional_array("preload"), nb::kw_only(), "free"_a = 0, "unilateral"_a = 0,
          optional_array("lower"), optional_array("upper"))
      .def_prop_ro(
          "size", [](const PyFrictionProblem& p) { return p.q.size(); }, "The number of rows.")
      .def_prop_ro(
          "W", [](const PyFrictionProblem& p) { return freeze(copy_matrix(p.W, p.q.size(), p.q.size())); },
          "The matrix: symmetric positive semidefinite once the free rows are eliminated.")
      .def_prop_ro(
          "q", [](const PyFrictionProblem& p) { return freeze(copy_vector(p.q)); }, "The vector of w = W z + q.")
      .def_prop_ro(
          "mu", [](const PyFrictionProblem& p) { return freeze(copy_vector(p.mu)); }, "Friction of each contact.")
      .def_prop_ro(
          "preload", [](const PyFrictionProblem& p) { return freeze(copy_vector(p.preload)); }, "Empty: zeros.")
      .def_prop_ro(
          "lower", [](const PyFrictionProblem& p) { return freeze(copy_vector(p.lower)); },
          "Of the unilateral rows; empty: 0.")
      .def_prop_ro(
          "upper", [](const PyFrictionProblem& p) { return freeze(copy_vector(p.upper)); }, "Empty: infinity.")
      .def_ro("free", &PyFrictionProblem::free, "How many rows are free: the first.")
      .def_ro("unilateral", &PyFrictionProblem::unilateral, "Rows after the free ones, with bounds.");
  nb::class_<Held<Solver>>(m, "Solver",
                           "The solvers by name. Its workspace grows to the largest problem that it has met.")
      .def(
          "__init__", [](Held<Solver>* self, const O& o) { new (self) Held<Solver>(o); }, "options"_a = O{})
      .def("solve", &solve<PyProblem>, "problem"_a, optional_array("start"), optional_array("out"),
           "z and its Certificate. start: where an iteration begins, the answer of a similar problem; None: zeros.")
      .def("solve", &solve<PyFrictionProblem>, "problem"_a, optional_array("start"), optional_array("out"))
      .def("contradiction", &contradiction,
           "After a friction problem whose status is ray: impulses of all its rows, the largest 1, that prove that "
           "they\n"
           "contradict. They obey the laws of their rows and change no velocity, W d = 0; yet q . d < 0. Else empty.");
  m.def("calc_residual", &residual<PyProblem>, "problem"_a, "z"_a, "Relative, absolute, and whether all is finite.");
  m.def("calc_residual", &residual<PyFrictionProblem>, "problem"_a, "z"_a);
}

}  // namespace sinew::py
