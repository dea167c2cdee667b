// tests/delassus/algorithms_test.cpp - every Delassus algorithm on every kind of problem (OS-1 .. OS-7)
#include <gtest/gtest.h>

#include "sinew/delassus/chang_khatib.hpp"
#include "sinew/delassus/dense.hpp"
#include "sinew/delassus/efpa.hpp"
#include "sinew/delassus/kjr.hpp"
#include "sinew/delassus/ltl.hpp"
#include "sinew/delassus/pv.hpp"
#include "support/delassus_case.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

// f(name, run) with run(q, K, W), for each of the seven.
template <class T, class F>
void for_each_algorithm(const Model& m, const Problem& p, F f) {
  DenseWorkspace<T> dense_ws(m, p);
  LtlWorkspace<T> ltl_ws(m, p);
  KjrWorkspace<T> kjr_ws(m, p);
  ChangKhatibWorkspace<T> ck_ws(m, p);
  EfpaWorkspace<T> efpa_ws(m, p);
  PvWorkspace<T> pv_ws = make_pv_workspace<T>(m, p), pvr_ws = make_pvr_workspace<T>(m, p);
  f("dense", [&](auto q, auto K, auto W) { dense(m, dense_ws, q, K, W); });
  f("ltl", [&](auto q, auto K, auto W) { ltl(m, ltl_ws, q, K, W); });
  f("kjr", [&](auto q, auto K, auto W) { kjr(m, kjr_ws, q, K, W); });
  f("chang_khatib", [&](auto q, auto K, auto W) { chang_khatib(m, ck_ws, q, K, W); });
  f("efpa", [&](auto q, auto K, auto W) { efpa(m, efpa_ws, q, K, W); });
  f("pv", [&](auto q, auto K, auto W) { pv(m, pv_ws, q, K, W); });
  f("pvr", [&](auto q, auto K, auto W) { pv(m, pvr_ws, q, K, W); });
}

// 1 Second path ------------------------------------------------------------------------------------------------------

// 2000 random problems. The definition is a product of three matrices, whose condition limits what it can say.
TEST(Delassus, AllAlgorithmsAreTheDefinition) {
  for (int seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    const std::vector<double> want = numbers_of(naive_delassus(c));
    const double condition = c.model.nv() ? conditioning(c) : 1;
    for_each_algorithm<double>(c.model, c.problem, [&](const char* name, auto run) {
      const std::vector<double> W = delassus_numbers<double>(
          c.problem, [&](MatrixView<double> out) { run(In<double>(c.q), In<Force<double>>(c.K), out); });
      EXPECT_TRUE(near(W, want, 50 * condition)) << name;
    });
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace sinew::test
