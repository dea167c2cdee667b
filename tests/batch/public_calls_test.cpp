// tests/batch/public_calls_test.cpp - every public call of batch/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/batch/batch.hpp"
#include "sinew/batch/parallel_dca.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::test {
namespace {

TEST(BatchCalls, AllArguments) {
  const Model m = compile(mechanisms::chain(3)).value();
  const int samples = 4, n = m.nv(), bodies = static_cast<int>(m.bodies().size());
  Batch<double> batch(m);
  CallTable table;
  // The rows of q say how many samples there are: of q only the columns can be wrong.
  const std::vector<double> zero(at(samples * n));
  const Batch<double>::Rows q{zero.data(), at(samples), at(n)};
  const auto in = [&](Arguments& x, const char* name) -> Batch<double>::Rows {
    const MatrixView<double> out = x.matrix(name, samples, n);
    return {out.data(), out.rows(), out.cols()};
  };
  const auto columns = [&](Arguments& x) -> Batch<double>::Rows {
    std::vector<double>& row = x.numbers("q", n);
    return {row.data(), 1, row.size()};
  };
  std::vector<double> room(1000);
  table.add("Batch::rnea", [&](Arguments& x) { batch.rnea(q, in(x, "v"), in(x, "a"), x.matrix("tau", samples, n)); });
  table.add("Batch::aba", [&](Arguments& x) { batch.aba(q, in(x, "v"), in(x, "tau"), x.matrix("a", samples, n)); });
  table.add("Batch::crba", [&](Arguments& x) { batch.crba(q, x.matrix("M", samples, n * n)); });
  table.add("Batch::calc_mass_inverse",
            [&](Arguments& x) { batch.calc_mass_inverse(q, x.matrix("Minv", samples, n * n)); });
  table.add("Batch::calc_kinematics",
            [&](Arguments& x) { batch.calc_kinematics(q, x.matrix("poses", samples, 12 * bodies)); });
  table.add("Batch::crba", [&](Arguments& x) { batch.crba(columns(x), {room.data(), 1, at(n * n)}); });
  table.add("Batch::calc_kinematics", [&](Arguments& x) {
    batch.calc_kinematics(columns(x), {room.data(), 1, at(12 * bodies)});
  });
  const ThreeModels models{mechanisms::chain(3), mechanisms::chain(4)};
  Three<DcaWorkspace<double>> dca_ws(models);
  ThreadPool pool(2);
  table.add("dca", [&](Arguments& x) {
    dca(pool, models.right, dca_ws.take(x), x.numbers("q", n), x.numbers("v", n), x.numbers("tau", n),
        x.numbers("a", n), {x.forces("external", at(bodies)), 0});
  });
  EXPECT_EQ(table.run("batch"), "");
}

}  // namespace
}  // namespace sinew::test
