// bench/peers/siconos/contacts.cpp - the thousand contact problems through Siconos and through Sinew, one thread, one
// run
//   siconos_contacts [--first N] [--count N] [--tolerance E] [--blocks 0|1]
// Both start from zero and both are judged by Sinew's residual on the original data. Siconos runs its Gauss-Seidel
// first and, where the answer is not good enough, its Alart-Curnier Newton and then its proximal method, each from the
// best answer so far; the matrix is given to the first as sparse blocks, which is faster for stacks, and dense to the
// others. Only the solver calls are timed.
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Tally {
  int cases = 0, ours = 0, theirs = 0, first = 0;
  double ours_s = 0, theirs_s = 0, first_s = 0;
};

struct Peer {
  double tolerance;
  bool use_blocks;
  double seconds = 0, first_seconds = 0;
  bool first = false;  // Gauss-Seidel was enough

  double run(int method, int limit, FrictionContactProblem& p, std::vector<double>& r, std::vector<double>& u) const {
    SolverOptions* o = solver_options_create(method);
    o->dparam[SICONOS_DPARAM_TOL] = 0.1 * tolerance;
    o->iparam[SICONOS_IPARAM_MAX_ITER] = limit;
    const auto start = Clock::now();
    fc3d_driver(&p, r.data(), u.data(), o);
    const double t = since(start);
    solver_options_delete(o);
    std::free(o);
    return t;
  }
  sinew::lcp::Residual solve(sinew::test::FrictionCase& c) {
    const std::size_t n = c.q.size();
    const int size = static_cast<int>(n);
    std::vector<double> r(n, 0.0), u(n, 0.0), best(n, 0.0);
    NumericsMatrix* dense = NM_create(NM_DENSE, size, size);
    std::copy(c.W.begin(), c.W.end(), dense->matrix0);
    NumericsMatrix* sparse = NM_create(NM_SPARSE, size, size);
    NM_copy_to_sparse(dense, sparse, 0);
    NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, size, size);
    SBM_from_csparse(3, NM_csc(sparse), blocks->matrix1);
    FrictionContactProblem by_blocks{3, c.contacts(), blocks, c.q.data(), c.mu.data()};
    FrictionContactProblem whole{3, c.contacts(), dense, c.q.data(), c.mu.data()};

    seconds = first_seconds = run(SICONOS_FRICTION_3D_NSGS, 10000, use_blocks ? by_blocks : whole, r, u);
    sinew::lcp::Residual found = calc_residual(c.problem(), r);
    first = found.relative <= tolerance;
    best = r;
    for (const int method : {SICONOS_FRICTION_3D_NSN_AC, SICONOS_FRICTION_3D_PROX}) {
      if (found.relative <= tolerance) break;
      r = best;
      seconds += run(method, method == SICONOS_FRICTION_3D_PROX ? 1000 : 200, whole, r, u);
      const sinew::lcp::Residual next = calc_residual(c.problem(), r);
      if (next.finite && next.relative < found.relative) found = next, best = r;
    }
    for (NumericsMatrix* m : {dense, sparse, blocks}) NM_clear(m), std::free(m);
    return found;
  }
};

}  // namespace

int main(int argc, char** argv) {
  int from = 0, count = sinew::test::kFrictionCases;
  double tolerance = 1e-8;
  bool use_blocks = true;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--first") from = std::atoi(argv[i + 1]);
    if (name == "--count") count = std::atoi(argv[i + 1]);
    if (name == "--tolerance") tolerance = std::atof(argv[i + 1]);
    if (name == "--blocks") use_blocks = std::atoi(argv[i + 1]) != 0;
  }
  numerics_set_verbose(0);
  sinew::lcp::Solver solver({.tolerance = 0.1 * tolerance});
  Peer peer{tolerance, use_blocks};
  std::map<std::string, Tally> kinds;
  Tally all;
  for (int i = from; i < from + count; ++i) {
    sinew::test::FrictionCase c = sinew::test::make_friction_case(i);
    std::vector<double> z(c.q.size(), 0.0);
    const auto start = Clock::now();
    solver.solve(c.problem(), z);
    const double ours_s = since(start);
    const bool ours = calc_residual(c.problem(), z).relative <= tolerance;
    const bool theirs = peer.solve(c).relative <= tolerance;
    for (Tally* t : {&kinds[std::string(c.kind)], &all}) {
      ++t->cases, t->ours += ours, t->theirs += theirs, t->first += peer.first;
      t->ours_s += ours_s, t->theirs_s += peer.seconds, t->first_s += peer.first_seconds;
    }
    if (isatty(2)) std::fprintf(stderr, "\r%d of %d", i - from + 1, count);
  }
  const auto print = [](const char* name, const Tally& t) {
    std::printf("%-24s%6d%8d%10.3f%10d%10.3f%10d%10.3f%8.1f\n", name, t.cases, t.ours, t.ours_s, t.first, t.first_s,
                t.theirs, t.theirs_s, t.theirs_s / t.ours_s);
  };
  std::printf("%-24s%6s%8s%10s%10s%10s%10s%10s%8s\n", "", "cases", "Sinew", "s", "NSGS", "s", "+Newton", "s", "ratio");
  for (const auto& [name, t] : kinds) print(name.c_str(), t);
  print("all", all);
  return 0;
}
